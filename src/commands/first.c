/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first call at which two runs part.  Calls are compared thread by thread, since the order
 * among threads is another one each time; a thread is the same if it is the Nth that appears.
 *
 * Each recording is read twice.  First, of each entry and exit 32 bits are stored: a hash of the
 * function, the values and the end.  Addresses, the process's own ids and times are not in it.
 * Then the events around the first difference are printed as a tree.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "commands/chosen.h"
#include "commands/diff.h"
#include "output/value_code.h"

enum { BEFORE = 6, AFTER = 6 };	/* events around the difference that are printed */

/* The events of a thread. */
struct course {
	uint32_t *v;
	size_t n, cap;
};

struct run {
	struct rt_sinks sinks;
	struct rt_replay *recording;
	struct course **courses;
	size_t n, cap;
	/* the second reading: events of courses[shown] are printed from `from` until `to` */
	bool prints;
	size_t shown, from, to;
	size_t seen;		/* threads */
};

/* ---- hashes ---- */

struct hash {
	uint32_t value;
	const struct rt_thread *thread;
};

/* FNV-1a */
static void hash_bytes(struct hash *hash, const void *bytes, size_t n)
{
	const uint8_t *at = bytes;

	for (; n; n--, at++)
		hash->value = (hash->value ^ *at) * 16777619;
}

static void hash_value(void *ctx, const struct rt_value *v)
{
	struct hash *hash = ctx;
	bool address = v->kind == RT_VALUE_HEX || v->kind == RT_VALUE_BAD,
	     own = v->number == (uint64_t)hash->thread->pid ||
		   v->number == (uint64_t)hash->thread->tid;

	hash_bytes(hash, &v->kind, sizeof(v->kind));
	if (!address && !own) {
		hash_bytes(hash, &v->number, sizeof(v->number));
		hash_bytes(hash, &v->negative, sizeof(v->negative));
	}
	if (v->text)
		hash_bytes(hash, v->text, strlen(v->text));
	if (v->bytes)
		hash_bytes(hash, v->bytes, v->len);
}

static uint32_t hash_event(const struct run *run, const struct rt_thread *thread,
			   const struct rt_frame *frame, unsigned end,
			   const struct rt_values *values)
{
	const char *name = rt_sink_function(&run->sinks.v[0], frame->function);
	struct hash hash = { 2166136261, thread };

	hash_bytes(&hash, name, strlen(name));
	hash_bytes(&hash, &end, sizeof(end));
	if (values->coded)
		rt_values_decode(values->data, values->coded, hash_value, &hash);
	return hash.value;
}

/* ---- the calls of a run ---- */

static struct course *course_of(struct run *run, struct rt_thread *thread)
{
	struct course *course = thread->user[1];

	if (course)
		return course;
	if (run->prints && run->seen < run->n) {
		course = run->courses[run->seen++];
		course->n = 0;
	} else if (RT_ROOM(&run->courses, run->n, &run->cap) == 0) {
		course = run->courses[run->n] = calloc(1, sizeof(*course));
		run->n += course != NULL;
	}
	thread->user[1] = course;
	return course;
}

/* Is the event to be printed?  In the first reading none is, and it is stored.  -ENOMEM. */
static int take_event(struct run *run, struct rt_thread *thread, const struct rt_frame *frame,
		      unsigned end, const struct rt_values *values)
{
	struct course *course = course_of(run, thread);
	size_t at;

	if (!course)
		return -ENOMEM;
	at = course->n++;
	if (run->prints)
		return course == run->courses[run->shown] && at >= run->from && at < run->to;
	course->n--;
	if (RT_ROOM(&course->v, course->n, &course->cap) < 0)
		return -ENOMEM;
	course->v[course->n++] = hash_event(run, thread, frame, end, values);
	return 0;
}

static int enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		 const struct rt_values *args)
{
	struct run *run = ctx;
	int r = take_event(run, thread, frame, UINT8_MAX, args);

	return r > 0 ? rt_sinks_ops.enter(&run->sinks, thread, frame, args) : r;
}

static int leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		 enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct run *run = ctx;
	int r = take_event(run, thread, frame, end, result);

	return r > 0 ? rt_sinks_ops.leave(&run->sinks, thread, frame, end, time, result) : r;
}

static int lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	(void)ctx;
	(void)thread;
	(void)time;
	(void)count;
	return 0;
}

/* Its id may come once more, for another thread. */
static void gone(void *ctx, struct rt_thread *thread)
{
	(void)ctx;
	thread->user[1] = NULL;
}

static int take_note(void *ctx, const char *text)
{
	(void)ctx;
	(void)text;
	return 0;
}

static int read_run(const struct rt_options *o, struct run *run, const char *path,
		    struct rt_error *err)
{
	static const struct rt_call_ops ops = { .enter = enter, .leave = leave, .lost = lost,
						.gone = gone };
	const struct rt_replay_to to = { &ops, run, take_note, &run->sinks, NULL };
	int r = rt_replay_open(&path, 1, &run->sinks.trace, &run->recording, err);

	if (r == 0)
		r = rt_replay_chosen(o, run->recording, &run->sinks.trace, &to, err);
	rt_replay_close(run->recording);
	run->recording = NULL;
	return r;
}

static void free_run(struct run *run)
{
	size_t i;

	for (i = 0; i < run->n; i++) {
		free(run->courses[i]->v);
		free(run->courses[i]);
	}
	free(run->courses);
	rt_sinks_free(&run->sinks);
}

/* ---- the difference ---- */

/* The earliest event, in its thread, at which both differ.  False: there is none. */
static bool find_difference(const struct run runs[2], size_t *thread, size_t *event)
{
	size_t t, k, least = runs[0].n < runs[1].n ? runs[0].n : runs[1].n;
	bool found = false;

	for (t = 0; t < least; t++) {
		const struct course *a = runs[0].courses[t], *b = runs[1].courses[t];

		for (k = 0; k < a->n && k < b->n && a->v[k] == b->v[k]; k++)
			;
		if ((k == a->n && k == b->n) || (found && k >= *event))
			continue;
		*thread = t;
		*event = k;
		found = true;
	}
	return found;
}

static int print_run(const struct rt_options *o, struct run *run, char letter, const char *path,
		     FILE *out, size_t thread, size_t event, struct rt_error *err)
{
	fprintf(out, "%c: %s\n", letter, path);
	run->prints = true;
	run->shown = thread;
	run->from = event > BEFORE ? event - BEFORE : 0;
	run->to = event + AFTER;
	if (event >= run->courses[thread]->n)
		fputs("(the thread has no further event)\n", out);
	return read_run(o, run, path, err);
}

static int begin_run(struct run *run, FILE *out, struct rt_error *err)
{
	struct rt_sink *sink = rt_sinks_add(&run->sinks, &rt_sink_tree);

	sink->file = out;
	return sink->ops->begin(sink) < 0 ? rt_nomem(err) : 0;
}

int rt_diff_first(const struct rt_options *o, FILE *out, struct rt_error *err)
{
	struct run runs[2] = { { .n = 0 } };
	size_t thread = 0, event = 0;
	unsigned i;
	int r = 0;

	for (i = 0; i < 2 && r == 0; i++) {
		r = begin_run(&runs[i], out, err);
		if (r == 0)
			r = read_run(o, &runs[i], o->specs[i], err);
	}
	if (r == 0 && !find_difference(runs, &thread, &event)) {
		fputs(runs[0].n == runs[1].n ? "no difference\n"
					     : "no difference, but in the number of threads\n",
		      out);
	} else if (r == 0) {
		fprintf(out, "thread %zu, event %zu:\n", thread + 1, event + 1);
		for (i = 0; i < 2 && r == 0; i++)
			r = print_run(o, &runs[i], "AB"[i], o->specs[i], out, thread, event, err);
	}
	free_run(&runs[0]);
	free_run(&runs[1]);
	return r;
}
