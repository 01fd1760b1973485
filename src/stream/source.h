/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_SOURCE_H
#define RT_STREAM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "stream/event.h"
#include "stream/record.h"
#include "base/error.h"

/*
 * A source of events: one ring or pipe a CPU.  State is embedded: a backend's struct begins with
 * this one.
 */
struct rt_source {
	const struct rt_source_ops *ops;
	const char *name;	/* of the ring, for the user */
	/*
	 * its hits are numbered (record.h), the source's own; NULL: it gives RT_EV_LOST itself
	 */
	struct rt_gaps *gaps;
	uint64_t taken;		/* bytes that were read from the rings so far */
	/* to be drained at least so often, in milliseconds; 0: its descriptors wake us in time */
	unsigned round_ms;
	/* times are of a trace clock other than CLOCK_MONOTONIC, that we cannot read */
	bool foreign_clock;
	/*
	 * on such a clock: when the marks were put in; 0 and UINT64_MAX until drain has seen them
	 */
	uint64_t begin, end;
};

struct rt_source_ops {
	/* Descriptors to wait for readability on (edge: they may stay readable); their number. */
	unsigned (*nfds)(const struct rt_source *source);
	int (*fd)(const struct rt_source *source, unsigned i);
	/*
	 * Give all that the kernel has committed to ring `i` to the handler, oldest first, and free
	 * its room.  Never sleeps.  Returns 0 or a negative errno.
	 */
	int (*drain)(struct rt_source *source, unsigned i, const struct rt_event_handler *handler,
		     struct rt_error *err);
	/*
	 * After every ring was drained once: the time from which on a ring may still give what it
	 * has not given now, UINT64_MAX where none holds anything back.  NULL: the same.
	 */
	uint64_t (*oldest)(const struct rt_source *source);
	/*
	 * Put the mark for the beginning or the end of the trace into the stream.  NULL where no
	 * clock is foreign.  A negative errno where the kernel refuses it.
	 */
	int (*mark)(struct rt_source *source, bool end);
	/*
	 * Hits that are known to be lost and have not been reported yet; called once, after the
	 * last drain.
	 */
	uint64_t (*lost_unseen)(struct rt_source *source);
	void (*close)(struct rt_source *source);
};

#endif
