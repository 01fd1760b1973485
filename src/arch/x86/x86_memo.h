/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_X86_MEMO_H
#define RT_ARCH_X86_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes of an instruction of x86-64, but for the distance of a direct branch. */
struct rt_memo_key {
	uint64_t words[2];
	uint8_t size;		/* of the instruction */
	bool direct;		/* a direct branch, to `distance` from the next instruction */
	int32_t distance;
};

/* False: its meaning depends on its address, or its size is not known here. */
bool rt_memo_key(const uint8_t *bytes, size_t n, struct rt_memo_key *key);

/* Results of `size` bytes by key.  NULL: out of memory; the other functions take NULL too. */
struct rt_memo;
struct rt_memo *rt_memo_open(size_t size);
void rt_memo_close(struct rt_memo *memo);

/* NULL: it is not remembered.  Valid until the next call of rt_memo_keep. */
const void *rt_memo_find(const struct rt_memo *memo, const struct rt_memo_key *key);

/* May overwrite the result of another key. */
void rt_memo_keep(struct rt_memo *memo, const struct rt_memo_key *key, const void *result);

#endif
