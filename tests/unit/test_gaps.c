/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/record.h"

#include <unistd.h>

#include "kernel/sys.h"
#include "unit.h"

/* A file stands for the map: it can be mapped, too, and the programs are ourselves. */
enum { SLOTS = 64 };

struct fixture {
	int map;
	struct rt_gaps *gaps;
	bool shared;
};

static void open_fixture(struct fixture *x)
{
	x->map = rt_memfd_create("gaps");
	CU_ASSERT_FATAL(x->map >= 0);
	CU_ASSERT_FATAL(ftruncate(x->map, SLOTS * 8) == 0);
	x->gaps = rt_gaps_new(x->map, SLOTS);
	CU_ASSERT_PTR_NOT_NULL_FATAL(x->gaps);
}

static void close_fixture(struct fixture *x)
{
	rt_gaps_free(x->gaps);
	close(x->map);
}

static void count(struct fixture *x, unsigned slot, uint64_t n)
{
	CU_ASSERT(pwrite(x->map, &n, sizeof(n), slot * 8) == sizeof(n));
}

static uint32_t hit(struct fixture *x, pid_t tid, uint32_t seq)
{
	return rt_gaps_hit(x->gaps, tid, seq, &x->shared);
}

static void test_none(void)
{
	struct fixture x;
	uint32_t i;

	open_fixture(&x);
	for (i = 1; i <= 1000; i++) {
		CU_ASSERT_EQUAL(hit(&x, 5, i), 0);
		CU_ASSERT_FALSE(x.shared);
	}
	count(&x, 5, 1000);
	CU_ASSERT_EQUAL(rt_gaps_exit(x.gaps, 5, 0), 0);
	CU_ASSERT_EQUAL(rt_gaps_rest(x.gaps), 0);
	close_fixture(&x);
}

/* At the beginning, in the middle, before the thread's end, and of threads that no record tells of.
 */
static void test_places(void)
{
	struct fixture x;

	open_fixture(&x);
	CU_ASSERT_EQUAL(hit(&x, 5, 4), 3);
	CU_ASSERT_EQUAL(hit(&x, 5, 5), 0);
	CU_ASSERT_EQUAL(hit(&x, 6, 1), 0);
	CU_ASSERT_EQUAL(hit(&x, 5, 16), 10);
	CU_ASSERT_FALSE(x.shared);
	count(&x, 5, 18);
	CU_ASSERT_EQUAL(rt_gaps_exit(x.gaps, 5, 0), 2);
	CU_ASSERT_EQUAL(rt_gaps_exit(x.gaps, 5, 0), 0);
	count(&x, 6, 1);
	count(&x, 7, 30);
	CU_ASSERT_EQUAL(rt_gaps_exit(x.gaps, 7, 0), 30);
	count(&x, 6, 11);
	count(&x, 8, 100);
	CU_ASSERT_EQUAL(rt_gaps_rest(x.gaps), 110);
	CU_ASSERT_EQUAL(rt_gaps_rest(x.gaps), 0);
	close_fixture(&x);
}

/* The record has the lower half of the count. */
static void test_wrap(void)
{
	struct fixture x;

	open_fixture(&x);
	CU_ASSERT_EQUAL(hit(&x, 5, 0x7fffffff), 0x7ffffffe);
	CU_ASSERT_EQUAL(hit(&x, 5, 0xfffffffe), 0x7ffffffe);
	CU_ASSERT_EQUAL(hit(&x, 5, 1), 2);
	count(&x, 5, 0x100000003);
	CU_ASSERT_EQUAL(rt_gaps_rest(x.gaps), 2);
	close_fixture(&x);
}

/*
 * Threads of one slot count together; the end of one says nothing while the other's records may be
 * on their way.
 */
static void test_shared(void)
{
	struct fixture x;

	open_fixture(&x);
	CU_ASSERT_EQUAL(hit(&x, 5, 1), 0);
	CU_ASSERT_FALSE(x.shared);
	CU_ASSERT_EQUAL(hit(&x, 5 + SLOTS, 2), 0);
	CU_ASSERT_EQUAL(hit(&x, 5, 6), 3);
	CU_ASSERT_TRUE(x.shared);
	CU_ASSERT_EQUAL(hit(&x, 5 + SLOTS, 5), 0);	/* its CPU's clock says it was later */
	count(&x, 5, 9);
	CU_ASSERT_EQUAL(rt_gaps_exit(x.gaps, 5, 0), 0);
	CU_ASSERT_EQUAL(hit(&x, 5 + SLOTS, 7), 0);
	CU_ASSERT_EQUAL(rt_gaps_rest(x.gaps), 2);
	count(&x, 6, 3);
	CU_ASSERT_EQUAL(hit(&x, 6, 3), 2);
	CU_ASSERT_EQUAL(rt_gaps_exit(x.gaps, 6 + SLOTS, 0), 0);
	close_fixture(&x);
}

CU_TestInfo rt_tests_gaps[] = {
	{ "none", test_none },
	{ "at every place", test_places },
	{ "a count that wraps", test_wrap },
	{ "threads that share a slot", test_shared },
	CU_TEST_INFO_NULL,
};
