/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/scan.h"

#include <ctype.h>
#include <string.h>

#include "base/array.h"

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

/* Not by strtod, which takes "nan", hexadecimal numbers and a locale's point too. */
bool rt_scan_time(const char **at, uint64_t *ns)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	const char *text = *at, *fraction, *unit;
	uint64_t v, scale;
	unsigned i;

	if (!rt_scan_number(&text, 10, &v))
		return false;
	fraction = text;
	if (rt_scan_text(&text, ".")) {
		fraction = text;
		text += strspn(text, "0123456789");
	}
	unit = text;
	for (i = 0; i < RT_COUNT(units) && !rt_scan_text(&text, units[i].name); i++)
		;
	if (i == RT_COUNT(units) || isalnum((unsigned char)*text) || *text == '_' ||
	    v > UINT64_C(1000000000000000000) / units[i].ns)
		return false;
	v *= units[i].ns;
	for (scale = units[i].ns / 10; scale && fraction < unit; scale /= 10)
		v += (uint64_t)(*fraction++ - '0') * scale;
	*ns = v + (fraction < unit && *fraction >= '5');
	*at = text;
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
