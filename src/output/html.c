/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One page without a network: a flame graph, a time line of threads and a table of functions.
 * page.html is the page; the profile and the calls of the time line are in it as JSON.  '<' is
 * escaped there, as "</script>" in a name would end it.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/page.h"
#include "output/print.h"
#include "output/profile.h"
#include "output/text.h"
#include "output/timeline.h"
#include "output/tracks.h"

struct html {
	struct rt_profile profile;	/* first: profile.c knows no more of the state */
	struct rt_timeline timeline;
};

static void put_string(FILE *file, const char *text)
{
	size_t n;

	putc_unlocked('"', file);
	for (; *text; text += n) {
		n = strcspn(text, "<");
		rt_json_chars(file, text, n);
		if (text[n] == '<')
			rt_put(file, "\\u003c");
		n += text[n] == '<';
	}
	putc_unlocked('"', file);
}

static void put_names(struct rt_sink *sink, const struct rt_profile *profile)
{
	size_t i;

	rt_put(sink->file, ",\"names\":[");
	for (i = 0; i < rt_profile_places(profile); i++) {
		rt_put(sink->file, i ? ",\n" : "\n");
		put_string(sink->file, rt_sink_function(sink, rt_profile_at(profile, i)));
	}
	rt_put(sink->file, "]");
}

/* A function's place among the names; the last is that of RT_NO_FUNCTION. */
static uint32_t name_index(const struct rt_profile *profile, uint32_t function)
{
	return (uint32_t)rt_profile_place(profile, function);
}

/* [name, calls, total, self, [children]], without recursion: a chain may be very deep. */
static void put_tree(struct rt_sink *sink, const struct rt_profile *profile)
{
	const struct rt_node *node, *next;

	rt_put(sink->file, ",\"tree\":[\n");
	for (node = profile->roots; node; node = next) {
		putc_unlocked('[', sink->file);
		if (node->thread)
			put_string(sink->file, node->thread);
		else
			rt_put_u64(sink->file, name_index(profile, node->function));
		fprintf(sink->file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",[", node->calls,
			node->total, node->self);
		next = node->first;
		while (node && !next) {
			rt_put(sink->file, "]]");
			next = node->next;
			if (next)
				rt_put(sink->file, ",\n");
			node = node->parent;
		}
	}
	rt_put(sink->file, "]");
}

static int put_rows(struct rt_sink *sink, const struct rt_profile *profile)
{
	struct rt_profile_row *rows;
	ssize_t i, n = rt_profile_rows(sink, &rows);

	if (n < 0)
		return -ENOMEM;
	rt_put(sink->file, ",\"rows\":[");
	for (i = 0; i < n; i++) {
		const struct rt_durations *d = rows[i].durations;

		fprintf(sink->file,
			"%s[%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 "]",
			i ? ",\n" : "\n", rows[i].calls, rows[i].total, rows[i].self,
			d->n ? d->sum / d->n : 0, d->min, rt_durations_percentile(d, 50),
			rt_durations_percentile(d, 99), d->max, rows[i].failed,
			name_index(profile, rows[i].function));
	}
	rt_put(sink->file, "]");
	free(rows);
	return 0;
}

/* "name 12", or of a goroutine "name g 3"; with the process where there are several. */
static void put_thread(struct rt_sink *sink, const struct rt_span *span)
{
	char text[96], name[32];

	if (span->goid)
		rt_goid_text(name, sizeof(name), span->goid);
	else
		snprintf(name, sizeof(name), "%d", (int)span->tid);
	if (sink->trace->processes)
		snprintf(text, sizeof(text), "%.16s %d/%s", span->comm, (int)span->pid, name);
	else
		snprintf(text, sizeof(text), "%.16s %s", span->comm, name);
	put_string(sink->file, text);
}

/* The threads, and [thread, name, level, start, duration]. */
static void put_timeline(struct rt_sink *sink, const struct rt_profile *profile,
			 struct rt_timeline *t)
{
	uint32_t thread = 0;
	size_t i;

	rt_timeline_sort(t);
	rt_put(sink->file, ",\"threads\":[");
	for (i = 0; i < t->n; i++) {
		/* The name that the thread had last. */
		if (i + 1 < t->n && rt_span_has_thread_of(&t->v[i], &t->v[i + 1]))
			continue;
		rt_put(sink->file, thread++ ? ",\n" : "\n");
		put_thread(sink, &t->v[i]);
	}
	fprintf(sink->file, "],\"left_out\":%" PRIu64 ",\"spans\":[", t->left_out);
	for (thread = 0, i = 0; i < t->n; i++) {
		const struct rt_span *span = &t->v[i];

		thread += i && !rt_span_has_thread_of(span, span - 1);
		fprintf(sink->file,
			"%s[%" PRIu32 ",%" PRIu32 ",%u,%" PRIu64 ",%" PRIu64 "]", i ? ",\n" : "\n",
			thread, name_index(profile, span->function), span->level, span->began,
			span->took);
	}
	rt_put(sink->file, "]");
}

static void put_notes(struct rt_sink *sink, const struct rt_profile *profile)
{
	size_t i;

	rt_put(sink->file, ",\"notes\":[");
	for (i = 0; i < profile->nnotes; i++) {
		rt_put(sink->file, i ? "," : "");
		put_string(sink->file, profile->notes[i]);
	}
	if (profile->any_lost) {
		rt_put(sink->file, i ? ",\"" : "\"");
		rt_put_lost(sink->file, profile->lost);
		rt_put(sink->file, "\"");
	}
	rt_put(sink->file, "]}");
}

static int html_begin(struct rt_sink *sink)
{
	return rt_profile_begin_size(sink, sizeof(struct html));
}

static int html_leave(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		      enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct html *html = sink->state;
	struct rt_frame named = *frame;
	int r;

	named.function = rt_profile_innermost(sink, thread);
	r = rt_profile_leave(sink, thread, frame, end, time, result);

	if (r < 0 || !frame->entry_seen || !frame->returns)
		return r;
	return rt_timeline_add(&html->timeline, thread, &named, time, sink->trace->start);
}

static void html_free(struct rt_sink *sink)
{
	struct html *html = sink->state;

	if (html)
		rt_timeline_free(&html->timeline);
	rt_profile_free(sink);
}

static int html_end(struct rt_sink *sink)
{
	struct html *html = sink->state;
	struct rt_profile *profile = &html->profile;
	const char *data = strstr(rt_html_page, "@DATA@");
	int r;

	rt_profile_sort(sink, profile);
	rt_put_bytes(sink->file, rt_html_page, (size_t)(data - rt_html_page));
	rt_put(sink->file, "{\"command\":");
	put_string(sink->file, sink->trace->command ? sink->trace->command : "");
	put_names(sink, profile);
	put_tree(sink, profile);
	r = put_rows(sink, profile);
	put_timeline(sink, profile, &html->timeline);
	put_notes(sink, profile);
	rt_put(sink->file, data + strlen("@DATA@"));
	return r;
}

const struct rt_sink_ops rt_sink_html = {
	.name = "html",
	.help = "a page: flame graph, time line, table; in rawtrace.html without -o",
	.path = "rawtrace.html",
	.begin = html_begin,
	.grow = rt_profile_grow,
	.note = rt_profile_note,
	.enter = rt_profile_enter,
	.leave = html_leave,
	.lost = rt_profile_lost,
	.gone = rt_profile_gone,
	.end = html_end,
	.free = html_free,
};
