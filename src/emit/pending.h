/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_PENDING_H
#define RT_EMIT_PENDING_H

#include "emit/frames.h"

struct emitter;

/*
 * Keeping calls until they have lasted rt_limit.min_time, or with rt_limit.ends until their return
 * passes its plan's tests (5.3, which brought loops).  An entry's
 * record is in the thread's frame.  Each further hit of the thread first records those that have
 * lasted long enough by then.  As calls are older than those inside them, these are always the
 * outermost, in order.  A return is recorded if its entry was; a call that was too short is never
 * recorded.
 *
 * A return that passes its tests records all open calls, and an entry of a function without such
 * tests does: else the reader would get calls in a wrong order.
 *
 * At a jump that may exit a function all are recorded, since its target can be the end of any
 * function that it did not call.  rt_head.recorded counts the recorded ones.  An entry that shows
 * recorded calls to be over (longjmp) is recorded at once, so that the reader learns of it.
 * Records that remain when the thread or the trace ends are read from the map (stream/pending.h).
 *
 * Below emit/frames.h's part of the frame, counted from emitter.frames:
 */
enum {
	HO_HEAD = -FR_FRAME - 8,	/* the two registers of emit/frames.h */
	HO_DEPTH = -FR_FRAME - 16,
	HO_LEAST = -FR_FRAME - 24,	/* a call that began later has not lasted long enough */
	HO_ROUND = -FR_FRAME - 32,
	PENDING_FRAME = FR_FRAME + 32,
};

/*
 * FR_TIME, by the clock, and HO_LEAST: of the hit's plan, and of a hit in a call that is not
 * recorded. At a return r10 - 24 and above are used for its tests.
 */
void rt_emit_pending_now(struct emitter *e);
void rt_emit_pending_failed(struct emitter *e);

/* HO_LEAST: all have lasted long enough. */
void rt_emit_pending_all(struct emitter *e);

/* With r8 the thread's head and r9 its depth, which stay: record what has lasted. */
void rt_emit_pending_record(struct emitter *e);

/*
 * r0 = the new frame of an entry.  Fill it; on to `out`, or to `pass` where the entry is recorded
 * at once.
 */
void rt_emit_pending_enter(struct emitter *e, int pass);

/*
 * r8 the head, r9 the depth without the call that returns: on to `out` where that was not recorded.
 */
void rt_emit_pending_exit(struct emitter *e);

#endif
