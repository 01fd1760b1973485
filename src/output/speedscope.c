/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * speedscope's evented profiles, one a thread: https://www.speedscope.app/file-format-schema.json.
 * A profile is one array, so the events of all threads are stored until the end, some 5 bytes each.
 * Opening and closing events nest, and `at` never decreases.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "output/call_names.h"
#include "output/print.h"
#include "output/text.h"
#include "output/tracks.h"

/* The calls of a thread. */
struct course {
	struct course *next;
	pid_t tid;
	uint64_t goid;
	char comm[16];
	uint64_t begin, last;		/* ns since the trace began */
	/* the time since the event before; 0, or 1 + the rt_call_names_mix of a call that opens */
	struct rt_bytes events;
	uint32_t *open;			/* frames */
	size_t n, cap;
};

struct speedscope {
	struct course *first, **tail;
	struct rt_call_names names;
	struct rt_bytes notes;		/* joined by "; " */
	uint64_t lost;
	bool any_lost;
};

static int speedscope_begin(struct rt_sink *sink)
{
	struct speedscope *s = calloc(1, sizeof(*s));

	sink->state = s;
	if (!s)
		return -ENOMEM;
	s->tail = &s->first;
	sink->names = &s->names;
	return 0;
}

static int speedscope_note(struct rt_sink *sink, const char *text)
{
	struct speedscope *s = sink->state;

	rt_bytes_add(&s->notes, "; ", 2);
	rt_bytes_add(&s->notes, text, strlen(text));
	return s->notes.failed ? -ENOMEM : 0;
}

static struct course *get_course(struct rt_sink *sink, struct rt_thread *thread, uint64_t time)
{
	struct speedscope *s = sink->state;
	struct course *course = thread->user[sink->index];
	uint64_t since = time > sink->trace->start ? time - sink->trace->start : 0;

	if (!course) {
		thread->user[sink->index] = course = calloc(1, sizeof(*course));
		if (!course)
			return NULL;
		course->tid = thread->tid;
		course->goid = thread->goid;
		course->begin = course->last = since;
		*s->tail = course;
		s->tail = &course->next;
	}
	memcpy(course->comm, thread->comm, sizeof(course->comm));
	rt_bytes_number(&course->events, since > course->last ? since - course->last : 0);
	if (since > course->last)
		course->last = since;
	return course;
}

static int speedscope_enter(struct rt_sink *sink, struct rt_thread *thread,
			    const struct rt_frame *frame, const struct rt_values *args)
{
	struct speedscope *s = sink->state;
	struct course *course = get_course(sink, thread, frame->time);
	uint32_t function;

	if (!course || RT_ROOM(&course->open, course->n, &course->cap) < 0 ||
	    rt_call_names_find(&s->names, sink->trace, thread->pid, frame->function, args,
			       &function) < 0)
		return -ENOMEM;
	rt_bytes_number(&course->events, (uint64_t)rt_call_names_mix(function) + 1);
	if (frame->returns) {
		course->n++;
	} else {
		rt_bytes_number(&course->events, 0);
		rt_bytes_number(&course->events, 0);
	}
	return course->events.failed ? -ENOMEM : 0;
}

static int speedscope_leave(struct rt_sink *sink, struct rt_thread *thread,
			    const struct rt_frame *frame, enum rt_end end, uint64_t time,
			    const struct rt_values *result)
{
	struct course *course = thread->user[sink->index];

	(void)end;
	(void)result;
	if (!frame->entry_seen || !course || !course->n)
		return 0;
	course = get_course(sink, thread, time);
	course->n--;
	rt_bytes_number(&course->events, 0);
	return course->events.failed ? -ENOMEM : 0;
}

static int speedscope_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time,
			   uint64_t count)
{
	struct speedscope *s = sink->state;

	(void)thread;
	(void)time;
	s->lost += count;
	s->any_lost = true;
	return 0;
}

/* Its id may come once more, for another thread. */
static void speedscope_gone(struct rt_sink *sink, struct rt_thread *thread)
{
	thread->user[sink->index] = NULL;
}

/* ---- the end ---- */

static void put_string(FILE *file, const char *key, const char *text)
{
	rt_put(file, key);
	rt_json_string(file, text, strlen(text));
}

static void put_frame(FILE *file, const char *name)
{
	put_string(file, ",\n{\"name\":", name);
	putc_unlocked('}', file);
}

static size_t count_functions(const struct rt_sink *sink)
{
	return sink->trace->functions ? sink->trace->functions->n : 0;
}

/* The frame of a call with that rt_call_names_mix: put_frames has the order. */
static uint64_t frame_of(const struct rt_sink *sink, uint64_t mix)
{
	if (!mix)
		return 0;
	return mix % 2 ? (mix + 1) / 2 : count_functions(sink) + mix / 2;
}

static void put_frames(struct rt_sink *sink)
{
	const struct rt_call_names *names = sink->names;
	size_t i, n = count_functions(sink);

	rt_put(sink->file, ",\"shared\":{\"frames\":[{\"name\":\"?\"}");
	for (i = 0; i < n; i++)
		put_frame(sink->file, sink->trace->functions->v[i].name);
	for (i = 0; i < names->n; i++)
		put_frame(sink->file, names->v[i]);
	rt_put(sink->file, "]}");
}

static int put_event(struct rt_sink *sink, struct course *course, uint64_t at, uint64_t opened)
{
	bool opens = opened > 0;
	uint64_t frame;

	if (opens && RT_ROOM(&course->open, course->n, &course->cap) < 0)
		return -ENOMEM;
	if (opens)
		course->open[course->n++] = (uint32_t)(opened - 1);
	frame = frame_of(sink, opens ? opened - 1 : course->open[--course->n]);
	fprintf(sink->file, "{\"type\":\"%c\",\"at\":%" PRIu64 ",\"frame\":%" PRIu64 "}",
		opens ? 'O' : 'C', at, frame);
	return 0;
}

static void put_name(struct rt_sink *sink, const struct course *course)
{
	const char *name = course->comm[0] ? course->comm : sink->trace->command;
	char id[32];

	if (course->goid)
		rt_goid_text(id, sizeof(id), course->goid);
	else
		snprintf(id, sizeof(id), "%d", (int)course->tid);
	rt_put(sink->file, "\"name\":\"");
	rt_json_chars(sink->file, name ? name : "?", strlen(name ? name : "?"));
	fprintf(sink->file, " %s\"", id);
}

static int put_course(struct rt_sink *sink, struct course *course)
{
	struct rt_reader in = { .bad = false };
	uint64_t at = course->begin;
	const char *comma = "\n";
	int r = 0;

	rt_put(sink->file, "{\"type\":\"evented\",");
	put_name(sink, course);
	fprintf(sink->file,
		",\"unit\":\"nanoseconds\",\"startValue\":%" PRIu64 ",\"endValue\":%" PRIu64
		",\"events\":[",
		course->begin, course->last);
	/* Calls that are open yet: their end did not come. */
	for (; course->n; course->n--) {
		rt_bytes_number(&course->events, 0);
		rt_bytes_number(&course->events, 0);
	}
	in.at = course->events.v;
	in.end = in.at + course->events.n;
	while (in.at < in.end && r == 0) {
		at += rt_read_number(&in);
		rt_put(sink->file, comma);
		comma = ",\n";
		r = put_event(sink, course, at, rt_read_number(&in));
	}
	rt_put(sink->file, "]}");
	return r;
}

static int speedscope_end(struct rt_sink *sink)
{
	struct speedscope *s = sink->state;
	const char *command = sink->trace->command ? sink->trace->command : "rawtrace";
	struct course *course;
	int r = 0;

	put_string(sink->file, "{\"$schema\":",
		   "https://www.speedscope.app/file-format-schema.json");
	rt_put(sink->file, ",\"exporter\":\"rawtrace");
	rt_json_chars(sink->file, (const char *)s->notes.v, s->notes.n);
	rt_put(sink->file, "\",\"name\":\"");
	rt_json_chars(sink->file, command, strlen(command));
	if (s->any_lost) {
		rt_put(sink->file, " *** ");
		rt_put_lost(sink->file, s->lost);
		rt_put(sink->file, " ***");
	}
	rt_put(sink->file, "\"");
	put_frames(sink);
	rt_put(sink->file, ",\"profiles\":[");
	for (course = s->first; course && r == 0; course = course->next) {
		rt_put(sink->file, course == s->first ? "\n" : ",\n");
		r = put_course(sink, course);
	}
	rt_put(sink->file, "]}\n");
	return r;
}

static void speedscope_free(struct rt_sink *sink)
{
	struct speedscope *s = sink->state;
	struct course *course, *next;

	if (!s)
		return;
	for (course = s->first; course; course = next) {
		next = course->next;
		rt_bytes_free(&course->events);
		free(course->open);
		free(course);
	}
	rt_bytes_free(&s->notes);
	rt_call_names_free(&s->names);
	free(s);
	sink->state = NULL;
}

const struct rt_sink_ops rt_sink_speedscope = {
	.name = "speedscope",
	.help = "JSON for speedscope.app, in rawtrace.speedscope.json without -o",
	.path = "rawtrace.speedscope.json",
	.begin = speedscope_begin,
	.note = speedscope_note,
	.enter = speedscope_enter,
	.leave = speedscope_leave,
	.lost = speedscope_lost,
	.gone = speedscope_gone,
	.end = speedscope_end,
	.free = speedscope_free,
};
