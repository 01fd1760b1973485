/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clean.h"

#include <string.h>

size_t rt_utf8_length(const uint8_t *s, size_t n)
{
	size_t len, i;

	if (!n)
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] < 0xc2 || s[0] > 0xf4)		/* c0, c1: overlong; f5 on: past U+10FFFF */
		return 0;
	len = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (len > n)
		return 0;
	for (i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xf0 && s[1] < 0x90))	/* overlong */
		return 0;
	if ((s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf4 && s[1] > 0x8f)) /* surrogates; past U+10FFFF */
		return 0;
	return len;
}

/* Two bytes: U+0080 to U+009F, U+061C. */
static bool is_control_2(const uint8_t *s)
{
	return (s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xd8 && s[1] == 0x9c);
}

/* Three bytes: U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069. */
static bool is_control_3(const uint8_t *s)
{
	if (s[0] != 0xe2)
		return false;
	return (s[1] == 0x80 &&
		((s[2] >= 0x8e && s[2] <= 0x8f) || (s[2] >= 0xa8 && s[2] <= 0xae))) ||
	       (s[1] == 0x81 && s[2] >= 0xa6 && s[2] <= 0xa9);
}

size_t rt_printable_length(const uint8_t *s, size_t n)
{
	size_t len;

	if (n && s[0] < 0x80)
		return s[0] >= 0x20 && s[0] != 0x7f;
	len = rt_utf8_length(s, n);
	return (len == 2 && is_control_2(s)) || (len == 3 && is_control_3(s)) ? 0 : len;
}

/* The number of the `n` bytes that are printable characters, from the first on. */
static size_t printable(const uint8_t *s, size_t n)
{
	size_t i = 0, len;

	while (i < n && s[i] >= 0x20 && s[i] < 0x7f)	/* mostly all */
		i++;
	while (i < n && (len = rt_printable_length(s + i, n - i)) > 0)
		i += len;
	return i;
}

bool rt_is_printable(const char *text)
{
	size_t n = strlen(text);

	return printable((const uint8_t *)text, n) == n;
}

void rt_make_printable(char *text)
{
	size_t i, n = strlen(text);

	for (i = 0; (i += printable((const uint8_t *)text + i, n - i)) < n; i++)
		text[i] = '?';
}
