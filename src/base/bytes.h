/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_BYTES_H
#define RT_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Bytes that grow, and a reader of bytes from outside.  Numbers are LEB128, seven bits a byte, the
 * lowest first; signed ones are zigzag first, so that small negative numbers are short too.
 */
struct rt_bytes {
	uint8_t *v;
	size_t n, cap;
	bool failed;		/* out of memory: some bytes are missing */
};

void rt_bytes_add(struct rt_bytes *bytes, const void *data, size_t n);
void rt_bytes_u8(struct rt_bytes *bytes, uint8_t value);
void rt_bytes_u32(struct rt_bytes *bytes, uint32_t value);	/* four bytes, little endian */
void rt_bytes_number(struct rt_bytes *bytes, uint64_t value);
void rt_bytes_signed(struct rt_bytes *bytes, int64_t value);
void rt_bytes_text(struct rt_bytes *bytes, const char *text);	/* length, bytes, NUL */
void rt_bytes_free(struct rt_bytes *bytes);

/* CRC-32 of IEEE 802.3, as zlib's crc32() and gzip have it. */
uint32_t rt_crc32(const uint8_t *bytes, size_t n);

/* A read past the end, or of a damaged number, sets `bad`; all later ones give 0. */
struct rt_reader {
	const uint8_t *at, *end;
	bool bad;
};

uint8_t rt_read_u8(struct rt_reader *reader);
uint32_t rt_read_u32(struct rt_reader *reader);
uint64_t rt_read_number(struct rt_reader *reader);
int64_t rt_read_signed(struct rt_reader *reader);
const uint8_t *rt_read_bytes(struct rt_reader *reader, uint64_t n);	/* NULL: past the end */
const char *rt_read_text(struct rt_reader *reader);	/* never NULL; "" past the end */

#endif
