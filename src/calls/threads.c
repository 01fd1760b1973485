/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/threads.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"

#define FIRST_BITS 6

/*
 * Fibonacci hashing: thread ids are given out one after another, and the top bits of the product
 * spread those best.
 */
static size_t slot_of(pid_t tid, uint64_t goid, unsigned bits)
{
	return ((uint32_t)(goid ? goid : (uint32_t)tid) * UINT32_C(2654435769)) >> (32 - bits);
}

static bool is_task(const struct rt_task *task, pid_t pid, pid_t tid, uint64_t goid)
{
	return task->thread.goid == goid &&
	       (goid ? task->thread.pid == pid : task->thread.tid == tid);
}

/* Build the table anew with twice the slots. */
static int table_grow(struct rt_threads *threads)
{
	unsigned bits = threads->bits ? threads->bits + 1 : FIRST_BITS;
	struct rt_task **slots = calloc((size_t)1 << bits, sizeof(slots[0]));
	size_t i;

	if (!slots)
		return -ENOMEM;
	for (i = 0; i < threads->n; i++) {
		struct rt_task *task = threads->v[i];
		size_t slot = slot_of(task->thread.tid, task->thread.goid, bits);

		task->next = slots[slot];
		slots[slot] = task;
	}
	free(threads->slots);
	threads->slots = slots;
	threads->bits = bits;
	return 0;
}

struct rt_task *rt_threads_find(struct rt_threads *threads, pid_t pid, pid_t tid, uint64_t goid)
{
	struct rt_task *task = threads->last;

	if (task && is_task(task, pid, tid, goid))
		return task;
	if (!threads->bits)
		return NULL;
	for (task = threads->slots[slot_of(tid, goid, threads->bits)]; task; task = task->next) {
		if (is_task(task, pid, tid, goid)) {
			threads->last = task;
			return task;
		}
	}
	return NULL;
}

static struct rt_task *threads_add(struct rt_threads *threads, pid_t pid, pid_t tid, uint64_t goid)
{
	struct rt_task *task;
	size_t slot;

	if (!threads->bits || (threads->n >> threads->bits && threads->bits < 31)) {
		if (table_grow(threads) < 0)
			return NULL;
	}
	if (RT_ROOM(&threads->v, threads->n, &threads->cap) < 0)
		return NULL;
	task = calloc(1, sizeof(*task));
	if (!task)
		return NULL;
	task->thread.pid = pid;
	task->thread.tid = tid;
	task->thread.goid = goid;
	slot = slot_of(tid, goid, threads->bits);
	task->next = threads->slots[slot];
	threads->slots[slot] = task;
	task->at = threads->n;
	threads->v[threads->n++] = task;
	threads->last = task;
	return task;
}

struct rt_task *rt_threads_get(struct rt_threads *threads, pid_t pid, pid_t tid, uint64_t goid)
{
	struct rt_task *task = rt_threads_find(threads, pid, tid, goid);

	if (!task)
		return threads_add(threads, pid, tid, goid);
	/*
	 * A source that does not know the process says 0, and a thread id can come again in another
	 * process.
	 */
	if (pid && task->thread.pid != pid)
		task->thread.pid = pid;
	return task;
}

void rt_task_clear(struct rt_task *task)
{
	free(task->v);
	task->v = NULL;
	task->n = 0;
	task->cap = 0;
}

void rt_threads_forget(struct rt_threads *threads, struct rt_task *task)
{
	struct rt_task **slot =
		&threads->slots[slot_of(task->thread.tid, task->thread.goid, threads->bits)];
	struct rt_task *last = threads->v[--threads->n];

	while (*slot != task)
		slot = &(*slot)->next;
	*slot = task->next;
	last->at = task->at;
	threads->v[last->at] = last;
	threads->last = NULL;
	rt_task_clear(task);
	free(task);
}

void rt_threads_free(struct rt_threads *threads)
{
	size_t i;

	for (i = 0; i < threads->n; i++) {
		rt_task_clear(threads->v[i]);
		free(threads->v[i]);
	}
	free(threads->v);
	free(threads->slots);
}
