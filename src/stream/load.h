/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_LOAD_H
#define RT_STREAM_LOAD_H

#include <stdint.h>
#include <string.h>

/*
 * Values of the kernel's rings, in native byte order, at any alignment (a record in a RAW sample is
 * 4-byte aligned).
 */
static inline uint16_t rt_load_u16(const uint8_t *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t rt_load_u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint64_t rt_load_u64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

#endif
