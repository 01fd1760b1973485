/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/failures.h"

#include <stdint.h>

#include "output/value.h"

static unsigned place_of(const struct rt_thread *thread)
{
	return (unsigned)(((uintptr_t)thread * UINT64_C(0x9e3779b97f4a7c15)) >> 32) % RT_FAILURES;
}

int32_t rt_failures_leave(struct rt_failures *failures, const struct rt_trace *trace,
			  const struct rt_thread *thread, const struct rt_frame *frame,
			  enum rt_end end, const struct rt_values *result)
{
	unsigned i = place_of(thread);
	bool inside = failures->v[i].thread == thread && failures->v[i].level > frame->level;
	int32_t number = 0;

	if (end == RT_END_RETURNED)
		number = rt_values_errno(trace, frame->function, result);
	if (number) {
		failures->v[i].thread = thread;
		failures->v[i].level = frame->level;
		failures->v[i].number = number;
		return 0;
	}
	if (!inside)
		return 0;
	if (end == RT_END_RETURNED && failures->v[i].level == frame->level + 1 &&
	    rt_values_look_failed(trace, frame->function, result)) {
		failures->v[i].level = frame->level;
		return failures->v[i].number;
	}
	failures->v[i].thread = NULL;
	return 0;
}

void rt_failures_gone(struct rt_failures *failures, const struct rt_thread *thread)
{
	unsigned i = place_of(thread);

	if (failures->v[i].thread == thread)
		failures->v[i].thread = NULL;
}
