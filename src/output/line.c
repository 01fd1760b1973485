/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/line.h"

/* The digits of UINT64_MAX. */
enum { DIGITS_MOST = 20 };

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

static unsigned count_digits(uint64_t v)
{
	uint64_t power = 10;
	unsigned n = 1;

	for (; v >= power && n < DIGITS_MOST; n++)
		power *= 10;
	return n;
}

/* Two digits at a time, as each division waits for the one before. */
static void put_digits(struct rt_line *line, uint64_t v, unsigned n)
{
	static const char pairs[] = "00010203040506070809101112131415161718192021222324"
				    "25262728293031323334353637383940414243444546474849"
				    "50515253545556575859606162636465666768697071727374"
				    "75767778798081828384858687888990919293949596979899";
	char *p;

	if (n > sizeof(line->v) - line->n)
		rt_line_end(line);
	line->n += n;
	for (p = line->v + line->n; n > 1; n -= 2, v /= 100) {
		p -= 2;
		memcpy(p, pairs + v % 100 * 2, 2);
	}
	if (n)
		*--p = (char)('0' + v % 10);
}

void rt_line_u64(struct rt_line *line, uint64_t v)
{
	if (v < 10)
		rt_line_char(line, (char)('0' + v));
	else
		put_digits(line, v, count_digits(v));
}

void rt_line_i64(struct rt_line *line, int64_t v)
{
	if (v < 0)
		rt_line_char(line, '-');
	rt_line_u64(line, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void rt_line_us(struct rt_line *line, uint64_t ns)
{
	rt_line_u64(line, ns / 1000);
	rt_line_char(line, '.');
	put_digits(line, ns % 1000, 3);
}
