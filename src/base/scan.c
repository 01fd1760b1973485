/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/scan.h"

#include <string.h>

/* Not a digit of any base: 16 or more. */
static unsigned digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a' + 10);
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A' + 10);
	return 16;
}

bool rt_scan_number(const char **at, unsigned base, uint64_t *value)
{
	const char *p = *at;
	uint64_t v = 0;

	for (; digit(*p) < base; p++) {
		if (v > (UINT64_MAX - digit(*p)) / base)
			return false;
		v = v * base + digit(*p);
	}
	if (p == *at)
		return false;
	*at = p;
	*value = v;
	return true;
}

bool rt_scan_text(const char **at, const char *text)
{
	size_t n = strlen(text);

	if (strncmp(*at, text, n) != 0)
		return false;
	*at += n;
	return true;
}

const char *rt_scan_word(const char **at, size_t *n)
{
	const char *word = *at + strspn(*at, " \t");

	*n = strcspn(word, " \t\n");
	if (!*n)
		return NULL;
	*at = word + *n;
	return word;
}
