/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sink that writes a recording.  It writes calls, and not the bytes of the rings: then a
 * recording is the same whatever mechanism, ring and kernel it came from, needs no types, plans or
 * mappings beside it, and is read by a few hundred lines.  An event takes some 10 bytes before
 * compression.
 *
 * A block of calls is three numbers, the start of the trace, ns from its clock to the time since
 * 1970, and the time of its first event, and events:
 *
 *	u8 type and flags, thread [its definition], signed time since the event before, ...
 *
 * A thread is its number in the block's own list; the number after the last one defines it (pid,
 * tid, goid).  Blocks are cut by size and by time, so that a recorder that is killed has written
 * all but the last second.
 *
 * For calls that come when the program has ended (session/later.c), a second thread compresses and
 * writes.  It does not run beside the program: heirs (session/heir.c) are copies of the process
 * without its threads, and the program needs the CPU.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/sys.h"
#include "output/images.h"
#include "output/value_code.h"
#include "plan/costs.h"
#include "record/block_writer.h"
#include "record/blocks.h"
#include "record/calls.h"
#include "record/flight.h"

enum { BLOCK_BYTES = 256 << 10 };
static const uint64_t block_ns = 1000000000;

/* The recorder's state of a thread: its number in which block, and the name it wrote. */
struct known_thread {
	struct known_thread *next, *before;
	uint64_t block;
	uint32_t number;
	char comm[16];
};

struct recorder {
	struct rt_bytes events, values;
	uint64_t block, began;		/* the block's number, 1 the first, and when it began */
	uint64_t last;			/* time of the event before */
	uint32_t threads;		/* in this block's list */
	struct known_thread *known;
	size_t functions;		/* of those, how many are written */
	struct rt_files files;
	uint64_t calls, lost;
	bool failed;			/* the call that returns */
	struct rt_flight *flight;	/* --last; NULL: blocks go to the file */
	struct rt_block_writer *writer;	/* which writes them; NULL: they are written at once */
};

static int put_block(struct rt_sink *sink, enum rt_block_kind kind, const struct rt_bytes *bytes)
{
	struct recorder *r = sink->state;

	if (r->flight)
		return rt_flight_put(r->flight, kind, bytes, r->last);
	if (!r->writer)
		return rt_blocks_write(sink->file, kind, bytes);
	rt_block_writer_put(r->writer, kind, bytes);
	return 0;
}

static int recorder_begin(struct rt_sink *sink)
{
	struct recorder *r = calloc(1, sizeof(*r));
	struct rt_bytes trace = { .n = 0 };
	int err;

	sink->state = r;
	if (!r)
		return -ENOMEM;
	r->block = 1;
	if (rt_keep_any(&sink->trace->keep)) {
		r->flight = rt_flight_new(&sink->trace->keep);
		if (!r->flight)
			return -ENOMEM;
	} else {
		rt_blocks_begin(sink->file);
	}
	rt_bytes_text(&trace, sink->trace->command ? sink->trace->command : "");
	rt_bytes_u8(&trace, sink->trace->processes);
	rt_bytes_number(&trace, (uint64_t)sink->trace->first);
	err = put_block(sink, RT_BLOCK_TRACE, &trace);
	rt_bytes_free(&trace);
	return err;
}

/* For the functions from number `first` on, four numbers each, for report --net. */
static int write_costs(struct rt_sink *sink, size_t first)
{
	const struct rt_trace *trace = sink->trace;
	struct rt_bytes bytes = { .n = 0 };
	size_t i;
	int err;

	if (!trace->costs || !trace->costs->known)
		return 0;
	rt_bytes_number(&bytes, first);
	for (i = first; i < trace->functions->n; i++) {
		const struct rt_call_cost cost = rt_call_cost_of(trace->costs,
								 &trace->functions->v[i]);

		rt_bytes_number(&bytes, cost.entry.before);
		rt_bytes_number(&bytes, cost.entry.after);
		rt_bytes_number(&bytes, cost.end.before);
		rt_bytes_number(&bytes, cost.end.after);
	}
	err = put_block(sink, RT_BLOCK_COSTS, &bytes);
	rt_bytes_free(&bytes);
	return err;
}

static int write_patterns(struct rt_sink *sink, size_t first)
{
	const struct rt_functions *functions = sink->trace->functions;
	struct rt_bytes bytes = { .n = 0 };
	int err = 0;
	size_t i;

	for (i = first; i < functions->n; i++) {
		const char *pattern = rt_function_pattern(&functions->v[i]);

		if (!pattern)
			continue;
		rt_bytes_number(&bytes, i);
		rt_bytes_text(&bytes, pattern);
	}
	if (bytes.n)
		err = put_block(sink, RT_BLOCK_PATTERNS, &bytes);
	rt_bytes_free(&bytes);
	return err;
}

/* Files that the functions from `first` on are the first in, and the file of each function. */
static int write_files(struct rt_sink *sink, size_t first)
{
	struct recorder *r = sink->state;
	struct rt_bytes bytes = { .n = 0 };
	size_t i = r->files.n;
	int err = rt_files_take(&r->files, sink->trace->functions);

	rt_bytes_number(&bytes, r->files.n - i);
	for (; i < r->files.n; i++) {
		rt_bytes_text(&bytes, r->files.v[i].name);
		rt_bytes_text(&bytes, r->files.v[i].build_id);
	}
	for (i = first; i < r->files.nof; i++)
		rt_bytes_number(&bytes, r->files.of[i]);
	if (err == 0)
		err = put_block(sink, RT_BLOCK_FILES, &bytes);
	rt_bytes_free(&bytes);
	return err;
}

/* Functions may be added to a running trace. */
static int write_functions(struct rt_sink *sink)
{
	struct recorder *r = sink->state;
	const struct rt_functions *functions = sink->trace->functions;
	struct rt_bytes bytes = { .n = 0 };
	size_t first = r->functions;
	int err;

	if (!functions || first == functions->n)
		return 0;
	rt_bytes_number(&bytes, first);
	for (; r->functions < functions->n; r->functions++) {
		const struct rt_function *f = &functions->v[r->functions];

		rt_bytes_u8(&bytes, (f->hidden ? RT_FUNCTION_HIDDEN : 0) |
					    (f->usdt ? RT_FUNCTION_USDT : 0) |
					    (f->closes ? RT_FUNCTION_CLOSES : 0));
		rt_bytes_text(&bytes, f->name);
	}
	err = put_block(sink, RT_BLOCK_FUNCTIONS, &bytes);
	rt_bytes_free(&bytes);
	if (err == 0)
		err = write_patterns(sink, first);
	if (err == 0)
		err = write_files(sink, first);
	return err ? err : write_costs(sink, first);
}

static int finish_block(struct rt_sink *sink)
{
	struct recorder *r = sink->state;
	int err = write_functions(sink);

	if (err == 0 && r->events.n)
		err = put_block(sink, RT_BLOCK_CALLS, &r->events);
	r->events.n = 0;
	r->threads = 0;
	r->block++;
	return err;
}

static int recorder_note(struct rt_sink *sink, const char *text)
{
	struct rt_bytes bytes = { .n = 0 };
	int err = finish_block(sink);

	rt_bytes_text(&bytes, text);
	if (err == 0)
		err = put_block(sink, RT_BLOCK_NOTE, &bytes);
	rt_bytes_free(&bytes);
	return err;
}

/* ---- events ---- */

static struct known_thread *know(struct recorder *r, void **user)
{
	struct known_thread *known = *user;

	if (known)
		return known;
	*user = known = calloc(1, sizeof(*known));
	if (!known)
		return NULL;
	known->next = r->known;
	if (known->next)
		known->next->before = known;
	r->known = known;
	return known;
}

static void put_type(struct rt_sink *sink, unsigned type, uint64_t time)
{
	struct recorder *r = sink->state;

	if (!r->events.n) {
		rt_bytes_number(&r->events, sink->trace->start);
		rt_bytes_signed(&r->events, sink->trace->wall);
		rt_bytes_number(&r->events, time);
		r->last = time;
		r->began = rt_now();
	}
	rt_bytes_u8(&r->events, (uint8_t)type);
}

static void put_time(struct recorder *r, uint64_t time)
{
	rt_bytes_signed(&r->events, (int64_t)(time - r->last));
	r->last = time;
}

static int put_thread(struct rt_sink *sink, struct rt_thread *thread)
{
	struct recorder *r = sink->state;
	struct known_thread *known = know(r, &thread->user[sink->index]);

	if (!known)
		return -ENOMEM;
	if (known->block == r->block) {
		rt_bytes_number(&r->events, known->number);
		return 0;
	}
	known->block = r->block;
	known->number = r->threads++;
	rt_bytes_number(&r->events, known->number);
	rt_bytes_signed(&r->events, thread->pid);
	rt_bytes_signed(&r->events, thread->tid);
	rt_bytes_number(&r->events, thread->goid);
	rt_bytes_text(&r->events, thread->comm);
	memcpy(known->comm, thread->comm, sizeof(known->comm));
	return 0;
}

/* A thread has another name than the recording says. */
static int put_name(struct rt_sink *sink, struct rt_thread *thread, uint64_t time)
{
	struct recorder *r = sink->state;
	struct known_thread *known = thread->user[sink->index];

	if (!known || known->block != r->block || !r->events.n ||
	    strcmp(known->comm, thread->comm) == 0)
		return 0;
	put_type(sink, RT_CALL_NAME, time);
	rt_bytes_number(&r->events, known->number);
	rt_bytes_text(&r->events, thread->comm);
	memcpy(known->comm, thread->comm, sizeof(known->comm));
	return 0;
}

/* After an event: is its block full? */
static int end_event(struct rt_sink *sink)
{
	struct recorder *r = sink->state;

	if (r->events.failed || r->values.failed)
		return -ENOMEM;
	return r->events.n >= BLOCK_BYTES ? finish_block(sink) : 0;
}

static void put_values(struct recorder *r)
{
	rt_bytes_number(&r->events, r->values.n);
	rt_bytes_add(&r->events, r->values.v, r->values.n);
}

static int recorder_enter(struct rt_sink *sink, struct rt_thread *thread,
			  const struct rt_frame *frame, const struct rt_values *args)
{
	struct recorder *r = sink->state;
	int err = put_name(sink, thread, frame->time);

	r->calls++;
	put_type(sink, RT_CALL_ENTER | (frame->returns ? RT_CALL_RETURNS : 0), frame->time);
	if (err == 0)
		err = put_thread(sink, thread);
	put_time(r, frame->time);
	rt_bytes_number(&r->events, (uint64_t)frame->function + 1);
	rt_bytes_number(&r->events, frame->level);
	r->values.n = 0;
	rt_values_of_entry(sink->trace, thread->pid, frame->function, args, rt_value_encode,
			   &r->values);
	put_values(r);
	return err ? err : end_event(sink);
}

static void take_result(void *ctx, const struct rt_value *value)
{
	struct recorder *r = ctx;

	r->failed |= value->kind == RT_VALUE_FAILED;
	rt_value_encode(&r->values, value);
}

/* With --last: is it a reason to write what is saved? */
static int look_at_end(struct rt_sink *sink, const struct rt_frame *frame, enum rt_end end,
		       uint64_t time, bool failed)
{
	const struct rt_keep *keep = &sink->trace->keep;
	struct recorder *r = sink->state;
	bool slow = keep->slow && frame->entry_seen && !frame->unsure && time > frame->time &&
		    time - frame->time >= keep->slow && end != RT_END_NOT_SEEN &&
		    end != RT_END_UNFINISHED;
	char reason[128];

	if (!r->flight || (!slow && !(failed && keep->failed)))
		return 0;
	snprintf(reason, sizeof(reason), "%.80s: a call %s",
		 rt_sink_function(sink, frame->function), slow ? "was slow" : "failed");
	if (finish_block(sink) < 0)
		return -ENOMEM;
	rt_flight_happened(r->flight, sink, time, reason);
	return 0;
}

static int recorder_leave(struct rt_sink *sink, struct rt_thread *thread,
			  const struct rt_frame *frame, enum rt_end end, uint64_t time,
			  const struct rt_values *result)
{
	struct recorder *r = sink->state;
	int err = put_name(sink, thread, time);

	put_type(sink, RT_CALL_LEAVE | (frame->entry_seen ? RT_CALL_ENTRY_SEEN : 0) |
		    (frame->unsure ? RT_CALL_UNSURE : 0) | (frame->before ? RT_CALL_BEFORE : 0) |
		    (frame->to ? RT_CALL_HAS_TO : 0), time);
	if (err == 0)
		err = put_thread(sink, thread);
	put_time(r, time);
	rt_bytes_u8(&r->events, (uint8_t)end);
	rt_bytes_number(&r->events, (uint64_t)frame->function + 1);
	rt_bytes_number(&r->events, frame->level);
	if (frame->to)
		rt_bytes_text(&r->events, frame->to);
	r->values.n = 0;
	r->failed = false;
	if (end == RT_END_RETURNED)
		rt_values_of_return(sink->trace, thread->pid, frame->function, result, take_result,
				    r);
	put_values(r);
	if (err == 0)
		err = end_event(sink);
	return err ? err : look_at_end(sink, frame, end, time, r->failed);
}

static int recorder_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time,
			 uint64_t count)
{
	struct recorder *r = sink->state;
	int err = 0;

	r->lost += count;
	put_type(sink, RT_CALL_LOST | (thread ? RT_CALL_OF_THREAD : 0), time);
	if (thread)
		err = put_thread(sink, thread);
	put_time(r, time);
	rt_bytes_number(&r->events, count);
	return err ? err : end_event(sink);
}

static void recorder_gone(struct rt_sink *sink, struct rt_thread *thread)
{
	struct recorder *r = sink->state;
	struct known_thread *known = thread->user[sink->index];

	if (!known)
		return;
	if (known->block == r->block && r->events.n) {
		rt_bytes_u8(&r->events, RT_CALL_GONE);
		rt_bytes_number(&r->events, known->number);
	}
	if (known->before)
		known->before->next = known->next;
	else
		r->known = known->next;
	if (known->next)
		known->next->before = known->before;
	free(known);
	thread->user[sink->index] = NULL;
}

static int recorder_exited(struct rt_sink *sink, pid_t pid, int status)
{
	struct recorder *r = sink->state;

	put_type(sink, RT_CALL_EXITED, r->last);
	rt_bytes_signed(&r->events, pid);
	rt_bytes_signed(&r->events, status);
	return end_event(sink);
}

/* --last is as exact as a block is long. */
static uint64_t block_time(const struct rt_sink *sink)
{
	uint64_t part = sink->trace->keep.ns / 8;

	return part && part < block_ns ? part : block_ns;
}

static int recorder_round(struct rt_sink *sink)
{
	struct recorder *r = sink->state;

	return r->events.n && rt_now() - r->began > block_time(sink) ? finish_block(sink) : 0;
}

static int recorder_save(struct rt_sink *sink, const char *reason)
{
	struct recorder *r = sink->state;

	if (!r->flight)
		return 0;
	if (finish_block(sink) < 0)
		return -ENOMEM;
	rt_flight_save(r->flight, sink, reason);
	return 0;
}

static void recorder_progress(const struct rt_sink *sink, char *text, size_t size)
{
	const struct recorder *r = sink->state;
	off_t bytes = r->flight ? (off_t)rt_flight_bytes(r->flight) : ftello(sink->file);
	char of[32] = "";

	if (bytes >= 0)
		snprintf(of, sizeof(of), ", %.1f MB", (double)bytes / 1e6);
	snprintf(text, size, "%" PRIu64 " calls%s%s, %" PRIu64 " lost", r->calls, of,
		 r->flight ? " kept" : "", r->lost);
}

/* ---- the end ---- */

static void recorder_hurry(struct rt_sink *sink)
{
	struct recorder *r = sink->state;

	if (!r->flight && !r->writer)
		r->writer = rt_block_writer_new(sink->file);
}

static int end_writer(struct recorder *r)
{
	int err = r->writer ? rt_block_writer_end(r->writer) : 0;

	r->writer = NULL;
	return err;
}

static int recorder_end(struct rt_sink *sink)
{
	const struct rt_bytes nothing = { .n = 0 };
	struct recorder *r = sink->state;
	int err = finish_block(sink), end;

	if (!err && !r->flight)
		err = put_block(sink, RT_BLOCK_END, &nothing);
	end = end_writer(r);
	return err ? err : end;
}

static void recorder_free(struct rt_sink *sink)
{
	struct recorder *r = sink->state;
	struct known_thread *next;

	if (!r)
		return;
	end_writer(r);
	for (; r->known; r->known = next) {
		next = r->known->next;
		free(r->known);
	}
	rt_files_free(&r->files);
	rt_flight_free(r->flight);
	rt_bytes_free(&r->events);
	rt_bytes_free(&r->values);
	free(r);
	sink->state = NULL;
}

const struct rt_sink_ops rt_sink_record = {
	.name = "record",
	.path = "rawtrace.data",
	.begin = recorder_begin,
	.note = recorder_note,
	.enter = recorder_enter,
	.leave = recorder_leave,
	.lost = recorder_lost,
	.gone = recorder_gone,
	.exited = recorder_exited,
	.round = recorder_round,
	.save = recorder_save,
	.progress = recorder_progress,
	.hurry = recorder_hurry,
	.end = recorder_end,
	.free = recorder_free,
};
