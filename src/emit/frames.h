/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_FRAMES_H
#define RT_EMIT_FRAMES_H

struct emitter;

/*
 * The open calls of the hit's thread (emit/cells.h), paired by stack pointer as calls/stack.c does:
 * an entry or a return at stack pointer S ends every call with its entry below S, seen or not, so
 * that longjmp and lost returns cannot make a wrong time.  No loops: the frames are in order, so
 * what has to go is found by bisection in as many steps as RT_OPEN_MAX has bits.
 *
 * The frame of a program that uses it, downwards from r10 and emitter.frames.  R8 is the thread's
 * struct rt_head, R9 its depth.
 */
enum {
	FR_KEY = -4,		/* u32: a map's key */
	FR_BASE = -8,		/* u32: the thread's first frame */
	FR_SP = -16,		/* the stack pointer at entry of the call */
	FR_TIME = -24,		/* now; at a return then the call's duration */
	/* the bisection's result; the return address before that; the new call's names; */
	FR_N = -32,
	FR_INSIDE = -32,	/* of the call that has returned: rt_open_time.inside */
	FR_FLOOR = -40,		/* the lowest stack pointer that stays; */
	FR_OUTER = -40,		/* where calls are measured: rt_open_time.outer */
	FR_CHILDREN = -40,	/* of the call that has returned: rt_open_time.children */
	/*
	 * after that, where calls are recorded: not 0 where the entry shows some of them to be over
	 */
	FR_OVER = -40,
	FR_ID = -48,		/* of the function, or the entry's instruction pointer */
	FR_FRAME = 48,
};

/*
 * r0 = frame number r1 of the thread, from 0; with FR_BASE set.  On to `out` where there is none.
 */
void rt_emit_frame(struct emitter *e);

/*
 * At an entry, with FR_ID set: push the call.  On to `out` where it cannot be measured.
 */
void rt_emit_push(struct emitter *e);

/*
 * For a program that records what rt_limit lets through: at an entry or a return, on to `out` where
 * it does not.  And at an entry that fails a test: on to `out`, unless it shows that recorded calls
 * are over.
 */
void rt_emit_limit(struct emitter *e);
void rt_emit_limit_failed(struct emitter *e);

/*
 * The unwinder continues here (RT_ROLE_UNWOUND): the calls at the stack pointer and below are over.
 */
void rt_emit_limit_unwound(struct emitter *e);

/*
 * At a return: pop its call.  Sets FR_TIME to the duration, FR_INSIDE to the part that calls of the
 * same function inside took, FR_CHILDREN to the part of calls directly inside, and FR_ID to the
 * call's id.  `check`: FR_ID is set and says which function it must be of.  On to `out` where the
 * entry was not seen.
 */
void rt_emit_pop(struct emitter *e, int check);

#endif
