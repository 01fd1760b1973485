/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

enum { BITS = 11, BUCKETS = 1 << BITS, FEW = 256 };

static int compare(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

/* One pass: `from` in the order of BITS bits to `to`.  All words have these bits alike: it is 0. */
static int pass(const uint64_t *from, uint64_t *to, size_t n, unsigned shift)
{
	size_t starts[BUCKETS] = { 0 }, at = 0, count, i;

	for (i = 0; i < n; i++)
		starts[from[i] >> shift & (BUCKETS - 1)]++;
	if (starts[from[0] >> shift & (BUCKETS - 1)] == n)
		return 0;
	for (i = 0; i < BUCKETS; i++) {
		count = starts[i];
		starts[i] = at;
		at += count;
	}
	for (i = 0; i < n; i++)
		to[starts[from[i] >> shift & (BUCKETS - 1)]++] = from[i];
	return 1;
}

void rt_sort_words(uint64_t *v, size_t n)
{
	uint64_t *room = n > FEW ? malloc(n * sizeof(*room)) : NULL, *from = v, *to = room, *swap;
	unsigned shift;

	if (!room) {
		if (n)
			qsort(v, n, sizeof(*v), compare);
		return;
	}
	for (shift = 0; shift < 64; shift += BITS) {
		if (!pass(from, to, n, shift))
			continue;
		swap = from;
		from = to;
		to = swap;
	}
	if (from != v)
		memcpy(v, from, n * sizeof(*v));
	free(room);
}
