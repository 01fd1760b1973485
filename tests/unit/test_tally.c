/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out_run.h"
#include "output/tally.h"
#include "unit.h"

/* The kernel's counts, less the counts at the beginning, and calls that come one by one. */
static void test_count(void)
{
	struct run r;

	run_begin_ops(&r, &rt_sink_count, "./fib");
	rt_sinks_count(&r.sinks, 0, RT_CELL_CALLS, 5);
	rt_sinks_count(&r.sinks, 0, RT_CELL_CALLS, (uint64_t)-2);
	rt_sinks_count(&r.sinks, RT_NO_FUNCTION, RT_CELL_CALLS, 10);
	rt_sinks_count(&r.sinks, 0, RT_CELL_TOTAL, 99);	/* a cell that is not there */
	run_call(&r, 7, 1000, 0x900, 1);
	run_ret(&r, 7, 1001, 0x900, 1);
	run_lost(&r, 1002, 3);
	run_lost(&r, 1003, 0);
	run_finish(&r, "FUNC                                        COUNT\n"
		   "?                                              10\n"
		   "fib                                             4\n"
		   "rawtrace: not called: 1 of 2 functions\n"
		   "*** 3 events lost ***\n");
}

/*
 * An inner call counts for both; a call without a seen entry is not counted, one that stays open
 * has no time.
 */
static void test_hist(void)
{
	struct run r;

	run_begin_ops(&r, &rt_sink_hist, "./fib");
	run_ret(&r, 7, 1000, 0xa00, 0);
	run_call(&r, 7, 1000, 0x900, 1);
	run_call(&r, 7, 1003, 0x800, 1);
	run_ret(&r, 7, 1007, 0x800, 1);
	run_ret(&r, 7, 1020, 0x900, 1);
	run_call(&r, 7, 1030, 0x900, 1);
	CU_ASSERT(rt_stack_end(r.stack, 1040) == 0);
	rt_sinks_count(&r.sinks, 0, RT_CELL_CALLS, 1);
	rt_sinks_count(&r.sinks, 0, RT_CELL_TOTAL, 4);
	rt_sinks_count(&r.sinks, 0, RT_CELL_BUCKET + 2, 1);
	run_finish(
		&r,
		"Function = fib\n"
		"     nsecs               : count    distribution\n"
		"         4 -> 7          : 2        |****************************************|\n"
		"         8 -> 15         : 0        |                                        |\n"
		"        16 -> 31         : 1        |********************                    |\n"
		"avg = 9 nsecs, total: 24 nsecs, count: 3\n"
		"*** 1 call not timed: no return seen ***\n"
		"\n"
		"rawtrace: not called: 1 of 2 functions\n");
}

/* The ends of the range: 0 and 1 ns share a bucket, and the last one has no end. */
static void test_hist_ends(void)
{
	struct run r;

	run_begin_ops(&r, &rt_sink_hist, "./fib");
	rt_sinks_count(&r.sinks, 1, RT_CELL_CALLS, 2);
	rt_sinks_count(&r.sinks, 1, RT_CELL_BUCKET + 63, 1);
	rt_sinks_count(&r.sinks, 1, RT_CELL_TOTAL, UINT64_C(1) << 63);
	CU_ASSERT(rt_sinks_end(&r.sinks) == 0);
	run_free(&r);
	CU_ASSERT(strstr(r.text, "9223372036854775808 -> 18446744073709551615 : 1") != NULL);
	rt_stack_free(r.stack);
	free(r.text);
	run_begin_ops(&r, &rt_sink_hist, "./fib");
	run_call(&r, 7, 1000, 0x900, 1);
	run_ret(&r, 7, 1000, 0x900, 1);
	run_call(&r, 7, 1001, 0x900, 1);
	run_ret(&r, 7, 1002, 0x900, 1);
	run_finish(
		&r,
		"Function = fib\n"
		"     nsecs               : count    distribution\n"
		"         0 -> 1          : 2        |****************************************|\n"
		"avg = 0 nsecs, total: 1 nsecs, count: 2\n"
		"\n"
		"rawtrace: not called: 1 of 2 functions\n");
}

CU_TestInfo rt_tests_tally[] = {
	{ "count", test_count },
	{ "hist: calls in calls", test_hist },
	{ "hist: the first and the last bucket", test_hist_ends },
	CU_TEST_INFO_NULL,
};
