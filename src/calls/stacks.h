/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_STACKS_H
#define RT_CALLS_STACKS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Stacks that the program makes, for coroutines and signals: which of them a stack pointer is on.
 * Calls on such a stack are not those of the threads that run it, for a switch of stacks ends none
 * of them.
 */
struct rt_stacks {
	struct rt_made_stack {
		uint64_t start, end, goid;
		/* the thread whose signals come to it, 0: none's any more, or a coroutine's */
		pid_t signals_of;
	} *v;				/* by address, apart from each other */
	size_t n, cap;
	uint64_t last;			/* number given */
};

/* The goid (RT_GOID_STACK and a number) of the stack that `sp` is on, 0: none. */
uint64_t rt_stacks_find(const struct rt_stacks *stacks, uint64_t sp);

/*
 * A new one.  After rt_stacks_take has taken out what it overlaps.  0 or -ENOMEM; nonsense is
 * passed over.
 */
int rt_stacks_add(struct rt_stacks *stacks, uint64_t start, uint64_t size);

/* Take out one that overlaps, and return its goid; 0: none does. */
uint64_t rt_stacks_take(struct rt_stacks *stacks, uint64_t start, uint64_t size);

/*
 * From now on the thread's signals come to the stack that begins at `start`, and to no other; 0: to
 * its own.
 */
void rt_stacks_signals(struct rt_stacks *stacks, pid_t tid, uint64_t start);

/* The goid of that stack, 0: there is none. */
uint64_t rt_stacks_of_signals(const struct rt_stacks *stacks, pid_t tid);

/* Make the empty `to` a copy of `from`.  0 or -ENOMEM. */
int rt_stacks_copy(struct rt_stacks *to, const struct rt_stacks *from);

void rt_stacks_free(struct rt_stacks *stacks);

/*
 * The last stacks that goroutines were seen on.  The kernel does not wait for memory that is being
 * moved (khugepaged, compaction), so a hit now and then cannot read its goroutine (runtime.g); its
 * stack pointer finds it then.
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
