/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_SAVED_H
#define RT_EMIT_SAVED_H

#include <stdint.h>

#include "fetch/fetch.h"

/*
 * The values that an entry saves for its return (rt_plan.saved): a slot of RT_MAP_SAVED, an array,
 * by the stack pointer that the function began with.  A return uses the slot up, and trusts it only
 * for the same stack pointer, thread and function.  So values that are lost (another call took the
 * slot, the call began before the trace) are unreadable, and never another call's.  Functions that
 * a program cannot distinguish must at least save the same: then a tail call's return, which comes
 * first, has used the slot up.
 */
struct rt_saved {
	uint64_t sp;			/* 0: used up */
	uint32_t tid;
	uint32_t function;		/* or a number in its place */
	uint64_t v[RT_MAX_SAVED];
};

/* Slots: a power of two; the second where the kernel allows no more memory. */
enum { RT_SAVED_SLOTS = 8192, RT_SAVED_SLOTS_MIN = 256 };

struct emitter;

/* An entry's part, after the filters: before the registers r8 and r9 are used. */
void rt_emit_save(struct emitter *e);

/*
 * A return's: r7 becomes the call's slot, on to `none` where there is none of it; and when all is
 * read, that it is used up: on to `none` where another call has taken it meanwhile.  The record's
 * tid has been written.
 */
void rt_emit_find_saved(struct emitter *e, int none);
void rt_emit_use_up(struct emitter *e, int none);

/* The offset of number `i` from r7. */
int rt_emit_saved_at(unsigned i);

#endif
