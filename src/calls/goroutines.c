/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/goroutines.h"

#include <stddef.h>

#include "calls/stack.h"

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
