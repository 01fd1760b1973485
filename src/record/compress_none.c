/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Built where libzstd is missing. */
#include <errno.h>

#include "record/compress.h"

const char *const rt_compression = "none";

size_t rt_compress_bound(size_t n)
{
	return n;
}

size_t rt_compress(uint8_t *to, size_t room, const uint8_t *from, size_t n)
{
	(void)to;
	(void)room;
	(void)from;
	(void)n;
	return 0;
}

int rt_decompress(uint8_t *to, size_t room, const uint8_t *from, size_t n)
{
	(void)to;
	(void)room;
	(void)from;
	(void)n;
	return -EOPNOTSUPP;
}
