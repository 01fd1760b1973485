/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "calls/net.h"
#include "events.h"
#include "out_run.h"
#include "unit.h"

/* For a, an entry takes 10 + 20 and an end 5 + 7; b has no end, and its entry takes 40 + 50. */
static const struct rt_call_cost costs[] = {
	{ { 10, 20 }, { 5, 7 } },
	{ { 40, 50 }, { 0, 0 } },
};

struct fixture {
	struct run run;
	struct rt_net *net;
};

static void begin(struct fixture *f)
{
	run_begin(&f->run, "json", "./fib");
	rt_stack_free(f->run.stack);
	f->net = rt_net_new(costs, 2, &rt_sinks_ops, &f->run.sinks);
	f->run.stack = rt_stack_new(&rt_net_ops, f->net);
}

static void finish(struct fixture *f, uint64_t taken, uint64_t calls, const char *want)
{
	uint64_t n = 0;

	CU_ASSERT_EQUAL(rt_net_taken(f->net, &n), taken);
	CU_ASSERT_EQUAL(n, calls);
	run_finish(&f->run, want);
	rt_net_free(f->net);
}

/* The outer call takes 1000, of which 25 are its own probes', 42 the inner call's, 90 b's. */
static void test_nested(void)
{
	struct fixture f;

	begin(&f);
	events_rows(f.run.stack,
		"2000 t7 enter a sp=0x900 1\n"
		"2100 t7 enter a sp=0x800 2\n"
		"2300 t7 enter b sp=0x700 3 only\n"
		"2500 t7 return a sp=0x800 4\n"
		"3000 t7 return a sp=0x900 5\n"
		"3001 end\n");
	finish(&f, 42 + 42 + 90, 3,
	       "{\"id\":3,\"parent\":2,\"pid\":1,\"tid\":7,\"ts\":1200,"
	       "\"name\":\"a\\\"\\\\\\n\\ufffd\",\"args\":{\"arg0\":3},\"end\":\"not traced\"}\n"
	       "{\"id\":2,\"parent\":1,\"pid\":1,\"tid\":7,\"ts\":1060,\"dur\":285,"
	       "\"name\":\"fib\",\"args\":{\"arg0\":2},\"result\":4}\n"
	       "{\"id\":1,\"parent\":0,\"pid\":1,\"tid\":7,\"ts\":990,\"dur\":843,"
	       "\"name\":\"fib\",\"args\":{\"arg0\":1},\"result\":5}\n");
}

/* A call of 10 ns shows that its probes' part is not 25 ns: the next one is 90 ns, not 75. */
static void test_too_high(void)
{
	struct fixture f;

	begin(&f);
	events_rows(f.run.stack,
		"2000 t7 enter a sp=0x900 1\n"
		"2010 t7 return a sp=0x900 2\n"
		"3000 t7 enter a sp=0x900 3\n"
		"3100 t7 return a sp=0x900 4\n"
		"3101 end\n");
	finish(&f, 50, 2,
	       "{\"id\":1,\"parent\":0,\"pid\":1,\"tid\":7,\"ts\":990,\"dur\":0,"
	       "\"name\":\"fib\",\"args\":{\"arg0\":1},\"result\":2}\n"
	       "{\"id\":2,\"parent\":0,\"pid\":1,\"tid\":7,\"ts\":1962,\"dur\":90,"
	       "\"name\":\"fib\",\"args\":{\"arg0\":3},\"result\":4}\n");
}

CU_TestInfo rt_tests_net[] = {
	{ "calls inside others", test_nested },
	{ "costs that are too high", test_too_high },
	CU_TEST_INFO_NULL,
};
