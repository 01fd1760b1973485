/* SPDX-License-Identifier: GPL-2.0-or-later */
/* By which thread the kernel knows a process, as its threads end and exec. */
#include "calls/owners.h"
#include "unit.h"

static struct rt_anchor anchored(pid_t tid, pid_t spare, uint64_t ready)
{
	return (struct rt_anchor){ .tid = tid, .spare = spare, .ready = ready };
}

/* By which thread the kernel knows the process. */
static void test_anchor(void)
{
	struct rt_anchor a = anchored(7, 0, 0);

	rt_anchor_exit(&a, 8, 10);
	CU_ASSERT(a.tid == 7);
	rt_anchor_exit(&a, 7, 11);
	CU_ASSERT(a.tid == 0 && a.since == 11 && !a.exec);
	/* Another one has run another program. */
	rt_anchor_exec(&a, 7, 12);
	CU_ASSERT(a.tid == 0 && a.since == 12 && a.exec);

	/* The first thread itself has. */
	a = anchored(7, 8, 5);
	rt_anchor_exit(&a, 8, 10);
	CU_ASSERT(a.tid == 7 && a.spare == 0);
	rt_anchor_exec(&a, 7, 12);
	CU_ASSERT(a.tid == 7 && !a.exec);

	/* The spare takes over, and is the thread that runs another program. */
	a = anchored(7, 8, 5);
	rt_anchor_exit(&a, 7, 10);
	CU_ASSERT(a.tid == 8 && a.spare == 0);
	rt_anchor_exec(&a, 7, 12);
	CU_ASSERT(a.tid == 7 && !a.exec);

	/* It came too late to keep the probes in. */
	a = anchored(7, 8, 11);
	rt_anchor_exit(&a, 7, 10);
	CU_ASSERT(a.tid == 0 && a.spare == 0 && a.since == 10);
}

CU_TestInfo rt_tests_anchor[] = {
	{ "by which thread the kernel knows a process", test_anchor },
	CU_TEST_INFO_NULL,
};
