/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_TIMELINE_H
#define RT_OUTPUT_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "stream/call.h"

/*
 * The calls of a time line.  If there are too many for a picture, the longest are retained: those
 * around a retained call are longer, so they are retained too.  Memory is at most some MB.
 */
struct rt_span {
	pid_t pid, tid;
	uint64_t goid;
	char comm[16];
	uint32_t function;
	unsigned level;
	uint64_t began, took;	/* ns; `began` counts from the beginning of the trace */
};

struct rt_timeline {
	struct rt_span *v;
	size_t n, cap;
	uint64_t left_out;	/* shorter calls */
};

enum { RT_SPANS_MOST = 20000 };

/* Add the call of `frame`, which ended at `time`.  0 or -ENOMEM. */
int rt_timeline_add(struct rt_timeline *timeline, const struct rt_thread *thread,
		    const struct rt_frame *frame, uint64_t time, uint64_t start);

/* Sort the calls by thread, and by time in each.  No call may be added then. */
void rt_timeline_sort(struct rt_timeline *timeline);

/* Are the two calls of one thread? */
bool rt_span_has_thread_of(const struct rt_span *a, const struct rt_span *b);

void rt_timeline_free(struct rt_timeline *timeline);

#endif
