/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Perfetto's own format: a protobuf of TracePackets (protos/perfetto/trace/trace_packet.proto in
 * its sources).  A call is two packets, its begin and its end, so the file of a trace that was
 * killed is whole.
 *
 *	Trace.packet {
 *		timestamp, trusted_packet_sequence_id, sequence_flags
 *		track_descriptor { uuid, process or thread }		once a track
 *		interned_data { event_names { iid, name } }		once a name
 *		track_event { type, track_uuid, name_iid, debug_annotations { name, value } }
 *	}
 *
 * Timestamps are those of the trace's clock, so that other traces can be laid beside.  An argument
 * is a number, or the text of the tree.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/call_names.h"
#include "output/print.h"
#include "output/protobuf.h"
#include "output/text.h"
#include "output/tracks.h"
#include "output/value.h"

/* Field numbers. */
enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DESCRIPTOR = 60,
};
enum { INTERNED_EVENT_NAMES = 2, NAME_IID = 1, NAME_TEXT = 2 };
enum { TRACK_UUID = 1, TRACK_NAME, TRACK_PROCESS, TRACK_THREAD, TRACK_PARENT };
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_IID = 10,
	EVENT_TRACK = 11,
	EVENT_NAME = 23,
};
enum { VALUE_BOOL = 2, VALUE_UINT, VALUE_INT, VALUE_TEXT = 6, VALUE_POINTER, VALUE_NAME = 10 };

enum event_type { BEGIN = 1, END, INSTANT };

/* PACKET_FLAGS: earlier interned names are void; the packet needs interned names. */
enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2 };

enum { SEQUENCE = 1 };

/* Uuids of tracks: a process has its pid; a thread 22 bits more, as PID_MAX_LIMIT is 1 << 22. */
static const uint64_t remarks_uuid = UINT64_C(1) << 62, goroutine_uuid = UINT64_C(1) << 63;

struct perfetto {
	struct rt_tracks tracks;
	size_t described;	/* of the tracks */
	struct rt_call_names names;
	bool *interned;		/* by rt_call_names_mix */
	size_t room;
	bool began, remarked;	/* a packet was written; the track of remarks is described */
	uint64_t last;		/* time of the newest event; 0: there is none */
	struct rt_bytes remarks;	/* before the first event, each ended by a NUL */
	struct rt_bytes packet, event, part, value;
	FILE *text;		/* of a value that is printed: `printed`, `size` bytes */
	char *printed;
	size_t size;
	/* the value that is being read */
	unsigned depth;
	char name[64];
};

static int perfetto_begin(struct rt_sink *sink)
{
	struct perfetto *p = calloc(1, sizeof(*p));

	sink->state = p;
	if (!p)
		return -ENOMEM;
	sink->names = &p->names;
	p->text = open_memstream(&p->printed, &p->size);
	return p->text ? 0 : -ENOMEM;
}

/* ---- packets ---- */

static void begin_packet(struct perfetto *p, uint64_t time)
{
	rt_proto_number(&p->packet, PACKET_TIMESTAMP, time);
	rt_proto_number(&p->packet, PACKET_SEQUENCE, SEQUENCE);
	rt_proto_number(&p->packet, PACKET_FLAGS,
			(p->began ? 0 : FLAG_CLEARED) | FLAG_NEEDS);
	p->began = true;
}

static int end_packet(struct rt_sink *sink)
{
	struct perfetto *p = sink->state;
	struct rt_bytes head = { .n = 0 };
	bool failed;

	rt_bytes_number(&head, TRACE_PACKET << 3 | 2);
	rt_bytes_number(&head, p->packet.n);
	failed = head.failed || p->packet.failed || p->event.failed || p->value.failed;
	if (!failed) {
		rt_put_bytes(sink->file, head.v, head.n);
		rt_put_bytes(sink->file, p->packet.v, p->packet.n);
	}
	rt_bytes_free(&head);
	p->packet.n = 0;
	return failed ? -ENOMEM : 0;
}

/* ---- remarks ---- */

static int end_event(struct rt_sink *sink)
{
	struct perfetto *p = sink->state;

	rt_proto_message(&p->packet, PACKET_TRACK_EVENT, &p->event);
	return end_packet(sink);
}

/* An instant with a text, on the track of remarks. */
static int put_remark(struct rt_sink *sink, uint64_t time, const char *text)
{
	struct perfetto *p = sink->state;

	if (!p->remarked) {
		p->remarked = true;
		begin_packet(p, p->last);
		rt_proto_number(&p->event, TRACK_UUID, remarks_uuid);
		rt_proto_text(&p->event, TRACK_NAME, "rawtrace");
		rt_proto_message(&p->packet, PACKET_DESCRIPTOR, &p->event);
		if (end_packet(sink) < 0)
			return -ENOMEM;
	}
	begin_packet(p, time);
	rt_proto_number(&p->event, EVENT_TYPE, INSTANT);
	rt_proto_number(&p->event, EVENT_TRACK, remarks_uuid);
	rt_proto_text(&p->event, EVENT_NAME, text);
	return end_event(sink);
}

static int put_remarks(struct rt_sink *sink)
{
	struct perfetto *p = sink->state;
	const char *text = (const char *)p->remarks.v;
	size_t at;
	int r = 0;

	for (at = 0; at < p->remarks.n && r == 0; at += strlen(text + at) + 1)
		r = put_remark(sink, p->last, text + at);
	p->remarks.n = 0;
	return r;
}

/* ---- tracks ---- */

static uint64_t uuid_of(const struct rt_track *track)
{
	if (!track->goid)
		return (uint64_t)track->tid << 22 | (uint64_t)track->pid;
	return goroutine_uuid | (track->goid * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)track->pid);
}

static const char *command_of(const struct rt_sink *sink)
{
	const char *command = sink->trace->command, *slash = command ? strrchr(command, '/') : NULL;

	return slash ? slash + 1 : command ? command : "?";
}

static int describe_process(struct rt_sink *sink, const struct rt_track *track)
{
	struct perfetto *p = sink->state;
	const struct rt_track *first = p->tracks.first;
	bool traced = sink->trace->command && track->pid == first->pid;
	const char *name = traced || !track->comm[0] ? command_of(sink) : track->comm;

	begin_packet(p, p->last);
	rt_proto_number(&p->part, PROCESS_PID, (uint64_t)track->pid);
	rt_proto_text(&p->part, PROCESS_NAME, name);
	rt_proto_number(&p->event, TRACK_UUID, (uint64_t)track->pid);
	rt_proto_message(&p->event, TRACK_PROCESS, &p->part);
	rt_proto_message(&p->packet, PACKET_DESCRIPTOR, &p->event);
	return end_packet(sink);
}

static int describe_thread(struct rt_sink *sink, const struct rt_track *track)
{
	struct perfetto *p = sink->state;
	char name[32];

	begin_packet(p, p->last);
	rt_proto_number(&p->event, TRACK_UUID, uuid_of(track));
	rt_proto_number(&p->event, TRACK_PARENT, (uint64_t)track->pid);
	if (track->goid) {
		rt_goid_text(name, sizeof(name), track->goid);
		rt_proto_text(&p->event, TRACK_NAME, name);
	} else {
		rt_proto_number(&p->part, THREAD_PID, (uint64_t)track->pid);
		rt_proto_number(&p->part, THREAD_TID, (uint64_t)track->tid);
		rt_proto_text(&p->part, THREAD_NAME,
			      track->comm[0] ? track->comm : command_of(sink));
		rt_proto_message(&p->event, TRACK_THREAD, &p->part);
	}
	rt_proto_message(&p->packet, PACKET_DESCRIPTOR, &p->event);
	return end_packet(sink);
}

/* The track of a thread that has an event, described before; NULL: out of memory. */
static struct rt_track *get_track(struct rt_sink *sink, struct rt_thread *thread, uint64_t time)
{
	struct perfetto *p = sink->state;
	struct rt_track *track = rt_tracks_get(&p->tracks, thread, sink->index);

	if (!track)
		return NULL;
	p->last = rt_track_time(track, time);
	if (put_remarks(sink) < 0)
		return NULL;
	if (p->described == p->tracks.n)
		return track;
	p->described = p->tracks.n;
	return describe_process(sink, track) < 0 || describe_thread(sink, track) < 0 ? NULL : track;
}

/* ---- values ---- */

static void name_value(struct perfetto *p, const struct rt_value *v)
{
	if (v->kind == RT_VALUE_FAILED || v->kind == RT_VALUE_FAILED_INSIDE)
		snprintf(p->name, sizeof(p->name), "errno%s",
			 v->kind == RT_VALUE_FAILED ? "" : "_inside");
	else if (v->name && !v->repeated)
		snprintf(p->name, sizeof(p->name), "%s", v->name);
	else if (v->in == RT_VALUE_RESULTS && !v->index)
		snprintf(p->name, sizeof(p->name), "result");
	else
		snprintf(p->name, sizeof(p->name), "%s%u",
			 v->in == RT_VALUE_RESULTS ? "result" :
			 v->in == RT_VALUE_OUTS ? "out" : "arg", v->index);
}

static void put_annotation(struct perfetto *p)
{
	rt_proto_text(&p->value, VALUE_NAME, p->name);
	rt_proto_message(&p->event, EVENT_ANNOTATION, &p->value);
}

static void put_text_value(struct perfetto *p, const char *text)
{
	rt_proto_text(&p->value, VALUE_TEXT, text);
	put_annotation(p);
}

static void put_printed(struct perfetto *p)
{
	fflush(p->text);
	rt_proto_bytes(&p->value, VALUE_TEXT, p->printed, p->size);
	put_annotation(p);
}

static void put_number(struct perfetto *p, const struct rt_value *v)
{
	unsigned field = v->kind == RT_VALUE_HEX ? VALUE_POINTER
			 : v->kind == RT_VALUE_BOOL ? VALUE_BOOL
			 : v->number > INT64_MAX ? VALUE_UINT : VALUE_INT;

	rt_proto_number(&p->value, field, v->negative ? 0 - v->number : v->number);
	put_annotation(p);
}

/* A value that is no group's, or the beginning of a group. */
static void begin_value(struct perfetto *p, const struct rt_value *v)
{
	struct rt_value alone = *v;

	name_value(p, v);
	if (v->kind == RT_VALUE_NUMBER || v->kind == RT_VALUE_HEX || v->kind == RT_VALUE_BOOL) {
		put_number(p, v);
		return;
	}
	if (v->kind == RT_VALUE_FAILED || v->kind == RT_VALUE_FAILED_INSIDE) {
		put_text_value(p, v->text ? v->text : "?");
		return;
	}
	/* Without the blank or the name that the tree puts before it. */
	alone.in = RT_VALUE_NONE;
	alone.name = NULL;
	fseeko(p->text, 0, SEEK_SET);
	rt_value_print(p->text, &alone);
	p->depth = v->kind >= RT_VALUE_STRUCT && v->kind <= RT_VALUE_FLAGS;
	if (!p->depth)
		put_printed(p);
}

static void take_value(void *ctx, const struct rt_value *v)
{
	struct perfetto *p = ctx;

	if (v->kind == RT_VALUE_OUTS || v->kind == RT_VALUE_VOID || v->kind == RT_VALUE_GUESSED)
		return;
	if (!p->depth) {
		begin_value(p, v);
		return;
	}
	if (v->kind >= RT_VALUE_STRUCT && v->kind <= RT_VALUE_FLAGS)
		p->depth += v->end ? -1u : 1u;
	rt_value_print(p->text, v);
	if (!p->depth)
		put_printed(p);
}

/* ---- events ---- */

static int intern(struct rt_sink *sink, uint32_t function, uint64_t *iid)
{
	struct perfetto *p = sink->state;
	size_t at = rt_call_names_mix(function), n = 2 * at + 64;
	bool *v;

	*iid = (uint64_t)at + 1;
	if (at >= p->room) {
		v = realloc(p->interned, n * sizeof(*v));
		if (!v)
			return -ENOMEM;
		memset(v + p->room, 0, (n - p->room) * sizeof(*v));
		p->interned = v;
		p->room = n;
	}
	if (p->interned[at])
		return 0;
	p->interned[at] = true;
	rt_proto_number(&p->value, NAME_IID, *iid);
	rt_proto_text(&p->value, NAME_TEXT, rt_sink_function(sink, function));
	rt_proto_message(&p->part, INTERNED_EVENT_NAMES, &p->value);
	rt_proto_message(&p->packet, PACKET_INTERNED, &p->part);
	return 0;
}

static int begin_event(struct rt_sink *sink, const struct rt_track *track, enum event_type type,
		       uint32_t function)
{
	struct perfetto *p = sink->state;
	uint64_t iid;
	int r = 0;

	begin_packet(p, track->last);
	rt_proto_number(&p->event, EVENT_TYPE, type);
	rt_proto_number(&p->event, EVENT_TRACK, uuid_of(track));
	if (type == END)
		return 0;
	r = intern(sink, function, &iid);
	rt_proto_number(&p->event, EVENT_NAME_IID, iid);
	return r;
}

static void put_reason(struct perfetto *p, const char *name, const char *reason)
{
	snprintf(p->name, sizeof(p->name), "%s", name);
	put_text_value(p, reason);
}

static int perfetto_enter(struct rt_sink *sink, struct rt_thread *thread,
			  const struct rt_frame *frame, const struct rt_values *args)
{
	struct perfetto *p = sink->state;
	struct rt_track *track = get_track(sink, thread, frame->time);
	uint32_t function;

	if (!track || rt_call_names_find(&p->names, sink->trace, thread->pid, frame->function, args,
					 &function) < 0)
		return -ENOMEM;
	track->n += frame->returns;	/* a number of calls: nothing of them is saved */
	if (begin_event(sink, track, frame->returns ? BEGIN : INSTANT, function) < 0)
		return -ENOMEM;
	rt_values_of_entry(sink->trace, track->pid, frame->function, args, take_value, p);
	return end_event(sink);
}

static int perfetto_leave(struct rt_sink *sink, struct rt_thread *thread,
			  const struct rt_frame *frame, enum rt_end end, uint64_t time,
			  const struct rt_values *result)
{
	struct perfetto *p = sink->state;
	struct rt_track *track = get_track(sink, thread, time);
	const char *text = rt_sink_end_text(end, frame, thread);
	bool known;

	if (!track)
		return -ENOMEM;
	known = frame->entry_seen && track->n;
	track->n -= known;
	if (begin_event(sink, track, known ? END : INSTANT, frame->function) < 0)
		return -ENOMEM;
	rt_values_of_return(sink->trace, track->pid, frame->function, result, take_value, p);
	if (text)
		put_reason(p, "end", text);
	if (!known)
		put_reason(p, "unseen", frame->before ? "call before the trace" : "call");
	return end_event(sink);
}

/* A remark before the first event has no time yet. */
static int perfetto_note(struct rt_sink *sink, const char *text)
{
	struct perfetto *p = sink->state;

	if (p->last)
		return put_remark(sink, p->last, text);
	rt_bytes_add(&p->remarks, text, strlen(text) + 1);
	return p->remarks.failed ? -ENOMEM : 0;
}

static int perfetto_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time,
			 uint64_t count)
{
	struct perfetto *p = sink->state;

	(void)thread;
	fseeko(p->text, 0, SEEK_SET);
	rt_put_lost(p->text, count);
	putc_unlocked('\0', p->text);
	fflush(p->text);
	p->last = time;
	if (put_remarks(sink) < 0)
		return -ENOMEM;
	return put_remark(sink, time, p->printed);
}

/* ---- the end ---- */

/* A thread may get its name late. */
static int perfetto_end(struct rt_sink *sink)
{
	struct perfetto *p = sink->state;
	const struct rt_track *track;
	int r = put_remarks(sink);

	for (track = p->tracks.first; track && r == 0; track = track->next)
		if (!track->goid)
			r = describe_thread(sink, track);
	return r;
}

static void perfetto_free(struct rt_sink *sink)
{
	struct perfetto *p = sink->state;

	if (!p)
		return;
	rt_tracks_free(&p->tracks);
	if (p->text)
		fclose(p->text);
	free(p->printed);
	rt_call_names_free(&p->names);
	free(p->interned);
	rt_bytes_free(&p->remarks);
	rt_bytes_free(&p->packet);
	rt_bytes_free(&p->event);
	rt_bytes_free(&p->part);
	rt_bytes_free(&p->value);
	free(p);
	sink->state = NULL;
}

const struct rt_sink_ops rt_sink_perfetto = {
	.name = "perfetto",
	.help = "a protobuf for ui.perfetto.dev, in rawtrace.pftrace without -o",
	.path = "rawtrace.pftrace",
	.begin = perfetto_begin,
	.note = perfetto_note,
	.enter = perfetto_enter,
	.leave = perfetto_leave,
	.lost = perfetto_lost,
	.end = perfetto_end,
	.free = perfetto_free,
};
