/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attribution: which function a hit was of, and whether it was of the traced process. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/feed.h"
#include "stream/members.h"
#include "unit.h"

static void test_members(void)
{
	struct rt_members m = { 0 };
	int i;

	for (i = 100; i > 0; i--)
		CU_ASSERT(rt_members_add(&m, i * 3) == 0);
	CU_ASSERT(rt_members_add(&m, 150) == 0);
	CU_ASSERT(m.n == 100);
	for (i = 1; i <= 300; i++)
		CU_ASSERT(rt_members_has(&m, i) == (i % 3 == 0));
	rt_members_remove(&m, 150);
	rt_members_remove(&m, 151);
	CU_ASSERT(m.n == 99 && !rt_members_has(&m, 150) && rt_members_has(&m, 147) &&
		  rt_members_has(&m, 153));
	rt_members_free(&m);
}

struct seen {
	unsigned calls, returns, gone, unwound, ended, execed, inherited;
	uint64_t lost;
	uint32_t last;
	pid_t pid, tid;
	uint64_t goid;
};

static int told_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		      const struct rt_values *args)
{
	struct seen *seen = ctx;

	(void)args;
	seen->calls++;
	seen->last = frame->function;
	seen->tid = thread->tid;
	seen->pid = thread->pid;
	seen->goid = thread->goid;
	return 0;
}

static int told_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		      enum rt_end end, uint64_t time, const struct rt_values *result)
{
	struct seen *seen = ctx;

	(void)thread;
	(void)time;
	(void)result;
	seen->returns += end == RT_END_RETURNED;
	seen->gone += end == RT_END_NOT_SEEN;
	seen->unwound += end == RT_END_UNWOUND;
	seen->ended += end == RT_END_EXITED;
	seen->execed += end == RT_END_EXEC;
	seen->inherited += frame->inherited;
	seen->last = frame->function;
	return 0;
}

static int told_lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct seen *seen = ctx;

	(void)thread;
	(void)time;
	seen->lost += count;
	return 0;
}

static const struct rt_call_ops seen_ops = { .enter = told_enter,
					     .leave = told_leave,
					     .lost = told_lost };

/*
 * A program of two functions at file offsets 0x1100 and 0x1200 of our own executable, which is only
 * there to be some image.
 */
struct fixture {
	struct rt_traced traced;
	struct rt_sites sites;
	struct rt_function functions[2];
	struct rt_plan plans[2];
	struct rt_site probes[4];
	bool returns[2];
	struct seen seen;
	struct rt_stack *stack;
	struct rt_feed *feed;
};

enum { PID = 500 };

static bool fixture_open(struct fixture *x, enum rt_key key)
{
	struct rt_image *image = NULL;

	memset(x, 0, sizeof(*x));
	CU_ASSERT_FATAL(rt_image_open("/proc/self/exe", NULL, &image, NULL) == 0);
	x->functions[0] = (struct rt_function){ .name = "a", .image = image, .offset = 0x1100 };
	x->functions[1] = (struct rt_function){ .name = "b", .image = image, .offset = 0x1200 };
	rt_plan_c_return(&rt_arch_x86_64, &x->plans[0]);
	rt_plan_c_entry(&rt_arch_x86_64, 1, &x->plans[1]);
	x->probes[0] = (struct rt_site){ .function = 0, .plan = 1 };
	x->probes[1] = (struct rt_site){ .function = 0, .plan = 0 };
	x->probes[2] = (struct rt_site){ .function = 1, .plan = 1 };
	x->probes[3] = (struct rt_site){ .function = 1, .plan = 0 };
	x->returns[0] = x->returns[1] = true;
	x->sites = (struct rt_sites){
		.functions = { .v = x->functions, .n = 2 },
		.returns = x->returns,
		.plans = x->plans,
		.nplans = 2,
		.v = x->probes,
		.n = 4,
	};
	x->stack = rt_stack_new(&seen_ops, &x->seen);
	x->feed = rt_feed_new(&x->traced, &x->sites, key, RT_PID(PID), NULL, x->stack);
	return x->stack && x->feed;
}

static void fixture_close(struct fixture *x)
{
	rt_feed_free(x->feed);
	rt_stack_free(x->stack);
	rt_image_close(x->functions[0].image);
}

static int hit(struct fixture *x, pid_t pid, pid_t tid, uint16_t plan, uint64_t key, uint64_t sp)
{
	static const uint8_t data[4];
	const struct rt_event event = {
		.type = RT_EV_HIT,
		.time = 1,
		.pid = pid,
		.tid = tid,
		.hit = { .sp = sp,
			 .key = key,
			 .ra = 0x1234,
			 .plan = plan,
			 .size = 4,
			 .data = data },
	};

	return rt_feed_event(x->feed, &event);
}

static void test_feed_by_id(void)
{
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	CU_ASSERT(hit(&x, PID, PID, 1, 2, 0x7000) == 0 && x.seen.calls == 1 && x.seen.last == 1);
	CU_ASSERT(hit(&x, PID, PID, 0, 3, 0x7008) == 0 && x.seen.returns == 1 && x.seen.last == 1);
	/* Another process's hits are none of ours. */
	CU_ASSERT(hit(&x, PID + 1, PID + 1, 1, 0, 0x7000) == 0 && x.seen.calls == 1);
	/* A hit that does not fit our tables is refused, not used as an index. */
	CU_ASSERT(hit(&x, PID, PID, 1, 4, 0x7000) == -EBADMSG);
	CU_ASSERT(hit(&x, PID, PID, 2, 0, 0x7000) == -EBADMSG);
	CU_ASSERT(hit(&x, PID, PID, 1, 1, 0x7000) == -EBADMSG);
	fixture_close(&x);
}

/* A hit of plan `i` with a value and the goroutine, or without the latter's memory. */
static int hit_go(struct fixture *x, uint16_t i, uint64_t key, uint64_t sp, uint64_t value,
		  uint64_t goid, uint32_t faults)
{
	const uint64_t values[] = { value, 0x8000, 0x9000, goid };
	const struct rt_plan *plan = &x->plans[i];
	struct rt_event event = {
		.type = RT_EV_HIT,
		.time = 1,
		.pid = PID,
		.tid = PID,
		.hit = { .sp = sp,
			 .key = key,
			 .plan = i,
			 .size = (uint16_t)rt_plan_size(plan),
			 .faults = faults },
	};
	uint8_t data[64] = { 0 };
	unsigned k;

	for (k = 0; k < 4; k++)
		memcpy(data + rt_plan_offset(plan, k), &values[k], sizeof(values[k]));
	event.hit.data = data;
	return rt_feed_event(x->feed, &event);
}

/* Plans of entries, that tell the goroutine. */
static void open_go(struct fixture *x)
{
	static const struct rt_fetch record = { .base = RT_BASE_REG, .reg = { "r14", 8 } };
	unsigned i;

	CU_ASSERT_FATAL(fixture_open(x, RT_KEY_ID));
	for (i = 0; i < 2; i++) {
		x->plans[i].kind = RT_KIND_ENTRY;
		x->plans[i].values[0].size = 8;
		CU_ASSERT(rt_plan_add_goroutine(&x->plans[i], &record, 152, 0) == 0);
	}
}

/*
 * A panic is recovered from: the runtime says so on another stack, of the goroutine and the stack
 * pointer that it tells.
 */
static void test_feed_recovered(void)
{
	struct fixture x;

	open_go(&x);
	x.plans[0].role = RT_ROLE_RECOVERED;
	CU_ASSERT(hit_go(&x, 1, 0, 0x8f00, 1, 18, 0) == 0);
	CU_ASSERT(hit_go(&x, 1, 0, 0x8e00, 1, 18, 0) == 0);
	CU_ASSERT(hit_go(&x, 1, 2, 0x8d00, 1, 18, 0) == 0 && x.seen.calls == 3);
	/* Another goroutine's; unreadable, on no known stack; on no stack of that goroutine. */
	CU_ASSERT(hit_go(&x, 0, 1, 0x7000, 0x8e80, 19, 0) == 0 &&
		  hit_go(&x, 0, 1, 0x7000, 0x9e80, 18, 8) == 0);
	CU_ASSERT(hit_go(&x, 0, 1, 0x7000, 0x8e80, 18, 1) == 0 &&
		  hit_go(&x, 0, 1, 0x7000, 0x9e80, 18, 0) == 0 && !x.seen.unwound);
	CU_ASSERT(hit_go(&x, 0, 1, 0x7000, 0x8e80, 18, 0) == 0 && x.seen.unwound == 2 &&
		  x.seen.calls == 3 && !x.seen.gone);
	fixture_close(&x);
}

/*
 * If a goroutine's memory cannot be read, its stack tells its identity, while the stack is its own.
 */
static void test_feed_goroutine_unread(void)
{
	struct rt_event exec = { .type = RT_EV_EXEC, .time = 1, .pid = PID, .tid = PID };
	struct fixture x;

	open_go(&x);
	/* Nobody is known yet: it is the thread's. */
	CU_ASSERT(hit_go(&x, 1, 0, 0x8f80, 1, 18, 2) == 0 && x.seen.calls == 1 && x.seen.goid == 0);
	CU_ASSERT(hit_go(&x, 1, 0, 0x8f00, 1, 18, 0) == 0 && x.seen.goid == 18);
	CU_ASSERT(hit_go(&x, 1, 0, 0x8e00, 1, 18, 8) == 0 && x.seen.calls == 3 &&
		  x.seen.goid == 18 && !x.seen.gone);
	/* Another stack */
	CU_ASSERT(hit_go(&x, 1, 0, 0x9e00, 1, 18, 8) == 0 && x.seen.goid == 0);
	/* The goroutine ends, and says so. */
	x.functions[0].hidden = true;
	CU_ASSERT(hit_go(&x, 1, 0, 0x8d00, 1, 18, 4) == 0);
	x.functions[0].hidden = false;
	CU_ASSERT(x.seen.ended == 2 && hit_go(&x, 1, 0, 0x8e00, 1, 18, 8) == 0 && x.seen.goid == 0);
	/* Another program has other ones. */
	CU_ASSERT(hit_go(&x, 1, 0, 0x8f00, 1, 19, 0) == 0 && x.seen.goid == 19);
	CU_ASSERT(rt_feed_event(x.feed, &exec) == 0 && hit_go(&x, 1, 0, 0x8e00, 1, 19, 8) == 0 &&
		  x.seen.goid == 0);
	fixture_close(&x);
}

/* Each of the process's runtimes has a goroutine 18. */
static void test_feed_runtimes(void)
{
	const uint64_t second = RT_GOID_RUNTIME + 18;
	struct fixture x;

	open_go(&x);
	x.plans[0].runtime = 1;
	CU_ASSERT(hit_go(&x, 1, 0, 0x8f00, 1, 18, 0) == 0 && x.seen.goid == 18);
	CU_ASSERT(hit_go(&x, 0, 1, 0x8f00, 1, 18, 0) == 0 && x.seen.goid == second);
	/* A call from higher up, which would have shown the other to be left. */
	CU_ASSERT(hit_go(&x, 0, 1, 0x8f80, 1, 18, 0) == 0 && x.seen.goid == second &&
		  x.seen.calls == 3 && x.seen.gone == 1);
	CU_ASSERT(rt_goid_runtime(second) == 1 && rt_goid_runtime(18) == 0 &&
		  rt_goid_runtime(RT_GOID_STACK + 18) == 0);
	/* One of them ends, and the other is still remembered. */
	x.functions[0].hidden = true;
	CU_ASSERT(hit_go(&x, 1, 0, 0x8d00, 1, 18, 0) == 0);
	x.functions[0].hidden = false;
	CU_ASSERT(x.seen.ended == 1 && hit_go(&x, 1, 0, 0x8e00, 1, 18, 8) == 0 &&
		  x.seen.goid == second);
	fixture_close(&x);
}

static void test_feed_by_address(void)
{
	struct fixture x;
	struct rt_event map = {
		.type = RT_EV_MMAP,
		.pid = PID,
		.tid = PID,
		.mmap = { .start = 0x555555555000, .len = 0x1000, .pgoff = 0x1000 },
	};

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_IP));
	/* The inode of a mapping is not always stat's (overlayfs): the offset alone tells here. */
	map.mmap.ino = 1;
	CU_ASSERT(rt_feed_event(x.feed, &map) == 0);
	CU_ASSERT(hit(&x, PID, PID, 1, 0x555555555200, 0x7000) == 0 && x.seen.last == 1);
	/* The return brings no address that helps; the stack pointer does. */
	CU_ASSERT(hit(&x, PID, PID, 0, 0xdead, 0x7008) == 0 && x.seen.returns == 1 &&
		  x.seen.last == 1);
	/* A new mapping of the same place: the cache must not remember the old one. */
	map.mmap.pgoff = 0x0f00;
	CU_ASSERT(rt_feed_event(x.feed, &map) == 0);
	CU_ASSERT(hit(&x, PID, PID, 1, 0x555555555200, 0x7000) == 0 && x.seen.last == 0);
	CU_ASSERT(hit(&x, PID, PID, 1, 0x400000, 0x6000) == 0 && x.seen.last == RT_NO_FUNCTION);
	/*
	 * A mapping that nobody has seen of: the place in its page is enough where one probe alone
	 * has that.
	 */
	CU_ASSERT(hit(&x, PID, PID, 1, 0x400200, 0x5f00) == 0 && x.seen.last == 1);
	fixture_close(&x);
	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_IP));
	rt_feed_free(x.feed);
	x.functions[0].offset = 0x2200;
	x.feed = rt_feed_new(&x.traced, &x.sites, RT_KEY_IP, RT_PID(PID), NULL, x.stack);
	CU_ASSERT(hit(&x, PID, PID, 1, 0x400200, 0x5f00) == 0 && x.seen.last == RT_NO_FUNCTION);
	fixture_close(&x);
}

static void test_feed_window(void)
{
	struct rt_event end = { .type = RT_EV_EXIT, .time = 2, .pid = PID, .tid = PID };
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	rt_feed_window(x.feed, 2, 5);	/* hits are at 1 */
	CU_ASSERT(hit(&x, PID, PID, 1, 0, 0x7000) == 0 && x.seen.calls == 0);
	rt_feed_window(x.feed, 0, 0);
	CU_ASSERT(hit(&x, PID, PID, 1, 0, 0x7000) == 0 && x.seen.calls == 0);
	rt_feed_window(x.feed, 1, 1);
	CU_ASSERT(hit(&x, PID, PID, 1, 0, 0x7000) == 0 && x.seen.calls == 1);
	/* The call has maybe returned by then. */
	CU_ASSERT(rt_feed_event(x.feed, &end) == 0 && x.seen.ended == 0);
	end.time = 1;
	CU_ASSERT(rt_feed_event(x.feed, &end) == 0 && x.seen.ended == 1);
	fixture_close(&x);
}

/* Sources that know only threads: a thread of ours, its new thread, its child process. */
static void test_feed_members(void)
{
	struct rt_event fork = { .type = RT_EV_FORK, .tid = PID, .fork = { .tid = 501 } };
	struct rt_event end = { .type = RT_EV_EXIT, .tid = 501 };
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	CU_ASSERT(hit(&x, 0, 501, 1, 0, 0x7000) == 0 && x.seen.calls == 0);
	CU_ASSERT(rt_feed_event(x.feed, &fork) == 0);
	CU_ASSERT(hit(&x, 0, 501, 1, 0, 0x7000) == 0 && x.seen.calls == 1 && x.seen.tid == 501);
	fork.fork.tid = fork.fork.pid = 502;
	CU_ASSERT(rt_feed_event(x.feed, &fork) == 0);
	CU_ASSERT(hit(&x, 0, 502, 1, 0, 0x7000) == 0 && x.seen.calls == 1);
	CU_ASSERT(rt_feed_event(x.feed, &end) == 0);
	CU_ASSERT(hit(&x, 0, 501, 1, 0, 0x7000) == 0 && x.seen.calls == 1);
	fixture_close(&x);
}

/*
 * Several processes: whose a hit is, a thread's number tells where the source knows no more, and
 * each is its own.
 */
static void test_feed_processes(void)
{
	static const struct rt_pids both = { { PID, 700 }, 2 };
	struct rt_event fork = {
		.type = RT_EV_FORK, .pid = 700, .tid = 700, .fork = { .pid = 700, .tid = 701 }
	};
	struct rt_event end = { .type = RT_EV_EXIT, .pid = 700, .tid = 701 };
	struct rt_event exec = { .type = RT_EV_EXEC, .pid = 700, .tid = 700, .time = 5 };
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	rt_feed_free(x.feed);
	x.feed = rt_feed_new(&x.traced, &x.sites, RT_KEY_ID, &both, NULL, x.stack);
	CU_ASSERT_FATAL(x.feed != NULL);
	CU_ASSERT(hit(&x, 0, 701, 1, 0, 0x7000) == 0 && x.seen.calls == 0);
	CU_ASSERT(rt_feed_event(x.feed, &fork) == 0);
	CU_ASSERT(hit(&x, 0, 701, 1, 0, 0x7000) == 0 && x.seen.calls == 1 && x.seen.tid == 701 &&
		  x.seen.pid == 700);
	CU_ASSERT(hit(&x, 0, PID, 1, 0, 0x7000) == 0 && x.seen.calls == 2 && x.seen.pid == PID);
	CU_ASSERT(hit(&x, 700, 700, 1, 0, 0x7000) == 0 && x.seen.calls == 3 && x.seen.pid == 700);
	CU_ASSERT(hit(&x, 999, 999, 1, 0, 0x7000) == 0 && x.seen.calls == 3);
	/* It leaves the calls of its own threads, not those of the other process. */
	CU_ASSERT(rt_feed_event(x.feed, &exec) == 0 && x.seen.execed == 2);
	CU_ASSERT(rt_feed_event(x.feed, &end) == 0 && hit(&x, 0, 701, 1, 0, 0x7000) == 0 &&
		  x.seen.calls == 3);
	/* A child process of one is none of them. */
	fork.fork.pid = fork.fork.tid = 0x7ffffff3;
	CU_ASSERT(rt_feed_event(x.feed, &fork) == 0 && hit(&x, 0, 0x7ffffff3, 1, 0, 0x7000) == 0 &&
		  x.seen.calls == 3);
	fixture_close(&x);
}

/*
 * /proc names the process of a thread if its beginning was lost; hits of threads that have ended
 * too count as lost.
 */
static void test_feed_lost_fork(void)
{
	struct rt_event lost = { .type = RT_EV_LOST,
				 .time = 1,
				 .lost = { .count = 5, .until = 1 } };
	struct rt_event end = { .type = RT_EV_EXIT, .tid = getpid() };
	enum { NOBODY = 0x7ffffff0 };	/* no kernel gives such a number */
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	rt_feed_free(x.feed);
	x.feed = rt_feed_new(&x.traced, &x.sites, RT_KEY_ID, RT_PID(getpid()), NULL, x.stack);
	CU_ASSERT_FATAL(x.feed != NULL);
	CU_ASSERT(rt_feed_event(x.feed, &end) == 0);
	CU_ASSERT(hit(&x, 0, getpid(), 1, 0, 0x7000) == 0 && x.seen.calls == 1);
	CU_ASSERT(hit(&x, 0, getppid(), 1, 0, 0x7000) == 0 && x.seen.calls == 1);
	CU_ASSERT(hit(&x, 0, NOBODY, 1, 0, 0x7000) == 0 && x.seen.calls == 1);
	/* Nothing was lost yet, so it may be anybody's. */
	CU_ASSERT(rt_feed_unplaced(x.feed) == 0);
	CU_ASSERT(rt_feed_event(x.feed, &lost) == 0 && x.seen.lost == 6);
	CU_ASSERT(hit(&x, 0, NOBODY, 1, 0, 0x7000) == 0 && x.seen.calls == 1);
	lost.lost.count = 0;
	CU_ASSERT(rt_feed_event(x.feed, &lost) == 0 && x.seen.lost == 6);
	CU_ASSERT(rt_feed_unplaced(x.feed) == 1 && rt_feed_unplaced(x.feed) == 0);
	fixture_close(&x);
}

/* A loss of records that are no hits is reported at the end. */
static void test_feed_unseen(void)
{
	const struct rt_event unseen = { .type = RT_EV_UNSEEN, .time = 1 };
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	CU_ASSERT(!rt_feed_unseen(x.feed));
	CU_ASSERT(rt_feed_event(x.feed, &unseen) == 0 && rt_feed_unseen(x.feed));
	fixture_close(&x);
}

/* A child process is nobody whose hits are missing, and no more are its threads and children. */
static void test_feed_children(void)
{
	struct rt_event fork = { .type = RT_EV_FORK,
				 .tid = PID,
				 .fork = { .tid = 0x7ffffff1, .pid = 0x7ffffff1 } };
	struct rt_event lost = { .type = RT_EV_LOST, .time = 1, .lost = { .until = 1 } };
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	CU_ASSERT(rt_feed_event(x.feed, &lost) == 0 && rt_feed_event(x.feed, &fork) == 0);
	fork = (struct rt_event){ .type = RT_EV_FORK,
				  .tid = 0x7ffffff1,
				  .fork = { .tid = 0x7ffffff2 } };
	CU_ASSERT(rt_feed_event(x.feed, &fork) == 0);
	CU_ASSERT(hit(&x, 0, 0x7ffffff1, 1, 0, 0x7000) == 0 &&
		  hit(&x, 0, 0x7ffffff2, 1, 0, 0x7000) == 0);
	CU_ASSERT(x.seen.calls == 0 && rt_feed_unplaced(x.feed) == 0);
	fixture_close(&x);
}

/* The first address of some code of this very process, at the start of a page. */
static uint64_t own_code(void)
{
	char line[512], perms[5] = "", slash = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long start = 0;

	CU_ASSERT_FATAL(maps != NULL);
	while (slash != '/' && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%*x %4s %*x %*s %*u %c", &start, perms, &slash) != 3 ||
		    perms[2] != 'x')
			slash = 0;
	fclose(maps);
	return start;
}

/*
 * A return address at the start of a page is the trampoline's (a tail call), unless it is that of a
 * call that stands there.
 */
static void test_feed_aligned(void)
{
	static const uint8_t data[4];
	struct rt_event event = {
		.type = RT_EV_HIT, .time = 1, .pid = getpid(), .tid = getpid(),
		.hit = { .sp = 0x7000, .key = 2, .ra = 0x1234, .plan = 1, .size = 4, .data = data },
	};
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	rt_feed_free(x.feed);
	x.feed = rt_feed_new(&x.traced, &x.sites, RT_KEY_ID, RT_PID(getpid()), NULL, x.stack);
	CU_ASSERT_FATAL(x.feed != NULL);
	CU_ASSERT(rt_feed_event(x.feed, &event) == 0 && x.seen.calls == 1 && x.seen.gone == 0);
	event.hit.ra = own_code();
	CU_ASSERT(event.hit.ra && event.hit.ra % 4096 == 0);
	CU_ASSERT(rt_feed_event(x.feed, &event) == 0 && x.seen.calls == 2 && x.seen.gone == 1);
	CU_ASSERT(rt_feed_event(x.feed, &event) == 0 && x.seen.calls == 3 && x.seen.gone == 2);
	event.hit.ra = 0x7ffffffff000;
	CU_ASSERT(rt_feed_event(x.feed, &event) == 0 && x.seen.calls == 4 && x.seen.gone == 2);
	fixture_close(&x);
}

/* `a` ends in a jump to what is not traced, at time `time`, and will return to `ra`. */
static int hit_jump(struct fixture *x, uint64_t time, uint64_t ra)
{
	static const uint8_t data[4];
	struct rt_event event = {
		.type = RT_EV_HIT, .time = time, .pid = PID, .tid = PID,
		.hit = { .sp = 0x7000, .key = 0, .plan = 1, .size = 4, .data = data },
	};
	int r = rt_feed_event(x->feed, &event);

	event.hit.key = 1;
	event.hit.plan = 0;
	event.hit.ra = ra;
	event.hit.size = 0;
	return r < 0 ? r : rt_feed_event(x->feed, &event);
}

static void test_feed_return_sites(void)
{
	struct rt_exit jump = { .kind = RT_EXIT_JUMP, .callee = UINT32_MAX, .plan = 1 };
	struct rt_event map = { .type = RT_EV_MMAP, .time = 1, .pid = PID, .tid = PID,
				.mmap = { .start = 0x400000, .len = 0x1000, .pgoff = 0x2000,
					  .ino = 77 } };
	struct rt_return_sites *sites;
	struct fixture x;
	unsigned i;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	x.functions[0].how = RT_HOW_INSN;
	x.functions[0].exits = (struct rt_exits){ .v = &jump, .n = 1 };
	x.plans[0].end = RT_BY_JUMP;
	x.plans[0].nvalues = 0;
	x.probes[1].kind = RT_SITE_EXIT;
	CU_ASSERT(rt_feed_event(x.feed, &map) == 0);
	CU_ASSERT(hit_jump(&x, 1, 0x400123) == 0 && x.seen.calls == 1);
	sites = rt_site_map_learn(rt_feed_map(x.feed));
	CU_ASSERT(hit_jump(&x, 2, 0x400123) == 0 && hit_jump(&x, 3, 0x300123) == 0);
	CU_ASSERT_FATAL(sites->n == 1 && sites->jumped == 1);
	CU_ASSERT(sites->v[0].ino == 77 && sites->v[0].offset == 0x2123 && sites->v[0].of == 0 &&
		  sites->v[0].jumps == 1);
	jump.shared = true;
	CU_ASSERT(hit_jump(&x, 4, 0x400123) == 0 && sites->v[0].jumps == 2);
	jump.shared = false;
	/* Function 1 stands for its probe, which is in from time 6 on. */
	sites->v[0].since = 6;
	sites->v[0].function = 1;
	CU_ASSERT(hit_jump(&x, 5, 0x400123) == 0 && sites->v[0].jumps == 3);
	CU_ASSERT(hit_jump(&x, 6, 0x400123) == 0 && sites->v[0].jumps == 3);
	for (i = 0; i < 40000 && rt_return_sites_find(sites, 78, i * 16); i++)
		;
	CU_ASSERT(i == 32767 && rt_return_sites_find(sites, 78, 16) == &sites->v[2]);
	x.functions[0].exits.n = 0;
	fixture_close(&x);
}

/*
 * The kernel tells of an exit right behind the exec of a setuid program, whose calls are shown all
 * the same.
 */
static void test_feed_exec_setuid(void)
{
	struct rt_event exec = { .type = RT_EV_EXEC, .time = 2, .pid = PID, .tid = PID };
	struct rt_event end = { .type = RT_EV_EXIT, .time = 3, .pid = PID, .tid = PID };
	struct rt_event map = { .type = RT_EV_MMAP, .time = 4, .pid = PID, .tid = PID };
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	CU_ASSERT(rt_feed_event(x.feed, &exec) == 0 && rt_feed_event(x.feed, &end) == 0);
	CU_ASSERT(rt_feed_anchor(x.feed, PID)->tid == PID && hit(&x, 0, PID, 1, 0, 0x7000) == 0 &&
		  x.seen.calls == 1);
	/* A true one comes later. */
	CU_ASSERT(rt_feed_event(x.feed, &exec) == 0 && rt_feed_event(x.feed, &map) == 0 &&
		  rt_feed_event(x.feed, &end) == 0);
	CU_ASSERT(rt_feed_anchor(x.feed, PID)->tid == 0);
	fixture_close(&x);
}

/* The first thread's number goes to the one that calls exec, which sources may know by that alone.
 */
static void test_feed_exec_elsewhere(void)
{
	struct rt_event exec = { .type = RT_EV_EXEC, .time = 3, .tid = 700 },
			end = { .type = RT_EV_EXIT, .time = 2, .tid = 700 };
	struct rt_event fork = {
		.type = RT_EV_FORK, .time = 1, .tid = 700, .fork = { .tid = 701 }
	};
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	rt_feed_free(x.feed);
	x.feed = rt_feed_new(&x.traced, &x.sites, RT_KEY_ID, RT_PID(700), NULL, x.stack);
	CU_ASSERT_FATAL(x.feed != NULL);
	CU_ASSERT(rt_feed_other_thread(x.feed, 700) == 0);
	CU_ASSERT(rt_feed_event(x.feed, &fork) == 0 && rt_feed_other_thread(x.feed, 700) == 701);
	CU_ASSERT(rt_feed_event(x.feed, &end) == 0 && rt_feed_anchor(x.feed, 700)->tid == 0);
	CU_ASSERT(rt_feed_event(x.feed, &exec) == 0 && rt_feed_anchor(x.feed, 700)->exec);
	CU_ASSERT(rt_feed_other_thread(x.feed, 700) == 0);
	fixture_close(&x);
}

/* Processes that have ended, as rt_feed_follow says. */
struct ended {
	pid_t last;
	unsigned n;
};

static int note_ended(void *ctx, pid_t pid, uint64_t time)
{
	struct ended *ended = ctx;

	(void)time;
	ended->last = pid;
	ended->n++;
	return 0;
}

static int fork_event(struct fixture *x, pid_t tid, pid_t pid, pid_t new_tid)
{
	const struct rt_event fork = {
		.type = RT_EV_FORK, .time = 1, .tid = tid, .fork = { .pid = pid, .tid = new_tid },
	};

	return rt_feed_event(x->feed, &fork);
}

static int exit_event(struct fixture *x, pid_t tid)
{
	return rt_feed_event(x->feed,
			     &(struct rt_event){ .type = RT_EV_EXIT, .time = 2, .tid = tid });
}

/* -f: a child, its child and a thread of that; what is open at fork returns in both. */
static void test_feed_follow(void)
{
	struct ended ended = { 0 };
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	rt_feed_follow(x.feed, true, note_ended, &ended);
	CU_ASSERT(hit(&x, 0, PID, 1, 0, 0x7000) == 0 && x.seen.pid == PID);
	CU_ASSERT(fork_event(&x, PID, 600, 600) == 0);
	CU_ASSERT(hit(&x, 0, 600, 1, 2, 0x6f00) == 0 && x.seen.pid == 600 && x.seen.calls == 2);
	CU_ASSERT(hit(&x, 0, 600, 0, 3, 0x6f08) == 0 && x.seen.returns == 1 && x.seen.last == 1);
	CU_ASSERT(hit(&x, 0, 600, 0, 1, 0x7008) == 0 && x.seen.returns == 2 && x.seen.last == 0);
	CU_ASSERT(x.seen.inherited == 1);
	CU_ASSERT(hit(&x, 0, PID, 0, 1, 0x7008) == 0 && x.seen.returns == 3 &&
		  x.seen.inherited == 1);
	CU_ASSERT(fork_event(&x, 600, 601, 601) == 0 && fork_event(&x, 601, 0, 602) == 0);
	CU_ASSERT(hit(&x, 0, 602, 1, 0, 0x5000) == 0 && x.seen.pid == 601 && x.seen.tid == 602);
	CU_ASSERT(rt_feed_process(x.feed, 2) == 601 && rt_feed_process(x.feed, 3) == 0);
	CU_ASSERT(exit_event(&x, 601) == 0 && ended.n == 0);
	CU_ASSERT(exit_event(&x, 602) == 0 && ended.n == 1 && ended.last == 601 &&
		  x.seen.ended == 1);
	CU_ASSERT(exit_event(&x, PID) == 0 && exit_event(&x, 600) == 0 && ended.n == 3);
	CU_ASSERT(rt_feed_process(x.feed, 0) == 0 && rt_feed_untraced(x.feed) == 0);
	fixture_close(&x);
}

/* The end of an inherited call is not shown unless it returns. */
static void test_feed_follow_silent(void)
{
	struct ended ended = { 0 };
	const struct rt_event exec = { .type = RT_EV_EXEC, .time = 2, .tid = 600 };
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	rt_feed_follow(x.feed, true, note_ended, &ended);
	CU_ASSERT(hit(&x, 0, PID, 1, 0, 0x7000) == 0);
	CU_ASSERT(fork_event(&x, PID, 600, 600) == 0 && fork_event(&x, PID, 601, 601) == 0);
	CU_ASSERT(rt_feed_event(x.feed, &exec) == 0 && x.seen.execed == 0);
	CU_ASSERT(exit_event(&x, 601) == 0 && x.seen.ended == 0);
	CU_ASSERT(exit_event(&x, PID) == 0 && x.seen.ended == 1);
	fixture_close(&x);
}

/*
 * The kernel gives hits of traced processes alone.  So a process that is not known is a child whose
 * fork was lost: /proc names it, or the hit is counted.
 */
static void test_feed_follow_lost(void)
{
	struct ended ended = { 0 };
	const struct rt_event lost = { .type = RT_EV_LOST, .time = 1, .lost = { .until = 1 } };
	struct fixture x;

	CU_ASSERT_FATAL(fixture_open(&x, RT_KEY_ID));
	rt_feed_follow(x.feed, true, note_ended, &ended);
	CU_ASSERT(hit(&x, 0, getpid(), 1, 0, 0x7000) == 0 && x.seen.calls == 1);
	CU_ASSERT(x.seen.pid == getpid());
	CU_ASSERT(hit(&x, 0, 0x7ffffff0, 1, 0, 0x7000) == 0 && x.seen.calls == 1);
	CU_ASSERT(rt_feed_event(x.feed, &lost) == 0 && rt_feed_unplaced(x.feed) == 1);
	/* The exit of 600 was lost; its number comes again. */
	CU_ASSERT(fork_event(&x, PID, 600, 600) == 0 && hit(&x, 0, 600, 1, 0, 0x7000) == 0);
	CU_ASSERT(fork_event(&x, PID, 600, 600) == 0 && ended.n == 1 && x.seen.ended == 1);
	fixture_close(&x);
}

CU_TestInfo rt_tests_feed[] = {
	{ "children that are traced", test_feed_follow },
	{ "open calls that a child does not return from", test_feed_follow_silent },
	{ "children whose fork was lost", test_feed_follow_lost },
	{ "exec of a setuid program", test_feed_exec_setuid },
	{ "exec by another thread than the first", test_feed_exec_elsewhere },
	{ "members", test_members },
	{ "hits by probe id", test_feed_by_id },
	{ "hits by address", test_feed_by_address },
	{ "a goroutine that recovers from a panic", test_feed_recovered },
	{ "a goroutine whose memory cannot be read", test_feed_goroutine_unread },
	{ "goroutines of two runtimes", test_feed_runtimes },
	{ "hits outside the trace", test_feed_window },
	{ "hits by thread", test_feed_members },
	{ "hits of several processes", test_feed_processes },
	{ "records that were lost", test_feed_unseen },
	{ "hits of threads whose beginning was lost", test_feed_lost_fork },
	{ "hits of child processes", test_feed_children },
	{ "return addresses at the start of a page", test_feed_aligned },
	{ "return addresses of calls that end in a jump", test_feed_return_sites },
	CU_TEST_INFO_NULL,
};
