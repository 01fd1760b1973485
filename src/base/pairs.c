/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One byte of ten in code may begin a call or a jump: a branch on each byte is mispredicted so
 * often that a sweep of libLLVM's 102 MB took 0.14 s.  By sixteen bytes at a time it takes 0.05 s.
 * Vectors of gcc are translated for every machine.
 */
#include "base/pairs.h"

#include <string.h>

typedef uint8_t block __attribute__((vector_size(16)));

struct kind {
	block first, mask, second;
};

/* Add the places of the set bytes of eight, which begin at `from`.  Machines are little-endian. */
static size_t take(uint64_t set, size_t from, uint16_t *at)
{
	size_t n = 0;
	unsigned i;

	while (set) {
		i = (unsigned)__builtin_ctzll(set) / 8;
		at[n++] = (uint16_t)(from + i);
		set &= ~(UINT64_C(0xff) << i * 8);
	}
	return n;
}

size_t rt_pairs_find(const struct rt_byte_pair *kinds, size_t nkinds, const uint8_t *bytes,
		     size_t n, uint16_t at[RT_PAIRS_BYTES])
{
	struct kind v[RT_PAIRS_KINDS];
	block x, y, set;
	uint64_t halves[2];
	size_t i, k, found = 0;

	for (k = 0; k < nkinds; k++) {
		memset(&v[k].first, kinds[k].first, sizeof(block));
		memset(&v[k].mask, kinds[k].mask, sizeof(block));
		memset(&v[k].second, kinds[k].second, sizeof(block));
	}
	for (i = 0; i < n; i += sizeof(block)) {
		memcpy(&x, bytes + i, sizeof(x));
		memcpy(&y, bytes + i + 1, sizeof(y));
		memset(&set, 0, sizeof(set));
		for (k = 0; k < nkinds; k++)
			set |= (block)(x == v[k].first) & (block)((y & v[k].mask) == v[k].second);
		memcpy(halves, &set, sizeof(halves));
		found += take(halves[0], i, at + found);
		found += take(halves[1], i + 8, at + found);
	}
	while (found && at[found - 1] >= n)
		found--;
	return found;
}
