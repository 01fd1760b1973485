/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two recordings, function by function.  Functions are the same if their names are: numbers differ
 * from recording to recording, and addresses from build to build.
 */
#include "commands/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "commands/chosen.h"
#include "output/profile.h"

struct side {
	struct rt_sinks sinks;
	struct rt_replay *recording;
	struct rt_profile_row *rows;
	size_t n;
};

/* A function, with its figures in both recordings. */
struct line {
	const char *name;
	bool has[2];
	uint64_t calls[2], total[2], self[2];
	uint64_t key;		/* of the order */
};

static int take_note(void *ctx, const char *text)
{
	struct rt_sinks *sinks = ctx;

	rt_say("%s: %s", sinks->v[0].to.name, text);
	return 0;
}

static int read_side(const struct rt_options *o, unsigned i, struct side *side,
		     struct rt_error *err)
{
	const struct rt_replay_to to = { &rt_sinks_ops, &side->sinks, take_note, &side->sinks,
					 NULL };
	const char *path = o->specs[i];
	struct rt_sink *sink = rt_sinks_add(&side->sinks, &rt_sink_summary);
	ssize_t n;
	int r = rt_replay_open(&path, 1, &side->sinks.trace, &side->recording, err);

	rt_out_file_choose(&sink->to, path, -1);
	if (r == 0 && sink->ops->begin(sink) < 0)
		r = rt_nomem(err);
	if (r == 0)
		r = rt_replay_chosen(o, side->recording, &side->sinks.trace, &to, err);
	if (r < 0)
		return r;
	n = rt_profile_rows(sink, &side->rows);
	side->n = n < 0 ? 0 : (size_t)n;
	return n < 0 ? rt_nomem(err) : 0;
}

static void free_side(struct side *side)
{
	rt_sink_summary.free(&side->sinks.v[0]);
	rt_replay_close(side->recording);
	free(side->rows);
}

static int compare_names(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int compare_keys(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->key != y->key ? (x->key < y->key ? 1 : -1) : strcmp(x->name, y->name);
}

static uint64_t distance(const uint64_t v[2])
{
	return v[0] > v[1] ? v[0] - v[1] : v[1] - v[0];
}

static uint64_t key_of(const struct line *line, enum rt_sort sort)
{
	if (sort == RT_SORT_CALLS)
		return distance(line->calls);
	return distance(sort == RT_SORT_SELF ? line->self : line->total);
}

/* The rows of both sides by name; functions of one name are one line.  Returns how many. */
static size_t join(const struct side sides[2], enum rt_sort sort, struct line *lines)
{
	size_t i, at, n = 0, k = 0;
	unsigned s;

	for (s = 0; s < 2; s++)
		for (i = 0; i < sides[s].n; i++, n++) {
			const struct rt_profile_row *row = &sides[s].rows[i];

			lines[n].name = rt_sink_function(&sides[s].sinks.v[0], row->function);
			lines[n].has[s] = true;
			lines[n].calls[s] = row->calls;
			lines[n].total[s] = row->total;
			lines[n].self[s] = row->self;
		}
	qsort(lines, n, sizeof(*lines), compare_names);
	for (at = 0; at < n; at++) {
		if (k == 0 || strcmp(lines[k - 1].name, lines[at].name) != 0) {
			lines[k++] = lines[at];
			continue;
		}
		for (s = 0; s < 2; s++) {
			lines[k - 1].has[s] |= lines[at].has[s];
			lines[k - 1].calls[s] += lines[at].calls[s];
			lines[k - 1].total[s] += lines[at].total[s];
			lines[k - 1].self[s] += lines[at].self[s];
		}
	}
	for (at = 0; at < k; at++)
		lines[at].key = key_of(&lines[at], sort);
	qsort(lines, k, sizeof(*lines), compare_keys);
	return k;
}

/* The figure of B, and its difference from that of A. */
static void put_count(FILE *out, const uint64_t v[2])
{
	char text[32];

	snprintf(text, sizeof(text), "%c%" PRIu64, v[1] < v[0] ? '-' : '+', distance(v));
	fprintf(out, "%10" PRIu64 " %11s", v[1], v[0] == v[1] ? "" : text);
}

static void put_time(FILE *out, const uint64_t v[2])
{
	char time[32], change[32], text[34];

	snprintf(text, sizeof(text), "%c%s", v[1] < v[0] ? '-' : '+',
		 rt_duration_text(distance(v), change));
	fprintf(out, " %10s %11s", rt_duration_text(v[1], time), v[0] == v[1] ? "" : text);
}

static void put_line(FILE *out, const struct line *line)
{
	if (!distance(line->calls) && !distance(line->total) && !distance(line->self))
		return;
	put_count(out, line->calls);
	put_time(out, line->total);
	put_time(out, line->self);
	fprintf(out, "  %s%s\n", line->name,
		!line->has[0] ? "  *** only in B ***" : !line->has[1] ? "  *** only in A ***" : "");
}

static int put_table(const struct rt_options *o, const struct side sides[2], FILE *out,
		     struct rt_error *err)
{
	struct line *lines = calloc(sides[0].n + sides[1].n + 1, sizeof(*lines));
	size_t i, n;

	if (!lines)
		return rt_nomem(err);
	n = join(sides, o->sort, lines);
	fprintf(out, "A: %s\nB: %s\n", o->specs[0], o->specs[1]);
	fprintf(out, "%10s %11s %10s %11s %10s %11s  %s\n", "CALLS B", "B - A", "TOTAL B", "B - A",
		"SELF B", "B - A", "FUNCTION");
	for (i = 0; i < n; i++)
		put_line(out, &lines[i]);
	free(lines);
	return 0;
}

int rt_diff(const struct rt_options *o, FILE *out, struct rt_error *err)
{
	struct side sides[2] = { { .n = 0 } };
	int r;

	if (o->first)
		return rt_diff_first(o, out, err);
	r = read_side(o, 0, &sides[0], err);
	if (r == 0)
		r = read_side(o, 1, &sides[1], err);
	if (r == 0)
		r = put_table(o, sides, out, err);
	free_side(&sides[0]);
	free_side(&sides[1]);
	return r;
}
