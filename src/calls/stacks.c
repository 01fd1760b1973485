/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "calls/stack.h"
#include "base/array.h"

/* The first that ends above `addr`, by index. */
static size_t first_above(const struct rt_stacks *s, uint64_t addr)
{
	size_t low = 0, high = s->n, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (s->v[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
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

void rt_stacks_free(struct rt_stacks *s)
{
	free(s->v);
	memset(s, 0, sizeof(*s));
}
