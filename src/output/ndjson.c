/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON, an object a line (NDJSON), for jq, grep and databases: a call when it ends, a note, a loss.
 *
 *	{"id":2,"parent":1,"pid":7,"tid":7,"ts":300,"dur":120,"name":"fib","args":{"n":1},
 *	 "result":1}
 *
 * Times are ns from the start of the trace.  "parent" is the id of the traced call around it, 0:
 * none.  A call that did not return, or was not seen to, has "end".
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/print.h"
#include "output/stack.h"
#include "output/text.h"
#include "output/tracks.h"

struct ndjson {
	struct rt_tracks tracks;
	uint64_t last_id;
};

static int ndjson_begin(struct rt_sink *sink)
{
	sink->state = calloc(1, sizeof(struct ndjson));
	return sink->state ? 0 : -ENOMEM;
}

static int ndjson_note(struct rt_sink *sink, const char *text)
{
	rt_put(sink->file, "{\"note\":");
	rt_json_string(sink->file, text, strlen(text));
	rt_put(sink->file, "}\n");
	return 0;
}

static void put_number(struct rt_line *line, const char *key, uint64_t value)
{
	rt_line_text(line, key);
	rt_line_u64(line, value);
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

static void put_head(struct rt_line *line, struct rt_sink *sink, const struct rt_track *track,
		     uint64_t id, uint64_t time)
{
	put_number(line, "{\"id\":", id);
	put_number(line, ",\"parent\":", track->n ? track->calls[track->n - 1].id : 0);
	put_number(line, ",\"pid\":", (uint64_t)track->pid);
	put_number(line, ",\"tid\":", (uint64_t)track->tid);
	if (track->goid)
		put_number(line, ",\"goid\":", track->goid);
	put_number(line, ",\"ts\":", since_start(sink, time));
}

static int ndjson_enter(struct rt_sink *sink, struct rt_thread *thread,
			const struct rt_frame *frame, const struct rt_values *args)
{
	struct ndjson *json = sink->state;
	struct rt_track *track = rt_tracks_get(&json->tracks, thread, sink->index);
	struct rt_line line;
	bool some = false;
	uint64_t time;
	int r;

	rt_line_begin(&line, sink->file);
	if (!track)
		return -ENOMEM;
	time = rt_track_time(track, frame->time);
	if (frame->returns) {
		r = rt_track_push(track, time, args);
		if (r == 0)
			track->calls[track->n - 1].id = ++json->last_id;
		return r;
	}
	put_head(&line, sink, track, ++json->last_id, time);
	put_text(&line, ",\"name\":", rt_sink_function(sink, frame->function));
	rt_line_text(&line, ",\"args\":{");
	rt_args_json(&line, sink->trace, track->pid, frame->function, args, &some);
	rt_line_char(&line, '}');
	rt_line_end(&line);
	rt_stack_json(sink, track->pid, frame, args);
	rt_line_text(&line, ",\"end\":\"not traced\"}\n");
	rt_line_end(&line);
	return 0;
}

static int ndjson_leave(struct rt_sink *sink, struct rt_thread *thread,
			const struct rt_frame *frame, enum rt_end end, uint64_t time,
			const struct rt_values *result)
{
	struct ndjson *json = sink->state;
	struct rt_track *track = rt_tracks_get(&json->tracks, thread, sink->index);
	const char *text = rt_sink_end_text(end, frame, thread);
	struct rt_call call = { .time = 0 };
	struct rt_line line;
	bool known, some = false;

	rt_line_begin(&line, sink->file);
	if (!track)
		return -ENOMEM;
	time = rt_track_time(track, time);
	known = frame->entry_seen && rt_track_pop(track, &call);
	put_head(&line, sink, track, known ? call.id : ++json->last_id, known ? call.time : time);
	if (known)
		put_number(&line, ",\"dur\":", time - call.time);
	put_text(&line, ",\"name\":", rt_sink_function(sink, frame->function));
	if (known) {
		rt_line_text(&line, ",\"args\":{");
		rt_args_json(&line, sink->trace, track->pid, frame->function, &call.args, &some);
		rt_line_char(&line, '}');
		rt_line_end(&line);
		rt_stack_json(sink, track->pid, frame, &call.args);
	}
	some = true;
	rt_result_json(&line, sink->trace, track->pid, frame->function, result, &some);
	if (!known)
		text = frame->before ? "call began before the trace" : "call not seen";
	if (text)
		put_text(&line, ",\"end\":", text);
	rt_line_text(&line, "}\n");
	rt_line_end(&line);
	return 0;
}

static void ndjson_gone(struct rt_sink *sink, struct rt_thread *thread)
{
	if (thread->user[sink->index])
		rt_track_empty(thread->user[sink->index]);
}

static int ndjson_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time,
		       uint64_t count)
{
	struct rt_line line;

	rt_line_begin(&line, sink->file);
	put_number(&line, "{\"lost\":", count);
	if (thread)
		put_number(&line, ",\"tid\":", (uint64_t)thread->tid);
	put_number(&line, ",\"ts\":", since_start(sink, time));
	rt_line_text(&line, "}\n");
	rt_line_end(&line);
	return 0;
}

static int ndjson_end(struct rt_sink *sink)
{
	(void)sink;
	return 0;
}

static void ndjson_free(struct rt_sink *sink)
{
	struct ndjson *json = sink->state;

	if (!json)
		return;
	rt_tracks_free(&json->tracks);
	free(json);
	sink->state = NULL;
}

const struct rt_sink_ops rt_sink_ndjson = {
	.name = "json",
	.help = "a JSON object a call and line, for jq, in rawtrace.jsonl without -o",
	.path = "rawtrace.jsonl",
	.begin = ndjson_begin,
	.note = ndjson_note,
	.enter = ndjson_enter,
	.leave = ndjson_leave,
	.lost = ndjson_lost,
	.gone = ndjson_gone,
	.end = ndjson_end,
	.free = ndjson_free,
};
