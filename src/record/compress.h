/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_RECORD_COMPRESS_H
#define RT_RECORD_COMPRESS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

extern const char *const rt_compression;	/* "zstd", or "none" */

/* The room that `n` bytes need at most. */
size_t rt_compress_bound(size_t n);

/* Compress into `to`, of `room` bytes.  Returns the bytes written, or 0: not compressed. */
size_t rt_compress(uint8_t *to, size_t room, const uint8_t *from, size_t n);

/* Exactly `room` bytes out of `n`.  -EOPNOTSUPP: no library; -EBADMSG: damaged. */
int rt_decompress(uint8_t *to, size_t room, const uint8_t *from, size_t n);

#endif
