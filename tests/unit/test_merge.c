/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/merge.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

enum { MAX = 20000 };

/*
 * Events that a flush gave: each one's time, thread and key; whether its data were those of its
 * key.
 */
struct seen {
	size_t n;
	unsigned bad_data;
	int answer;
	size_t answer_at;
	struct {
		uint64_t time, key;
		pid_t tid;
	} v[MAX];
};

/* The data of an event tell its key, so that a copy which is mixed up shows. */
static void make_data(uint8_t *data, size_t size, uint64_t key)
{
	size_t i;

	for (i = 0; i < size; i++)
		data[i] = (uint8_t)(key * 31 + i);
}

static int see(void *ctx, const struct rt_event *event)
{
	uint8_t want[256];
	struct seen *seen = ctx;

	if (event->type != RT_EV_HIT || event->hit.size > sizeof(want) || seen->n == MAX)
		return -EINVAL;
	make_data(want, event->hit.size, event->hit.key);
	if ((uintptr_t)event->hit.data % 8 || memcmp(want, event->hit.data, event->hit.size) != 0)
		seen->bad_data++;
	seen->v[seen->n].time = event->time;
	seen->v[seen->n].key = event->hit.key;
	seen->v[seen->n].tid = event->tid;
	seen->n++;
	return seen->n == seen->answer_at ? seen->answer : 0;
}

static struct seen *seen_new(void)
{
	struct seen *seen = calloc(1, sizeof(*seen));

	CU_ASSERT_PTR_NOT_NULL_FATAL(seen);
	return seen;
}

static void push(struct rt_merge *merge, unsigned ring, uint64_t time, pid_t tid, uint64_t key,
		 uint16_t size)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = time, .pid = 1, .tid = tid };
	uint8_t data[256];

	make_data(data, size, key);
	event.hit.key = key;
	event.hit.size = size;
	event.hit.data = data;
	CU_ASSERT_EQUAL(rt_merge_push(merge, ring, &event), 0);
	memset(data, 0xee, sizeof(data));	/* the ring goes on: what is held must be a copy */
}

static int flush(struct rt_merge *merge, uint64_t bound, struct seen *seen)
{
	struct rt_event_handler handler = { see, seen };

	return rt_merge_flush(merge, bound, &handler);
}

/*
 * One thread that changes its CPU between any two events; each ring is read only after all were
 * written.
 */
static void test_moving_thread(void)
{
	struct rt_merge *merge = rt_merge_new(4);
	struct seen *seen = seen_new();
	unsigned ring, i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(merge);
	for (ring = 4; ring-- > 0;) {
		for (i = 0; i < 1000; i++) {
			if (i * 7 % 4 == ring)
				push(merge, ring, 100 + i, 9, i, 16);
		}
	}
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 1000);
	CU_ASSERT_EQUAL(seen->bad_data, 0);
	for (i = 0; i < 1000; i++)
		CU_ASSERT_EQUAL(seen->v[i].key, i);
	rt_merge_free(merge);
	free(seen);
}

/*
 * On CPU 0 thread 2 took its stamp, 5, and was preempted before it committed by thread 1, whose
 * event at 10 so stands first in the ring; thread 2 went on at 7 on CPU 1.  Comparing only the
 * rings' first events would give 7 before 5.
 */
static void test_disorder_in_ring(void)
{
	struct rt_merge *merge = rt_merge_new(2);
	struct seen *seen = seen_new();
	uint64_t want[] = { 5, 7, 10, 11 };
	unsigned i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(merge);
	push(merge, 0, 10, 1, 1, 8);
	push(merge, 0, 5, 2, 2, 8);
	push(merge, 1, 7, 2, 3, 8);
	push(merge, 1, 11, 2, 4, 8);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 4);
	for (i = 0; i < 4; i++)
		CU_ASSERT_EQUAL(seen->v[i].time, want[i]);
	CU_ASSERT_EQUAL(seen->v[0].tid, 2);
	CU_ASSERT_EQUAL(seen->v[1].tid, 2);
	CU_ASSERT_EQUAL(seen->v[2].tid, 1);
	rt_merge_free(merge);
	free(seen);
}

static void test_bound(void)
{
	struct rt_merge *merge = rt_merge_new(2);
	struct seen *seen = seen_new();

	CU_ASSERT_PTR_NOT_NULL_FATAL(merge);
	push(merge, 0, 10, 1, 1, 0);
	push(merge, 0, 20, 1, 2, 0);
	push(merge, 1, 20, 1, 3, 0);
	push(merge, 1, 30, 1, 4, 0);
	CU_ASSERT_EQUAL(flush(merge, 10, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 0);
	CU_ASSERT_EQUAL(flush(merge, 20, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 1);
	CU_ASSERT_EQUAL(flush(merge, 21, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 3);
	CU_ASSERT_EQUAL(seen->v[1].key, 2);
	CU_ASSERT_EQUAL(seen->v[2].key, 3);
	push(merge, 0, UINT64_MAX, 1, 5, 0);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX - 1, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 4);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 5);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 5);
	rt_merge_free(merge);
	free(seen);
}

static void test_equal_times(void)
{
	struct rt_merge *merge = rt_merge_new(3);
	struct seen *seen = seen_new();
	unsigned i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(merge);
	for (i = 0; i < 300; i++)
		push(merge, (i * 5 + i / 7) % 3, 1000, 1, i, 8);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 300);
	for (i = 0; i < 300; i++)
		CU_ASSERT_EQUAL(seen->v[i].key, i);
	rt_merge_free(merge);
	free(seen);
}

struct model {
	uint64_t time, key;	/* the key counts the pushes */
};

static int model_compare(const void *a, const void *b)
{
	const struct model *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

/*
 * Many rounds: rings filled nearly in order, events of many sizes, and a bound that keeps a share
 * of them back, so that pools grow, are compacted and change places.  The whole must be what
 * sorting everything gives.
 */
static void test_rounds(void)
{
	enum { ROUNDS = 60, EACH = 250, RINGS = 11 };
	struct rt_merge *merge = rt_merge_new(RINGS);
	struct seen *seen = seen_new();
	struct model *model = calloc(ROUNDS * EACH, sizeof(*model));
	uint32_t random = 1;
	unsigned round, i, bad = 0;
	size_t n = 0;

	CU_ASSERT_PTR_NOT_NULL_FATAL(merge);
	CU_ASSERT_PTR_NOT_NULL_FATAL(model);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < EACH; i++, n++) {
			random = random * 1664525 + 1013904223;
			model[n].time = 100000 + round * EACH + i - (random >> 8) % 40;
			model[n].key = n;
			push(merge, (random >> 20) % RINGS, model[n].time, 1, n,
			     (uint16_t)((random >> 12) % 32 * 8));
		}
		/* Nothing that comes later is older than this. */
		CU_ASSERT_EQUAL(
			flush(merge, 100000 + (round + 1) * EACH - (round % 3 ? 40 : 200), seen),
			0);
	}
	CU_ASSERT(seen->n > n * 9 / 10);
	CU_ASSERT(seen->n < n);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	CU_ASSERT_EQUAL(seen->n, n);
	CU_ASSERT_EQUAL(seen->bad_data, 0);
	qsort(model, n, sizeof(*model), model_compare);
	for (i = 0; i < n; i++)
		bad += seen->v[i].time != model[i].time || seen->v[i].key != model[i].key;
	CU_ASSERT_EQUAL(bad, 0);
	free(model);
	rt_merge_free(merge);
	free(seen);
}

/*
 * An event far ahead of the others is held through many rounds and must not be lost or damaged by
 * them.
 */
static void test_far_ahead(void)
{
	struct rt_merge *merge = rt_merge_new(1);
	struct seen *seen = seen_new();
	unsigned i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(merge);
	push(merge, 0, 1 << 30, 1, 77, 200);
	for (i = 0; i < 5000; i++) {
		push(merge, 0, i, 1, i, 24);
		CU_ASSERT_EQUAL(flush(merge, 1 << 20, seen), 0);
		CU_ASSERT_EQUAL(seen->n, i + 1);
	}
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 5001);
	CU_ASSERT_EQUAL(seen->v[5000].key, 77);
	CU_ASSERT_EQUAL(seen->bad_data, 0);
	rt_merge_free(merge);
	free(seen);
}

/* An event at which the handler fails has been given; the others are still there. */
static void test_handler_error(void)
{
	struct rt_merge *merge = rt_merge_new(2);
	struct seen *seen = seen_new();
	unsigned i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(merge);
	for (i = 0; i < 10; i++)
		push(merge, i % 2, i, 1, i, 8);
	seen->answer = -EPIPE;
	seen->answer_at = 3;
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), -EPIPE);
	CU_ASSERT_EQUAL(seen->n, 3);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	CU_ASSERT_EQUAL(seen->n, 10);
	for (i = 0; i < 10; i++)
		CU_ASSERT_EQUAL(seen->v[i].key, i);
	rt_merge_free(merge);
	free(seen);
}

static int see_last(void *ctx, const struct rt_event *event)
{
	memcpy(ctx, event, sizeof(*event));
	return 0;
}

static void test_other_types(void)
{
	struct rt_merge *merge = rt_merge_new(1);
	struct rt_event event, got;
	struct rt_event_handler handler = { see_last, &got };

	CU_ASSERT_PTR_NOT_NULL_FATAL(merge);
	memset(&event, 0, sizeof(event));
	event.type = RT_EV_COMM;
	event.time = 5;
	event.pid = 6;
	event.tid = 7;
	strcpy(event.comm.name, "fifteen_letters");
	CU_ASSERT_EQUAL(rt_merge_push(merge, 0, &event), 0);
	CU_ASSERT_EQUAL(rt_merge_flush(merge, 6, &handler), 0);
	CU_ASSERT_EQUAL(memcmp(&got, &event, sizeof(got)), 0);
	memset(&event, 0, sizeof(event));
	event.type = RT_EV_MMAP;
	event.time = 6;
	event.mmap.start = 1;
	event.mmap.len = 2;
	event.mmap.pgoff = 3;
	event.mmap.ino = UINT64_MAX;
	CU_ASSERT_EQUAL(rt_merge_push(merge, 0, &event), 0);
	CU_ASSERT_EQUAL(rt_merge_flush(merge, UINT64_MAX, &handler), 0);
	CU_ASSERT_EQUAL(memcmp(&got, &event, sizeof(got)), 0);
	rt_merge_free(merge);
}

static void test_newest_and_empty(void)
{
	struct rt_merge *merge = rt_merge_new(2);
	struct seen *seen = seen_new();

	CU_ASSERT_PTR_NOT_NULL_FATAL(merge);
	CU_ASSERT_EQUAL(rt_merge_newest(merge), 0);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	push(merge, 0, 50, 1, 1, 8);
	push(merge, 1, 40, 1, 2, 8);
	CU_ASSERT_EQUAL(rt_merge_newest(merge), 50);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	CU_ASSERT_EQUAL(rt_merge_newest(merge), 50);
	push(merge, 1, 60, 1, 2, 8);	/* held when it is freed */
	rt_merge_free(merge);
	rt_merge_free(NULL);
	merge = rt_merge_new(0);
	CU_ASSERT_PTR_NOT_NULL_FATAL(merge);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	rt_merge_free(merge);
	CU_ASSERT_EQUAL(seen->n, 2);
	free(seen);
}

/*
 * Rings are read on between batches: the order is that of one flush, and what is given is
 * forgotten.
 */
static void test_batches(void)
{
	enum { EACH = 3000, BATCH = 700 };
	struct rt_merge *merge = rt_merge_new(2);
	struct seen *seen = seen_new();
	const struct rt_event_handler out = { see, seen };
	unsigned i, next = 0;
	size_t most = 0;
	int r;

	CU_ASSERT_EQUAL(rt_merge_bytes(merge), 0);
	CU_ASSERT(!rt_merge_due(merge));
	do {
		for (i = 0; i < 1000 && next < EACH; i++, next++)
			push(merge, next % 3 == 0, next, 1, next, 16);
		most = rt_merge_bytes(merge) > most ? rt_merge_bytes(merge) : most;
		r = rt_merge_some(merge, UINT64_MAX, BATCH, &out);
		CU_ASSERT(r >= 0 && r <= BATCH);
		CU_ASSERT(rt_merge_due(merge) == (r == BATCH));
	} while (r == BATCH);
	CU_ASSERT_EQUAL(seen->n, EACH);
	CU_ASSERT_EQUAL(seen->bad_data, 0);
	for (i = 0; i < EACH; i++)
		CU_ASSERT_EQUAL(seen->v[i].key, i);
	CU_ASSERT_EQUAL(rt_merge_bytes(merge), 0);
	CU_ASSERT(most > 1000 * sizeof(struct rt_event));
	rt_merge_free(merge);
	free(seen);
}

/*
 * Two merges, of which the second one is moved into the first now and then: some rings are empty
 * there then, others have older events, or newer ones.
 */
static void test_move(void)
{
	struct rt_merge *merge = rt_merge_new(4), *from = rt_merge_new(3);
	struct seen *seen = seen_new();
	unsigned i, n = 0, bad = 0;

	for (i = 0; i < 3000; i++) {
		push(i / 100 % 2 ? from : merge, i % 3, 1000 + i, 1, i, i % 5 * 24);
		n++;
		if (i % 300 == 299)
			CU_ASSERT_EQUAL(rt_merge_move(merge, from), 0);
		if (i % 450 == 449)
			CU_ASSERT_EQUAL(flush(merge, 1000 + i - 240, seen), 0);
	}
	CU_ASSERT_EQUAL(rt_merge_move(merge, from), 0);
	CU_ASSERT_EQUAL(rt_merge_bytes(from), 0);
	CU_ASSERT_EQUAL(rt_merge_newest(merge), 1000 + 2999);
	CU_ASSERT_EQUAL(flush(merge, UINT64_MAX, seen), 0);
	CU_ASSERT_EQUAL(seen->n, n);
	for (i = 0; i < n; i++)
		bad += seen->v[i].key != i;
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(seen->bad_data, 0);
	rt_merge_free(merge);
	rt_merge_free(from);
	free(seen);
}

/* Full is only what can become less: else nobody would ever read the ring that it waits for. */
static void test_full(void)
{
	struct rt_merge *merge = rt_merge_new(1);
	struct seen *seen = seen_new();
	struct rt_event_handler handler = { see, seen };
	unsigned i;

	for (i = 0; i < 100; i++)
		push(merge, 0, 1000 + i, 1, i, 16);
	CU_ASSERT(!rt_merge_full(merge, 1));
	CU_ASSERT_EQUAL(rt_merge_some(merge, 1000, 10, &handler), 0);
	CU_ASSERT(!rt_merge_full(merge, 1));
	CU_ASSERT_EQUAL(rt_merge_some(merge, 1015, 10, &handler), 10);
	CU_ASSERT(rt_merge_full(merge, 1));
	CU_ASSERT(!rt_merge_full(merge, rt_merge_bytes(merge) + 1));
	CU_ASSERT_EQUAL(rt_merge_some(merge, 1015, 10, &handler), 5);
	CU_ASSERT(!rt_merge_full(merge, 1));
	rt_merge_free(merge);
	free(seen);
}

CU_TestInfo rt_tests_merge[] = {
	{ "a thread that changes its CPU each event", test_moving_thread },
	{ "disorder inside a ring", test_disorder_in_ring },
	{ "bound", test_bound },
	{ "equal times", test_equal_times },
	{ "many rounds", test_rounds },
	{ "an event far ahead", test_far_ahead },
	{ "batches", test_batches },
	{ "moved into another one", test_move },
	{ "full", test_full },
	{ "handler error", test_handler_error },
	{ "other types of events", test_other_types },
	{ "newest, empty", test_newest_and_empty },
	CU_TEST_INFO_NULL,
};
