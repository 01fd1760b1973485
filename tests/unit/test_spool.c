/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/spool.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/budget.h"
#include "unit.h"

enum { DATA_MOST = UINT16_MAX };

static uint8_t data[DATA_MOST];

/* Event number `n`: the fields differ as those of a program with two threads on two CPUs. */
static struct rt_event make_event(unsigned n, uint16_t size)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = 1000 + n * 300u, .pid = 7,
				  .tid = n % 5 ? 7 : 8 };
	unsigned i;

	event.hit.sp = UINT64_C(0x7fffffffe000) - n % 9 * 48;
	event.hit.key = n % 3;
	event.hit.entered = n % 11 ? 0 : n;
	event.hit.ra = n % 2 ? 0 : UINT64_C(0x555555555000) + n % 7;
	event.hit.seq = n % 13 ? n : UINT32_MAX - n;
	event.hit.faults = n % 17 ? 0 : UINT32_MAX;
	event.hit.plan = (uint16_t)(n % 2 ? 0 : n % 70);
	event.hit.size = size;
	event.hit.data = data;
	for (i = 0; i < size; i++)
		data[i] = (uint8_t)(n + i);
	return event;
}

static bool is_event(const struct rt_event *event, unsigned n, uint16_t size)
{
	const struct rt_event want = make_event(n, size);

	return event->type == RT_EV_HIT && event->time == want.time && event->pid == want.pid &&
	       event->tid == want.tid && event->hit.sp == want.hit.sp &&
	       event->hit.key == want.hit.key && event->hit.entered == want.hit.entered &&
	       event->hit.ra == want.hit.ra && event->hit.seq == want.hit.seq &&
	       event->hit.faults == want.hit.faults && event->hit.plan == want.hit.plan &&
	       event->hit.size == size && memcmp(event->hit.data, data, size) == 0;
}

static void push(struct rt_spool *spool, unsigned n, uint16_t size)
{
	const struct rt_event event = make_event(n, size);

	CU_ASSERT_EQUAL(rt_spool_push(spool, n % 300, &event), 0);
	memset(data, 0xee, sizeof(data));	/* the spool must have a copy */
}

static void expect(struct rt_spool *spool, unsigned n, uint16_t size)
{
	struct rt_spooled item;

	CU_ASSERT_EQUAL_FATAL(rt_spool_take(spool, &item), 1);
	CU_ASSERT_FALSE(item.ends_round);
	CU_ASSERT_EQUAL(item.ring, n % 300);
	CU_ASSERT(is_event(&item.event, n, size));
}

static struct rt_spool *spool_new(const char *folder)
{
	struct rt_spool *spool = rt_spool_new(folder);

	CU_ASSERT_PTR_NOT_NULL_FATAL(spool);
	return spool;
}

static void test_order(void)
{
	const struct rt_event mapped = { .type = RT_EV_MMAP, .time = 9, .pid = 3,
					 .mmap = { .start = 4096, .len = 8192, .ino = 77 } };
	struct rt_spool *spool = spool_new(NULL);
	struct rt_spooled item;
	unsigned i, taken = 0;

	for (i = 0; i < 20000; i++) {
		push(spool, i, (uint16_t)(i % 100));
		/* The reader empties it now and then. */
		while (i % 1000 < 300 && taken <= i) {
			expect(spool, taken, (uint16_t)(taken % 100));
			taken++;
		}
	}
	CU_ASSERT_EQUAL(rt_spool_push(spool, 5, &mapped), 0);
	CU_ASSERT_EQUAL(rt_spool_end_round(spool, 123456), 0);
	CU_ASSERT_EQUAL(rt_spool_events(spool), 20001 - taken);
	for (; taken < 20000; taken++)
		expect(spool, taken, (uint16_t)(taken % 100));
	CU_ASSERT_EQUAL(rt_spool_take(spool, &item), 1);
	CU_ASSERT_EQUAL(item.ring, 5);
	CU_ASSERT_EQUAL(item.event.type, RT_EV_MMAP);
	CU_ASSERT_EQUAL(item.event.mmap.ino, 77);
	CU_ASSERT_EQUAL(rt_spool_take(spool, &item), 1);
	CU_ASSERT(item.ends_round);
	CU_ASSERT_EQUAL(item.bound, 123456);
	CU_ASSERT_EQUAL(rt_spool_take(spool, &item), 0);
	CU_ASSERT_EQUAL(rt_spool_events(spool), 0);
	CU_ASSERT_EQUAL(rt_spool_bytes(spool), 0);
	rt_spool_free(spool);
}

/* A few bytes an event, of a loop that calls a function. */
static void test_size(void)
{
	struct rt_spool *spool = spool_new(NULL);
	const unsigned n = 200000;
	unsigned i;

	for (i = 0; i < n; i++) {
		struct rt_event event = { .type = RT_EV_HIT, .time = UINT64_C(1) << 50, .pid = 1,
					  .tid = 1 };

		event.time += i * 400u + i % 37;
		event.hit.sp = UINT64_C(1) << 46;
		event.hit.key = event.hit.plan = (uint16_t)(i % 2);
		event.hit.ra = i % 2 ? 0 : UINT64_C(1) << 47;
		event.hit.seq = i + 1;
		event.hit.size = sizeof(i);
		event.hit.data = (const uint8_t *)&i;
		CU_ASSERT_EQUAL(rt_spool_push(spool, 0, &event), 0);
	}
	CU_ASSERT(rt_spool_bytes(spool) < n * 14);
	rt_spool_free(spool);
}

/* More than memory takes: most chunks are in the file, and their places are used twice. */
static void test_file(void)
{
	const char *folder = getenv("RT_TMP");
	struct rt_spool *spool = spool_new(folder ? folder : "/tmp");
	unsigned pushed, taken = 0;

	for (pushed = 0; pushed < 600; pushed++)
		push(spool, pushed, DATA_MOST);
	CU_ASSERT_FALSE(rt_spool_full(spool));
	for (; taken < 500; taken++)
		expect(spool, taken, DATA_MOST);
	for (; pushed < 1200; pushed++)
		push(spool, pushed, DATA_MOST);
	for (; taken < pushed; taken++)
		expect(spool, taken, DATA_MOST);
	CU_ASSERT_FALSE(rt_spool_full(spool));
	rt_spool_free(spool);
}

/* Without a file nothing is lost, and the spool says that it is full. */
static void test_full(void)
{
	struct rt_spool *spool = spool_new("/nonexistent/folder");
	struct rt_spooled item;
	unsigned i;

	for (i = 0; i < 300; i++)
		push(spool, i, DATA_MOST);
	CU_ASSERT(rt_spool_full(spool));
	for (i = 0; i < 300; i++)
		expect(spool, i, DATA_MOST);
	CU_ASSERT_EQUAL(rt_spool_take(spool, &item), 0);
	CU_ASSERT_FALSE(rt_spool_full(spool));
	rt_spool_free(spool);
}

/* A copy of the process has all whole rounds, whatever the original has taken since. */
static void test_copy(void)
{
	const char *folder = getenv("RT_TMP");
	struct rt_spool *spool = spool_new(folder ? folder : "/tmp");
	unsigned i, taken = 0, n = 0;
	struct rt_spooled item;
	int status = -1, go[2];
	pid_t pid;
	char byte;

	CU_ASSERT_EQUAL(pipe(go), 0);
	for (i = 0; i < 3; i++) {
		CU_ASSERT_EQUAL(rt_spool_keep(spool), 0);
		CU_ASSERT_EQUAL(rt_spool_taken_bytes(spool), 0);
		pid = i == 2 ? fork() : 1;
		if (pid == 0)
			break;
		for (; n < 1000 * (i + 1); n++)
			push(spool, n, n % 2 ? DATA_MOST : 5);
		CU_ASSERT_EQUAL(rt_spool_end_round(spool, n), 0);
		for (; taken < n - 400; taken++) {
			while (rt_spool_take(spool, &item) == 1 && item.ends_round)
				;
			CU_ASSERT(is_event(&item.event, taken, taken % 2 ? DATA_MOST : 5));
		}
		CU_ASSERT(rt_spool_taken_bytes(spool) > 0);
	}
	CU_ASSERT_FALSE(rt_spool_unsaved(spool));
	if (pid == 0) {
		/* The original writes a byte when its last round is over. */
		status = read(go[0], &byte, 1) != 1 || rt_spool_resume(spool) < 0;
		for (n = taken; status == 0 && rt_spool_take(spool, &item) == 1;) {
			if (item.ends_round)
				continue;
			status = !is_event(&item.event, n, n % 2 ? DATA_MOST : 5);
			n++;
		}
		_exit(status ? 1 : n == 3000 ? 0 : 2);
	}
	push(spool, n, 5);	/* of a round that does not end */
	CU_ASSERT_EQUAL(write(go[1], "", 1), 1);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT_EQUAL(status, 0);
	close(go[0]);
	close(go[1]);
	rt_spool_free(spool);
}

/* A share of the time, however often the work asks for it, and no more after a pause. */
static void test_budget(void)
{
	struct rt_budget budget = { .percent = 3, .most = 100, .since = 1000 };
	uint64_t now = 1000, used = 0;

	CU_ASSERT_EQUAL(rt_budget_at(&budget, now), 0);
	while (now < 101000) {
		uint64_t most;

		now += 500;
		most = rt_budget_at(&budget, now);
		used += most;
		now += most;
		rt_budget_use(&budget, now);
	}
	CU_ASSERT(used > 2800 && used < 3100);
	CU_ASSERT_EQUAL(rt_budget_at(&budget, now + 1000000), 100);
	/* Work that took longer than it may is a debt, to a limit. */
	now += 1001000;
	rt_budget_use(&budget, now);
	CU_ASSERT_EQUAL(rt_budget_at(&budget, now), 0);
	CU_ASSERT_EQUAL(rt_budget_at(&budget, now += 3000), 0);
	CU_ASSERT_EQUAL(rt_budget_at(&budget, now += 1000), 20);
}

CU_TestInfo rt_tests_spool[] = {
	{ "order", test_order },
	{ "size", test_size },
	{ "file", test_file },
	{ "full", test_full },
	{ "copy", test_copy },
	{ "budget", test_budget },
	CU_TEST_INFO_NULL,
};
