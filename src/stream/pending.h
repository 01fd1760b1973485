/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_PENDING_H
#define RT_STREAM_PENDING_H

#include "emit/cells.h"
#include "stream/record.h"
#include "base/error.h"

/*
 * The calls that programs keep until they have lasted long enough, or passed the tests of their end
 * (emit/pending.h), and how those that remain are read.
 */
struct rt_pending {
	const struct rt_record_decoder *decoder;
	int heads, frames;		/* the maps RT_MAP_HEADS and RT_MAP_FRAMES */
	uint32_t slots;			/* of RT_MAP_HEADS */
	uint16_t size;			/* of a record; 0: nothing is held back */
	uint64_t min_time;		/* UINT64_MAX: no call that is open is recorded */
	/* the elements of RT_MAP_HEADS if threads have shelves (emit/shelf.h); else NULL */
	struct rt_head *owners;
};

static inline bool rt_pending_any(const struct rt_pending *pending)
{
	return pending->size || pending->owners;
}

/*
 * Can programs in the kernel tell which calls are open?  They know them by thread and stack
 * pointer: not those of goroutines, which change threads, nor those on stacks that the program
 * makes for coroutines.
 */
bool rt_pending_pairs(const struct rt_plan *plans, unsigned nplans);

/*
 * May calls be held back?  Only where each return is of one call for certain: programs that do not
 * know their function (RT_KEY_IP) could take a return instruction of one function for the end of
 * another that has a uretprobe.
 */
bool rt_pending_may(const struct rt_plan *plans, unsigned nplans, enum rt_key key);

/*
 * Bytes of a record, where this kernel's programs can hold the request's calls back; else 0: they
 * then give all of them.
 */
uint16_t rt_pending_size(const struct rt_plan *plans, unsigned nplans, struct rt_layout layout);

/*
 * Give the entries of those calls of thread `tid` (0: of every thread) that are open at `now`, have
 * lasted long enough by then, and have not been recorded, as events of that time, outermost first.
 * With `gone` the thread has ended, and its slot is given back.  Calls whose entries are on a shelf
 * are not given.
 */
int rt_pending_read(const struct rt_pending *pending, pid_t tid, bool gone, uint64_t now,
		 const struct rt_event_handler *handler);

#endif
