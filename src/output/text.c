/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/text.h"

void rt_put(FILE *file, const char *text)
{
	fputs_unlocked(text, file);
}

void rt_put_bytes(FILE *file, const void *bytes, size_t len)
{
	fwrite_unlocked(bytes, 1, len, file);
}

static void put_digits(FILE *file, uint64_t v, int negative)
{
	char buf[21], *p = buf + sizeof(buf);

	do {
		*--p = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	if (negative)
		*--p = '-';
	fwrite_unlocked(p, 1, (size_t)(buf + sizeof(buf) - p), file);
}

void rt_put_u64(FILE *file, uint64_t v)
{
	put_digits(file, v, 0);
}

void rt_put_i64(FILE *file, int64_t v)
{
	put_digits(file, v < 0 ? -(uint64_t)v : (uint64_t)v, v < 0);
}

void rt_put_lost(FILE *file, uint64_t count)
{
	if (count) {
		rt_put_u64(file, count);
		putc_unlocked(' ', file);
	}
	rt_put(file, count == 1 ? "event lost" : "events lost");
}
