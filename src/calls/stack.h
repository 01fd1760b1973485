/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_STACK_H
#define RT_CALLS_STACK_H

#include <stdbool.h>

#include "stream/event.h"
#include "fetch/fetch.h"
#include "code/exits.h"

/*
 * Ordered events -> enter and leave, paired by thread and stack pointer.
 *
 * The stack grows down, so a frame whose entry stack pointer lies below the one of a new event has
 * gone, whether or not its return was seen.  Two calls at the same stack pointer: the second is a
 * tail call of the first where its return address is the kernel's uretprobe trampoline (a
 * page-aligned address: the start of the process's [uprobes] page), and its successor else.  Where
 * the return address was not recorded (nothing in the process can longjmp), the second is a tail
 * call unless the first one's return could not be seen: past 64 levels, or hits may have been lost
 * since.
 *
 * A function with exit probes tells of its jump.  If the jump's slot or register may lead to a
 * traced function, the thread's next hit decides: that function's entry at the same stack pointer
 * is the tail call.
 *
 * Lost hits may be the return of an open call and the entry of a later one at the same stack
 * pointer, as in a loop that calls hot().  The later call's return looks like the first one's, and
 * is unsure.  The return is certainly the first call's
 *   - if too few hits were lost: the returns of the call and of all calls inside it, and an entry,
 *   if
 *     nothing can unwind the stack;
 *   - of main, which is called once.
 * For other outer calls, however surely they seem to go on, no hit shows it: a caller that is not
 * traced may have called the same function again.  Until the return, what stands inside the call
 * after the loss may belong to a later one.
 */

enum rt_end {
	RT_END_RETURNED,	/* the return was seen */
	/* gone without a return that was seen: longjmp, past 64 levels, a lost event */
	RT_END_NOT_SEEN,
	RT_END_UNWOUND,		/* gone without a return: an exception, longjmp */
	/*
	 * left by a tail call of something that is not traced, or not known to be: its result was
	 * not seen
	 */
	RT_END_JUMPED,
	/* it became the call that is entered next, at the same level, by a tail call */
	RT_END_BECAME,
	RT_END_EXITED,		/* its thread or goroutine ended inside it */
	RT_END_EXEC,		/* its process ran another program */
	RT_END_UNFINISHED,	/* still open when the trace ended */
};

/* Values of a plan, as they stand in the record. */
struct rt_values {
	const struct rt_plan *plan;	/* NULL: nothing was read */
	const uint8_t *data;
	uint32_t faults;
};

#define RT_NO_FUNCTION UINT32_MAX

/* In goid: it is no goroutine but a stack that the program has made (calls/stacks.h), by number. */
#define RT_GOID_STACK (UINT64_C(1) << 40)

/* In goid: of which of the process's Go runtimes (runtimes.h) it is one, times its number. */
#define RT_GOID_RUNTIME (UINT64_C(1) << 41)

static inline unsigned rt_goid_runtime(uint64_t goid)
{
	return (unsigned)(goid / RT_GOID_RUNTIME);
}

/* How many sinks a session may have. */
enum { RT_SINKS_MAX = 4 };

struct rt_thread {
	pid_t pid, tid;			/* of a goroutine: the thread in which it was first seen */
	/*
	 * 0: it is none; a goroutine goes from thread to thread, and is told apart by this and the
	 * process
	 */
	uint64_t goid;
	char comm[16];			/* "" until known */
	void *user[RT_SINKS_MAX];	/* each sink's own, NULL at first */
};

struct rt_frame {
	uint32_t function; /* index into the session's functions; RT_NO_FUNCTION: its entry was not
			    * seen and the return alone does not tell */
	bool entry_seen;
	/* --libcalls: only the program's own calls of it are meant */
	bool libcall;
	bool outside;			/* and this is none */
	/* its return is probed; an entry-only call is entered and left at once */
	bool returns;
	bool at_exits;			/* at the instructions that leave it */
	const struct rt_exits *exits;	/* those of its function, or NULL */
	/* one of those, a jump, has left it: what it jumped to returns for it */
	bool jumped;
	/* the call above it at the same stack pointer, which was told instead of it */
	bool became;
	/* the next hit tells whether that was to callee or exit->through */
	bool awaits;
	const struct rt_exit *exit;	/* where it jumped */
	uint64_t left;			/* and when */
	/* where it jumped to, RT_NO_FUNCTION: to no function that is traced, or not known */
	uint32_t callee;
	const char *to;			/* its name where it is not traced, or NULL; not owned */
	unsigned level;			/* 0: outermost */
	uint64_t sp;			/* at entry */
	uint64_t time;			/* of the entry; 0 where it was not seen */
	uint64_t lost_before;		/* how many hits were lost before it */
	size_t fewest;			/* how few calls, with it, were open when hits were lost */
	bool once;			/* there is no second call of it in the process */
	bool leaps;			/* it may be left without a hit */
	bool unsure;			/* returned: maybe a later call did */
	bool before;			/* entry not seen: it began before the trace */
};

/* What an output is told.  Each returns 0 or a negative errno, which ends the trace. */
struct rt_stack_ops {
	int (*enter)(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		     const struct rt_values *args);
	/*
	 * `time` is the time of the event that showed it.  `result` has a plan only where end is
	 * RT_END_RETURNED.  A frame whose entry was not seen (entry_seen false) is only left.
	 */
	int (*leave)(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		     enum rt_end end, uint64_t time, const struct rt_values *result);
	/* Hits were lost in `thread`; NULL: in any of them.  `count` 0: the number is not known. */
	int (*lost)(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count);
	/*
	 * The thread or goroutine has ended, with nothing open; a thread's id may come again.
	 * NULL: nothing is kept of it.
	 */
	void (*gone)(void *ctx, struct rt_thread *thread);
};

/* What the stack knows of the session: which function and plan a hit was of. */
struct rt_hit {
	/* RT_NO_FUNCTION at a return that the mechanism cannot name */
	uint32_t function;
	bool returns;			/* entry: the function's return is probed too, */
	const struct rt_exits *exits;	/* entry: all of these of its function, or NULL */
	/* by probes on the instructions that leave it: no return goes unseen but by lost hits */
	bool at_exits;
	const struct rt_exit *exit;	/* return: which of those; NULL: a uretprobe */
	/* a jump by a pointer: 1 + the traced function it leads to; 0: none */
	uint32_t leads;
	bool once;			/* entry: of main */
	bool libcall, outside;		/* entry: as in struct rt_frame */
	/* never NULL: its kind says whether it is an entry or a return */
	const struct rt_plan *plan;
};

struct rt_stack;

struct rt_stack *rt_stack_new(const struct rt_stack_ops *ops, void *ctx); /* NULL: out of memory */
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
 * The unwinder goes on at a place whose stack pointer is above the event's: what is at it and below
 * has been left.
 */
int rt_stack_unwound(struct rt_stack *stack, const struct rt_event *event);

/* Something else is made of the stack of process `pid` that has goid `goid`. */
int rt_stack_abandon(struct rt_stack *stack, pid_t pid, uint64_t goid, uint64_t time);

/* Goroutine `goid` of process `pid` has ended. */
int rt_stack_goexit(struct rt_stack *stack, pid_t pid, uint64_t goid, uint64_t time);
/*
 * The processes have ended.  What a thread has open was left by its end, which the kernel then
 * could not tell of, as its ring was full; of a goroutine nobody knows.
 */
int rt_stack_ended(struct rt_stack *stack, uint64_t time);

/* The trace is over: close what is open, innermost first, as RT_END_UNFINISHED. */
int rt_stack_end(struct rt_stack *stack, uint64_t time);

/* How many returns were not seen because the kernel keeps no more pending ones of a thread. */
uint64_t rt_stack_too_deep(const struct rt_stack *stack);

/* The thread, made when it is new; NULL: out of memory. */
struct rt_thread *rt_stack_thread(struct rt_stack *stack, pid_t pid, pid_t tid);

#endif
