/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_SHELF_H
#define RT_EMIT_SHELF_H

#include <stdint.h>

#include "emit/frames.h"

struct emitter;

/*
 * With --why each thread has a shelf in the kernel: its records since the entry of its outermost
 * open call, as far as they may have to be shown.  A call that passes the tests of its end sends
 * the whole shelf to the ring.  A call that ends otherwise goes off the shelf with all that was
 * called inside, unless a call with tests is open around it.
 *
 *	main		on the shelf
 *	 query		on the shelf
 *	  read = 1	on the shelf, as query has tests
 *	 query = 0	fails: the shelf ends behind main's entry again
 *	 query = -1	passes: main's entry, query with all inside, to the ring
 *
 * When in doubt all is sent; the reader makes the tests once more (calls/outcome.h).  So a full
 * shelf is sent, a call with tests that jumps to another function sends it, or one that is over
 * without a return.  rt_head.recorded counts the outermost calls that have been sent; their ends
 * are sent too.
 *
 * A thread owns its shelf until it has ended (stream/pending.h frees it).  If all slots are
 * owned, a thread sends each record at once and never gets a shelf: a shelf in the middle of its
 * calls would not know those that are open.  It takes RT_TRANSPORT_ARRAY (5.12).
 */
enum { RT_SHELVES = 128, RT_SHELF_BYTES = 128 << 10, RT_SHELF_CHUNK = 16 << 10 };

/*
 * Records as in a ring, u64 time and struct rt_record, none across a chunk's end; a time of 0 ends
 * a chunk early.  Their numbers count from the shelf's beginning.
 */
struct rt_shelf {
	uint32_t used;			/* bytes of data[] */
	uint32_t n;			/* records */
	uint8_t data[RT_SHELF_BYTES];
};

/* Behind struct rt_open_call. */
struct rt_open_shelved {
	uint32_t used, n;		/* the shelf's, before its entry */
	uint32_t tested;		/* calls with tests that are open: it and those around it */
	uint32_t unused;
};

/* The largest record that a shelf takes. */
enum { RT_SHELF_RECORD_MAX = RT_SHELF_CHUNK / 2 };

/* A ring that takes chunks has at least so many bytes. */
enum { RT_SHELF_RING_MIN = 256 << 10 };

/*
 * Below emit/frames.h's part of the frame, counted from emitter.frames; emit/pending.h's HO_LEAST
 * is between them.
 */
enum {
	SH_SEND = -FR_FRAME - 8,	/* not 0: send the shelf */
	SH_TESTED = -FR_FRAME - 16,	/* rt_open_shelved.tested of a call; DEPTH at its end */
	SH_AT = -FR_FRAME - 32,		/* rt_shelf.used and .n of a call's entry */
	SH_LEFT = -FR_FRAME - 40,	/* the call that has ended was sent; a chunk's length */
	SH_THREAD = -FR_FRAME - 48,
};

/*
 * A hit of a program with rt_bpf_program.shelved: on to the emitter's `out` when it is done, and to
 * `direct` where the thread has no shelf.
 */
void rt_emit_shelved(struct emitter *e, int direct);

/* In emit/frames.c: FR_N of the DEPTH calls are left, the others are over without a return. */
void rt_emit_shelf_over(struct emitter *e);

/* The thread, whose tid is in r2, has no slot of RT_MAP_HEADS: on to `taken` if it gets none. */
void rt_emit_shelf_claim(struct emitter *e, int taken);

#endif
