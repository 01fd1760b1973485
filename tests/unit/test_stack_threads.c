/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <time.h>

#include "calls/filter.h"
#include "calls/owners.h"
#include "calls/threads.h"
#include "events.h"
#include "unit.h"

/* Threads that come and go, and many of them. */

static void test_threads(void)
{
	events_check(
		"10 t2 enter a sp=1000 1\n"
		"  2 0 enter a 1\n"
		"20 t1 enter b sp=900 2\n"
		"  1 0 enter b 2\n"
		"30 t2 enter b sp=950 3\n"
		"  2 1 enter b 3\n"
		"40 t1 return b sp=900 4\n"
		"  1 0 leave b returned 4 20-40\n"
		"50 t1 enter c sp=900 5\n"
		"  1 0 enter c 5\n"
		"60 end\n"
		"  2 1 leave b unfinished 30-60\n"
		"  2 0 leave a unfinished 10-60\n"
		"  1 0 leave c unfinished 50-60\n"
		"70 end                   # nothing is left open\n");
}

/* The processes have ended, and of one thread nothing told that. */
static void test_ended(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"11 t2 enter b sp=1000 1\n"
		"  2 0 enter b 1\n"
		"30 t1 exit\n"
		"  1 0 leave a exited 10-30\n"
		"60 ended\n"
		"  2 0 leave b exited 11-60\n"
		"60 end\n");
}

static void test_exit(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"11 t2 enter a sp=1000 1\n"
		"  2 0 enter a 1\n"
		"20 t1 enter b sp=900 2\n"
		"  1 1 enter b 2\n"
		"30 t1 exit\n"
		"  1 1 leave b exited 20-30\n"
		"  1 0 leave a exited 10-30\n"
		"31 t3 exit                # never seen\n"
		"40 t2 return a sp=1000 3\n"
		"  2 0 leave a returned 3 11-40\n"
		"50 t1 enter c sp=800 4    # the id again, and nothing of the old thread\n"
		"  1 0 enter c 4\n");
}

/* Calls of the new program are inside none of the old one's, wherever its stack is. */
static void test_exec(void)
{
	events_check(
		"10 t1 enter a sp=1000 1\n"
		"  1 0 enter a 1\n"
		"20 t2 enter b sp=2000 2\n"
		"  2 0 enter b 2\n"
		"30 t1 exec\n"
		"  1 0 leave a exec 10-30\n"
		"  2 0 leave b exec 20-30\n"
		"40 t1 enter c sp=500 3\n"
		"  1 0 enter c 3\n"
		"50 t1 return c sp=500 4\n"
		"  1 0 leave c returned 4 40-50\n");
}

static void test_fork(void)
{
	struct rt_thread *thread;
	struct events t;

	events_begin(&t);
	events_comm(&t, 1, "parent");
	events_call(&t, 2, 0, 10, 1000, 1);
	events_comm(&t, 2, "old");
	events_fork(&t, 1, 2, 20);		/* its exit was lost */
	events_call(&t, 2, 1, 30, 800, 2);
	thread = rt_stack_thread(t.stack, 1, 2);
	RT_ASSERT_TEXT(thread->comm, "parent");
	events_fork(&t, 9, 2, 40);		/* by a thread that is not known */
	RT_ASSERT_TEXT(thread->comm, "");
	events_finish(&t, "2 0 enter a 1\n"
		   "2 0 leave a exited 10-20\n"
		   "2 0 enter b 2\n"
		   "2 0 leave b exited 30-40\n");
}

static void test_comm(void)
{
	struct rt_thread *thread;
	struct events t;

	events_begin(&t);
	thread = rt_stack_thread(t.stack, 5, 6);
	CU_ASSERT_FATAL(thread != NULL);
	CU_ASSERT(thread->pid == 5 && thread->tid == 6);
	RT_ASSERT_TEXT(thread->comm, "");
	events_comm(&t, 6, "worker");
	RT_ASSERT_TEXT(thread->comm, "worker");
	events_comm(&t, 6, "0123456789abcdefgh");	/* 16 bytes without an end */
	RT_ASSERT_TEXT(thread->comm, "0123456789abcde");
	CU_ASSERT(thread->pid == 1);
	CU_ASSERT(rt_stack_thread(t.stack, 0, 6) == thread);
	CU_ASSERT(thread->pid == 1);
	events_finish(&t, "");
}

/* Count calls and do nothing else. */
struct count {
	uint64_t enters, leaves, deepest;
};

static int count_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		       const struct rt_values *args)
{
	struct count *count = ctx;

	(void)thread;
	(void)args;
	count->enters++;
	if (frame->level > count->deepest)
		count->deepest = frame->level;
	return 0;
}

static int count_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		       enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct count *count = ctx;

	(void)thread;
	(void)frame;
	(void)end;
	(void)time;
	(void)result;
	count->leaves++;
	return 0;
}

static const struct rt_call_ops count_ops = { .enter = count_enter, .leave = count_leave };

static double seconds(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* A million levels, and at half of them a jump out: quadratic work would take minutes. */
static void test_deep(void)
{
	enum { DEPTH = 1000000 };
	struct count count = { 0, 0, 0 };
	struct events t = { .stack = rt_stack_new(&count_ops, &count) };
	const uint64_t top = UINT64_C(1) << 40;
	double start = seconds();
	uint64_t i;

	for (i = 0; i < DEPTH; i++)
		events_call(&t, 1, 0, i, top - 64 * i, 1);
	CU_ASSERT(count.deepest == DEPTH - 1);
	for (i = DEPTH - 1; i >= DEPTH / 2; i--)
		events_return_from(&t, 1, 0, DEPTH, top - 64 * i, 1);
	CU_ASSERT(count.leaves == DEPTH / 2);
	events_return_from(&t, 1, 0, DEPTH, top, 1);
	CU_ASSERT(count.leaves == DEPTH);
	CU_ASSERT(seconds() - start < 20);
	rt_stack_free(t.stack);
}

static void test_many_threads(void)
{
	enum { THREADS = 100000 };
	struct count count = { 0, 0, 0 };
	struct events t = { .stack = rt_stack_new(&count_ops, &count) };
	double start = seconds();
	pid_t tid;

	for (tid = 1; tid <= THREADS; tid++) {
		events_fork(&t, 1, tid, 1);
		events_call(&t, tid, 0, 2, 1000, 1);
		events_call(&t, tid, 0, 3, 900, 1);
		if (tid & 1)
			events_event(&t, RT_EV_EXIT, tid, 4);
	}
	CU_ASSERT(count.enters == 2 * THREADS);
	CU_ASSERT(count.leaves == THREADS);
	CU_ASSERT(rt_stack_end(t.stack, 5) == 0);
	CU_ASSERT(count.leaves == 2 * THREADS);
	CU_ASSERT(seconds() - start < 20);
	rt_stack_free(t.stack);
}

/*
 * Every second of many, so that those which hash alike stand before, between and behind the ones
 * that go.
 */
static void test_forget(void)
{
	enum { TASKS = 1000 };
	struct rt_threads threads = { .v = NULL };
	struct rt_task *task;
	unsigned i;

	for (i = 1; i <= TASKS; i++)
		CU_ASSERT_FATAL(rt_threads_get(&threads, 1, 2, i) != NULL);
	for (i = 1; i <= TASKS; i += 2) {
		task = rt_threads_find(&threads, 1, 0, i);
		CU_ASSERT_FATAL(task != NULL);
		rt_threads_forget(&threads, task);
	}
	CU_ASSERT(threads.n == TASKS / 2);
	for (i = 1; i <= TASKS; i++) {
		task = rt_threads_find(&threads, 1, 0, i);
		CU_ASSERT(i & 1 ? !task
				: task && task->thread.goid == i && threads.v[task->at] == task);
	}
	CU_ASSERT(rt_threads_get(&threads, 1, 2, 1) != NULL);
	while (threads.n)
		rt_threads_forget(&threads, threads.v[0]);
	CU_ASSERT(rt_threads_find(&threads, 1, 2, 2) == NULL);
	rt_threads_free(&threads);
}

struct count_ends {
	struct count count;
	unsigned gone;
};

static void count_gone(void *ctx, struct rt_thread *thread)
{
	struct count_ends *ends = ctx;

	CU_ASSERT(thread->tid == 7 || thread->goid == 9);
	ends->gone++;
}

/*
 * Whoever keeps something of a thread is told when it has ended, behind a filter too; and it may
 * come again.
 */
static void test_gone(void)
{
	static const struct rt_call_ops ops = { .enter = count_enter,
						.leave = count_leave,
						.gone = count_gone };
	static const struct rt_filter_want want = { .limit = { .depth = 1 } };
	static const struct rt_plan plan = { .kind = RT_KIND_ENTRY };
	struct rt_event event = {
		.type = RT_EV_HIT, .time = 1, .pid = 1, .tid = 8, .hit = { .sp = 1000, .goid = 9 }
	};
	const struct rt_hit hit = { .function = 0, .returns = true, .plan = &plan };
	struct count_ends ends = { .gone = 0 };
	struct rt_filter *filter = rt_filter_new(&want, &ops, &ends);
	struct events t = { .stack = rt_stack_new(&rt_filter_ops, filter) };

	events_call(&t, 7, 0, 2, 1000, 0);
	events_event(&t, RT_EV_EXIT, 7, 3);
	CU_ASSERT(ends.gone == 1);
	events_call(&t, 7, 0, 4, 1000, 0);
	events_event(&t, RT_EV_EXIT, 7, 5);
	CU_ASSERT(ends.gone == 2);
	events_event(&t, RT_EV_EXIT, 6, 6);
	CU_ASSERT(rt_stack_hit(t.stack, &event, &hit) == 0);
	CU_ASSERT(rt_stack_goexit(t.stack, 1, 9, 7) == 0);
	CU_ASSERT(ends.gone == 3);
	CU_ASSERT(rt_stack_goexit(t.stack, 1, 9, 8) == 0);
	CU_ASSERT(ends.gone == 3);
	CU_ASSERT(rt_stack_hit(t.stack, &event, &hit) == 0);
	CU_ASSERT(rt_stack_abandon(t.stack, 1, 9, 8) == 0);
	CU_ASSERT(ends.gone == 4);
	CU_ASSERT(rt_stack_end(t.stack, 9) == 0);
	CU_ASSERT(ends.count.enters == 4 && ends.count.leaves == 4);
	rt_stack_free(t.stack);
	rt_filter_free(filter);
}

/* Stacks that a program makes, where others were before. */
static void test_stacks(void)
{
	struct rt_stacks s = { 0 };
	uint64_t a, b;

	CU_ASSERT(rt_stacks_find(&s, 0x1800) == 0);
	CU_ASSERT(rt_stacks_add(&s, 0x2000, 0x1000) == 0 && rt_stacks_add(&s, 0x1000, 0x1000) == 0);
	CU_ASSERT(rt_stacks_add(&s, 0, 0x1000) == 0 && rt_stacks_add(&s, 0x9000, 0) == 0 &&
		  s.n == 2);
	b = rt_stacks_find(&s, 0x2001);
	a = rt_stacks_find(&s, 0x2000);		/* empty: its end */
	CU_ASSERT(a && b && a != b && (a & RT_GOID_STACK) && rt_stacks_find(&s, 0x1001) == a &&
		  rt_stacks_find(&s, 0x3000) == b);
	CU_ASSERT(rt_stacks_find(&s, 0x1000) == 0 && rt_stacks_find(&s, 0x3001) == 0 &&
		  rt_stacks_find(&s, 0) == 0);
	CU_ASSERT(rt_stacks_take(&s, 0x3000, 0x1000) == 0);
	/* A thread has one for its signals at a time. */
	CU_ASSERT(rt_stacks_of_signals(&s, 7) == 0);
	rt_stacks_signals(&s, 7, 0x1000);
	CU_ASSERT(rt_stacks_of_signals(&s, 7) == a && rt_stacks_of_signals(&s, 8) == 0);
	rt_stacks_signals(&s, 7, 0x2000);
	CU_ASSERT(rt_stacks_of_signals(&s, 7) == b);
	rt_stacks_signals(&s, 7, 0);
	CU_ASSERT(rt_stacks_of_signals(&s, 7) == 0);
	CU_ASSERT(rt_stacks_take(&s, 0x1800, 0x1000) == a &&
		  rt_stacks_take(&s, 0x1800, 0x1000) == b);
	CU_ASSERT(rt_stacks_take(&s, 0x1800, 0x1000) == 0 && s.n == 0);
	rt_stacks_free(&s);
}

CU_TestInfo rt_tests_stack_threads[] = {
	{ "threads and the end", test_threads },
	{ "exit", test_exit },
	{ "the end of the processes", test_ended },
	{ "exec", test_exec },
	{ "fork with an id that was known", test_fork },
	{ "names of threads", test_comm },
	{ "a million levels", test_deep },
	{ "a hundred thousand threads", test_many_threads },
	{ "goroutines are forgotten", test_forget },
	{ "what ended is told of", test_gone },
	{ "stacks that a program makes", test_stacks },
	CU_TEST_INFO_NULL,
};
