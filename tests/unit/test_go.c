/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "emit/definition.h"
#include "fetch/fetch.h"
#include "out_run.h"
#include "unit.h"

static const struct rt_fetch by_register = { .base = RT_BASE_REG, .reg = { "r14", 8 } };

static const struct rt_fetch by_thread = { .base = RT_BASE_THREAD, .nderef = 1, .deref = { -8 } };

static void make_plan(struct rt_plan *plan, enum rt_kind kind)
{
	memset(plan, 0, sizeof(*plan));
	plan->kind = kind;
	plan->arch = &rt_arch_x86_64;
	plan->nvalues = 1;
	plan->values[0] = (struct rt_fetch){
		.base = RT_BASE_REG, .reg = rt_arch_x86_64.result, .size = 8, .is_signed = true
	};
	CU_ASSERT(rt_plan_add_goroutine(plan, &by_register, 152, 0) == 0);
}

static void test_plan(void)
{
	struct rt_definition d = {
		.group = "rawtrace_7", .event = "plan1", .path = "/f", .offset = 0x10
	};
	char line[RT_DEFINITION_MAX];
	struct rt_plan plan;
	struct rt_error err;

	make_plan(&plan, RT_KIND_ENTRY);
	CU_ASSERT_EQUAL(plan.nvalues, 4);
	CU_ASSERT_EQUAL(rt_plan_shown(&plan), 1);
	d.plan = &plan;
	CU_ASSERT(rt_definition_print(&d, line, &err) == 0);
	RT_ASSERT_TEXT(line, "p:rawtrace_7/plan1 /f:0x10 sp=%sp:u64 v0=%ax:s64 v1=+0(%r14):u64 "
			     "p1_0=%r14:u64 v2=+8(%r14):u64 p2_0=%r14:u64 "
			     "v3=+152(%r14):u64 p3_0=%r14:u64");
	/* Before 1.17: by the thread pointer. */
	plan.nvalues = 1;
	CU_ASSERT(rt_plan_add_goroutine(&plan, &by_thread, 152, 0) == 0);
	CU_ASSERT_EQUAL(plan.values[3].nderef, 2);
	CU_ASSERT(plan.values[3].base == RT_BASE_THREAD && plan.values[3].deref[0] == -8 &&
		  plan.values[3].deref[1] == 152);
	CU_ASSERT(rt_definition_print(&d, line, &err) == -EOPNOTSUPP);
	plan.goroutine = 0;
	CU_ASSERT_EQUAL(rt_plan_shown(&plan), 4);
	plan.nvalues = RT_MAX_VALUES - 2;
	CU_ASSERT_EQUAL(rt_plan_add_goroutine(&plan, &by_register, 152, 0), -E2BIG);
	CU_ASSERT_EQUAL(plan.nvalues, RT_MAX_VALUES - 2);
}

static void hit_of(struct run *run, pid_t pid, enum rt_kind kind, pid_t tid, uint64_t goid,
		   uint64_t time, uint64_t sp, int64_t value)
{
	static struct rt_plan plans[2]; /* an output may keep the plan until the call's end */
	struct rt_plan *plan = &plans[kind == RT_KIND_RETURN];
	uint8_t data[64] = { 0 };
	struct rt_event event = { .type = RT_EV_HIT, .pid = pid, .tid = tid, .time = time };
	struct rt_hit known = { .returns = true, .plan = plan };

	make_plan(plan, kind);
	/* At an instruction the stack pointer is what it was at the entry. */
	event.hit.sp = sp + (kind == RT_KIND_RETURN ? rt_arch_x86_64.return_pop : 0u);
	memcpy(data + rt_plan_offset(plan, 0), &value, sizeof(value));
	event.hit.goid = goid;
	event.hit.size = (uint16_t)rt_plan_size(plan);
	event.hit.data = data;
	CU_ASSERT(rt_stack_hit(run->stack, &event, &known) == 0);
}

static void hit(struct run *run, enum rt_kind kind, pid_t tid, uint64_t goid, uint64_t time,
		uint64_t sp, int64_t value)
{
	hit_of(run, 7, kind, tid, goid, time, sp, value);
}

/* Each process numbers its goroutines by itself. */
static void test_processes(void)
{
	struct run run;

	run_begin(&run, "tree", "fib");
	run.sinks.trace.processes = true;
	hit_of(&run, 7, RT_KIND_ENTRY, 7, 18, 1010, 1000, 4);
	hit_of(&run, 9, RT_KIND_ENTRY, 9, 18, 1020, 1000, 5);
	hit_of(&run, 9, RT_KIND_ENTRY, 9, 0, 1025, 1000, 6);
	hit_of(&run, 7, RT_KIND_RETURN, 7, 18, 1030, 1000, 1);
	CU_ASSERT(rt_stack_goexit(run.stack, 9, 18, 1040) == 0);
	hit_of(&run, 9, RT_KIND_RETURN, 9, 0, 1050, 1000, 3);
	run_finish(&run, "[7 g 18] >(fib 4)\n"
		   "[9 g 18] >(fib 5)\n"
		   "[9] >(fib 6)\n"
		   "[7 g 18] <1\n"
		   "[9 g 18] <*** goroutine exited ***\n"
		   "[9] <3\n");
}

/*
 * A goroutine is called in one thread and returns in another, in which a second one was called
 * meanwhile.
 */
static void test_moves(void)
{
	struct run run;

	run_begin(&run, "tree", "fib");
	hit(&run, RT_KIND_ENTRY, 7, 18, 1010, 1000, 4);
	hit(&run, RT_KIND_ENTRY, 8, 19, 1020, 1000, 5);
	hit(&run, RT_KIND_ENTRY, 7, 0, 1025, 1000, 6);		/* of the thread itself */
	hit(&run, RT_KIND_RETURN, 8, 18, 1030, 1000, 1);
	run_exit(&run, 8, 1035);				/* ends no goroutine */
	hit(&run, RT_KIND_RETURN, 7, 19, 1040, 1000, 2);
	hit(&run, RT_KIND_RETURN, 7, 0, 1050, 1000, 3);
	run_finish(&run, ">(fib 4)\n"
		   "[g 19] >(fib 5)\n"
		   "[7] >(fib 6)\n"
		   "[g 18] <1\n"
		   "[g 19] <2\n"
		   "[7] <3\n");
}

/* runtime.Goexit leaves calls without their returns. */
static void test_goexit(void)
{
	struct run run;

	run_begin(&run, "tree", "fib");
	hit(&run, RT_KIND_ENTRY, 7, 18, 1010, 1000, 4);
	hit(&run, RT_KIND_ENTRY, 7, 18, 1020, 900, 3);
	CU_ASSERT(rt_stack_goexit(run.stack, 7, 18, 1030) == 0);
	CU_ASSERT(rt_stack_goexit(run.stack, 7, 99, 1031) == 0);
	run_finish(&run, ">(fib 4)\n"
		   "> (fib 3)\n"
		   "< *** goroutine exited ***\n"
		   "<*** goroutine exited ***\n");
}

/* Their process has ended; a goroutine does not end with a thread. */
static void test_ended(void)
{
	struct run run;

	run_begin(&run, "tree", "fib");
	hit(&run, RT_KIND_ENTRY, 7, 18, 1010, 1000, 4);
	hit(&run, RT_KIND_ENTRY, 7, 0, 1020, 1000, 5);
	CU_ASSERT(rt_stack_ended(run.stack, 1030) == 0);
	CU_ASSERT(rt_stack_end(run.stack, 1040) == 0);
	run_finish(&run, ">(fib 4)\n"
		   "[7] >(fib 5)\n"
		   "[7] <*** thread exited ***\n"
		   "[g 18] <*** unfinished ***\n");
}

static void test_chrome(void)
{
	struct run run;

	run_begin(&run, "chrome", "fib");
	hit(&run, RT_KIND_ENTRY, 7, 18, 1010, 1000, 4);
	hit(&run, RT_KIND_RETURN, 8, 18, 1030, 1000, 1);
	run_finish(&run, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
			 "{\"ph\":\"X\",\"pid\":7,\"tid\":4194322,\"ts\":0.010,\"dur\":0.020,"
			 "\"name\":\"fib\",\"args\":{\"arg0\":4,\"result\":1}},\n"
			 "{\"ph\":\"M\",\"pid\":7,\"tid\":4194322,\"name\":\"process_name\","
			 "\"args\":{\"name\":\"fib\"}},\n"
			 "{\"ph\":\"M\",\"pid\":7,\"tid\":4194322,\"name\":\"thread_name\","
			 "\"args\":{\"name\":\"g 18\"}}\n"
			 "],\"otherData\":{\"producer\":\"rawtrace\",\"command\":\"fib\",\"lost\":"
			 "0,\"notes\":[]}}\n");
}

CU_TestInfo rt_tests_go[] = {
	{ "which goroutine is read", test_plan },
	{ "goroutines that change threads", test_moves },
	{ "goroutines of several processes", test_processes },
	{ "goroutines that exit", test_goexit },
	{ "the end of the process", test_ended },
	{ "goroutines in Chrome's format", test_chrome },
	CU_TEST_INFO_NULL,
};
