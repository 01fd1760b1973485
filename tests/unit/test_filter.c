/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>

#include "calls/filter.h"
#include "out_run.h"
#include "unit.h"

static const struct rt_plan entry = { .kind = RT_KIND_ENTRY, .nvalues = 1, .values = { { .size = 4, .is_signed = true } } };
static const struct rt_plan leave = { .kind = RT_KIND_RETURN, .nvalues = 1, .values = { { .size = 4, .is_signed = true } } };

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

static void finish(struct run *run, struct rt_filter *filter, uint64_t time, const char *want)
{
	CU_ASSERT(rt_stack_end(run->stack, time) == 0);
	run_finish(run, want);
	rt_filter_free(filter);
}

static void enter(struct run *run, uint32_t function, uint64_t time, uint64_t sp, int64_t value)
{
	run_hit(run, &entry, 7, function, time, sp, true, &value);
}

static void ret(struct run *run, uint32_t function, uint64_t time, uint64_t sp, int64_t value)
{
	run_hit(run, &leave, 7, function, time, sp, true, &value);
}

static void test_depth(void)
{
	const struct rt_filter_want want = { .limit = { .depth = 1 } };
	const int64_t nine = 9;
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	ret(&r, 0, 1000, 0xa00, 5);		/* began before the trace */
	enter(&r, 0, 1000, 0x900, 1);
	enter(&r, 0, 1001, 0x800, 2);
	run_hit(&r, &entry, 7, 1, 1002, 0x700, false, &nine);
	ret(&r, 0, 1003, 0x800, 3);
	run_lost(&r, 1003, 4);
	ret(&r, 0, 1004, 0x900, 4);
	run_hit(&r, &entry, 7, 0, 1005, 0x900, false, &nine);
	finish(&r, f, 1006, ">(fib 1)\n*** 4 events lost ***\n<4  *** maybe of a later call ***\n>(fib 9)\n");
}

static void test_under(void)
{
	const bool roots[] = { false, true };
	const struct rt_filter_want want = { .limit = { .under = true }, .roots = roots };
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	enter(&r, 0, 998, 0x900, 1);
	enter(&r, 0, 999, 0x880, 1);
	ret(&r, 0, 1000, 0x880, 1);
	enter(&r, 1, 1001, 0x800, 2);
	enter(&r, 0, 1002, 0x700, 3);
	ret(&r, 0, 1003, 0x700, 4);
	ret(&r, 1, 1004, 0x800, 5);
	enter(&r, 0, 1005, 0x800, 6);
	ret(&r, 0, 1006, 0x800, 7);
	ret(&r, 0, 1007, 0x900, 8);
	finish(&r, f, 1008, ">(a\"\\\n\xff 2)\n> (fib 3)\n< 4\n<5\n");
}

/* A long call is not shown with a call around it that --only-under leaves out. */
static void test_min_time_under(void)
{
	const bool roots[] = { false, true };
	const struct rt_filter_want want = { .limit = { .under = true, .min_time = 100 }, .roots = roots };
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	enter(&r, 0, 1000, 0x900, 1);
	enter(&r, 1, 1001, 0x800, 2);
	enter(&r, 0, 1002, 0x700, 3);
	ret(&r, 0, 1003, 0x700, 4);
	ret(&r, 1, 1301, 0x800, 5);
	ret(&r, 0, 1302, 0x900, 6);
	finish(&r, f, 1600, ">(a\"\\\n\xff 2)\n<5\n");
}

/* The short one between is left out, what is around the long one is shown; at the end, what has been open for long enough. */
static void test_min_time(void)
{
	const struct rt_filter_want want = { .limit = { .min_time = 100 } };
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	enter(&r, 0, 1000, 0x900, 1);
	enter(&r, 0, 1001, 0x800, 2);
	ret(&r, 0, 1100, 0x800, 3);
	enter(&r, 0, 1101, 0x800, 4);
	ret(&r, 0, 1201, 0x800, 5);
	ret(&r, 0, 1202, 0x900, 6);
	enter(&r, 0, 1300, 0x900, 7);
	enter(&r, 0, 1350, 0x800, 8);
	finish(&r, f, 1410, ">(fib 1)\n> (fib 4)\n< 5\n<6\n>(fib 7)\n<*** unfinished ***\n");
}

/* What fails a test is left out with its return, and what is inside it is not. */
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
	unsigned i;

	for (i = 0; i < 4; i++)
		run_hit(&r, &tested, 7, 0, 1000 + i, 0x900 - i * 0x100, true, &v[i]);
	for (i = 4; i-- > 0;)
		ret(&r, 0, 1010 - i, 0x900 - i * 0x100, v[i] * 10);
	finish(&r, f, 1020, ">(fib 5)\n> (fib 4)\n< 40\n<50\n");
}

/* One call of --libcalls: `outside`, a library made it by itself. */
static void libcall(struct run *run, uint64_t time, uint64_t sp, uint64_t ra, bool outside)
{
	const struct rt_hit hit = { .returns = true, .plan = &entry, .outside = outside };
	const int32_t value = (int32_t)(time % 100);
	const struct rt_event event = {
		.type = RT_EV_HIT, .time = time, .pid = 7, .tid = 7,
		.hit = { .sp = sp, .ra = ra, .size = sizeof(value), .data = (const uint8_t *)&value },
	};

	CU_ASSERT(rt_stack_hit(run->stack, &event, &hit) == 0);
}

/*
 * The program calls a library's function, that another by itself, and that back into the program, whose call counts again.  A tail call
 * stands where its caller did, whatever its return address.
 */
static void test_libcalls(void)
{
	const struct rt_filter_want want = { .inside_only = true };
	const uint64_t program = 0x1234, library = 0x4321, trampoline = 0x7000;
	struct run r;
	struct rt_filter *f = begin(&r, &want);

	libcall(&r, 1000, 0x900, program, false);
	libcall(&r, 1001, 0x800, library, true);
	libcall(&r, 1002, 0x700, program, false);
	ret(&r, 0, 1003, 0x700, 2);
	ret(&r, 0, 1004, 0x800, 3);
	ret(&r, 0, 1005, 0x900, 4);
	libcall(&r, 1010, 0x500, program, false);
	libcall(&r, 1011, 0x500, trampoline, true);
	ret(&r, 0, 1012, 0x500, 5);
	ret(&r, 0, 1013, 0x500, 5);
	libcall(&r, 1020, 0x400, library, true);
	libcall(&r, 1021, 0x400, trampoline, false);
	ret(&r, 0, 1022, 0x400, 7);
	ret(&r, 0, 1023, 0x400, 7);
	finish(&r, f, 1030, ">(fib 0)\n> (fib 2)\n< 2\n<4\n>(fib 10)\n>(fib 11)\n<5\n");
}

CU_TestInfo rt_tests_filter[] = {
	{ "levels", test_depth },
	{ "under a function", test_under },
	{ "a minimum time", test_min_time },
	{ "--min-time and --only-under", test_min_time_under },
	{ "tests of arguments", test_tests },
	{ "calls that the program itself made", test_libcalls },
	CU_TEST_INFO_NULL,
};
