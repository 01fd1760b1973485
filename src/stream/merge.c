/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One stream in order of time from the rings of all CPUs.  A thread that moves to another CPU has
 * its entry in one ring and its exit in another:
 *
 *	CPU 0:	10 enter f (thread 7)	40 enter g (thread 8)
 *	CPU 1:	30 exit f (thread 7)
 *
 * Approach: read the clock, then drain every ring into memory, then pass on the events that are
 * older than that clock reading.  A thread commits an event before it stamps its next one, so no
 * older event of a thread can follow.  Each event is copied once.  A ring is thus empty after a
 * short pass, before anything is paired or formatted, and a slow output costs memory, not events.
 * Events are passed on in batches of 16,384, and the rings are drained between batches.  From
 * 256 MB (or a 16th of the memory) on the rings are not drained while events are due.
 *
 * Clocks: perf rings stamp each record (PERF_SAMPLE_TIME on CLOCK_MONOTONIC), those of the side
 * band, too.  For the other rings the BPF program reads the same clock after it has reserved its
 * record.  A record of a preempted program, not yet whole, is then never older than the records
 * before it, and the source reports the time of the oldest one (rt_source_ops.oldest).
 *
 * Limit: events with equal times are passed on in the order in which they were pushed.
 */
#include "stream/merge.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/*
 * The order of an event in the stream: by time, and where times are equal by the order of the
 * pushes.
 */
struct place {
	uint64_t time, seq;
};

/*
 * A queued event: its place, and the place of its copy (struct rt_event, then its data) in the
 * ring's pool.
 */
struct queued {
	struct place place;
	size_t at;
};

struct pool {
	uint8_t *v;
	size_t n, cap;
};

/*
 * v[first..n) are queued, sorted; those before have been given.  `dead` counts the bytes
 * that these have in the pool.
 */
struct ring {
	struct queued *v;
	size_t first, n, cap;
	struct pool pool;
	size_t dead;
};

/* A heap node: a ring by the place of its oldest event. */
struct head {
	struct place place;
	struct ring *ring;
};

struct rt_merge {
	unsigned nrings;
	uint64_t newest, seq;
	bool due;
	struct head *heap;
	struct ring *rings;
	/* pools are compacted into this one, which then takes their place */
	struct pool spare;
};

static bool before(const struct place *a, const struct place *b)
{
	return a->time != b->time ? a->time < b->time : a->seq < b->seq;
}

static int pool_room(struct pool *pool, size_t need)
{
	size_t cap = pool->cap ? pool->cap : 4096;
	uint8_t *v;

	if (need <= pool->cap - pool->n)
		return 0;
	while (cap - pool->n < need) {
		if (cap > SIZE_MAX / 2)
			return -ENOMEM;
		cap *= 2;
	}
	v = realloc(pool->v, cap);
	if (!v)
		return -ENOMEM;
	pool->v = v;
	pool->cap = cap;
	return 0;
}

/* Bytes of an event's copy, rounded so that the next one is aligned. */
static size_t copy_size(const struct rt_event *event)
{
	size_t size = sizeof(*event);

	if (event->type == RT_EV_HIT)
		size += event->hit.size;
	return (size + 7) & ~(size_t)7;
}

static size_t pool_copy(struct pool *pool, const struct rt_event *event)
{
	size_t at = pool->n;

	memcpy(pool->v + at, event, sizeof(*event));
	if (event->type == RT_EV_HIT && event->hit.size)
		memcpy(pool->v + at + sizeof(*event), event->hit.data, event->hit.size);
	pool->n += copy_size(event);
	return at;
}

/* The copy, its data pointer made right: the pool may have moved since. */
static const struct rt_event *event_at(const struct ring *ring, size_t at)
{
	struct rt_event *event = (struct rt_event *)(void *)(ring->pool.v + at);

	if (event->type == RT_EV_HIT)
		event->hit.data = (const uint8_t *)(event + 1);
	return event;
}

struct rt_merge *rt_merge_new(unsigned nrings)
{
	struct rt_merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	merge->nrings = nrings;
	/* One more than none: calloc may answer 0 with NULL. */
	merge->heap = calloc((size_t)nrings + 1, sizeof(*merge->heap));
	merge->rings = calloc((size_t)nrings + 1, sizeof(*merge->rings));
	if (!merge->heap || !merge->rings) {
		rt_merge_free(merge);
		return NULL;
	}
	return merge;
}

int rt_merge_grow(struct rt_merge *merge, unsigned nrings)
{
	struct head *heap = realloc(merge->heap, ((size_t)nrings + 1) * sizeof(*heap));
	struct ring *rings;

	if (!heap)
		return -ENOMEM;
	merge->heap = heap;
	rings = realloc(merge->rings, ((size_t)nrings + 1) * sizeof(*rings));
	if (!rings)
		return -ENOMEM;
	merge->rings = rings;
	memset(rings + merge->nrings, 0, (nrings - merge->nrings) * sizeof(*rings));
	merge->nrings = nrings;
	return 0;
}

unsigned rt_merge_rings(const struct rt_merge *merge)
{
	return merge->nrings;
}

void rt_merge_free(struct rt_merge *merge)
{
	unsigned i;

	if (!merge)
		return;
	for (i = 0; merge->rings && i < merge->nrings; i++) {
		free(merge->rings[i].v);
		free(merge->rings[i].pool.v);
	}
	free(merge->rings);
	free(merge->spare.v);
	free(merge->heap);
	free(merge);
}

/*
 * The ring's pool has a copy of the event at `at`.  Events of a ring come nearly in order, so the
 * search begins at the tail.
 */
static void put_in_order(struct rt_merge *merge, struct ring *ring, uint64_t time, size_t at)
{
	struct queued queued = { .place = { .time = time, .seq = merge->seq++ }, .at = at };
	size_t i;

	for (i = ring->n; i > ring->first && before(&queued.place, &ring->v[i - 1].place); i--)
		ring->v[i] = ring->v[i - 1];
	ring->v[i] = queued;
	ring->n++;
	if (time > merge->newest)
		merge->newest = time;
}

int rt_merge_push(struct rt_merge *merge, unsigned index, const struct rt_event *event)
{
	struct ring *ring = &merge->rings[index];

	if (RT_ROOM(&ring->v, ring->n, &ring->cap) < 0 ||
	    pool_room(&ring->pool, copy_size(event)) < 0)
		return -ENOMEM;
	put_in_order(merge, ring, event->time, pool_copy(&ring->pool, event));
	return 0;
}

/* If `to` is empty, swap the memory; else copy. */
static int move_ring(struct rt_merge *merge, struct ring *to, struct ring *from)
{
	const struct rt_event *event;
	struct ring empty = *to;
	size_t n = from->n;

	if (to->first == to->n) {
		*to = *from;
		*from = empty;
		from->first = from->n = from->pool.n = from->dead = 0;
		for (to->n = to->first; to->n < n;)
			put_in_order(merge, to, to->v[to->n].place.time, to->v[to->n].at);
		return 0;
	}
	for (; from->first < from->n; from->first++) {
		event = event_at(from, from->v[from->first].at);
		if (rt_merge_push(merge, (unsigned)(to - merge->rings), event) < 0)
			return -ENOMEM;
	}
	from->first = from->n = from->pool.n = from->dead = 0;
	return 0;
}

int rt_merge_move(struct rt_merge *merge, struct rt_merge *from)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < from->nrings && r == 0; i++)
		r = move_ring(merge, &merge->rings[i], &from->rings[i]);
	return r;
}

/* Restore the heap's order below node `i`. */
static void heap_sink(struct head *heap, unsigned n, unsigned i)
{
	struct head moved = heap[i];
	unsigned child;

	while ((child = 2 * i + 1) < n) {
		if (child + 1 < n && before(&heap[child + 1].place, &heap[child].place))
			child++;
		if (!before(&heap[child].place, &moved.place))
			break;
		heap[i] = heap[child];
		i = child;
	}
	heap[i] = moved;
}

/* Make a heap of the rings that hold an event older than `bound`; returns their number. */
static unsigned heap_build(struct rt_merge *merge, uint64_t bound)
{
	struct ring *ring;
	unsigned i, n = 0;

	for (i = 0; i < merge->nrings; i++) {
		ring = &merge->rings[i];
		if (ring->first < ring->n &&
		    (bound == UINT64_MAX || ring->v[ring->first].place.time < bound))
			merge->heap[n++] = (struct head){ ring->v[ring->first].place, ring };
	}
	for (i = n / 2; i > 0; i--)
		heap_sink(merge->heap, n, i - 1);
	return n;
}

/*
 * Forget what was given.  Live events are copied only where they are the smaller part: a constant
 * cost an event.
 */
static void ring_compact(struct ring *ring, struct pool *spare)
{
	struct pool pool = ring->pool;
	size_t i;

	if (ring->first == ring->n) {
		ring->first = ring->n = ring->pool.n = ring->dead = 0;
		return;
	}
	if (ring->dead <= pool.n - ring->dead)
		return;
	spare->n = 0;
	/* Without memory for it the pool stays as it is, which is only larger. */
	if (pool_room(spare, pool.n - ring->dead) < 0)
		return;
	for (i = ring->first; i < ring->n; i++)
		ring->v[i].at = pool_copy(spare, event_at(ring, ring->v[i].at));
	memmove(ring->v, ring->v + ring->first, (ring->n - ring->first) * sizeof(*ring->v));
	ring->n -= ring->first;
	ring->first = ring->dead = 0;
	ring->pool = *spare;
	*spare = pool;
}

int rt_merge_some(struct rt_merge *merge, uint64_t bound, unsigned most,
		  const struct rt_event_handler *handler)
{
	unsigned i, given = 0, n = heap_build(merge, bound);
	struct head *top = merge->heap;
	const struct rt_event *event;
	struct ring *ring;
	int err = 0;

	while (n && !err && given < most) {
		ring = top->ring;
		event = event_at(ring, ring->v[ring->first].at);
		ring->first++;
		given++;
		ring->dead += copy_size(event);
		err = handler->event(handler->ctx, event);
		if (ring->first < ring->n &&
		    (bound == UINT64_MAX || ring->v[ring->first].place.time < bound))
			top->place = ring->v[ring->first].place;
		else
			*top = merge->heap[--n];
		if (n > 1)
			heap_sink(merge->heap, n, 0);
	}
	for (i = 0; i < merge->nrings; i++)
		ring_compact(&merge->rings[i], &merge->spare);
	merge->due = !err && given == most;
	return err ? err : (int)given;
}

int rt_merge_flush(struct rt_merge *merge, uint64_t bound, const struct rt_event_handler *handler)
{
	int r;

	do {
		r = rt_merge_some(merge, bound, INT_MAX, handler);
	} while (r == INT_MAX);
	return r < 0 ? r : 0;
}

size_t rt_merge_bytes(const struct rt_merge *merge)
{
	size_t bytes = 0;
	unsigned i;

	for (i = 0; i < merge->nrings; i++)
		bytes += merge->rings[i].pool.n + merge->rings[i].n * sizeof(*merge->rings[i].v);
	return bytes;
}

bool rt_merge_due(const struct rt_merge *merge)
{
	return merge->due;
}

bool rt_merge_full(const struct rt_merge *merge, size_t most)
{
	return merge->due && rt_merge_bytes(merge) >= most;
}

uint64_t rt_merge_newest(const struct rt_merge *merge)
{
	return merge->newest;
}
