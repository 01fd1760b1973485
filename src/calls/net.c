/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread's clock is the trace's clock less the cost of all its hits so far.  A hit may cost less
 * than what is taken off, and the clock would run backwards.  Then it stops until the trace's clock
 * has made up for it: sums of many calls are right, though single ones are off by some ns.  Outside
 * all traced calls such a debt is forgiven: nothing is timed there.
 *
 * The cost of a single-step changes with the load of the machine (11 to 18 us within a second, in a
 * virtual machine), and may have been measured in a worse moment than the trace ran in.  No call
 * takes less than its own probes' part, but for 4 %: the shortest of 5,000 hits at a push takes
 * 741 ns, and half of them 771.  So a shorter call without calls inside it lowers the costs of its
 * function, and the program's own time is not taken off.
 */
#include "calls/net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "calls/threads.h"

/* A thread's clock, and the times at which its open calls began by that clock. */
struct clock {
	struct began {
		uint64_t net, raw;	/* by this clock, and by the trace's */
		bool leaf;		/* no call is inside it so far */
	} *v;
	size_t n, cap;
	uint64_t behind;	/* the trace's clock less this one, ns */
	uint64_t last;		/* the newest time that was given */
};

struct rt_net {
	struct rt_call_cost *costs;	/* by function */
	size_t ncosts;
	const struct rt_call_ops *next;
	void *ctx;
	struct rt_threads threads;	/* thread.user[0]: struct clock */
	uint64_t taken, calls;
};

struct rt_net *rt_net_new(const struct rt_call_cost *costs, size_t n,
			  const struct rt_call_ops *next, void *ctx)
{
	struct rt_net *net = calloc(1, sizeof(*net));

	if (!net)
		return NULL;
	net->costs = malloc((n + 1) * sizeof(*costs));
	if (!net->costs) {
		free(net);
		return NULL;
	}
	memcpy(net->costs, costs, n * sizeof(*costs));
	net->ncosts = n;
	net->next = next;
	net->ctx = ctx;
	return net;
}

static void clock_free(struct clock *c)
{
	if (c)
		free(c->v);
	free(c);
}

void rt_net_free(struct rt_net *net)
{
	size_t i;

	if (!net)
		return;
	for (i = 0; i < net->threads.n; i++)
		clock_free(net->threads.v[i]->thread.user[0]);
	rt_threads_free(&net->threads);
	free(net->costs);
	free(net);
}

uint64_t rt_net_taken(const struct rt_net *net, uint64_t *calls)
{
	*calls = net->calls;
	return net->taken;
}

static struct rt_call_cost cost_of(const struct rt_net *net, uint32_t function)
{
	const struct rt_call_cost nothing = { { 0, 0 }, { 0, 0 } };

	return function < net->ncosts ? net->costs[function] : nothing;
}

static void forgive(struct rt_net *net, struct clock *c, uint64_t time)
{
	uint64_t most = time > c->last ? time - c->last : 0;

	if (c->n || c->behind <= most)
		return;
	net->taken -= c->behind - most;
	c->behind = most;
}

/* The thread's time at a hit that the trace's clock has at `time`, with the cost taken off. */
static uint64_t take_hit(struct rt_net *net, struct clock *c, uint64_t time,
			 const struct rt_hit_cost *cost)
{
	uint64_t off = c->behind + cost->before;

	if (time > off && time - off > c->last)
		c->last = time - off;
	c->behind = off + cost->after;
	net->taken += cost->before + cost->after;
	return c->last;
}

/* The shortest hits take 1/25 less than others. */
enum { SPREAD = 25 };

/* A call that had no other inside it took `ns`. */
static void lower_cost(struct rt_net *net, uint32_t function, uint64_t ns)
{
	struct rt_call_cost *cost = function < net->ncosts ? &net->costs[function] : NULL;
	uint64_t own = cost ? (uint64_t)cost->entry.after + cost->end.before : 0;

	ns += ns / SPREAD;
	if (own <= ns)
		return;
	cost->entry.before = (uint32_t)(cost->entry.before * ns / own);
	cost->entry.after = (uint32_t)(cost->entry.after * ns / own);
	cost->end.before = (uint32_t)(cost->end.before * ns / own);
	cost->end.after = (uint32_t)(cost->end.after * ns / own);
}

static int net_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		     const struct rt_values *args)
{
	struct rt_net *net = ctx;
	const struct rt_call_cost cost = cost_of(net, frame->function);
	struct clock *c = rt_threads_state(&net->threads, thread, sizeof(struct clock));
	struct rt_frame changed = *frame;

	if (!c || RT_ROOM(&c->v, c->n, &c->cap) != 0)
		return -ENOMEM;
	if (c->n)
		c->v[c->n - 1].leaf = false;
	forgive(net, c, frame->time);
	changed.time = take_hit(net, c, frame->time, &cost.entry);
	if (frame->returns)
		c->v[c->n++] = (struct began){ changed.time, frame->time, true };
	net->calls++;
	return net->next->enter(net->ctx, thread, &changed, args);
}

/* Was the end of the call a hit?  A jump out of it is one where its exits are probed. */
static bool is_hit(enum rt_end end)
{
	return end == RT_END_RETURNED || end == RT_END_JUMPED || end == RT_END_BECAME;
}

static int net_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		     enum rt_end end, uint64_t time, const struct rt_values *result)
{
	const struct rt_hit_cost nothing = { 0, 0 };
	struct rt_net *net = ctx;
	struct clock *c = rt_threads_state(&net->threads, thread, sizeof(struct clock));
	struct rt_frame changed = *frame;
	struct rt_call_cost cost;

	if (!c)
		return -ENOMEM;
	if (frame->entry_seen && c->n) {
		const struct began *began = &c->v[--c->n];

		changed.time = began->net;
		if (began->leaf && end == RT_END_RETURNED && !frame->unsure && time > began->raw)
			lower_cost(net, frame->function, time - began->raw);
	}
	cost = cost_of(net, frame->function);
	time = take_hit(net, c, time, is_hit(end) ? &cost.end : &nothing);
	return net->next->leave(net->ctx, thread, &changed, end, time, result);
}

static int net_lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	const struct rt_hit_cost nothing = { 0, 0 };
	struct rt_net *net = ctx;
	struct clock *c =
		thread ? rt_threads_state(&net->threads, thread, sizeof(struct clock)) : NULL;

	if (thread && !c)
		return -ENOMEM;
	if (c)
		time = take_hit(net, c, time, &nothing);
	return net->next->lost(net->ctx, thread, time, count);
}

static void net_gone(void *ctx, struct rt_thread *thread)
{
	struct rt_net *net = ctx;

	clock_free(rt_threads_take_state(&net->threads, thread));
	if (net->next->gone)
		net->next->gone(net->ctx, thread);
}

const struct rt_call_ops rt_net_ops = {
	.enter = net_enter, .leave = net_leave, .lost = net_lost, .gone = net_gone,
};
