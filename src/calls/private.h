/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_PRIVATE_H
#define RT_CALLS_PRIVATE_H

#include "calls/threads.h"

enum { RT_LOST_MANY = 1 << 20 };

/* Shared by stack.c (hits) and threads.c (other events). */
struct rt_stack {
	const struct rt_call_ops *ops;
	void *ctx;
	struct rt_threads threads;
	uint64_t doubt;		/* hits of any thread were lost before this time; 0: none */
	/* how many; RT_LOST_MANY if it is not known how many of which thread */
	uint64_t lost;
	uint64_t too_deep;	/* so many returns were not seen because the kernel keeps no more */
	bool attached;			/* the process had calls open when the trace began */
};

/*
 * The task of the event's thread, made when it is new.  The thread of another process that had the
 * id before has ended, and its exit event was lost.  0 or a negative errno.
 */
int rt_stack_get_task(struct rt_stack *stack, const struct rt_event *event, uint64_t goid,
		      struct rt_task **task);

/*
 * Close the calls from the innermost out until `n` are left.  0, or what a callback of rt_call_ops
 * returned.
 */
int rt_stack_close(struct rt_stack *stack, struct rt_task *task, size_t n, enum rt_end end,
		   uint64_t time);

#endif
