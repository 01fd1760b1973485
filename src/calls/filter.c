/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters are applied here, between the stack and the output, with every mechanism.  For --depth
 * and --only-under the programs drop early those calls that this would drop (rt_emit_limit).  They
 * pass calls that they cannot judge, as when two threads share a slot.  A hit that is dropped is
 * not numbered, so it is no gap.  Functions without a return probe, and roots, have plans of
 * their own then, since a program serves a plan.
 *
 * An entry that shows recorded calls to be over (longjmp) is recorded in any case, or calls inside
 * it would be shown inside those.  If the program makes stacks for coroutines, or has goroutines,
 * nothing is dropped early.
 *
 * --libcalls drops the calls of libraries here: the program's mapping is known only when it runs.
 * So calls among libraries cost records, as any traced call does.
 */
#include "calls/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calls/threads.h"
#include "base/array.h"

enum fate { LEFT_OUT, WAITING, SHOWN };

struct call {
	enum fate fate;
	struct rt_frame frame;	/* as the output gets it */
	struct rt_values args;
	uint8_t *data;		/* of a waiting one */
};

/* The calls of a thread that the stack holds open, outermost first. */
struct calls {
	struct call *v;
	size_t n, cap;
	unsigned level;		/* how many are not left out */
	/* the next call takes the place of one that was not left out (RT_END_BECAME) */
	bool became;
};

struct rt_filter {
	struct rt_filter_want want;
	const struct rt_call_ops *next;
	void *ctx;
	struct rt_threads threads;	/* thread.user[0]: struct calls */
	bool shown;		/* some call was */
};

struct rt_filter *rt_filter_new(const struct rt_filter_want *want, const struct rt_call_ops *next,
				void *ctx)
{
	struct rt_filter *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->want = *want;
	f->next = next;
	f->ctx = ctx;
	return f;
}

bool rt_filter_wants_any(const struct rt_filter_want *want)
{
	return rt_limit_any(&want->limit) || want->inside_only || want->excluded || want->tids ||
	       want->from || want->to;
}

void rt_filter_roots(struct rt_filter *f, const bool *roots)
{
	f->want.roots = roots;
}

bool rt_filter_has_shown(const struct rt_filter *f)
{
	return f->shown;
}

static void calls_free(struct calls *c)
{
	while (c && c->n)
		free(c->v[--c->n].data);
	if (c)
		free(c->v);
	free(c);
}

void rt_filter_free(struct rt_filter *f)
{
	size_t i;

	if (!f)
		return;
	for (i = 0; i < f->threads.n; i++)
		calls_free(f->threads.v[i]->thread.user[0]);
	rt_threads_free(&f->threads);
	free(f);
}

static bool is_in_range(const struct rt_filter_want *w, uint64_t time)
{
	uint64_t since = w->start && time > *w->start ? time - *w->start : 0;

	return since >= w->from && (!w->to || since < w->to);
}

static bool is_wanted(const struct rt_filter *f, const struct calls *c,
		      const struct rt_thread *thread, const struct rt_frame *frame,
		      const struct rt_values *args)
{
	const struct rt_filter_want *w = &f->want;

	if (w->inside_only && frame->outside)
		return false;
	if (w->excluded && frame->function != RT_NO_FUNCTION && w->excluded[frame->function])
		return false;
	if ((w->tids && !rt_pids_has(w->tids, thread->tid)) || !is_in_range(w, frame->time))
		return false;
	if (w->limit.under && !c->level && !c->became &&
	    (frame->function == RT_NO_FUNCTION || !w->roots[frame->function]))
		return false;
	if (args->plan && !rt_plan_passes(args->plan, args->data, args->faults))
		return false;
	return !w->limit.depth || c->level < w->limit.depth;
}

/* Keep the arguments: their record or block is gone when they are wanted. */
static int keep(struct call *call, const struct rt_values *args)
{
	size_t size = args->coded ? args->coded
		      : args->plan && args->data ? rt_plan_size(args->plan) : 0;

	call->args = *args;
	if (!size)
		return 0;
	call->data = malloc(size);
	if (!call->data)
		return -ENOMEM;
	memcpy(call->data, args->data, size);
	call->args.data = call->data;
	return 0;
}

static int filter_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
			const struct rt_values *args)
{
	struct rt_filter *f = ctx;
	struct calls *c = rt_threads_state(&f->threads, thread, sizeof(struct calls));
	struct call call = { .fate = SHOWN, .frame = *frame };
	int r = 0;

	if (!c || RT_ROOM(&c->v, c->n, &c->cap) != 0)
		return -ENOMEM;
	call.frame.level = c->level;
	if (!is_wanted(f, c, thread, frame, args))
		call.fate = LEFT_OUT;
	else if (f->want.limit.min_time)
		call.fate = frame->returns ? WAITING : LEFT_OUT;
	if (call.fate == WAITING)
		r = keep(&call, args);
	c->became = false;
	if (r == 0 && frame->returns) {
		c->v[c->n++] = call;
		c->level += call.fate != LEFT_OUT;
	}
	f->shown |= call.fate == SHOWN;
	return r == 0 && call.fate == SHOWN ? f->next->enter(f->ctx, thread, &call.frame, args) : r;
}

/* A call has lasted long enough, and so have those around it. */
static int show_waiting(struct rt_filter *f, struct calls *c, struct rt_thread *thread)
{
	size_t i;
	int r = 0;

	for (i = 0; i < c->n && r == 0; i++) {
		struct call *call = &c->v[i];

		if (call->fate != WAITING)
			continue;
		r = f->next->enter(f->ctx, thread, &call->frame, &call->args);
		call->fate = SHOWN;
		f->shown = true;
		free(call->data);
		call->data = NULL;
	}
	return r;
}

static int filter_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
			enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct rt_filter *f = ctx;
	struct calls *c = rt_threads_state(&f->threads, thread, sizeof(struct calls));
	struct call *call;
	int r = 0;

	if (!c)
		return -ENOMEM;
	if (!frame->entry_seen || !c->n)
		return 0;
	call = &c->v[c->n - 1];
	if (call->fate == WAITING && time > frame->time &&
	    time - frame->time >= f->want.limit.min_time)
		r = show_waiting(f, c, thread);
	free(call->data);
	c->n--;
	c->level -= call->fate != LEFT_OUT;
	call->frame.unsure = frame->unsure;
	c->became = end == RT_END_BECAME && call->fate != LEFT_OUT;
	return r < 0 || call->fate != SHOWN
		       ? r
		       : f->next->leave(f->ctx, thread, &call->frame, end, time, result);
}

static int filter_lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct rt_filter *f = ctx;

	return f->next->lost(f->ctx, thread, time, count);
}

static void filter_gone(void *ctx, struct rt_thread *thread)
{
	struct rt_filter *f = ctx;

	calls_free(rt_threads_take_state(&f->threads, thread));
	if (f->next->gone)
		f->next->gone(f->ctx, thread);
}

const struct rt_call_ops rt_filter_ops = {
	.enter = filter_enter, .leave = filter_leave, .lost = filter_lost, .gone = filter_gone,
};
