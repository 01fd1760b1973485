/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/out.h"
#include "output/text.h"

static void json_char(FILE *file, uint8_t c)
{
	static const char hex[] = "0123456789abcdef";
	char escape[] = "\\u0000";

	switch (c) {
	case '"':
		rt_put(file, "\\\"");
		break;
	case '\\':
		rt_put(file, "\\\\");
		break;
	case '\n':
		rt_put(file, "\\n");
		break;
	case '\r':
		rt_put(file, "\\r");
		break;
	case '\t':
		rt_put(file, "\\t");
		break;
	default:
		/* JSON allows DEL as it is; a terminal that shows the file may not. */
		if (c >= 0x20 && c != 0x7f) {
			putc_unlocked(c, file);
			break;
		}
		escape[4] = hex[c >> 4];
		escape[5] = hex[c & 15];
		rt_put(file, escape);
	}
}

void rt_json_chars(FILE *file, const char *text, size_t len)
{
	const uint8_t *s = (const uint8_t *)text, *end = s + len;

	while (s < end) {
		size_t n = rt_utf8_length(s, (size_t)(end - s));

		if (n == 1)
			json_char(file, *s);
		else if (n)
			rt_put_bytes(file, s, n);
		else
			rt_put(file, "\\ufffd");
		s += n ? n : 1;
	}
}

void rt_json_string(FILE *file, const char *text, size_t len)
{
	putc_unlocked('"', file);
	rt_json_chars(file, text, len);
	putc_unlocked('"', file);
}
