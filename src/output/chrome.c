/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The Trace Event Format of Chrome, for ui.perfetto.dev and chrome://tracing: one "X" event a call,
 * written when it is left.  Readers sort, so the order in the file means nothing.  Times are
 * microseconds with three decimals, counted from the start of the trace and made with integers: a
 * double of them since boot would lose the nanoseconds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/call_names.h"
#include "output/print.h"
#include "output/text.h"
#include "output/tracks.h"
#include "base/array.h"

struct chrome {
	struct rt_tracks tracks;
	struct rt_call_names names;
	char **notes;
	size_t n, cap;
	uint64_t lost;
	bool some;		/* an event was written: the next one needs a comma */
	bool ended;
};

static int chrome_begin(struct rt_sink *sink)
{
	struct chrome *chrome = calloc(1, sizeof(*chrome));

	sink->state = chrome;
	if (!chrome)
		return -ENOMEM;
	sink->names = &chrome->names;
	rt_put(sink->file, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return 0;
}

/* Notes stand outside of the events, at the end of the file. */
static int chrome_note(struct rt_sink *sink, const char *text)
{
	struct chrome *chrome = sink->state;
	char *copy;

	if (RT_ROOM(&chrome->notes, chrome->n, &chrome->cap) < 0)
		return -ENOMEM;
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	chrome->notes[chrome->n++] = copy;
	return 0;
}

static void put_text(FILE *file, const char *key, const char *text)
{
	rt_put(file, key);
	rt_json_string(file, text, strlen(text));
}

static void put_us(FILE *file, const char *key, uint64_t ns)
{
	rt_put(file, key);
	rt_put_u64(file, ns / 1000);
	putc_unlocked('.', file);
	putc_unlocked('0' + (int)(ns / 100 % 10), file);
	putc_unlocked('0' + (int)(ns / 10 % 10), file);
	putc_unlocked('0' + (int)(ns % 10), file);
}

static uint64_t since_start(const struct rt_sink *sink, uint64_t time)
{
	return time > sink->trace->start ? time - sink->trace->start : 0;
}

/*
 * The format knows threads alone, so goroutines are threads with ids that the kernel does not give
 * (PID_MAX_LIMIT is 1 << 22).  Perfetto takes 32 bits of them.
 */
static uint64_t track_id(const struct rt_track *track)
{
	uint64_t of = track->goid / RT_GOID_STACK << 26, number = track->goid & (RT_GOID_STACK - 1);

	return track->goid ? (1u << 22) + number + of : (uint64_t)track->tid;
}

/* {"ph":"X","pid":1,"tid":2 */
static void put_head(struct rt_sink *sink, const char *ph, pid_t pid, uint64_t tid)
{
	struct chrome *chrome = sink->state;

	rt_put(sink->file, chrome->some ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	chrome->some = true;
	rt_put(sink->file, ph);
	rt_put(sink->file, "\",\"pid\":");
	rt_put_i64(sink->file, pid);
	rt_put(sink->file, ",\"tid\":");
	rt_put_u64(sink->file, tid);
}

/* "KEY":  with the comma after what is before. */
static void put_key(FILE *file, const char *key, bool some)
{
	rt_put(file, some ? ",\"" : "\"");
	rt_put(file, key);
	rt_put(file, "\":");
}

/*
 * A point in time in one thread: a call without a return probe, or a return without its call that
 * was seen.
 */
static void put_instant(struct rt_sink *sink, const struct rt_track *track, uint32_t function,
			uint64_t time)
{
	put_head(sink, "i", track->pid, track_id(track));
	put_us(sink->file, ",\"ts\":", since_start(sink, time));
	put_text(sink->file, ",\"s\":\"t\",\"name\":", rt_sink_function(sink, function));
	rt_put(sink->file, ",\"args\":{");
}

static int chrome_enter(struct rt_sink *sink, struct rt_thread *thread,
			const struct rt_frame *frame,
			const struct rt_values *args)
{
	struct chrome *chrome = sink->state;
	struct rt_track *track = rt_tracks_get(&chrome->tracks, thread, sink->index);
	bool some = false;
	uint32_t function;
	uint64_t time;
	int err;

	if (!track)
		return -ENOMEM;
	time = rt_track_time(track, frame->time);
	if (frame->returns)
		return rt_track_push(track, time, args);
	err = rt_call_names_find(&chrome->names, sink->trace, track->pid, frame->function, args,
				 &function);
	if (err < 0)
		return err;
	put_instant(sink, track, function, time);
	err = rt_args_json(sink, track->pid, frame->function, args, &some);
	rt_put(sink->file, "}}");
	return err;
}

static int leave_unseen(struct rt_sink *sink, const struct rt_track *track,
			const struct rt_frame *frame, uint64_t time,
			const struct rt_values *result)
{
	bool some = false;
	int err;

	put_instant(sink, track, frame->function, time);
	err = rt_result_json(sink, track->pid, frame->function, result, &some);
	put_key(sink->file, "unseen", some);
	rt_put(sink->file, frame->inherited ? "\"call in the parent\"}}" :
	       frame->before ? "\"call before the trace\"}}" : "\"call\"}}");
	return err;
}

static int chrome_leave(struct rt_sink *sink, struct rt_thread *thread,
			const struct rt_frame *frame, enum rt_end end,
			uint64_t time, const struct rt_values *result)
{
	struct chrome *chrome = sink->state;
	struct rt_track *track = rt_tracks_get(&chrome->tracks, thread, sink->index);
	const char *unseen = rt_sink_end_text(end, frame, thread);
	struct rt_call call;
	bool some = false;
	uint32_t function;
	uint64_t start;
	int err;

	if (!track)
		return -ENOMEM;
	time = since_start(sink, rt_track_time(track, time));
	if (!frame->entry_seen || !rt_track_pop(track, &call))
		return leave_unseen(sink, track, frame, track->last, result);
	err = rt_call_names_find(&chrome->names, sink->trace, track->pid, frame->function,
				 &call.args, &function);
	if (err < 0)
		return err;
	start = since_start(sink, call.time);
	put_head(sink, "X", track->pid, track_id(track));
	put_us(sink->file, ",\"ts\":", start);
	put_us(sink->file, ",\"dur\":", time - start);
	put_text(sink->file, ",\"name\":", rt_sink_function(sink, function));
	rt_put(sink->file, ",\"args\":{");
	err = rt_args_json(sink, track->pid, frame->function, &call.args, &some);
	if (!err)
		err = rt_result_json(sink, track->pid, frame->function, result, &some);
	if (unseen) {
		put_key(sink->file, "unfinished", some);
		put_text(sink->file, "", unseen);
	}
	rt_put(sink->file, "}}");
	return err;
}

/* Its name is written at the end. */
static void chrome_gone(struct rt_sink *sink, struct rt_thread *thread)
{
	if (thread->user[sink->index])
		rt_track_empty(thread->user[sink->index]);
}

/*
 * A loss that concerns the whole trace has no thread, but readers want a process and a thread in
 * every event: they get the first ones.
 */
static int chrome_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time,
		       uint64_t count)
{
	struct chrome *chrome = sink->state;
	const struct rt_track *first = chrome->tracks.first;

	chrome->lost = chrome->lost + count < count ? UINT64_MAX : chrome->lost + count;
	if (thread)
		put_head(sink, "i", thread->pid, (uint64_t)thread->tid);
	else
		put_head(sink, "i", first ? first->pid : 0, first ? track_id(first) : 0);
	put_us(sink->file, ",\"ts\":", since_start(sink, time));
	rt_put(sink->file, thread ? ",\"s\":\"t\",\"name\":\"" : ",\"s\":\"g\",\"name\":\"");
	rt_put_lost(sink->file, count);
	rt_put(sink->file, "\",\"args\":{}}");
	return 0;
}

/* By process, the thread that leads it before the others. */
static int by_process(const void *a, const void *b)
{
	const struct rt_track *x = *(const struct rt_track *const *)a,
		*y = *(const struct rt_track *const *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if ((x->tid == x->pid) != (y->tid == y->pid))
		return x->tid == x->pid ? -1 : 1;
	if (x->goid != y->goid)
		return x->goid < y->goid ? -1 : 1;
	return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void put_name(struct rt_sink *sink, const struct rt_track *track, const char *what,
		     const char *name)
{
	put_head(sink, "M", track->pid, track_id(track));
	put_text(sink->file, ",\"name\":", what);
	put_text(sink->file, ",\"args\":{\"name\":", name);
	rt_put(sink->file, "}}");
}

/* The names are written last, as a thread may take its name long after its first call. */
static int put_names(struct rt_sink *sink, const struct rt_tracks *tracks)
{
	const char *command = sink->trace->command ? sink->trace->command : "?";
	const struct rt_track **v, *track;
	char goroutine[32];
	size_t i, n = 0;

	if (!tracks->n)
		return 0;
	v = calloc(tracks->n, sizeof(v[0]));
	if (!v)
		return -ENOMEM;
	for (track = tracks->first; track; track = track->next)
		v[n++] = track;
	qsort(v, n, sizeof(v[0]), by_process);
	for (i = 0; i < n; i++) {
		const char *name = v[i]->comm[0] ? v[i]->comm : command;
		bool traced = sink->trace->command && v[i]->pid == tracks->first->pid;

		if (!i || v[i]->pid != v[i - 1]->pid)
			put_name(sink, v[i], "process_name", traced ? command : name);
		rt_goid_text(goroutine, sizeof(goroutine), v[i]->goid);
		put_name(sink, v[i], "thread_name", v[i]->goid ? goroutine : name);
	}
	free(v);
	return 0;
}

static int chrome_end(struct rt_sink *sink)
{
	struct chrome *chrome = sink->state;
	int err = put_names(sink, &chrome->tracks);
	size_t i;

	chrome->ended = true;
	rt_put(sink->file, "\n],\"otherData\":{\"producer\":\"rawtrace\"");
	if (sink->trace->command)
		put_text(sink->file, ",\"command\":", sink->trace->command);
	rt_put(sink->file, ",\"lost\":");
	rt_put_u64(sink->file, chrome->lost);
	rt_put(sink->file, ",\"notes\":[");
	for (i = 0; i < chrome->n; i++)
		put_text(sink->file, i ? "," : "", chrome->notes[i]);
	rt_put(sink->file, "]}}\n");
	return err;
}

static void chrome_free(struct rt_sink *sink)
{
	struct chrome *chrome = sink->state;
	size_t i;

	if (!chrome)
		return;
	/* Readers want a whole file of a trace that failed, too. */
	if (!chrome->ended && !ferror(sink->file)) {
		chrome_note(sink, "the trace failed before its end");
		chrome_end(sink);
	}
	for (i = 0; i < chrome->n; i++)
		free(chrome->notes[i]);
	free(chrome->notes);
	rt_tracks_free(&chrome->tracks);
	rt_call_names_free(&chrome->names);
	free(chrome);
	sink->state = NULL;
}

const struct rt_sink_ops rt_sink_chrome = {
	.name = "chrome",
	.help = "JSON for ui.perfetto.dev and chrome://tracing, in rawtrace.json without -o",
	.path = "rawtrace.json",
	.begin = chrome_begin,
	.note = chrome_note,
	.enter = chrome_enter,
	.leave = chrome_leave,
	.lost = chrome_lost,
	.gone = chrome_gone,
	.tail = "\n]}\n",
	.end = chrome_end,
	.free = chrome_free,
};
