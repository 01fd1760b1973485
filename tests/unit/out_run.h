/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_TESTS_OUT_RUN_H
#define RT_TESTS_OUT_RUN_H

#include "calls/stack.h"
#include "output/sink.h"

/* A sink over a stack, into memory.  The trace begins at 1000; everything happens in process 7. */
struct run {
	struct rt_sinks sinks;
	struct rt_sink *sink;	/* the only one of them */
	struct rt_stack *stack;
	char *text;
	size_t size;
};

/* fib, and a name that must be escaped. */
extern const struct rt_functions run_functions;

void run_begin(struct run *run, const char *format, const char *command);
void run_begin_ops(struct run *run, const struct rt_sink_ops *ops, const char *command);
/* Ends the sink without its end; its text is whole then. */
void run_free(struct run *run);
/* Compares, and gives everything back. */
void run_finish(struct run *run, const char *want);

/* A hit with 8 bytes for each value of the plan, which are overwritten afterwards. */
void run_hit(struct run *run, const struct rt_plan *plan, pid_t tid, uint32_t function,
	     uint64_t time, uint64_t sp, bool returns, const int64_t *values);
/* fib with one int, and its return. */
void run_call(struct run *run, pid_t tid, uint64_t time, uint64_t sp, int64_t value);
void run_ret(struct run *run, pid_t tid, uint64_t time, uint64_t sp, int64_t value);

void run_lost(struct run *run, uint64_t time, uint64_t count);
void run_comm(struct run *run, pid_t tid, const char *name);
void run_exit(struct run *run, pid_t tid, uint64_t time);

#endif
