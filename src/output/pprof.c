/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A profile for pprof: the protobuf of github.com/google/pprof, proto/profile.proto, as gzip.  A
 * sample is a chain of functions with its calls and its self time, and the name of its thread.
 *
 * The first mapping is the program, by which pprof names the profile.  Files with functions follow.
 *
 * The gzip has stored blocks (RFC 1951, 3.2.4), so that no library is needed: a profile grows with
 * the number of chains, and is small.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/images.h"
#include "output/profile.h"
#include "output/protobuf.h"
#include "output/text.h"

/* Field numbers. */
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE,
	PROFILE_MAPPING,
	PROFILE_LOCATION,
	PROFILE_FUNCTION,
	PROFILE_STRING,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_SAMPLE_TYPE,
};
enum { TYPE_TYPE = 1, TYPE_UNIT };
enum { SAMPLE_LOCATION = 1, SAMPLE_VALUE, SAMPLE_LABEL };
enum { LABEL_KEY = 1, LABEL_TEXT };
enum { MAPPING_ID = 1, MAPPING_FILE = 5, MAPPING_BUILD_ID, MAPPING_HAS_FUNCTIONS };
enum { LOCATION_ID = 1, LOCATION_MAPPING, LOCATION_LINE = 4, LINE_FUNCTION = 1 };
enum { FUNCTION_ID = 1, FUNCTION_NAME };

struct writer {
	struct rt_bytes profile, strings, part, inner;
	uint64_t nstrings;
	uint64_t *ids;		/* of functions and their locations, by function; 0: none yet */
	uint64_t last_id;
	struct rt_files own;	/* of a live trace */
	const struct rt_files *files;
	size_t program;		/* 1 + its file, 0: none of them is */
};

/* Its index in the table of strings, which may have a string twice. */
static uint64_t add_string(struct writer *w, const char *text)
{
	rt_proto_text(&w->strings, PROFILE_STRING, text);
	return w->nstrings++;
}

static void put_sample_type(struct writer *w, uint64_t type, const char *unit)
{
	rt_proto_number(&w->part, TYPE_TYPE, type);
	rt_proto_number(&w->part, TYPE_UNIT, add_string(w, unit));
	rt_proto_message(&w->profile, PROFILE_SAMPLE_TYPE, &w->part);
}

static void put_mapping(struct writer *w, uint64_t id, const char *name, const char *build_id)
{
	rt_proto_number(&w->part, MAPPING_ID, id);
	rt_proto_number(&w->part, MAPPING_FILE, add_string(w, name));
	if (*build_id)
		rt_proto_number(&w->part, MAPPING_BUILD_ID, add_string(w, build_id));
	rt_proto_number(&w->part, MAPPING_HAS_FUNCTIONS, 1);
	rt_proto_message(&w->profile, PROFILE_MAPPING, &w->part);
}

static void put_mappings(struct writer *w, const char *command)
{
	const struct rt_file_facts *v = w->files->v;
	size_t i;

	for (i = 0; i < w->files->n && !w->program; i++)
		if (strcmp(v[i].name, command) == 0)
			w->program = i + 1;
	put_mapping(w, 1, command, w->program ? v[w->program - 1].build_id : "");
	for (i = 0; i < w->files->n; i++)
		if (i + 1 != w->program)
			put_mapping(w, i + 2, v[i].name, v[i].build_id);
}

/* A function without a file is one of the program. */
static uint64_t mapping_of(const struct writer *w, uint32_t function)
{
	uint32_t file = function < w->files->nof ? w->files->of[function] : 0;

	return file && file != w->program ? file + 1 : 1;
}

/* A function and its only location have one id. */
static uint64_t id_of(struct rt_sink *sink, struct writer *w, uint32_t function)
{
	const struct rt_profile *profile = sink->state;
	size_t at = rt_profile_place(profile, function);

	if (w->ids[at])
		return w->ids[at];
	w->ids[at] = ++w->last_id;
	rt_proto_number(&w->inner, FUNCTION_ID, w->last_id);
	rt_proto_number(&w->inner, FUNCTION_NAME, add_string(w, rt_sink_function(sink, function)));
	rt_proto_message(&w->profile, PROFILE_FUNCTION, &w->inner);

	rt_proto_number(&w->inner, LINE_FUNCTION, w->last_id);
	rt_proto_message(&w->part, LOCATION_LINE, &w->inner);
	rt_proto_number(&w->part, LOCATION_ID, w->last_id);
	rt_proto_number(&w->part, LOCATION_MAPPING, mapping_of(w, function));
	rt_proto_message(&w->profile, PROFILE_LOCATION, &w->part);
	return w->last_id;
}

/* The functions first: the sample is put together in `part`, as they are. */
static void put_sample(struct rt_sink *sink, struct writer *w, const struct rt_node *node,
		       uint64_t thread_key, uint64_t thread)
{
	const struct rt_node *up;

	for (up = node; up->parent; up = up->parent)
		id_of(sink, w, up->function);
	for (up = node; up->parent; up = up->parent)
		rt_proto_number(&w->part, SAMPLE_LOCATION, id_of(sink, w, up->function));
	rt_proto_number(&w->part, SAMPLE_VALUE, node->calls);
	rt_proto_number(&w->part, SAMPLE_VALUE, node->self);
	rt_proto_number(&w->inner, LABEL_KEY, thread_key);
	rt_proto_number(&w->inner, LABEL_TEXT, thread);
	rt_proto_message(&w->part, SAMPLE_LABEL, &w->inner);
	rt_proto_message(&w->profile, PROFILE_SAMPLE, &w->part);
}

static void put_comments(const struct rt_profile *profile, struct writer *w)
{
	char text[64];
	size_t i;

	for (i = 0; i < profile->nnotes; i++)
		rt_proto_number(&w->profile, PROFILE_COMMENT, add_string(w, profile->notes[i]));
	if (!profile->any_lost)
		return;
	snprintf(text, sizeof(text), "*** %llu events lost ***", (unsigned long long)profile->lost);
	rt_proto_number(&w->profile, PROFILE_COMMENT, add_string(w, text));
}

static void put_profile(struct rt_sink *sink, struct writer *w)
{
	const struct rt_profile *profile = sink->state;
	const struct rt_node *node;
	uint64_t thread_key, thread = 0, wall;

	add_string(w, "");
	put_sample_type(w, add_string(w, "calls"), "count");
	wall = add_string(w, "wall");
	put_sample_type(w, wall, "nanoseconds");
	rt_proto_number(&w->profile, PROFILE_DEFAULT_SAMPLE_TYPE, wall);
	thread_key = add_string(w, "thread");
	put_mappings(w, sink->trace->command ? sink->trace->command : "?");
	for (node = profile->roots; node; node = rt_node_next(node))
		if (!node->parent)
			thread = add_string(w, node->thread);
		else
			put_sample(sink, w, node, thread_key, thread);
	put_comments(profile, w);
	rt_bytes_add(&w->profile, w->strings.v, w->strings.n);
}

static void put_gzip(FILE *file, const struct rt_bytes *bytes)
{
	static const uint8_t header[10] = { 0x1f, 0x8b, 8, [9] = 0xff };
	enum { MOST = 65535 };
	struct rt_bytes frame = { .n = 0 };
	size_t at = 0, n;

	rt_put_bytes(file, header, sizeof(header));
	do {
		n = bytes->n - at < MOST ? bytes->n - at : MOST;
		frame.n = 0;
		rt_bytes_u8(&frame, at + n == bytes->n);
		rt_bytes_u32(&frame, (uint32_t)(n | (MOST - n) << 16));
		rt_put_bytes(file, frame.v, frame.n);
		rt_put_bytes(file, bytes->v + at, n);
		at += n;
	} while (at < bytes->n);
	frame.n = 0;
	rt_bytes_u32(&frame, rt_crc32(bytes->v, bytes->n));
	rt_bytes_u32(&frame, (uint32_t)bytes->n);
	rt_put_bytes(file, frame.v, frame.n);
	rt_bytes_free(&frame);
}

static int pprof_end(struct rt_sink *sink)
{
	struct rt_profile *profile = sink->state;
	struct writer w = { .ids = calloc((size_t)profile->functions + 1, sizeof(*w.ids)) };
	bool failed = !w.ids;

	w.files = sink->trace->files ? sink->trace->files : &w.own;
	if (!sink->trace->files && rt_files_take(&w.own, sink->trace->functions) < 0)
		failed = true;
	if (!failed) {
		rt_profile_sort(sink, profile);
		put_profile(sink, &w);
		failed = w.profile.failed || w.strings.failed || w.part.failed || w.inner.failed;
	}
	if (!failed)
		put_gzip(sink->file, &w.profile);
	rt_bytes_free(&w.profile);
	rt_bytes_free(&w.strings);
	rt_bytes_free(&w.part);
	rt_bytes_free(&w.inner);
	rt_files_free(&w.own);
	free(w.ids);
	return failed ? -ENOMEM : 0;
}

const struct rt_sink_ops rt_sink_pprof = {
	.name = "pprof",
	.help = "a profile for go tool pprof, in rawtrace.pb.gz without -o",
	.path = "rawtrace.pb.gz",
	.begin = rt_profile_begin,
	.grow = rt_profile_grow,
	.note = rt_profile_note,
	.enter = rt_profile_enter,
	.leave = rt_profile_leave,
	.lost = rt_profile_lost,
	.gone = rt_profile_gone,
	.end = pprof_end,
	.free = rt_profile_free,
};
