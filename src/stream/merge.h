/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_MERGE_H
#define RT_STREAM_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "stream/event.h"

/*
 * Several rings, one time-ordered stream.  Rings are drained in rounds; after a round everything
 * older than the bound is given on, in order of time.  The bound is a clock reading from before the
 * round began: an event older than it that is in any ring had been committed when that ring was
 * read, as far as one thread goes (a thread commits one event before it stamps the next), so a
 * thread's own events are never out of order, whatever CPUs it visits.  Events of one ring may be
 * slightly out of order (a program preempted between stamp and commit); they are sorted in.  Equal
 * times keep the order in which they were pushed.
 */
struct rt_merge;

struct rt_merge *rt_merge_new(unsigned nrings);		/* NULL: out of memory */
int rt_merge_grow(struct rt_merge *merge, unsigned nrings);	/* more of them; 0 or -ENOMEM */
unsigned rt_merge_rings(const struct rt_merge *merge);
void rt_merge_free(struct rt_merge *merge);

/* Take an event of ring `ring`; what it points to is copied.  0 or -ENOMEM. */
int rt_merge_push(struct rt_merge *merge, unsigned ring, const struct rt_event *event);

/*
 * Move all events of `from`, which has no more rings than `merge`, as if they were pushed now, ring
 * by ring.  0, or -ENOMEM: the rest is still in `from`.
 */
int rt_merge_move(struct rt_merge *merge, struct rt_merge *from);

/*
 * Give queued events with time < bound to the handler, oldest first.  UINT64_MAX: all.  An error
 * of the handler ends it.
 */
int rt_merge_flush(struct rt_merge *merge, uint64_t bound, const struct rt_event_handler *handler);

/*
 * The same, but at most `most` events (0: more may be due), so that the rings can be read before
 * the rest.  Events that are pushed in between are sorted in.  Returns how many were given.
 */
int rt_merge_some(struct rt_merge *merge, uint64_t bound, unsigned most,
		  const struct rt_event_handler *handler);

/* Did the last rt_merge_some stop at its number, so that more may be due by the same bound? */
bool rt_merge_due(const struct rt_merge *merge);

/* Bytes that the queued events take. */
size_t rt_merge_bytes(const struct rt_merge *merge);

/*
 * Do they take `most` bytes or more, so that the rings are better left to fill until some were
 * given?  Never while nothing is due: what is held may then wait for records still in a ring.
 */
bool rt_merge_full(const struct rt_merge *merge, size_t most);

/*
 * The newest time pushed so far; 0: none.  (The bound for a trace clock that we cannot read
 * ourselves.)
 */
uint64_t rt_merge_newest(const struct rt_merge *merge);

#endif
