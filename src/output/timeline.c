/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* The array is a heap: no call is shorter than the first, nor than the one at (i - 1) / 2. */
static void swap(struct rt_span *a, struct rt_span *b)
{
	struct rt_span c = *a;

	*a = *b;
	*b = c;
}

static void sift_up(struct rt_timeline *t, size_t i)
{
	for (; i && t->v[i].took < t->v[(i - 1) / 2].took; i = (i - 1) / 2)
		swap(&t->v[i], &t->v[(i - 1) / 2]);
}

static void sift_down(struct rt_timeline *t)
{
	size_t i = 0, least;

	for (;;) {
		least = 2 * i + 1;
		if (least >= t->n)
			return;
		if (least + 1 < t->n && t->v[least + 1].took < t->v[least].took)
			least++;
		if (t->v[i].took <= t->v[least].took)
			return;
		swap(&t->v[i], &t->v[least]);
		i = least;
	}
}

int rt_timeline_add(struct rt_timeline *t, const struct rt_thread *thread,
		    const struct rt_frame *frame, uint64_t time, uint64_t start)
{
	struct rt_span span = {
		.pid = thread->pid,
		.tid = thread->tid,
		.goid = thread->goid,
		.function = frame->function,
		.level = frame->level,
		.began = frame->time > start ? frame->time - start : 0,
		.took = time > frame->time ? time - frame->time : 0,
	};

	memcpy(span.comm, thread->comm, sizeof(span.comm));
	if (t->n < RT_SPANS_MOST) {
		if (RT_ROOM(&t->v, t->n, &t->cap) != 0)
			return -ENOMEM;
		t->v[t->n++] = span;
		sift_up(t, t->n - 1);
		return 0;
	}
	t->left_out++;
	if (span.took > t->v[0].took) {
		t->v[0] = span;
		sift_down(t);
	}
	return 0;
}

/* A goroutine moves from thread to thread. */
static int compare_threads(const struct rt_span *a, const struct rt_span *b)
{
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->goid != b->goid)
		return a->goid < b->goid ? -1 : 1;
	return a->goid || a->tid == b->tid ? 0 : a->tid < b->tid ? -1 : 1;
}

bool rt_span_has_thread_of(const struct rt_span *a, const struct rt_span *b)
{
	return compare_threads(a, b) == 0;
}

static int compare_spans(const void *a, const void *b)
{
	const struct rt_span *x = a, *y = b;
	int threads = compare_threads(x, y);

	if (threads)
		return threads;
	if (x->began != y->began)
		return x->began < y->began ? -1 : 1;
	if (x->level != y->level)
		return x->level < y->level ? -1 : 1;
	return x->took < y->took ? -1 : x->took > y->took;
}

void rt_timeline_sort(struct rt_timeline *t)
{
	if (t->n)
		qsort(t->v, t->n, sizeof(*t->v), compare_spans);
}

void rt_timeline_free(struct rt_timeline *t)
{
	free(t->v);
	memset(t, 0, sizeof(*t));
}
