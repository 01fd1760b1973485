/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A condition on the result or the time of a call is decided at its end, and calls inside it come
 * before that.  So each thread has a queue: from the entry of a call with tests on, all its calls
 * wait there, until the outermost call with tests has ended.  Then the queue is shown without the
 * calls that failed their tests.  For
 *
 *	parse (return < 0), lex (no tests)
 *
 *	parse entered		waits
 *	lex entered		waits, as its level depends on parse's
 *	lex returns 1		waits
 *	parse returns 0		fails: lex is shown alone, a level higher
 *
 * With `why` a call that passes is shown with all calls inside it, and the calls around it.  The
 * entries of the latter wait at the beginning of the queue.
 *
 * A queue must end.  An event loop with a test would never show the calls inside it.  So beyond
 * QUEUED_MOST events in all queues the calls with tests that are open in a thread are left out, and
 * counted.
 */
#include "calls/outcome.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calls/threads.h"
#include "base/array.h"
#include "fetch/fetch.h"

/* Some 100 MB, with the values. */
enum { QUEUED_MOST = 1 << 18 };

enum kind { ENTERED, ENDED, LOST };

struct event {
	enum kind kind;
	bool shown;
	struct rt_frame frame;
	struct rt_values values;
	uint8_t *data;			/* of the values */
	enum rt_end end;
	uint64_t time, count;		/* count: of LOST */
};

enum fate { WAITING, PASSED /* to the output */, LEFT_OUT };

struct call {
	enum fate fate;
	bool tested;
	bool inside;			/* why: some call inside it has passed */
	size_t at;			/* its event in the queue */
};

/* The calls of a thread: its queue, and those that are open, outermost first. */
struct calls {
	struct event *v;
	size_t n, cap;
	struct call *open;
	size_t nopen, open_cap;
	size_t ntested;			/* open ones that wait for their end */
	unsigned level;			/* of the output */
};

struct rt_outcome {
	struct rt_outcome_tests tests;
	bool why;
	const struct rt_call_ops *next;
	void *ctx;
	struct rt_threads threads;	/* thread.user[0]: struct calls */
	size_t queued;			/* events in all queues */
	bool shown;
	uint64_t unseen, too_large;
};

struct rt_outcome *rt_outcome_new(const struct rt_outcome_tests *tests, bool why,
				  const struct rt_call_ops *next, void *ctx)
{
	struct rt_outcome *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->tests = *tests;
	o->why = why;
	o->next = next;
	o->ctx = ctx;
	return o;
}

bool rt_outcome_has_shown(const struct rt_outcome *o)
{
	return o->shown;
}

uint64_t rt_outcome_unseen(const struct rt_outcome *o)
{
	return o->unseen;
}

uint64_t rt_outcome_too_large(const struct rt_outcome *o)
{
	return o->too_large;
}

static void empty_queue(struct rt_outcome *o, struct calls *c)
{
	o->queued -= c->n;
	while (c->n)
		free(c->v[--c->n].data);
}

static void calls_free(struct rt_outcome *o, struct calls *c)
{
	if (!c)
		return;
	empty_queue(o, c);
	free(c->v);
	free(c->open);
	free(c);
}

void rt_outcome_free(struct rt_outcome *o)
{
	size_t i;

	if (!o)
		return;
	for (i = 0; i < o->threads.n; i++)
		calls_free(o, o->threads.v[i]->thread.user[0]);
	rt_threads_free(&o->threads);
	free(o);
}

/* ---- the queue ---- */

/* Values are copied: their record or block is gone when they are wanted. */
static int queue(struct rt_outcome *o, struct calls *c, const struct event *event)
{
	const struct rt_values *v = &event->values;
	size_t size = v->coded ? v->coded : v->plan && v->data ? rt_plan_size(v->plan) : 0;
	struct event *to;

	if (RT_ROOM(&c->v, c->n, &c->cap) != 0)
		return -ENOMEM;
	to = &c->v[c->n];
	*to = *event;
	if (size) {
		to->data = malloc(size);
		if (!to->data)
			return -ENOMEM;
		memcpy(to->data, v->data, size);
		to->values.data = to->data;
	}
	c->n++;
	o->queued++;
	return 0;
}

static int pass_enter(struct rt_outcome *o, struct calls *c, struct rt_thread *thread,
		      struct rt_frame *frame, const struct rt_values *args)
{
	frame->level = c->level;
	c->level += frame->returns;
	o->shown = true;
	return o->next->enter(o->ctx, thread, frame, args);
}

static int pass_leave(struct rt_outcome *o, struct calls *c, struct rt_thread *thread,
		      const struct event *event)
{
	struct rt_frame frame = event->frame;

	frame.level = c->level -= c->level > 0;
	return o->next->leave(o->ctx, thread, &frame, event->end, event->time, &event->values);
}

/* Show the queue, as far as it is to be shown. */
static int show_queue(struct rt_outcome *o, struct calls *c, struct rt_thread *thread)
{
	size_t i;
	int r = 0;

	for (i = 0; i < c->n && r == 0; i++) {
		struct event *e = &c->v[i];

		if (!e->shown && e->kind != LOST)
			continue;
		if (e->kind == ENTERED)
			r = pass_enter(o, c, thread, &e->frame, &e->values);
		else if (e->kind == ENDED)
			r = pass_leave(o, c, thread, e);
		else
			r = o->next->lost(o->ctx, thread, e->time, e->count);
	}
	empty_queue(o, c);
	return r;
}

/* Why: show the queue, with the calls that are open around. */
static int show_around(struct rt_outcome *o, struct calls *c, struct rt_thread *thread)
{
	size_t i;

	for (i = 0; i < c->nopen; i++) {
		if (c->open[i].fate != WAITING)
			continue;
		c->v[c->open[i].at].shown = true;
		c->open[i].fate = PASSED;
	}
	return show_queue(o, c, thread);
}

/* Why: remove the events from `from` on, but for the entries of calls that are open. */
static int remove_events(struct rt_outcome *o, struct calls *c, size_t from,
			 struct rt_thread *thread)
{
	size_t i, call = 0, n = from;
	int r = 0;

	for (i = from; i < c->n; i++) {
		struct event *e = &c->v[i];

		while (call < c->nopen && (c->open[call].fate != WAITING || c->open[call].at < i))
			call++;
		if (call < c->nopen && c->open[call].at == i) {
			c->open[call].at = n;
			c->v[n++] = *e;
			continue;
		}
		if (e->kind == LOST && r == 0)
			r = o->next->lost(o->ctx, thread, e->time, e->count);
		free(e->data);
		o->queued--;
	}
	c->n = n;
	return r;
}

static int give_up_why(struct rt_outcome *o, struct calls *c, struct rt_thread *thread)
{
	bool inside = false;
	size_t i;

	for (i = 0; i < c->nopen; i++) {
		inside |= c->open[i].inside;
		o->too_large += c->open[i].tested;
		c->open[i].tested = c->open[i].inside = false;
	}
	c->ntested = 0;
	return inside ? show_around(o, c, thread) : remove_events(o, c, 0, thread);
}

/* The queues are full: calls with tests that are open in this thread are left out. */
static int give_up(struct rt_outcome *o, struct calls *c, struct rt_thread *thread)
{
	size_t i;

	if (o->why)
		return give_up_why(o, c, thread);
	for (i = 0; i < c->nopen; i++) {
		struct call *call = &c->open[i];

		if (call->fate != WAITING)
			continue;
		call->fate = call->tested ? LEFT_OUT : PASSED;
		o->too_large += call->tested;
	}
	c->ntested = 0;
	return show_queue(o, c, thread);
}

/* ---- calls ---- */

static bool plan_tests_end(void *ctx, const struct rt_frame *frame, const struct rt_values *result)
{
	const struct rt_plan *plan = result ? result->plan : frame->result;

	(void)ctx;
	return plan && plan->ntests;
}

static bool plan_passes_entry(void *ctx, const struct rt_frame *frame,
			      const struct rt_values *args)
{
	(void)ctx;
	(void)frame;
	(void)args;
	return true;
}

static bool plan_passes_end(void *ctx, const struct rt_frame *frame,
			    const struct rt_values *result, uint64_t ns)
{
	(void)ctx;
	(void)frame;
	return rt_plan_passes_end(result->plan, result->data, result->faults, ns);
}

const struct rt_outcome_tests rt_outcome_plans = { plan_tests_end, plan_passes_entry,
						   plan_passes_end, NULL };

static int outcome_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
			 const struct rt_values *args)
{
	struct rt_outcome *o = ctx;
	struct calls *c = rt_threads_state(&o->threads, thread, sizeof(struct calls));
	struct event event = { .kind = ENTERED, .frame = *frame, .values = *args };
	struct call call = { .fate = PASSED };
	bool passes;
	int r = 0;

	if (!c || RT_ROOM(&c->open, c->nopen, &c->open_cap) != 0)
		return -ENOMEM;
	passes = o->tests.passes_entry(o->tests.ctx, frame, args);
	call.tested = passes && o->tests.tests_end(o->tests.ctx, frame, NULL);
	if ((call.tested || (o->why && !c->ntested)) && !frame->returns)
		return 0;
	if (o->queued >= QUEUED_MOST && c->ntested)
		r = give_up(o, c, thread);
	event.shown = !call.tested && !o->why;
	if (!passes && !o->why) {
		call.fate = LEFT_OUT;
	} else if (call.tested || c->ntested || o->why) {
		call.fate = WAITING;
		call.at = c->n;
		if (r == 0)
			r = queue(o, c, &event);
	} else if (r == 0) {
		r = pass_enter(o, c, thread, &event.frame, args);
	}
	if (frame->returns) {
		c->open[c->nopen++] = call;
		c->ntested += call.tested;
	}
	return r;
}

/* Does the call pass its tests?  Only a return gives what they compare. */
static bool has_passed(struct rt_outcome *o, const struct event *e)
{
	uint64_t ns = e->time > e->frame.time ? e->time - e->frame.time : 0;

	if (e->end == RT_END_RETURNED && (e->values.plan || e->values.coded))
		return o->tests.passes_end(o->tests.ctx, &e->frame, &e->values, ns);
	o->unseen += e->end == RT_END_RETURNED || e->end == RT_END_NOT_SEEN ||
		     e->end == RT_END_JUMPED || e->end == RT_END_BECAME;
	return false;
}

static int end_why(struct rt_outcome *o, struct calls *c, struct rt_thread *thread,
		   const struct call *call, struct event *e)
{
	bool passed = call->tested && has_passed(o, e);
	size_t i;
	int r;

	e->shown = passed || call->inside;
	r = queue(o, c, e);
	if (r < 0)
		return r;
	c->v[call->at].shown = e->shown;
	for (i = call->at; passed && i < c->n; i++)
		c->v[i].shown = true;
	if (e->shown && c->nopen)
		c->open[c->nopen - 1].inside = true;
	c->ntested -= call->tested;
	if (c->ntested)
		return 0;
	return e->shown ? show_around(o, c, thread) : remove_events(o, c, call->at, thread);
}

static int end_waiting(struct rt_outcome *o, struct calls *c, struct rt_thread *thread,
		       const struct call *call, struct event *e)
{
	int r;

	e->shown = !call->tested || has_passed(o, e);
	c->v[call->at].shown = e->shown;
	r = queue(o, c, e);
	c->ntested -= call->tested;
	return r < 0 || c->ntested ? r : show_queue(o, c, thread);
}

static int outcome_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
			 enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct rt_outcome *o = ctx;
	struct calls *c = rt_threads_state(&o->threads, thread, sizeof(struct calls));
	struct event event = {
		.kind = ENDED, .shown = true, .frame = *frame, .values = *result, .end = end,
		.time = time,
	};
	struct call call;

	if (!c)
		return -ENOMEM;
	if (!frame->entry_seen || !c->nopen) {
		/* The arguments and the time are not known. */
		if (o->why || o->tests.tests_end(o->tests.ctx, frame, result))
			return 0;
		return c->ntested ? queue(o, c, &event)
				  : o->next->leave(o->ctx, thread, frame, end, time, result);
	}
	call = c->open[--c->nopen];
	if (call.fate == WAITING && o->why)
		return end_why(o, c, thread, &call, &event);
	if (call.fate == WAITING)
		return end_waiting(o, c, thread, &call, &event);
	return call.fate == PASSED ? pass_leave(o, c, thread, &event) : 0;
}

static int outcome_lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct rt_outcome *o = ctx;
	struct calls *c =
		thread ? rt_threads_state(&o->threads, thread, sizeof(struct calls)) : NULL;
	const struct event event = { .kind = LOST, .time = time, .count = count };

	if (c && c->ntested)
		return queue(o, c, &event);
	return o->next->lost(o->ctx, thread, time, count);
}

static void outcome_gone(void *ctx, struct rt_thread *thread)
{
	struct rt_outcome *o = ctx;

	calls_free(o, rt_threads_take_state(&o->threads, thread));
	if (o->next->gone)
		o->next->gone(o->ctx, thread);
}

const struct rt_call_ops rt_outcome_ops = {
	.enter = outcome_enter, .leave = outcome_leave, .lost = outcome_lost, .gone = outcome_gone,
};
