/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_THREADS_H
#define RT_CALLS_THREADS_H

#include "calls/stack.h"

/*
 * The threads of a trace and the calls that are open in each.  A thread stays after it ended, as
 * its id may come again and the sinks keep what they know of it in rt_thread.user; only its frames
 * are given back.  Goroutines, and stacks that the program has made, are forgotten: their numbers
 * never come again, and a server may have had millions.
 */
struct rt_task {
	struct rt_thread thread;	/* first: what the outputs see */
	/* open calls, outermost first; their stack pointers never increase */
	struct rt_frame *v;
	size_t n, cap;
	uint64_t highest;		/* stack pointer of any call seen */
	uint64_t doubt;			/* hits of it were lost before this time; 0: none */
	uint64_t lost;			/* how many */
	struct rt_task *next;		/* in the same slot of the hash table */
	size_t at;			/* in rt_threads.v */
};

struct rt_threads {
	/* in the order in which they appeared, until one is forgotten */
	struct rt_task **v;
	size_t n, cap;
	struct rt_task **slots;
	unsigned bits;			/* 1 << bits slots; 0: no table yet */
	struct rt_task *last;		/* events of one thread come in runs */
};

/*
 * A goroutine (`goid` not 0) is found by its process, whatever its thread.  For a thread, the
 * process (0: not known) is only noted.
 */
struct rt_task *rt_threads_find(struct rt_threads *threads, pid_t pid, pid_t tid,
				uint64_t goid); /* NULL: not known */
struct rt_task *rt_threads_get(struct rt_threads *threads, pid_t pid, pid_t tid,
			       uint64_t goid); /* NULL: out of memory */
void rt_threads_free(struct rt_threads *threads);

/*
 * A stage behind the stack has a state of each thread: `size` bytes in thread.user[0] of its own
 * list, zeroed at first.  NULL: out of memory.  When the thread has ended, the stage takes the
 * state and frees it; NULL: there was none.
 */
void *rt_threads_state(struct rt_threads *threads, const struct rt_thread *thread, size_t size);
void *rt_threads_take_state(struct rt_threads *threads, const struct rt_thread *thread);

/*
 * Give back the frames of a thread that ended; and all of it: `task` is freed, what thread.user
 * leads to is not.
 */
void rt_task_clear(struct rt_task *task);
void rt_threads_forget(struct rt_threads *threads, struct rt_task *task);

#endif
