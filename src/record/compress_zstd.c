/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <zstd.h>

#include "record/compress.h"

const char *const rt_compression = "zstd";

/* Level 1 takes 3 ns a byte less than level 3, and its files are a tenth larger. */
enum { LEVEL = 1 };

size_t rt_compress_bound(size_t n)
{
	return ZSTD_compressBound(n);
}

size_t rt_compress(uint8_t *to, size_t room, const uint8_t *from, size_t n)
{
	size_t r = ZSTD_compress(to, room, from, n, LEVEL);

	return ZSTD_isError(r) ? 0 : r;
}

int rt_decompress(uint8_t *to, size_t room, const uint8_t *from, size_t n)
{
	return ZSTD_decompress(to, room, from, n) == room ? 0 : -EBADMSG;
}
