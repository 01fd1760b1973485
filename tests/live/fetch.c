/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every kind of value that the fetch IR has, read by every attach mechanism from a child of ours,
 * compared with what the child passed.  Prints "ok NAME", "not ok NAME" or, where the kernel does
 * not have it, "skip NAME: reason" for each mechanism.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/attach.h"
#include "kernel/sys.h"
#include "kernel/thread_pointer.h"
#include "stream/addrmap.h"

struct pair {
	long pad;
	int n;
	const char *name;
	struct pair *self;
};

enum { MAX = 16, VALUES = 9 };

/* The last two lie on the stack, whether the architecture has six argument registers or eight. */
int __attribute__((noinline))
fetched(const char *text, struct pair *p, short s, unsigned char c, const char *null, long unused,
	long sixth, long seventh, int ninth, const char *tenth);

int __attribute__((noinline))
fetched(const char *text, struct pair *p, short s, unsigned char c, const char *null, long unused,
	long sixth, long seventh, int ninth, const char *tenth)
{
	__asm__ volatile("" : : "r"(text), "r"(p), "r"(tenth), "r"(null) : "memory");
	return s + c + ninth + (int)(unused + sixth + seventh);
}

static void __attribute__((noreturn)) child_main(int go)
{
	/* On the stack: a BPF program cannot read constants that a fork has left to be paged in. */
	char text[] = "text", name[] = "a name that is longer than sixteen", tenth[] = "tenth";
	struct pair p = { .n = -77, .name = name, .self = &p };
	volatile int ninth = -7;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(2);
	_exit(fetched(text, &p, -3, 200, NULL, 1, 2, 3, ninth, tenth) == -3 + 200 - 7 + 6 ? 0 : 1);
}

/* ---- what is a thread's own, by its thread pointer ---- */

static __thread int own = 11;

/* The stacks of a thread of the child, in memory with an address known before the child exists. */
static struct {
	char stack[32768] __attribute__((aligned(64))), below[8192], thread[8192];
} other __attribute__((aligned(64)));

static char *thread_pointer(void)
{
	char *at;

#if defined(__x86_64__)
	__asm__("mov %%fs:0,%0" : "=r"(at));
#elif defined(__aarch64__)
	__asm__("mrs %0,tpidr_el0" : "=r"(at));
#else
	at = NULL;
#endif
	return at;
}

static int other_main(void *arg)
{
	char text[] = "other";

	return fetched(text, arg, 0, 0, NULL, 0, 0, 0, 0, NULL);
}

static void __attribute__((noreturn)) threads_main(int go)
{
	const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			  CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
	static volatile int tid;
	char text[] = "first", *self = other.thread;
	struct pair p = { .n = 0 };
	int theirs = -22;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(2);
	fetched(text, &p, 0, 0, NULL, 0, 0, 0, 0, NULL);
	memcpy(self, &self, sizeof(self));
	memcpy(self + 16, &self, sizeof(self));
	memcpy(self + ((char *)&own - thread_pointer()), &theirs, sizeof(theirs));
	if (clone(other_main, other.below, flags, &p, &tid, other.thread, &tid) < 0)
		_exit(3);
	while (tid)
		usleep(1000);
	fetched(text, &p, 0, 0, NULL, 0, 0, 0, 0, NULL);
	_exit(0);
}

static void make_thread_plan(struct rt_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->kind = RT_KIND_ENTRY;
	plan->arch = rt_arch_of(rt_arch_native());
	plan->nvalues = 2;
	plan->values[0] = (struct rt_fetch){ .base = RT_BASE_THREAD, .size = 8 };
	plan->values[1] = (struct rt_fetch){
		.base = RT_BASE_THREAD,
		.nderef = 1,
		.deref = { (int32_t)((char *)&own - thread_pointer()) },
		.size = 4,
		.is_signed = true,
	};
}

static void make_plan(struct rt_plan *plan)
{
	const struct rt_arch *arch = rt_arch_of(rt_arch_native());
	int32_t ninth = (int32_t)(arch->stack_args + arch->word * (8 - arch->nargs));
	const struct rt_fetch values[VALUES] = {
		{ .reg = arch->args[0], .type = RT_TYPE_STRING, .max = MAX },
		{ .reg = arch->args[1],
		  .nderef = 1,
		  .deref = { offsetof(struct pair, name) },
		  .type = RT_TYPE_STRING,
		  .max = MAX },
		{ .reg = arch->args[1],
		  .nderef = 1,
		  .deref = { offsetof(struct pair, n) },
		  .size = 4,
		  .is_signed = true },
		{ .reg = arch->args[2], .size = 2, .is_signed = true },
		{ .reg = arch->args[3], .size = 1 },
		{ .base = RT_BASE_STACK, .offset = ninth, .size = 4, .is_signed = true },
		{ .base = RT_BASE_STACK,
		  .offset = ninth + arch->word,
		  .type = RT_TYPE_STRING,
		  .max = MAX },
		{ .reg = arch->args[4], .type = RT_TYPE_STRING, .max = MAX },
		{ .reg = arch->args[1],
		  .nderef = 2,
		  .deref = { offsetof(struct pair, self), offsetof(struct pair, n) },
		  .size = 4,
		  .is_signed = true },
	};

	memset(plan, 0, sizeof(*plan));
	plan->kind = RT_KIND_ENTRY;
	plan->arch = arch;
	plan->nvalues = VALUES;
	memcpy(plan->values, values, sizeof(values));
}

struct seen {
	const struct rt_plan *plan;
	unsigned hits, wrong, others;	/* others: of the child's second thread */
	bool fails;			/* the plan's tests do not hold */
	bool threads;			/* it is the plan for what is a thread's own */
};

/* Tests that hold for what the child passes; `fails`: but for the last. */
static void make_tests(struct rt_plan *plan, bool fails)
{
	const struct rt_test tests[] = {
		{ .value = 2, .op = RT_TEST_EQ, .constant = (uint64_t)-77 },
		{ .value = 3, .op = RT_TEST_LT, .constant = 0, .is_signed = true },
		{ .value = 3, .op = RT_TEST_GT, .constant = 0 },
		{ .value = 4, .op = RT_TEST_GE, .constant = 200 },
		{ .value = 4, .op = RT_TEST_NE, .constant = UINT64_C(200) << 32 },
		{ .value = 5, .op = RT_TEST_LE, .constant = (uint64_t)-7, .is_signed = true },
		{ .value = 8,
		  .op = fails ? RT_TEST_GT : RT_TEST_GE,
		  .constant = (uint64_t)-77,
		  .is_signed = true },
	};

	plan->ntests = sizeof(tests) / sizeof(*tests);
	memcpy(plan->tests, tests, sizeof(tests));
}

static void check_int(struct seen *seen, const struct rt_event *e, unsigned i, int64_t want)
{
	int64_t got = (int64_t)rt_plan_int(seen->plan, i, e->hit.data);

	if (got == want && !(e->hit.faults & 1u << i))
		return;
	printf("    value %u is %lld, faults %x; want %lld\n", i, (long long)got, e->hit.faults,
	       (long long)want);
	seen->wrong++;
}

static void check_string(struct seen *seen, const struct rt_event *e, unsigned i, const char *want)
{
	const uint8_t *at = e->hit.data + rt_plan_offset(seen->plan, i);
	bool fault = e->hit.faults & 1u << i, right;
	int32_t len, most = seen->plan->values[i].max;
	size_t n = want ? strlen(want) : 0;

	memcpy(&len, at, sizeof(len));
	right = !fault && want && memcmp(at + 4, want, n) == 0;
	/* Before 4.11 all of the room is read (BPF). */
	if (want ? right && (len == (int32_t)n + 1 ||
			     (len == most && ((int32_t)n + 1 == most || !at[4 + n])))
		 : fault)
		return;
	printf("    value %u is \"%.*s\", length %d, faults %x; want %s\n", i, MAX,
	       (const char *)at + 4, len, e->hit.faults, want ? want : "a fault");
	seen->wrong++;
}

static int on_event(void *ctx, const struct rt_event *e)
{
	struct seen *seen = ctx;

	if (e->type != RT_EV_HIT)
		return 0;
	seen->hits++;
	if (seen->threads) {
		/* Each CPU's events come by themselves, in no order. */
		bool theirs = rt_plan_int(seen->plan, 0, e->hit.data) ==
			      (uint64_t)(uintptr_t)other.thread;

		seen->others += theirs;
		check_int(seen, e, 0,
			  (int64_t)(uintptr_t)(theirs ? other.thread : thread_pointer()));
		check_int(seen, e, 1, theirs ? -22 : 11);
		return 0;
	}
	if (rt_plan_passes(seen->plan, e->hit.data, e->hit.faults) == seen->fails) {
		printf("    the tests %s here\n", seen->fails ? "hold" : "fail");
		seen->wrong++;
	}
	check_string(seen, e, 0, "text");
	check_string(seen, e, 1, "a name that is ");
	check_int(seen, e, 2, -77);
	check_int(seen, e, 3, -3);
	check_int(seen, e, 4, 200);
	check_int(seen, e, 5, -7);
	check_string(seen, e, 6, "tenth");
	check_string(seen, e, 7, NULL);
	check_int(seen, e, 8, -77);
	return 0;
}

static int find_fetched(struct rt_function *f, struct rt_error *err)
{
	struct rt_addrmap *map = rt_addrmap_new();
	uint64_t ino;
	int r;

	if (!map)
		return -ENOMEM;
	r = rt_addrmap_read(map, getpid());
	if (r == 0)
		r = rt_addrmap_find(map, getpid(), (uint64_t)(uintptr_t)fetched, &ino, &f->offset);
	rt_addrmap_free(map);
	f->name = "fetched";
	return r < 0 ? r : rt_image_open("/proc/self/exe", "fetch", &f->image, err);
}

static int try_mechanism(const struct rt_attach_ops *ops, const struct rt_functions *functions,
			 struct seen *seen, struct rt_error *err)
{
	const struct rt_site probe = { .function = 0, .plan = 0 };
	const struct rt_event_handler handler = { on_event, seen };
	struct rt_pids child = { .n = 1 };
	struct rt_attach_request request = {
		.pids = &child,
		.functions = functions,
		.plans = seen->plan,
		.nplans = 1,
		.sites = &probe,
		.nsites = 1,
		.program = functions->v[0].image,
		.ring_bytes = 64 << 10,
		.limit = { .tests = seen->plan->ntests != 0 },
	};
	struct rt_attach *attach = NULL;
	int go[2], status = -1, r = seen->threads ? rt_thread_pointer_find(err) : 0;
	unsigned i;

	/* Before 4.9 there is no way to find it. */
	if (r < 0)
		return -EOPNOTSUPP;
	request.thread_pointer = (uint32_t)r;
	if (pipe(go) != 0)
		return -errno;
	child.v[0] = fork();
	if (child.v[0] == 0) {
		close(go[1]);
		(seen->threads ? threads_main : child_main)(go[0]);
	}
	close(go[0]);
	r = ops->open(&request, &attach, err);
	if (r == 0 && write(go[1], "g", 1) != 1)
		r = -errno;
	close(go[1]);
	waitpid(child.v[0], &status, 0);
	for (i = 0; r == 0 && i < attach->source->ops->nfds(attach->source); i++)
		r = attach->source->ops->drain(attach->source, i, &handler, err);
	if (attach)
		attach->ops->close(attach);
	if (r == 0 && status != 0) {
		printf("    the child ended with status %x\n", status);
		seen->wrong++;
	}
	return r;
}

/*
 * One way: without tests, with some that hold, with one that does not; what is a thread's own.
 * Returns whether it went wrong.
 */
static bool try_way(const struct rt_attach_ops *ops, const struct rt_functions *functions,
		    unsigned way, struct rt_plan *plan)
{
	static const char *const names[] = { "", ", tests", ", a test that fails",
					     ", by the thread pointer" };
	struct seen seen = { .plan = plan, .fails = way == 2, .threads = way == 3 };
	/* Programs leave the call out; without BPF src/calls/filter.c does. */
	unsigned want = seen.fails && ops->bpf ? 0 : way == 3 ? 3 : 1;
	struct rt_error err = { 0 };
	bool bad;
	int r;

	if (seen.threads)
		make_thread_plan(plan);
	else
		make_plan(plan);
	if (way == 1 || way == 2)
		make_tests(plan, seen.fails);
	r = try_mechanism(ops, functions, &seen, &err);
	if (r == -EOPNOTSUPP) {
		printf("skip fetch %s%s: %s\n", ops->name, names[way], err.text);
		return false;
	}
	if (r < 0)
		printf("    %s\n", err.text);
	else if (seen.hits != want || seen.others != seen.threads)
		printf("    %u hits were seen, should be %u; of the second thread %u\n", seen.hits,
		       want, seen.others);
	bad = r < 0 || seen.hits != want || seen.others != seen.threads || seen.wrong;
	printf("%s fetch %s%s\n", bad ? "not ok" : "ok", ops->name, names[way]);
	return bad;
}

int main(void)
{
	struct rt_function function = { 0 };
	const struct rt_functions functions = { .v = &function, .n = 1, .cap = 1 };
	struct rt_error err = { 0 };
	struct rt_plan plan;
	bool failed = false;
	unsigned i, way;
	int r;

	setvbuf(stdout, NULL, _IOLBF, 0);
	rt_limits_raise(4096);	/* before 5.11 BPF memory counts against RLIMIT_MEMLOCK */
	r = find_fetched(&function, &err);
	for (i = 0; r == 0 && rt_attach_at(i); i++)
		for (way = 0; way < (rt_attach_at(i)->bpf ? 4 : 3); way++)
			failed |= try_way(rt_attach_at(i), &functions, way, &plan);
	if (r < 0)
		printf("not ok fetch\n    %s\n", err.text);
	rt_image_close(function.image);
	return failed || r < 0;
}
