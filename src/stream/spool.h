/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_SPOOL_H
#define RT_STREAM_SPOOL_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/event.h"

/*
 * A queue of events between the rings and the merge, for a trace that pairs and writes its calls
 * later.  It keeps the newest events in memory and the others in a file without a name.
 */
struct rt_spool;

/* `folder` is for the file: without one the spool has memory alone.  NULL: out of memory. */
struct rt_spool *rt_spool_new(const char *folder);
void rt_spool_free(struct rt_spool *spool);	/* may be NULL */

/* Append an event of ring `ring`; its data is copied.  0 or -ENOMEM. */
int rt_spool_push(struct rt_spool *spool, unsigned ring, const struct rt_event *event);

/* All rings were read: events older than `bound` have been pushed.  0 or -ENOMEM. */
int rt_spool_end_round(struct rt_spool *spool, uint64_t bound);

/* The oldest item: an event, or the end of a round. */
struct rt_spooled {
	bool ends_round;
	uint64_t bound;		/* of a round */
	unsigned ring;
	struct rt_event event;	/* its data is valid until the next call */
};

/* Take it out.  1; 0: the spool is empty; a negative errno: the file cannot be read. */
int rt_spool_take(struct rt_spool *spool, struct rt_spooled *item);

uint64_t rt_spool_events(const struct rt_spool *spool);	/* the events in it */
uint64_t rt_spool_bytes(const struct rt_spool *spool);	/* the bytes of its full chunks */

/*
 * Prepare for a fork: the copy of the process can read, by rt_spool_resume, the events that wait
 * now, and those that are pushed later in whole rounds.  Taken events stay in the file until the
 * next rt_spool_keep.  The first time the spool must be new.  -EIO: the file cannot be written.
 */
int rt_spool_keep(struct rt_spool *spool);
/* The bytes of the taken events that are still in the file. */
uint64_t rt_spool_taken_bytes(const struct rt_spool *spool);
bool rt_spool_unsaved(const struct rt_spool *spool);	/* the file has not all events since */

/* In the copy, when the original has ended.  0 or a negative errno. */
int rt_spool_resume(struct rt_spool *spool);

/* Is the file full, or could it not be written, since the spool was last empty? */
bool rt_spool_full(const struct rt_spool *spool);

#endif
