/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table at the end: the number of calls of each function. */
#include <errno.h>
#include <inttypes.h>

#include "output/tally.h"

static int count_begin(struct rt_sink *sink)
{
	return rt_tally_begin(sink, sizeof(struct rt_tally), RT_PURPOSE_COUNT);
}

static int count_enter(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		       const struct rt_values *args)
{
	uint32_t number = frame->function;

	if (sink->trace->by &&
	    rt_tally_find_name(sink, thread->pid, frame, args, &number) < 0)
		return -ENOMEM;
	rt_tally_add(sink, number, RT_CELL_CALLS, 1);
	return 0;
}

static int count_leave(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		       enum rt_end end, uint64_t time, const struct rt_values *result)
{
	(void)sink;
	(void)thread;
	(void)frame;
	(void)end;
	(void)time;
	(void)result;
	return 0;
}

static int count_end(struct rt_sink *sink)
{
	struct rt_tally *t = sink->state;
	size_t i;

	if (rt_tally_sort(sink, RT_CELL_CALLS) < 0)
		return -ENOMEM;
	fprintf(sink->file, "%-*s %12s\n", RT_TALLY_NAME_WIDTH, "FUNC", "COUNT");
	for (i = 0; i < t->rows && rt_tally_cells(t, t->order[i])[RT_CELL_CALLS]; i++)
		fprintf(sink->file, "%-*s %12" PRIu64 "\n", RT_TALLY_NAME_WIDTH,
			rt_sink_function(sink, t->order[i]),
				rt_tally_cells(t, t->order[i])[RT_CELL_CALLS]);
	rt_tally_print_end(sink);
	return 0;
}

const struct rt_sink_ops rt_sink_count = {
	.name = "count",
	.help = "how often each function was called",
	.is_table = true,
	.at_end = true,
	.begin = count_begin,
	.grow = rt_tally_grow,
	.note = rt_tally_note,
	.enter = count_enter,
	.leave = count_leave,
	.lost = rt_tally_lost,
	.add = rt_tally_add,
	.has_calls = rt_tally_has_calls,
	.end = count_end,
	.free = rt_tally_free,
};
