/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_GOROUTINES_H
#define RT_CALLS_GOROUTINES_H

#include <stdint.h>

/*
 * Where the goroutines were last seen on their stacks.  The kernel does not wait for memory that is
 * being moved (khugepaged, compaction), so that a hit now and then cannot tell its goroutine
 * (runtime.g); its stack pointer tells then.
 */
struct rt_goroutines {
	struct rt_goroutine {
		uint64_t low, high;	/* of the stack */
		uint64_t goid;		/* 0: none */
		uint64_t time;
	} v[64];			/* by the last bits of the goid */
};

/* Goroutine `goid` was on its stack from `low` to `high`. */
void rt_goroutines_saw(struct rt_goroutines *g, uint64_t low, uint64_t high, uint64_t goid,
		       uint64_t time);

/* It has ended. */
void rt_goroutines_ended(struct rt_goroutines *g, uint64_t goid);

/* Who was seen last on a stack with `sp` in it; NULL: nobody that is remembered. */
const struct rt_goroutine *rt_goroutines_find(const struct rt_goroutines *g, uint64_t sp);

#endif
