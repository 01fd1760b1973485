/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_OWNERS_H
#define RT_CALLS_OWNERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/pids.h"
#include "stream/event.h"
#include "stream/members.h"

/*
 * Owners: the traced process that an event is of.
 *
 * perf events name process and thread.  Records of BPF programs and of tracefs name the thread
 * alone, and after an exec by another thread even the number of a thread changes.  So each process
 * has the list of its threads: read from /proc at the start, then changed by every fork, exec and
 * exit event.
 *
 * Example: process 70 has threads 70 and 71.  Thread 71 starts 72: the fork event adds 72 to
 * process 70, and the next hit of 72 is of process 70.  Thread 90 of another process starts 91: 90
 * is no thread of ours, so the fork event is ignored.
 *
 * With -f a child of process 70 is a process of its own from its fork event on.  There the kernel
 * gives hits of traced processes alone, so the fork of a process that is not known was lost.
 *
 * Limits: events are lost when a ring is full.  The owner of a thread without a fork event is read
 * from /proc/TID/status.  If the thread has ended too, its owner stays unknown, and its hits are
 * counted as unplaced.  A thread id may be reused: the lists of foreign and unknown threads are
 * emptied after a loss.
 */

/*
 * Stacks that the program makes, for coroutines and signals: which of them a stack pointer is on.
 * Calls on such a stack are not those of the threads that run it, for a switch of stacks ends none
 * of them.
 */
struct rt_stacks {
	struct rt_made_stack {
		uint64_t start, end, goid;
		/* the thread that gets its signals, 0: none any more, or a coroutine's */
		pid_t signals_of;
	} *v;				/* by address, apart from each other */
	size_t n, cap;
	uint64_t last;			/* number given */
};

/* The goid (RT_GOID_STACK and a number) of the stack that `sp` is on, 0: none. */
uint64_t rt_stacks_find(const struct rt_stacks *stacks, uint64_t sp);

/*
 * A new one.  After rt_stacks_take has taken out what it overlaps.  0 or -ENOMEM; nonsense is
 * passed over.
 */
int rt_stacks_add(struct rt_stacks *stacks, uint64_t start, uint64_t size);

/* Take out one that overlaps, and return its goid; 0: none does. */
uint64_t rt_stacks_take(struct rt_stacks *stacks, uint64_t start, uint64_t size);

/*
 * From now on the thread's signals come to the stack that begins at `start`, and to no other; 0: to
 * its own.
 */
void rt_stacks_signals(struct rt_stacks *stacks, pid_t tid, uint64_t start);

/* The goid of that stack, 0: there is none. */
uint64_t rt_stacks_of_signals(const struct rt_stacks *stacks, pid_t tid);

/* Make the empty `to` a copy of `from`.  0 or -ENOMEM. */
int rt_stacks_copy(struct rt_stacks *to, const struct rt_stacks *from);

void rt_stacks_free(struct rt_stacks *stacks);

/*
 * The last stacks that goroutines were seen on.  The kernel does not wait for memory that is being
 * moved (khugepaged, compaction), so a hit now and then cannot read its goroutine (runtime.g); its
 * stack pointer finds it then.
 */
struct rt_goroutines {
	struct rt_goroutine {
		uint64_t low, high;	/* of the stack */
		uint64_t goid;		/* 0: none */
		uint64_t time;
	} v[64];			/* by the last bits of the goid */
};

/* Goroutine `goid` was on its stack from `low` to `high`. */
void rt_goroutines_saw(struct rt_goroutines *g, uint64_t low, uint64_t high, uint64_t goid,
		       uint64_t time);

/* It has ended. */
void rt_goroutines_ended(struct rt_goroutines *g, uint64_t goid);

/* Who was seen last on a stack with `sp` in it; NULL: nobody that is remembered. */
const struct rt_goroutine *rt_goroutines_find(const struct rt_goroutines *g, uint64_t sp);

/*
 * The threads that have the memory by which the kernel knows a process (enum rt_add_reason in
 * attach/attach.h). A program that another thread runs by exec has the process's number, and so has
 * that thread then.
 */
struct rt_anchor {
	pid_t tid;		/* the thread; 0: it has ended */
	pid_t spare;		/* another, for then; 0: there is none */
	uint64_t ready;		/* since when that is in place */
	uint64_t since;		/* when the last one ended, or another program began after that */
	uint64_t until;		/* when a thread of the process ended last */
	uint64_t ending;	/* when a thread was first seen ending after `since`; 0: none */
	bool exec;		/* the latter */
	bool end_seen;		/* the other program's end had an event */
	bool done;		/* nothing more can be done */
	unsigned spares;	/* how many there were */
};

/* Thread `tid` has ended. */
void rt_anchor_exit(struct rt_anchor *anchor, pid_t tid, uint64_t time);
/* Another program runs, in one thread, which has the process's number now. */
void rt_anchor_exec(struct rt_anchor *anchor, pid_t pid, uint64_t time);

/* A traced process. */
struct rt_process {
	pid_t pid;
	struct rt_members members;
	struct rt_anchor anchor;
	uint64_t exec;			/* the time of its last exec, or 0 */
	bool executed;			/* its last event was an exec */
	bool adopted;			/* no event gave its mappings and name */
	struct rt_stacks stacks;	/* of coroutines and signals */
	struct rt_goroutines goroutines;
};

struct rt_owners {
	struct rt_process **v;		/* sorted by pid */
	size_t n, cap;
	bool children;			/* children are traced too */
	bool all;			/* every process is traced that runs a file of the trace */
	bool filtered;			/* and the kernel gives hits of traced processes alone */
	struct rt_members foreign;	/* threads of other processes */
	struct rt_members unknown;	/* threads that ended before their owner was read */
	/* hits of unknown threads that are not reported as lost yet */
	uint64_t unplaced;
	uint64_t untraced;		/* children that are not traced */
};

/* `pids` are the traced processes.  0 or -ENOMEM; free it in both cases.  Then set `children`. */
int rt_owners_init(struct rt_owners *owners, const struct rt_pids *pids);
void rt_owners_free(struct rt_owners *owners);

/* The process that the event names, or that has its thread; NULL: none. */
struct rt_process *rt_owners_known(const struct rt_owners *owners, const struct rt_event *event);

/* The traced process `pid`, or NULL. */
struct rt_process *rt_owners_find_pid(const struct rt_owners *owners, pid_t pid);

/*
 * The process of the next event of the stream; updates the lists of threads.  For a new process it
 * is the parent, for rt_owners_add.  `*process` NULL: it is not traced.  `inside`: the event's time
 * is within the trace, so it counts for `unplaced` and `untraced`.  0 or -ENOMEM.
 */
int rt_owners_find(struct rt_owners *owners, const struct rt_event *event, bool inside,
		   struct rt_process **process);

/*
 * Trace the process `pid` too: a child of `parent`, with a copy of its stacks and goroutines, or,
 * with NULL, its fork event was lost.  NULL: out of memory.
 */
struct rt_process *rt_owners_add(struct rt_owners *owners, pid_t pid,
				 const struct rt_process *parent);

/* The process has ended; it is freed. */
void rt_owners_remove(struct rt_owners *owners, struct rt_process *process);

/* Events were lost: what processes run, and their names, may be others meanwhile. */
void rt_owners_doubt(struct rt_owners *owners);

/* Events were lost: thread ids may have been reused meanwhile. */
void rt_owners_note_lost(struct rt_owners *owners);

/* Add the threads that the process has now, from /proc.  0 or -ENOMEM. */
int rt_process_read_threads(struct rt_process *process);

/* Thread `tid` has ended. */
void rt_process_exit(struct rt_process *process, pid_t tid, uint64_t time);

/* The process runs another program, in one thread and with new memory.  0 or -ENOMEM. */
int rt_process_exec(struct rt_process *process, uint64_t time);

/* A thread that is neither the first nor the anchor; 0: there is none. */
pid_t rt_process_other_thread(const struct rt_process *process);

#endif
