/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strings of JSON. */
#include "base/clean.h"
#include "output/line.h"
#include "output/print.h"


/* A character of the Basic Multilingual Plane, as "\u001b". */
static void put_escape(struct rt_line *line, unsigned c)
{
	static const char hex[] = "0123456789abcdef";
	char escape[] = "\\u0000";
	unsigned i;

	for (i = 5; i > 1; i--, c >>= 4)
		escape[i] = hex[c & 15];
	rt_line_text(line, escape);
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
static size_t put_unprintable(struct rt_line *line, const uint8_t *s, size_t left)
{
	size_t n = rt_utf8_length(s, left);

	if (!n)
		rt_line_text(line, "\\ufffd");
	else if (*s == '\n')
		rt_line_text(line, "\\n");
	else if (*s == '\r')
		rt_line_text(line, "\\r");
	else if (*s == '\t')
		rt_line_text(line, "\\t");
	else
		put_escape(line, code_point(s, n));
	return n ? n : 1;
}

/* The number of bytes from the first on that stand in a string as they are. */
static size_t plain_length(const uint8_t *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= 0x20 && s[i] < 0x7f && s[i] != '"' && s[i] != '\\')
		i++;
	return i;
}

void rt_line_json_chars(struct rt_line *line, const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text, *end = s + len;
	size_t n;

	for (; s < end; s += n) {
		n = plain_length(s, (size_t)(end - s));
		if (n) {
			rt_line_bytes(line, s, n);
			continue;
		}
		n = rt_printable_length(s, (size_t)(end - s));
		if (!n) {
			n = put_unprintable(line, s, (size_t)(end - s));
			continue;
		}
		if (*s == '"' || *s == '\\')
			rt_line_char(line, '\\');
		rt_line_bytes(line, s, n);
	}
}

void rt_line_json_string(struct rt_line *line, const char *text, size_t len)
{
	rt_line_char(line, '"');
	rt_line_json_chars(line, text, len);
	rt_line_char(line, '"');
}

void rt_json_chars(FILE *file, const char *text, size_t len)
{
	struct rt_line line;

	rt_line_begin(&line, file);
	rt_line_json_chars(&line, text, len);
	rt_line_end(&line);
}

void rt_json_string(FILE *file, const char *text, size_t len)
{
	struct rt_line line;

	rt_line_begin(&line, file);
	rt_line_json_string(&line, text, len);
	rt_line_end(&line);
}
