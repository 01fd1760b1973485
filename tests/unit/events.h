/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_TESTS_EVENTS_H
#define RT_TESTS_EVENTS_H

#include <stdio.h>

#include "calls/stack.h"
#include "code/exits.h"

/*
 * A stack of calls, the events that it gets as rows of text, and the lines that it makes of them.
 *
 *	10 t1 enter a sp=1000 4		at time 10 thread 1 calls a; the argument is 4
 *	  1 0 enter a 4			   a line that this makes: thread, level, ...
 *	20 t1 jump b sp=1000 2		a function with a uretprobe jumps to b
 *	30 t1 return b sp=1000 6	the uretprobe of b; sp is the one at its entry
 *	40 t1 exit			also: exec, mmap
 *	50 t1 fork t2
 *	60 lost 7			hits of all threads; with t1: of that thread
 *	70 end				of the trace; ended: of the processes
 *	 0 attached			the processes ran before
 *
 * Functions are a, b, c ...; ? has no name.  "# ..." ends a row.  More words:
 *
 *	enter ... only			the return has no probe
 *	enter ... unknown		the return address is not recorded
 *	enter ... once			it is called once, as main is
 *	enter ... outside		a library makes the call
 *	return ... i386			sp is the one behind the return, which may pop arguments
 *	lost 7 until=35			the ring lost them until then
 *
 * Functions that have probes at their exits, by the names in the table of sites:
 *
 *	10 t1 enter a sp=1000 4 exits	exits=NAME: these
 *	20 t1 leave a sp=1000 4 at=NAME	the exit; ret: a return
 *	leave ... tail			of a function that is not traced
 *	enter ... wide			its result is a long
 *	30 t1 unwind sp=900		the unwinder or longjmp ends the calls below
 *
 * USDT probes that open and close a call, of which the number says which:
 *
 *	10 t1 enter a sp=1000 4 pair
 *	20 t1 close a sp=1000 4 pair
 *	enter ... pair inlined		calls may be in the frame of the call around them
 */

/* An exit, or the exits of a function. */
struct events_site {
	const char *name;
	const struct rt_exit *exit;
	const struct rt_exits *exits;
	uint32_t leads;		/* 1 + the function that the jump leads to; 0: not known */
	bool leads_tail;	/* which is not traced */
	uint32_t returns_to;	/* 1 + the return site behind the call; 0: none */
};

/* Feed a new stack with the rows; the lines that they make must be as they stand below each. */
void events_check(const char *text);
/* The same with sites, ended by one without a name. */
void events_check_exits(const char *text, const struct events_site *sites);

/* Feed rows to any stack. */
void events_rows(struct rt_stack *stack, const char *rows);

/* The parts of this, for loops.  Functions are numbers. */

/* The start of a page, as the uretprobe trampoline is; and a place in the middle of a function. */
#define EVENTS_TRAMPOLINE 0x7ffffffff000
#define EVENTS_CALLER 0x401234

struct events {
	struct rt_stack *stack;
	const struct events_site *sites;
	FILE *file;
	char *text;
	size_t size;
	int fail;		/* what the callbacks return */
};

/* Plans of one int whose architecture takes 8 bytes off the stack at a return. */
extern const struct rt_plan events_entry, events_return;

void events_begin(struct events *e);
/* Feed one row. */
void events_row(struct events *e, const char *row);
/* Compare, and free everything. */
void events_finish(struct events *e, const char *want);

int events_hit(struct events *e, const struct rt_plan *plan, pid_t tid, uint32_t function,
	       bool returns, uint64_t time, uint64_t sp, uint64_t ra, int64_t value);
void events_call(struct events *e, pid_t tid, uint32_t function, uint64_t time, uint64_t sp,
		 int64_t value);
/* `sp` is the one at entry. */
void events_return_from(struct events *e, pid_t tid, uint32_t function, uint64_t time, uint64_t sp,
			int64_t value);
void events_event(struct events *e, enum rt_event_type type, pid_t tid, uint64_t time);
void events_fork(struct events *e, pid_t parent, pid_t tid, uint64_t time);
void events_comm(struct events *e, pid_t tid, const char *name);

#endif
