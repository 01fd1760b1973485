/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_CELLS_H
#define RT_EMIT_CELLS_H

#include <stdbool.h>
#include <stdint.h>

/* A program's use of a hit. */
enum rt_purpose {
	RT_PURPOSE_RECORD,	/* writes a record for us */
	RT_PURPOSE_COUNT,	/* counts the calls */
	RT_PURPOSE_TIME,	/* measures how long they take */
};

/*
 * A function's cells: u64 numbers.  Bucket k is for calls of 2^k to 2^(k+1) - 1 ns; bucket 0 for 0
 * ns too.
 *
 * RT_MAP_CELLS is an array: `rows` rows (a power of two) of `stride` cells, in each the functions'
 * cells one after another.  A program adds to the row of its CPU modulo rows: only so that CPUs
 * need not share cache lines, for the additions are atomic.  (Per-CPU arrays are from 4.6, cannot
 * be mapped, and would need the same: programs on uprobes can be preempted by each other.)
 *
 * If the program knows only the instruction pointer, RT_MAP_PLACES, a hash, has a number for each
 * rt_cell_key.  Keys for which it had no room are counted in cell 0 of RT_MAP_CELLS.
 *
 * If such a program only counts, it first looks into RT_MAP_QUICK (5.12): `rows` rows of 1 << bits
 * struct rt_quick each.  The upper bits of an instruction pointer's product with RT_QUICK_FACTOR
 * are its place there.  The first to use a place has it for good; others use RT_MAP_PLACES, which
 * takes longer.
 */
enum {
	RT_CELL_CALLS,		/* entries */
	/* ns in which one of the calls in the buckets was open, by thread */
	RT_CELL_TOTAL,
	/*
	 * and with these, ns of calls inside others of the function, the sum of what all of them
	 * took
	 */
	RT_CELL_INSIDE,
	/* ns of these calls without the measured calls directly inside them */
	RT_CELL_SELF,
	RT_CELL_BUCKET,		/* the first of: */
	RT_BUCKETS = 64,
	RT_CELLS_COUNT = RT_CELL_CALLS + 1,
	RT_CELLS_TIME = RT_CELL_BUCKET + RT_BUCKETS,
};

static inline unsigned rt_cells_of(enum rt_purpose purpose)
{
	return purpose == RT_PURPOSE_TIME ? RT_CELLS_TIME : RT_CELLS_COUNT;
}

struct rt_cell_key {
	uint64_t ip, cell;
};

struct rt_quick {
	uint64_t ip, calls;
};

/* The multiplier spreads the pointers over the upper bits of the product. */
enum { RT_QUICK_FACTOR = 0x61c88647, RT_QUICK_BITS_MAX = 16 };

/*
 * The open calls of the threads, for programs that measure.  A thread's slot is its id modulo the
 * number of slots (a power of two): its struct rt_head is that element of RT_MAP_HEADS, its frames
 * are RT_OPEN_MAX elements of RT_MAP_FRAMES.  If two threads share a slot, one has it until all its
 * calls have ended, and the other's calls are not measured meanwhile.
 */
/* 64: the kernel keeps no more returns a thread */
enum { RT_OPEN_MAX = 64, RT_HEADS = 4096, RT_HEADS_MIN = 128 };

/*
 * Which calls are recorded at all: those fewer than `depth` recorded calls are open around (0:
 * any), with `under` only a root function's and those inside one, with `tests` those that pass
 * their plan's, with `min_time` (ns) those that last as long, with `ends` those that pass the tests
 * of their return's plan, with `why` these and all around and inside them (emit/shelf.h).  A
 * program passes what it cannot judge; src/calls decides.
 */
struct rt_limit {
	uint32_t depth;
	bool under;
	bool tests;
	bool ends;
	bool why;
	uint64_t min_time;
};

static inline bool rt_limit_any(const struct rt_limit *limit)
{
	return limit->depth || limit->under || limit->tests || limit->min_time ||
	       limit->ends || limit->why;
}

/*
 * Only the tests of arguments, or nothing if there are other limits.  Levels and times depend on
 * all open calls of the thread; these tests do not.
 */
static inline struct rt_limit rt_limit_only_tests(const struct rt_limit *limit)
{
	bool only = !limit->depth && !limit->under && !limit->ends && !limit->why &&
		    !limit->min_time;

	return (struct rt_limit){ .tests = only && limit->tests };
}

struct rt_head {
	uint32_t depth;		/* frames in use; their stack pointers never increase */
	uint32_t tid;
	/* of those held back (emit/pending.h): so many, from the outermost, have been recorded */
	uint32_t recorded;
	uint32_t shared;		/* another thread wanted the slot's shelf (emit/shelf.h) */
};

/*
 * The id of a call that has jumped to another function, whose return may be its own; and that of a
 * return which several functions share.
 */
#define RT_OPEN_JUMPED UINT32_MAX

struct rt_open_call {
	uint64_t sp;		/* at entry */
	uint64_t time;
	/* of the function, or the entry's instruction pointer; RT_OPEN_JUMPED */
	uint64_t id;
	/*
	 * where calls are held back and levels counted: its own, as tail calls have that of their
	 * callers
	 */
	uint64_t level;
	/*
	 * where calls are held back: their record as it will be, but for its number,
	 * rt_bpf_program.pending bytes
	 */
	/* where calls are measured: struct rt_open_time */
};

/*
 * A call inside another of its function must not be counted twice in the total.  So its time is
 * added to `inside` of that one, the innermost, and taken off that one's own.  Whether there is one
 * to look for, `names` tells: a bit of 64 for each id, of this call and all around it.
 */
struct rt_open_time {
	uint64_t names;
	uint64_t outer;		/* 1 + the number of that frame, or 0 */
	uint64_t inside;	/* ns */
	uint64_t children;	/* ns of all calls directly inside it */
};

enum { RT_NAME_SHIFT = 32 - 6, RT_NAME_MASK = 63 };

/* The upper bits of 32: ids are small numbers or instruction pointers. */
static inline uint64_t rt_open_name(uint64_t id)
{
	return UINT64_C(1) << (id * RT_QUICK_FACTOR >> RT_NAME_SHIFT & RT_NAME_MASK);
}

#endif
