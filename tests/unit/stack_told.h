/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_TESTS_STACK_TOLD_H
#define RT_TESTS_STACK_TOLD_H

#include <stdio.h>

#include "calls/stack.h"

/* The start of a page, as the uretprobe trampoline is; and a place in the middle of a function. */
#define TOLD_TRAMPOLINE 0x7ffffffff000
#define TOLD_CALLER 0x401234

/* A stack and everything that it told, a line each.  Functions are a, b, c ... */
struct told {
	struct rt_stack *stack;
	FILE *file;
	char *text;
	size_t size;
	int fail;		/* what the callbacks return */
};

/* Plans of one int whose architecture takes 8 bytes off the stack at a return. */
extern const struct rt_plan told_entry, told_return;

void told_begin(struct told *told);
/* Compares, and gives everything back. */
void told_finish(struct told *told, const char *want);

int told_hit(struct told *told, const struct rt_plan *plan, pid_t tid, uint32_t function, bool returns, uint64_t time,
	     uint64_t sp, uint64_t ra, int64_t value);
void told_call(struct told *told, pid_t tid, uint32_t function, uint64_t time, uint64_t sp, int64_t value);
/* A call by a jump out of a function that has a uretprobe. */
void told_tail(struct told *told, pid_t tid, uint32_t function, uint64_t time, uint64_t sp, int64_t value);
/* `sp` is the one at entry. */
void told_ret(struct told *told, pid_t tid, uint32_t function, uint64_t time, uint64_t sp, int64_t value);

/* `tid` 0: of any thread. */
void told_lost(struct told *told, pid_t tid, uint64_t time, uint64_t count);
void told_event(struct told *told, enum rt_event_type type, pid_t tid, uint64_t time);
void told_fork(struct told *told, pid_t parent, pid_t tid, uint64_t time);
void told_comm(struct told *told, pid_t tid, const char *name);

#endif
