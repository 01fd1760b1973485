/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/line.h"

#include <stdbool.h>

void rt_line_end(struct rt_line *line)
{
	fwrite_unlocked(line->v, 1, line->n, line->file);
	line->n = 0;
}

void rt_line_spill(struct rt_line *line, const void *bytes, size_t n)
{
	rt_line_end(line);
	fwrite_unlocked(bytes, 1, n, line->file);
}

/* Two digits at a time, as each division waits for the one before. */
static void put_digits(struct rt_line *line, uint64_t v, bool negative)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	char buf[24], *end = buf + sizeof(buf), *p = end;

	for (; v >= 10; v /= 100) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
	}
	if (v || p == end)
		*--p = (char)('0' + v);
	if (negative)
		*--p = '-';
	rt_line_bytes(line, p, (size_t)(end - p));
}

void rt_line_u64(struct rt_line *line, uint64_t v)
{
	if (v < 10)
		rt_line_char(line, (char)('0' + v));
	else
		put_digits(line, v, false);
}

void rt_line_i64(struct rt_line *line, int64_t v)
{
	if (v < 0)
		put_digits(line, -(uint64_t)v, true);
	else
		rt_line_u64(line, (uint64_t)v);
}
