/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_FRAMES_PRIVATE_H
#define RT_EMIT_FRAMES_PRIVATE_H

#include "emit/private.h"

/* The steps of emit/frames.h, for frames.c and pending.c only. */

enum { HEAD = R8, DEPTH = R9 };

#define AT(member) ((int)offsetof(struct rt_open_call, member))

/* r0 = the innermost frame. */
void rt_frames_top(struct emitter *e);

/* DEPTH is the thread's depth from now on. */
void rt_frames_store_depth(struct emitter *e);

/*
 * Load HEAD, DEPTH and FR_BASE.  Jump to `other`, with r2 the tid, if another thread has the slot.
 */
void rt_frames_head(struct emitter *e, int other);

/* FR_N = how many of the DEPTH frames have their entry at FR_FLOOR or above. */
void rt_frames_bisect(struct emitter *e);

/* r1, the stack pointer at an entry, becomes where in its page the return address is. */
void rt_frames_return_page(struct emitter *e);

/*
 * The entry's stack pointer, and the thread's slot, which from now on is its own: without that its
 * returns would be recorded, as it may have calls that were when the slot was another's.  Another
 * thread has it: on to `taken`.
 */
void rt_frames_take(struct emitter *e, int taken);

/* The thread's calls without those that the entry shows to be over. */
void rt_frames_enter(struct emitter *e, bool replaces, int taken);

/* r0 = the new frame of FR_SP and FR_ID. */
void rt_frames_new(struct emitter *e);

/* FR_ID: the function, where it is known. */
void rt_frames_function(struct emitter *e);

/*
 * The frame in r0 is of the function that returns here, or it has jumped; else on to `out`, as that
 * is shared by ways that are no calls.
 */
void rt_frames_check_owner(struct emitter *e);

/* HEAD, DEPTH and r0, the frame of the call that returns, which is DEPTH - 1. */
void rt_frames_leave(struct emitter *e, int check, int other);

#endif
