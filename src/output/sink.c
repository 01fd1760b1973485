/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/sink.h"

#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "output/call_names.h"
#include "output/files.h"

/* Formats before tables. */
static const struct rt_sink_ops *const known[] = {
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

	for (i = 0; i < RT_COUNT(known); i++)
		if (strcmp(known[i]->name, name) == 0)
			return known[i];
	return NULL;
}

const struct rt_sink_ops *rt_sink_at(unsigned i)
{
	return i < RT_COUNT(known) ? known[i] : NULL;
}

const char *rt_sink_name(unsigned i)
{
	return rt_sink_at(i) ? rt_sink_at(i)->name : NULL;
}

const struct rt_sink_ops *rt_format_at(unsigned i)
{
	return i < RT_COUNT(known) && !known[i]->is_table ? known[i] : NULL;
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

const char *rt_sink_unsure_mark(enum rt_end end)
{
	return end == RT_END_UNWOUND ? "  *** calls inside may be the caller's ***"
				     : "  *** maybe of a later call ***";
}

bool rt_sink_is_void_jump(const struct rt_frame *frame)
{
	return rt_exit_is_void(frame->to);
}

const char *rt_sink_end_text(enum rt_end end, const struct rt_frame *frame,
			     const struct rt_thread *thread)
{
	if (frame->unsure && end == RT_END_UNWOUND)
		return "unwound; calls inside may be the caller's";
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

/* ---- the sinks of a session ---- */

struct rt_sink *rt_sinks_add(struct rt_sinks *sinks, const struct rt_sink_ops *ops)
{
	struct rt_sink *sink;

	if (sinks->n == RT_SINKS_MAX)
		return NULL;
	sink = &sinks->v[sinks->n];
	*sink = (struct rt_sink){ .ops = ops, .trace = &sinks->trace, .index = sinks->n++ };
	return sink;
}

int rt_sinks_check(const struct rt_sinks *sinks, const struct rt_program *program,
		   struct rt_error *err)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		r = rt_out_file_check(&sinks->v[i].to, program, err);
	return r;
}

static int open_sink(struct rt_sink *sink, const struct rt_program *program, struct rt_error *err)
{
	int r;

	sink->program = program;
	/* Its files are opened by their processes. */
	if (sink->ops == &rt_sink_files)
		return 0;
	/* Nor has a flight recorder a file, until something happens. */
	if (rt_keep_any(&sink->trace->keep))
		return sink->ops->begin(sink) < 0 ? rt_nomem(err) : 0;
	r = rt_out_file_open(&sink->to, program, err);
	sink->file = sink->to.stream;
	return r == 0 && sink->ops->begin(sink) < 0 ? rt_nomem(err) : r;
}

int rt_sinks_open(struct rt_sinks *sinks, const struct rt_program *program, struct rt_error *err)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		r = open_sink(&sinks->v[i], program, err);
	return r;
}

int rt_sinks_grow(struct rt_sinks *sinks)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		if (sinks->v[i].ops->grow)
			r = sinks->v[i].ops->grow(&sinks->v[i]);
	return r;
}

int rt_sinks_flush(struct rt_sinks *sinks, struct rt_error *err)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		r = sinks->v[i].ops == &rt_sink_files ? rt_files_flush(&sinks->v[i], err)
						      : rt_out_file_flush(&sinks->v[i].to, err);
	return r;
}

int rt_sinks_push(struct rt_sinks *sinks, struct rt_error *err)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		r = sinks->v[i].ops == &rt_sink_files ? rt_files_flush(&sinks->v[i], err)
						      : rt_out_file_push(&sinks->v[i].to, err);
	return r;
}

void rt_sinks_write_beside(struct rt_sinks *sinks)
{
	unsigned i;

	for (i = 0; i < sinks->n; i++)
		rt_out_file_write_beside(&sinks->v[i].to);
}

bool rt_sinks_are_behind(const struct rt_sinks *sinks)
{
	unsigned i;

	for (i = 0; i < sinks->n; i++)
		if (rt_out_file_is_behind(&sinks->v[i].to))
			return true;
	return false;
}

int rt_sinks_round(struct rt_sinks *sinks)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		if (sinks->v[i].ops->round)
			r = sinks->v[i].ops->round(&sinks->v[i]);
	return r;
}

void rt_sinks_put_tails(struct rt_sinks *sinks)
{
	unsigned i;

	for (i = 0; i < sinks->n; i++)
		if (sinks->v[i].ops == &rt_sink_files)
			rt_files_put_tails(&sinks->v[i]);
		else
			rt_out_file_put_tail(&sinks->v[i].to, sinks->v[i].ops->tail);
}

bool rt_sinks_are_seen(const struct rt_sinks *sinks)
{
	unsigned i;

	for (i = 0; i < sinks->n; i++)
		if (rt_out_file_is_seen(&sinks->v[i].to))
			return true;
	return false;
}

void rt_sinks_hurry(struct rt_sinks *sinks)
{
	unsigned i;

	for (i = 0; i < sinks->n; i++)
		if (sinks->v[i].ops->hurry)
			sinks->v[i].ops->hurry(&sinks->v[i]);
}

int rt_sinks_note(struct rt_sinks *sinks, const char *text)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		r = sinks->v[i].ops->note(&sinks->v[i], text);
	return r;
}

int rt_sinks_exited(struct rt_sinks *sinks, pid_t pid, int status)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		if (sinks->v[i].ops->exited)
			r = sinks->v[i].ops->exited(&sinks->v[i], pid, status);
	return r;
}

int rt_sinks_end(struct rt_sinks *sinks)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		r = sinks->v[i].ops->end(&sinks->v[i]);
	return r;
}

int rt_sinks_save(struct rt_sinks *sinks, const char *reason)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		if (sinks->v[i].ops->save && sinks->v[i].state)
			r = sinks->v[i].ops->save(&sinks->v[i], reason);
	return r;
}

static int sinks_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		       const struct rt_values *args)
{
	struct rt_sinks *sinks = ctx;
	unsigned i;
	int r = 0;

	if (sinks->trace.fd_paths)
		rt_opened_enter(&sinks->opened, &sinks->trace, thread, frame, args);
	for (i = 0; i < sinks->n && r == 0; i++)
		r = sinks->v[i].ops->enter(&sinks->v[i], thread, frame, args);
	return r;
}

static int sinks_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		       enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct rt_sinks *sinks = ctx;
	struct rt_values explained = *result;
	unsigned i;
	int r = 0;

	explained.inside = rt_failures_leave(&sinks->failures, &sinks->trace, thread, frame, end,
					     result);
	if (sinks->trace.fd_paths && end == RT_END_RETURNED)
		rt_opened_leave(&sinks->opened, &sinks->trace, thread, frame, result);
	for (i = 0; i < sinks->n && r == 0; i++)
		r = sinks->v[i].ops->leave(&sinks->v[i], thread, frame, end, time, &explained);
	if (sinks->trace.fd_paths)
		rt_opened_left(&sinks->opened, &sinks->trace, thread, frame);
	return r;
}

static int sinks_lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct rt_sinks *sinks = ctx;
	unsigned i;
	int r = 0;

	for (i = 0; i < sinks->n && r == 0; i++)
		r = sinks->v[i].ops->lost(&sinks->v[i], thread, time, count);
	return r;
}

static void sinks_gone(void *ctx, struct rt_thread *thread)
{
	struct rt_sinks *sinks = ctx;
	unsigned i;

	rt_failures_gone(&sinks->failures, thread);
	for (i = 0; i < sinks->n; i++)
		if (sinks->v[i].ops->gone)
			sinks->v[i].ops->gone(&sinks->v[i], thread);
}

const struct rt_call_ops rt_sinks_ops = {
	.enter = sinks_enter, .leave = sinks_leave, .lost = sinks_lost, .gone = sinks_gone,
};

void rt_sinks_count(struct rt_sinks *sinks, uint32_t function, unsigned cell, uint64_t value)
{
	unsigned i;

	for (i = 0; i < sinks->n; i++)
		if (sinks->v[i].ops->add)
			sinks->v[i].ops->add(&sinks->v[i], function, cell, value);
}

const struct rt_sink *rt_sinks_table(const struct rt_sinks *sinks)
{
	unsigned i;

	for (i = 0; i < sinks->n; i++)
		if (sinks->v[i].ops->is_table)
			return &sinks->v[i];
	return NULL;
}

void rt_sinks_free(struct rt_sinks *sinks)
{
	unsigned i;

	for (i = 0; i < sinks->n; i++) {
		if (sinks->v[i].file || sinks->v[i].state || sinks->v[i].ops == &rt_sink_files)
			sinks->v[i].ops->free(&sinks->v[i]);
		rt_out_file_close(&sinks->v[i].to);
	}
	sinks->n = 0;
}
