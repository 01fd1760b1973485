/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/sink.h"

#include <string.h>

#include "base/array.h"
#include "output/call_names.h"

/* Formats before tables. */
static const struct rt_sink_ops *const sinks[] = {
	&rt_sink_tree,
	&rt_sink_flow,
	&rt_sink_chrome,
	&rt_sink_perfetto,
	&rt_sink_summary,
	&rt_sink_graph,
	&rt_sink_folded,
	&rt_sink_speedscope,
	&rt_sink_pprof,
	&rt_sink_callgrind,
	&rt_sink_dot,
	&rt_sink_html,
	&rt_sink_ndjson,
	&rt_sink_count,
	&rt_sink_hist,
};

const struct rt_sink_ops *rt_sink_find(const char *name)
{
	size_t i;

	for (i = 0; i < RT_COUNT(sinks); i++)
		if (strcmp(sinks[i]->name, name) == 0)
			return sinks[i];
	return NULL;
}

const struct rt_sink_ops *rt_sink_at(unsigned i)
{
	return i < RT_COUNT(sinks) ? sinks[i] : NULL;
}

const char *rt_sink_name(unsigned i)
{
	return rt_sink_at(i) ? rt_sink_at(i)->name : NULL;
}

const struct rt_sink_ops *rt_format_at(unsigned i)
{
	return i < RT_COUNT(sinks) && !sinks[i]->is_table ? sinks[i] : NULL;
}

const struct rt_sink_ops *rt_format_find(const char *name)
{
	const struct rt_sink_ops *ops = rt_sink_find(name);

	return ops && !ops->is_table ? ops : NULL;
}

const char *rt_format_name(unsigned i)
{
	return rt_format_at(i) ? rt_format_at(i)->name : NULL;
}

const char *rt_sort_name(unsigned i)
{
	static const char *const names[] = {
		[RT_SORT_TOTAL] = "total", [RT_SORT_CALLS] = "calls", [RT_SORT_SELF] = "self",
		[RT_SORT_AVG] = "avg", [RT_SORT_MIN] = "min", [RT_SORT_P50] = "p50",
		[RT_SORT_P99] = "p99", [RT_SORT_MAX] = "max", [RT_SORT_FAILED] = "failed",
		[RT_SORT_FUNCTION] = "function",
	};

	return i < RT_COUNT(names) ? names[i] : NULL;
}

const char *rt_sink_function(const struct rt_sink *sink, uint32_t function)
{
	const struct rt_functions *functions = sink->trace->functions;

	if (sink->names && function >= RT_CALL_NAME && function - RT_CALL_NAME < sink->names->n)
		return sink->names->v[function - RT_CALL_NAME];
	if (!functions || function >= functions->n)
		return "?";
	return functions->v[function].name;
}

const char *rt_sink_end_text(enum rt_end end, const struct rt_frame *frame,
			     const struct rt_thread *thread)
{
	if (frame->unsure)
		return "maybe the return of a later call";
	switch (end) {
	case RT_END_NOT_SEEN:
		return "return not seen";
	case RT_END_UNWOUND:
		return "unwound";
	case RT_END_JUMPED: case RT_END_BECAME:
		return "tail call";
	case RT_END_EXITED:
		return thread->goid ? "goroutine exited" : "thread exited";
	case RT_END_EXEC:
		return "exec";
	case RT_END_UNFINISHED:
		return "unfinished";
	case RT_END_RETURNED:
		break;
	}
	return NULL;
}
