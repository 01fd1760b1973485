/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_SOURCE_H
#define RT_STREAM_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "stream/gaps.h"
#include "util/error.h"

/* A source of events: one ring or pipe a CPU.  State is embedded: a backend's struct begins with this one. */
struct rt_source {
	const struct rt_source_ops *ops;
	struct rt_gaps *gaps;	/* its hits are numbered (stream/gaps.h), the source's own; NULL: it gives RT_EV_LOST itself */
	bool foreign_clock;	/* times are of a trace clock other than CLOCK_MONOTONIC, that we cannot read */
};

struct rt_source_ops {
	/* Descriptors to wait for readability on (edge: they may stay readable); their number. */
	unsigned (*nfds)(const struct rt_source *source);
	int (*fd)(const struct rt_source *source, unsigned i);
	/*
	 * Give all that the kernel has committed to ring `i` to the sink, oldest first, and free its room.  Never sleeps.
	 * Returns 0 or a negative errno.
	 */
	int (*drain)(struct rt_source *source, unsigned i, const struct rt_sink *sink, struct rt_error *err);
	/* Hits that are known to be lost and have not been told yet; called once, after the last drain. */
	uint64_t (*lost_unseen)(struct rt_source *source);
	void (*close)(struct rt_source *source);
};

#endif
