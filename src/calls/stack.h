/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_STACK_H
#define RT_CALLS_STACK_H

#include "code/exits.h"
#include "fetch/fetch.h"
#include "stream/call.h"
#include "stream/event.h"

/*
 * Ordered events -> enter and leave, paired by thread and stack pointer.
 *
 * The stack grows down, so a frame with an entry stack pointer below the one of a new event has
 * gone, whether or not its return was seen.
 *
 * For two calls at the same stack pointer, the return address of the second decides:
 * - the kernel's uretprobe trampoline (a page-aligned address: the start of the process's [uprobes]
 *   page): the second is a tail call of the first;
 * - another address: the first has returned;
 * - not recorded (nothing in the process can longjmp): the second is a tail call, unless the first
 *   one's return could not be seen: past 64 levels, or hits may have been lost since.
 *
 * A function with exit probes reports its jump.  If the jump's slot or register may lead to a
 * traced function, the thread's next hit decides: that function's entry at the same stack pointer
 * is the tail call.
 *
 * Lost hits may be the return of an open call and the entry of a later one at the same stack
 * pointer, as in a loop that calls hot().  The later call's return looks like the first one's, and
 * is unsure.  The return is certainly the first call's in two cases:
 * - nothing can unwind the stack, and too few hits were lost for the returns of the call and of
 *   all calls inside it, and an entry;
 * - the call is of main, which is called once.
 *
 * No hit shows that another outer call is still open: a caller that is not traced may have called
 * the same function once more.  Until the return, calls inside it after the loss may belong to a
 * later one.
 */

/* The session's knowledge of a hit: its function and plan. */
struct rt_hit {
	/* RT_NO_FUNCTION at a return that the mechanism cannot name */
	uint32_t function;
	bool returns;			/* entry: the function's return is probed too, */
	const struct rt_exits *exits;	/* entry: all of these of its function, or NULL */
	/* by probes on the instructions that leave it: no return goes unseen but by lost hits */
	bool at_exits;
	const struct rt_exit *exit;	/* return: which of those; NULL: a uretprobe */
	/* return: of a function that is not traced, where tail calls of traced ones return */
	bool tail;
	bool return_site;		/* return: behind a call (calls/return_sites.h) */
	uint32_t returns_to;		/* a jump: 1 + the return site that it leads to; 0: none */
	/* entry: with at_exits, the plan that the return of such a function must have; else NULL */
	const struct rt_plan *result;
	/* a jump by a pointer: 1 + the traced function it leads to; 0: none */
	uint32_t leads;
	bool leads_tail;		/* it is a function with `tail`: no entry will confirm it */
	bool once;			/* entry: of main */
	bool libcall, outside;		/* entry: as in struct rt_frame */
	/* of USDT probes that open and close a call: which pair (0: none), and which call of it */
	uint32_t pair;
	bool closes, inlined;
	uint64_t key;
	/* never NULL: its kind says whether it is an entry or a return */
	const struct rt_plan *plan;
};

struct rt_stack;

struct rt_stack *rt_stack_new(const struct rt_call_ops *ops, void *ctx); /* NULL: out of memory */
void rt_stack_free(struct rt_stack *stack);

/* The process ran before the trace began, so that returns come of calls that were not seen. */
void rt_stack_attached(struct rt_stack *stack);

/* One event of type RT_EV_HIT with what is known of it.  0 or a negative errno. */
int rt_stack_hit(struct rt_stack *stack, const struct rt_event *event, const struct rt_hit *hit);
/*
 * RT_EV_LOST, RT_EV_EXIT, RT_EV_COMM, RT_EV_EXEC, RT_EV_FORK (a reused tid begins empty); others
 * are passed over.
 */
int rt_stack_event(struct rt_stack *stack, const struct rt_event *event);
/*
 * The unwinder continues at a stack pointer above the event's.  Every frame at it and below
 * has been left.
 */
int rt_stack_unwound(struct rt_stack *stack, const struct rt_event *event);

/* Something else is made of the stack of process `pid` that has goid `goid`. */
int rt_stack_abandon(struct rt_stack *stack, pid_t pid, uint64_t goid, uint64_t time);

/*
 * Process `event->fork.pid` was forked by thread `event->tid` of another one.  It has a copy of the
 * calls that are open in that thread, and shows of these the returns alone.  0 or a negative errno.
 */
int rt_stack_fork(struct rt_stack *stack, const struct rt_event *event);

/* All threads of the process have ended; they are forgotten.  0 or a negative errno. */
int rt_stack_process_end(struct rt_stack *stack, pid_t pid, uint64_t time);

/* Goroutine `goid` of process `pid` has ended. */
int rt_stack_goexit(struct rt_stack *stack, pid_t pid, uint64_t goid, uint64_t time);
/*
 * The processes have ended.  A thread's end closed its open calls, but the kernel could not report
 * it, as the thread's ring was full.  Goroutines have no such end.
 */
int rt_stack_ended(struct rt_stack *stack, uint64_t time);

/* The trace is over: close what is open, innermost first, as RT_END_UNFINISHED. */
int rt_stack_end(struct rt_stack *stack, uint64_t time);

/*
 * The number of returns that were not seen because the kernel keeps no more pending ones of a
 * thread.
 */
uint64_t rt_stack_too_deep(const struct rt_stack *stack);

/* The thread, made when it is new; NULL: out of memory. */
struct rt_thread *rt_stack_thread(struct rt_stack *stack, pid_t pid, pid_t tid);

#endif
