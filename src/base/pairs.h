/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_PAIRS_H
#define RT_BASE_PAIRS_H

#include <stddef.h>
#include <stdint.h>

/* A byte, and the bits in `mask` of the byte behind it, which are those of `second`. */
struct rt_byte_pair {
	uint8_t first, mask, second;
};

enum { RT_PAIRS_KINDS = 8, RT_PAIRS_BYTES = 1 << 12 };

/*
 * Find all pairs of `kinds` (RT_PAIRS_KINDS at most) that begin in `n` bytes (RT_PAIRS_BYTES at
 * most).  `at` has room for the place of each byte.  `bytes` has 16 more than n.  Returns how many
 * there are; `at` has them in ascending order.
 */
size_t rt_pairs_find(const struct rt_byte_pair *kinds, size_t nkinds, const uint8_t *bytes,
		     size_t n, uint16_t at[RT_PAIRS_BYTES]);

#endif
