/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The threads and goroutines of a trace: a table of them by id, and the end of their open calls
 * when they fork, exec and exit.
 */
#include "calls/threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "calls/private.h"

/* ---- the table ---- */

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

void *rt_threads_state(struct rt_threads *threads, const struct rt_thread *thread, size_t size)
{
	struct rt_task *task = rt_threads_get(threads, thread->pid, thread->tid, thread->goid);

	if (task && !task->thread.user[0])
		task->thread.user[0] = calloc(1, size);
	return task ? task->thread.user[0] : NULL;
}

void *rt_threads_take_state(struct rt_threads *threads, const struct rt_thread *thread)
{
	struct rt_task *task = rt_threads_find(threads, thread->pid, thread->tid, thread->goid);
	void *state = task ? task->thread.user[0] : NULL;

	if (task)
		rt_threads_forget(threads, task);
	return state;
}

/* ---- threads begin and end ---- */

static int end_task(struct rt_stack *stack, struct rt_task *task, enum rt_end end, uint64_t time)
{
	int err = rt_stack_close(stack, task, 0, end, time);

	if (stack->ops->gone)
		stack->ops->gone(stack->ctx, &task->thread);
	return err;
}

static int forget_task(struct rt_stack *stack, struct rt_task *task, enum rt_end end, uint64_t time)
{
	int err = end_task(stack, task, end, time);

	rt_threads_forget(&stack->threads, task);
	return err;
}

static int stack_exit(struct rt_stack *stack, pid_t pid, pid_t tid, uint64_t goid, enum rt_end end,
		      uint64_t time)
{
	struct rt_task *task = rt_threads_find(&stack->threads, pid, tid, goid);
	int err;

	if (!task)
		return 0;
	if (goid)
		return forget_task(stack, task, end, time);
	err = end_task(stack, task, end, time);
	rt_task_clear(task);
	return err;
}

int rt_stack_get_task(struct rt_stack *stack, const struct rt_event *event, uint64_t goid,
		      struct rt_task **task)
{
	int err = 0;

	*task = rt_threads_find(&stack->threads, event->pid, event->tid, goid);
	if (*task && (goid || !event->pid || (*task)->thread.pid == event->pid))
		return 0;
	if (*task && !goid && event->pid && (*task)->thread.pid &&
	    (*task)->thread.pid != event->pid) {
		/* The sinks keep the time of its last event, before which nothing may begin. */
		err = end_task(stack, *task, RT_END_EXITED, event->time);
		rt_task_clear(*task);
		(*task)->thread.comm[0] = '\0';
	}
	if (!err)
		*task = rt_threads_get(&stack->threads, event->pid, event->tid, goid);
	return err || *task ? err : -ENOMEM;
}

int rt_stack_process_end(struct rt_stack *stack, pid_t pid, uint64_t time)
{
	int err = 0;
	size_t i = 0;

	/* rt_threads_forget moves the last one to the place of the forgotten one. */
	while (!err && i < stack->threads.n)
		if (stack->threads.v[i]->thread.pid == pid)
			err = forget_task(stack, stack->threads.v[i], RT_END_EXITED, time);
		else
			i++;
	return err;
}

static int stack_fork(struct rt_stack *stack, const struct rt_event *event)
{
	const struct rt_event born = {
		.pid = event->fork.pid, .tid = event->fork.tid, .time = event->time
	};
	struct rt_task *parent, *task;
	int err;

	/* The thread that had this id before has gone, and the event that said so was lost. */
	err = stack_exit(stack, event->fork.pid, event->fork.tid, 0, RT_END_EXITED, event->time);
	if (!err)
		err = rt_stack_get_task(stack, &born, 0, &task);
	if (err)
		return err;
	/* The kernel copies the name too, and says nothing of it. */
	parent = rt_threads_find(&stack->threads, event->pid, event->tid, 0);
	if (parent && parent != task)
		memcpy(task->thread.comm, parent->thread.comm, sizeof(task->thread.comm));
	else
		task->thread.comm[0] = '\0';
	return 0;
}

static int copy_frames(struct rt_task *child, const struct rt_task *parent)
{
	size_t i;

	child->v = calloc(parent->n, sizeof(*child->v));
	if (!child->v)
		return -ENOMEM;
	memcpy(child->v, parent->v, parent->n * sizeof(*child->v));
	child->n = child->cap = parent->n;
	for (i = 0; i < child->n; i++) {
		child->v[i].entry_seen = false;
		child->v[i].inherited = true;
	}
	child->highest = parent->highest;
	child->doubt = parent->doubt;
	child->lost = parent->lost;
	return 0;
}

int rt_stack_fork(struct rt_stack *stack, const struct rt_event *event)
{
	const struct rt_task *parent;
	struct rt_task *child;
	int err = stack_fork(stack, event);

	if (err)
		return err;
	parent = rt_threads_find(&stack->threads, event->pid, event->tid, 0);
	child = rt_threads_find(&stack->threads, event->fork.pid, event->fork.tid, 0);
	return parent && parent->n && child && parent != child ? copy_frames(child, parent) : 0;
}

static int stack_comm(struct rt_stack *stack, const struct rt_event *event)
{
	struct rt_thread *thread = rt_stack_thread(stack, event->pid, event->tid);

	if (!thread)
		return -ENOMEM;
	memcpy(thread->comm, event->comm.name, sizeof(thread->comm));
	thread->comm[sizeof(thread->comm) - 1] = '\0';
	return 0;
}

/*
 * The calls of all threads of the process: none but the one that called exec goes on, and that on
 * a new stack.
 */
static int stack_exec(struct rt_stack *stack, const struct rt_event *event)
{
	int err = 0;
	size_t i;

	for (i = 0; !err && i < stack->threads.n; i++)
		if (stack->threads.v[i]->thread.pid == event->pid)
			err = rt_stack_close(stack, stack->threads.v[i], 0, RT_END_EXEC,
					     event->time);
	return err || !event->comm.name[0] ? err : stack_comm(stack, event);
}

static int stack_lost(struct rt_stack *stack, const struct rt_event *event)
{
	struct rt_task *task = NULL;
	uint64_t *doubt = &stack->doubt;

	if (event->tid) {
		task = rt_threads_get(&stack->threads, event->pid, event->tid, 0);
		if (!task)
			return -ENOMEM;
		doubt = &task->doubt;
	}
	if (*doubt < event->lost.until)
		*doubt = event->lost.until;
	if (!task || !event->lost.count) {
		stack->lost += RT_LOST_MANY;
	} else {
		task->lost += event->lost.count;
		if (task->n && task->v[task->n - 1].fewest > task->n)
			task->v[task->n - 1].fewest = task->n;
	}
	return stack->ops->lost(stack->ctx, task ? &task->thread : NULL, event->time,
				event->lost.count);
}

int rt_stack_event(struct rt_stack *stack, const struct rt_event *event)
{
	switch (event->type) {
	case RT_EV_LOST:
		return stack_lost(stack, event);
	case RT_EV_EXIT:
		return stack_exit(stack, event->pid, event->tid, 0, RT_END_EXITED, event->time);
	case RT_EV_FORK:
		return stack_fork(stack, event);
	case RT_EV_COMM:
		return stack_comm(stack, event);
	case RT_EV_EXEC:
		return stack_exec(stack, event);
	case RT_EV_HIT: case RT_EV_MMAP: case RT_EV_UNSEEN:
		break;
	}
	return 0;
}

int rt_stack_abandon(struct rt_stack *stack, pid_t pid, uint64_t goid, uint64_t time)
{
	return stack_exit(stack, pid, 0, goid, RT_END_NOT_SEEN, time);
}

int rt_stack_goexit(struct rt_stack *stack, pid_t pid, uint64_t goid, uint64_t time)
{
	return stack_exit(stack, pid, 0, goid, RT_END_EXITED, time);
}

/* Close the open calls, of goroutines too or of threads alone. */
static int close_all(struct rt_stack *stack, bool goroutines, enum rt_end end, uint64_t time)
{
	size_t i;
	int err = 0;

	for (i = 0; !err && i < stack->threads.n; i++)
		if (goroutines || !stack->threads.v[i]->thread.goid)
			err = rt_stack_close(stack, stack->threads.v[i], 0, end, time);
	return err;
}

int rt_stack_ended(struct rt_stack *stack, uint64_t time)
{
	return close_all(stack, false, RT_END_EXITED, time);
}

int rt_stack_end(struct rt_stack *stack, uint64_t time)
{
	return close_all(stack, true, RT_END_UNFINISHED, time);
}
