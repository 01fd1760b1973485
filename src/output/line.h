/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_LINE_H
#define RT_OUTPUT_LINE_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * A line that is put together on the stack, and written to its file by one call.  A call in the
 * format chrome has 25 pieces.  stdio looks for room at each of their characters, which took 1,700
 * of 5,000 instructions of rawtrace report.
 *
 *	rt_line_begin(&line, sink->file);
 *	rt_line_text(&line, "fib ");
 *	rt_line_u64(&line, 4);
 *	rt_line_end(&line);
 */
struct rt_line {
	FILE *file;
	size_t n;
	char v[256];
};

/* Not by an initializer, which would clear its characters too. */
static inline void rt_line_begin(struct rt_line *line, FILE *file)
{
	line->file = file;
	line->n = 0;
}

/* Write out what it holds; it is empty then. */
void rt_line_end(struct rt_line *line);

/* Out of line: there is no room for these. */
void rt_line_spill(struct rt_line *line, const void *bytes, size_t n);

static inline void rt_line_bytes(struct rt_line *line, const void *bytes, size_t n)
{
	if (n > sizeof(line->v) - line->n) {
		rt_line_spill(line, bytes, n);
		return;
	}
	memcpy(line->v + line->n, bytes, n);
	line->n += n;
}

static inline void rt_line_text(struct rt_line *line, const char *text)
{
	rt_line_bytes(line, text, strlen(text));
}

static inline void rt_line_char(struct rt_line *line, char c)
{
	if (line->n == sizeof(line->v))
		rt_line_end(line);
	line->v[line->n++] = c;
}

void rt_line_u64(struct rt_line *line, uint64_t v);
void rt_line_i64(struct rt_line *line, int64_t v);
void rt_line_us(struct rt_line *line, uint64_t ns);	/* 12.345, of 12345 */

/* As rt_json_string and rt_json_chars (output/print.h). */
void rt_line_json_string(struct rt_line *line, const char *text, size_t len);
void rt_line_json_chars(struct rt_line *line, const char *text, size_t len);

#endif
