/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/print.h"
#include "output/text.h"
#include "base/clean.h"

/* A character of the Basic Multilingual Plane, as "\u001b". */
static void put_escape(FILE *file, unsigned c)
{
	static const char hex[] = "0123456789abcdef";
	char escape[] = "\\u0000";
	unsigned i;

	for (i = 5; i > 1; i--, c >>= 4)
		escape[i] = hex[c & 15];
	rt_put(file, escape);
}

static unsigned code_point(const uint8_t *s, size_t n)
{
	unsigned c = n == 1 ? s[0] : s[0] & (0x7fu >> n);
	size_t i;

	for (i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3fu);
	return c;
}

/* A character that must not reach a terminal; all such are below U+10000. */
static size_t put_unprintable(FILE *file, const uint8_t *s, size_t left)
{
	size_t n = rt_utf8_length(s, left);

	if (!n)
		rt_put(file, "\\ufffd");
	else if (*s == '\n')
		rt_put(file, "\\n");
	else if (*s == '\r')
		rt_put(file, "\\r");
	else if (*s == '\t')
		rt_put(file, "\\t");
	else
		put_escape(file, code_point(s, n));
	return n ? n : 1;
}

void rt_json_chars(FILE *file, const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text, *end = s + len;
	size_t n;

	for (; s < end; s += n) {
		n = rt_printable_length(s, (size_t)(end - s));
		if (!n) {
			n = put_unprintable(file, s, (size_t)(end - s));
			continue;
		}
		if (*s == '"' || *s == '\\')
			putc_unlocked('\\', file);
		rt_put_bytes(file, s, n);
	}
}

void rt_json_string(FILE *file, const char *text, size_t len)
{
	putc_unlocked('"', file);
	rt_json_chars(file, text, len);
	putc_unlocked('"', file);
}
