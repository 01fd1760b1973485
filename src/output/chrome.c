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

/* The members that are the same in all calls of a function: ,"name":"fib","args":{ */
struct head {
	char *text;		/* NULL: not made yet */
	size_t n;
};

struct chrome {
	struct rt_tracks tracks;
	struct rt_call_names names;
	struct head *heads;	/* by rt_call_names_mix() */
	size_t nheads;
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

static void put_text(struct rt_line *line, const char *key, const char *text)
{
	rt_line_text(line, key);
	rt_line_json_string(line, text, strlen(text));
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

/* {"ph":"X" */
static void put_phase(struct rt_line *line, struct chrome *chrome, const char *phase)
{
	rt_line_text(line, chrome->some ? ",\n{\"ph\":\"" : "\n{\"ph\":\"");
	chrome->some = true;
	rt_line_text(line, phase);
}

/* ","pid":1,"tid":2 */
static void put_ids(struct rt_line *line, pid_t pid, uint64_t tid)
{
	rt_line_text(line, "\",\"pid\":");
	rt_line_i64(line, pid);
	rt_line_text(line, ",\"tid\":");
	rt_line_u64(line, tid);
}

static struct head *head_at(struct chrome *chrome, size_t at)
{
	size_t n = at < 32 ? 64 : 2 * at;
	struct head *v;

	if (at < chrome->nheads)
		return &chrome->heads[at];
	v = realloc(chrome->heads, n * sizeof(*v));
	if (!v)
		return NULL;
	memset(v + chrome->nheads, 0, (n - chrome->nheads) * sizeof(*v));
	chrome->heads = v;
	chrome->nheads = n;
	return &v[at];
}

static int make_head(struct head *head, const char *name)
{
	FILE *file = open_memstream(&head->text, &head->n);

	if (!file)
		return -ENOMEM;
	rt_put(file, ",\"name\":");
	rt_json_string(file, name, strlen(name));
	rt_put(file, ",\"args\":{");
	return fclose(file) == 0 && head->text ? 0 : -ENOMEM;
}

static int put_function(struct rt_line *line, struct rt_sink *sink, uint32_t function)
{
	struct head *head = head_at(sink->state, rt_call_names_mix(function));
	int r = 0;

	if (!head)
		return -ENOMEM;
	if (!head->text)
		r = make_head(head, rt_sink_function(sink, function));
	if (r == 0)
		rt_line_bytes(line, head->text, head->n);
	return r;
}

/* {"ph":"X","pid":1,"tid":2 of an event in a thread, which has one such text for all its calls. */
static void put_thread(struct rt_line *line, struct rt_sink *sink, const char *phase,
		       struct rt_track *track)
{
	size_t from;

	put_phase(line, sink->state, phase);
	from = line->n;
	if (!track->nids) {
		put_ids(line, track->pid, track_id(track));
		track->nids = line->n - from;
		memcpy(track->ids, line->v + from, track->nids);
		return;
	}
	rt_line_bytes(line, track->ids, track->nids);
}

/* "KEY":  with the comma after what is before. */
static void put_key(struct rt_line *line, const char *key, bool some)
{
	rt_line_text(line, some ? ",\"" : "\"");
	rt_line_text(line, key);
	rt_line_text(line, "\":");
}

/*
 * A point in time in one thread: a call without a return probe, or a return without its call that
 * was seen.
 */
static int put_instant(struct rt_line *line, struct rt_sink *sink, struct rt_track *track,
		       uint32_t function, uint64_t time)
{
	put_thread(line, sink, "i", track);
	rt_line_text(line, ",\"ts\":");
	rt_line_us(line, since_start(sink, time));
	rt_line_text(line, ",\"s\":\"t\"");
	return put_function(line, sink, function);
}

static int chrome_enter(struct rt_sink *sink, struct rt_thread *thread,
			const struct rt_frame *frame,
			const struct rt_values *args)
{
	struct chrome *chrome = sink->state;
	struct rt_track *track = rt_tracks_get(&chrome->tracks, thread, sink->index);
	struct rt_line line;
	bool some = false;
	uint32_t function;
	uint64_t time;
	int err;

	rt_line_begin(&line, sink->file);
	if (!track)
		return -ENOMEM;
	time = rt_track_time(track, frame->time);
	if (frame->returns)
		return rt_track_push(track, time, args);
	err = rt_call_names_find(&chrome->names, sink->trace, track->pid, frame->function, args,
				 &function);
	if (err < 0)
		return err;
	err = put_instant(&line, sink, track, function, time);
	if (err < 0)
		return err;
	rt_args_json(&line, sink->trace, track->pid, frame->function, args, &some);
	rt_line_text(&line, "}}");
	rt_line_end(&line);
	return 0;
}

static int leave_unseen(struct rt_sink *sink, struct rt_track *track,
			const struct rt_frame *frame, uint64_t time,
			const struct rt_values *result)
{
	struct rt_line line;
	bool some = false;
	int err;

	rt_line_begin(&line, sink->file);
	err = put_instant(&line, sink, track, frame->function, time);
	if (err < 0)
		return err;
	rt_result_json(&line, sink->trace, track->pid, frame->function, result, &some);
	put_key(&line, "unseen", some);
	rt_line_text(&line, frame->inherited ? "\"call in the parent\"}}" :
		     frame->before ? "\"call before the trace\"}}" : "\"call\"}}");
	rt_line_end(&line);
	return 0;
}

static int chrome_leave(struct rt_sink *sink, struct rt_thread *thread,
			const struct rt_frame *frame, enum rt_end end,
			uint64_t time, const struct rt_values *result)
{
	struct chrome *chrome = sink->state;
	struct rt_track *track = rt_tracks_get(&chrome->tracks, thread, sink->index);
	const char *unseen = rt_sink_end_text(end, frame, thread);
	struct rt_line line;
	struct rt_call call;
	bool some = false;
	uint32_t function;
	uint64_t start;
	int err;

	rt_line_begin(&line, sink->file);
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
	put_thread(&line, sink, "X", track);
	rt_line_text(&line, ",\"ts\":");
	rt_line_us(&line, start);
	rt_line_text(&line, ",\"dur\":");
	rt_line_us(&line, time - start);
	err = put_function(&line, sink, function);
	if (err < 0)
		return err;
	rt_args_json(&line, sink->trace, track->pid, frame->function, &call.args, &some);
	rt_result_json(&line, sink->trace, track->pid, frame->function, result, &some);
	if (unseen) {
		put_key(&line, "unfinished", some);
		put_text(&line, "", unseen);
	}
	rt_line_text(&line, "}}");
	rt_line_end(&line);
	return 0;
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
	struct rt_line line;

	rt_line_begin(&line, sink->file);
	chrome->lost = chrome->lost + count < count ? UINT64_MAX : chrome->lost + count;
	put_phase(&line, chrome, "i");
	if (thread)
		put_ids(&line, thread->pid, (uint64_t)thread->tid);
	else
		put_ids(&line, first ? first->pid : 0, first ? track_id(first) : 0);
	rt_line_text(&line, ",\"ts\":");
	rt_line_us(&line, since_start(sink, time));
	rt_line_text(&line, thread ? ",\"s\":\"t\",\"name\":\"" : ",\"s\":\"g\",\"name\":\"");
	rt_line_end(&line);
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

static void put_name(struct rt_sink *sink, struct rt_track *track, const char *what,
		     const char *name)
{
	struct rt_line line;

	rt_line_begin(&line, sink->file);
	put_thread(&line, sink, "M", track);
	put_text(&line, ",\"name\":", what);
	put_text(&line, ",\"args\":{\"name\":", name);
	rt_line_text(&line, "}}");
	rt_line_end(&line);
}

/* The names are written last, as a thread may take its name long after its first call. */
static int put_names(struct rt_sink *sink, const struct rt_tracks *tracks)
{
	const char *command = sink->trace->command ? sink->trace->command : "?";
	struct rt_track **v, *track;
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
	struct rt_line line;
	size_t i;

	rt_line_begin(&line, sink->file);
	chrome->ended = true;
	rt_line_text(&line, "\n],\"otherData\":{\"producer\":\"rawtrace\"");
	if (sink->trace->command)
		put_text(&line, ",\"command\":", sink->trace->command);
	rt_line_text(&line, ",\"lost\":");
	rt_line_u64(&line, chrome->lost);
	rt_line_text(&line, ",\"notes\":[");
	for (i = 0; i < chrome->n; i++)
		put_text(&line, i ? "," : "", chrome->notes[i]);
	rt_line_text(&line, "]}}\n");
	rt_line_end(&line);
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
	for (i = 0; i < chrome->nheads; i++)
		free(chrome->heads[i].text);
	free(chrome->heads);
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
