/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/stacks.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "calls/stack.h"
#include "base/array.h"
#include "base/search.h"

/* The first that ends above `addr`, by index. */
static size_t first_above(const struct rt_stacks *s, uint64_t addr)
{
	size_t i;

	RT_SEARCH(i, s->n, s->v[i].end <= addr);
	return i;
}

/* An empty stack's pointer is at its end. */
uint64_t rt_stacks_find(const struct rt_stacks *s, uint64_t sp)
{
	size_t i = sp ? first_above(s, sp - 1) : s->n;

	return i < s->n && sp > s->v[i].start ? s->v[i].goid : 0;
}

int rt_stacks_add(struct rt_stacks *s, uint64_t start, uint64_t size)
{
	size_t i;

	if (!start || !size || start + size < start)
		return 0;
	if (RT_ROOM(&s->v, s->n, &s->cap) < 0)
		return -ENOMEM;
	i = first_above(s, start);
	memmove(s->v + i + 1, s->v + i, (s->n - i) * sizeof(*s->v));
	s->v[i] = (struct rt_made_stack){ .start = start,
					  .end = start + size,
					  .goid = RT_GOID_STACK | ++s->last };
	s->n++;
	return 0;
}

uint64_t rt_stacks_take(struct rt_stacks *s, uint64_t start, uint64_t size)
{
	size_t i = first_above(s, start);
	uint64_t goid;

	if (!start || !size || start + size < start || i == s->n || s->v[i].start >= start + size)
		return 0;
	goid = s->v[i].goid;
	s->n--;
	memmove(s->v + i, s->v + i + 1, (s->n - i) * sizeof(*s->v));
	return goid;
}

void rt_stacks_signals(struct rt_stacks *s, pid_t tid, uint64_t start)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		if (s->v[i].start == start)
			s->v[i].signals_of = tid;
		else if (s->v[i].signals_of == tid)
			s->v[i].signals_of = 0;
}

uint64_t rt_stacks_of_signals(const struct rt_stacks *s, pid_t tid)
{
	size_t i;

	for (i = 0; i < s->n && s->v[i].signals_of != tid; i++)
		;
	return i < s->n ? s->v[i].goid : 0;
}

int rt_stacks_copy(struct rt_stacks *to, const struct rt_stacks *from)
{
	*to = (struct rt_stacks){ .n = from->n, .cap = from->n, .last = from->last };
	if (!from->n)
		return 0;
	to->v = calloc(from->n, sizeof(*to->v));
	if (!to->v) {
		memset(to, 0, sizeof(*to));
		return -ENOMEM;
	}
	memcpy(to->v, from->v, from->n * sizeof(*to->v));
	return 0;
}

void rt_stacks_free(struct rt_stacks *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}

enum { SLOTS = sizeof(((struct rt_goroutines *)0)->v) / sizeof(struct rt_goroutine) };

/* Each runtime has a goroutine 1. */
static size_t slot_of(uint64_t goid)
{
	return (goid + 17 * rt_goid_runtime(goid)) % SLOTS;
}

void rt_goroutines_saw(struct rt_goroutines *g, uint64_t low, uint64_t high, uint64_t goid,
		       uint64_t time)
{
	g->v[slot_of(goid)] = (struct rt_goroutine){ low, high, goid, time };
}

void rt_goroutines_ended(struct rt_goroutines *g, uint64_t goid)
{
	if (g->v[slot_of(goid)].goid == goid)
		g->v[slot_of(goid)].goid = 0;
}

const struct rt_goroutine *rt_goroutines_find(const struct rt_goroutines *g, uint64_t sp)
{
	const struct rt_goroutine *found = NULL, *at;

	for (at = g->v; at < g->v + SLOTS; at++)
		if (at->goid && sp >= at->low && sp <= at->high &&
		    (!found || at->time > found->time))
			found = at;
	return found;
}
