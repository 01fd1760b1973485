/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "calls/filter.h"
#include "events.h"
#include "out_run.h"
#include "unit.h"

/* A tree behind a filter. */
static struct rt_filter *begin(struct run *run, const struct rt_filter_want *want)
{
	struct rt_filter *filter;

	run_begin(run, "tree", "./fib");
	rt_stack_free(run->stack);
	filter = rt_filter_new(want, &rt_sinks_ops, &run->sinks);
	run->stack = rt_stack_new(&rt_filter_ops, filter);
	return filter;
}

static void finish(struct run *run, struct rt_filter *filter, const char *want)
{
	run_finish(run, want);
	rt_filter_free(filter);
}

static void test_depth(void)
{
	const struct rt_filter_want want = { .limit = { .depth = 1 } };
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	events_rows(r.stack,
		"1000 t7 return a sp=0xa00 5      # began before the trace\n"
		"1000 t7 enter a sp=0x900 1\n"
		"1001 t7 enter a sp=0x800 2\n"
		"1002 t7 enter b sp=0x700 9 only\n"
		"1003 t7 return a sp=0x800 3\n"
		"1003 lost 4\n"
		"1004 t7 return a sp=0x900 4\n"
		"1005 t7 enter a sp=0x900 9 only\n"
		"1006 end\n");
	finish(&r, f, ">(fib 1)\n*** 4 events lost ***\n"
	       "<4  *** maybe of a later call ***\n>(fib 9)\n");
}

static void test_under(void)
{
	const bool roots[] = { false, true };
	const struct rt_filter_want want = { .limit = { .under = true }, .roots = roots };
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	events_rows(r.stack,
		"998 t7 enter a sp=0x900 1\n"
		"999 t7 enter a sp=0x880 1\n"
		"1000 t7 return a sp=0x880 1\n"
		"1001 t7 enter b sp=0x800 2\n"
		"1002 t7 enter a sp=0x700 3\n"
		"1003 t7 return a sp=0x700 4\n"
		"1004 t7 return b sp=0x800 5\n"
		"1005 t7 enter a sp=0x800 6\n"
		"1006 t7 return a sp=0x800 7\n"
		"1007 t7 return a sp=0x900 8\n"
		"1008 end\n");
	finish(&r, f, ">(a\"\\\n\xff 2)\n> (fib 3)\n< 4\n<5\n");
}

/* A long call is not shown with a call around it that --only-under leaves out. */
static void test_min_time_under(void)
{
	const bool roots[] = { false, true };
	const struct rt_filter_want want = {
		.limit = { .under = true, .min_time = 100 }, .roots = roots,
	};
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	events_rows(r.stack,
		"1000 t7 enter a sp=0x900 1\n"
		"1001 t7 enter b sp=0x800 2\n"
		"1002 t7 enter a sp=0x700 3\n"
		"1003 t7 return a sp=0x700 4\n"
		"1301 t7 return b sp=0x800 5\n"
		"1302 t7 return a sp=0x900 6\n"
		"1600 end\n");
	finish(&r, f, ">(a\"\\\n\xff 2)\n<5\n");
}

/* Left out by report: functions, threads, calls outside a range of time. */
static void test_chosen(void)
{
	const bool excluded[] = { false, true };
	const uint64_t start = 1000;
	const struct rt_pids tids = { { 7 }, 1 };
	const struct rt_filter_want want = {
		.excluded = excluded, .tids = &tids, .start = &start, .from = 10, .to = 50,
	};
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	CU_ASSERT(rt_filter_wants_any(&want));
	events_rows(r.stack,
		"1005 t7 enter a sp=0x900 1      # too early\n"
		"1010 t7 enter b sp=0x880 2\n"
		"1010 t7 enter a sp=0x800 3\n"
		"1011 t8 enter a sp=0x700 4      # another thread\n"
		"1012 t8 return a sp=0x700 4\n"
		"1020 t7 enter a sp=0x700 5\n"
		"1021 t7 return a sp=0x700 5\n"
		"1060 t7 return a sp=0x800 3     # its beginning counts\n"
		"1061 t7 return b sp=0x880 2\n"
		"1062 t7 return a sp=0x900 1\n"
		"1063 t7 enter a sp=0x900 6      # too late\n"
		"1064 t7 return a sp=0x900 6\n"
		"1070 end\n");
	finish(&r, f, ">(fib 3)\n> (fib 5)\n< 5\n<3\n");
}

/*
 * The short one between is left out, what is around the long one is shown; at the end, what has
 * been open for long enough.
 */
static void test_min_time(void)
{
	const struct rt_filter_want want = { .limit = { .min_time = 100 } };
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	events_rows(r.stack,
		"1000 t7 enter a sp=0x900 1\n"
		"1001 t7 enter a sp=0x800 2\n"
		"1100 t7 return a sp=0x800 3\n"
		"1101 t7 enter a sp=0x800 4\n"
		"1201 t7 return a sp=0x800 5\n"
		"1202 t7 return a sp=0x900 6\n"
		"1300 t7 enter a sp=0x900 7\n"
		"1350 t7 enter a sp=0x800 8\n"
		"1410 end\n");
	finish(&r, f, ">(fib 1)\n> (fib 4)\n< 5\n<6\n>(fib 7)\n<*** unfinished ***\n");
}

/* A call that fails a test is left out with its return, and the calls inside it are not. */
static void test_tests(void)
{
	const struct rt_filter_want want = { .limit = { .tests = true } };
	const struct rt_plan tested = {
		.kind = RT_KIND_ENTRY, .nvalues = 1, .values = { { .size = 4, .is_signed = true } },
		.ntests = 1, .tests = { { .op = RT_TEST_GT, .constant = 3, .is_signed = true } },
	};
	const int64_t v[] = { 2, 5, -1, 4 };
	struct run r;
	struct rt_filter *f = begin(&r, &want);
	struct events e = { .stack = r.stack };
	unsigned i;

	for (i = 0; i < 4; i++)
		CU_ASSERT(events_hit(&e, &tested, 7, 0, true, 1000 + i, 0x900 - i * 0x100,
				     EVENTS_CALLER, v[i]) == 0);
	events_rows(r.stack,
		"1007 t7 return a sp=0x600 40\n"
		"1008 t7 return a sp=0x700 -10\n"
		"1009 t7 return a sp=0x800 50\n"
		"1010 t7 return a sp=0x900 20\n"
		"1020 end\n");
	finish(&r, f, ">(fib 5)\n> (fib 4)\n< 40\n<50\n");
}

/*
 * The program calls a library's function.  That calls another by itself, and that calls back into
 * the program, whose call counts.  A tail call stands where its caller did, whatever its return
 * address.
 */
static void test_libcalls(void)
{
	const struct rt_filter_want want = { .inside_only = true };
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	events_rows(r.stack,
		"1000 t7 enter a sp=0x900 0\n"
		"1001 t7 enter a sp=0x800 1 outside\n"
		"1002 t7 enter a sp=0x700 2\n"
		"1003 t7 return a sp=0x700 2\n"
		"1004 t7 return a sp=0x800 3\n"
		"1005 t7 return a sp=0x900 4\n"
		"1010 t7 enter a sp=0x500 10\n"
		"1011 t7 jump a sp=0x500 11 outside\n"
		"1012 t7 return a sp=0x500 5\n"
		"1013 t7 return a sp=0x500 5\n"
		"1020 t7 enter a sp=0x400 20 outside\n"
		"1021 t7 jump a sp=0x400 21\n"
		"1022 t7 return a sp=0x400 7\n"
		"1023 t7 return a sp=0x400 7\n"
		"1030 end\n");
	finish(&r, f, ">(fib 0)\n> (fib 2)\n< 2\n<4\n>(fib 10)\n>(fib 11)\n<5\n");
}

CU_TestInfo rt_tests_filter[] = {
	{ "levels", test_depth },
	{ "under a function", test_under },
	{ "a minimum time", test_min_time },
	{ "--min-time and --only-under", test_min_time_under },
	{ "tests of arguments", test_tests },
	{ "calls that the program itself made", test_libcalls },
	{ "functions, threads and a range of time", test_chosen },
	CU_TEST_INFO_NULL,
};
