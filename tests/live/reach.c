/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes each attach mechanism records, for each reach that it has.  A family (threads
 * that run when the probes go in, and what each of them does after: fork, grandchildren, vfork and
 * exec, new threads; siblings that end early) calls a probed function and writes a byte for each
 * call.  A stranger calls it too, and looks whether its own memory has the breakpoint.  Prints "ok
 * NAME", "not ok NAME" or "skip NAME: reason" for each.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/follow.h"
#include "kernel/sys.h"
#include "stream/addrmap.h"

enum { THREADS = 2, ROUNDS = 4, CODE = 4, STRANGER_CALLS = 7 };

static int out = -1;		/* a byte for each call of the family */
static char *self;

int __attribute__((noinline)) probed(int n);

int __attribute__((noinline)) probed(int n)
{
	__asm__ volatile("" : "+r"(n) : : "memory");
	return n + 1;
}

static void call(unsigned n)
{
	for (; n; n--)
		if (probed((int)n) != (int)n + 1 || write(out, "c", 1) != 1)
			_exit(1);
}

static void reap(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status != 0)
		_exit(1);
}

static void run_program(void)
{
	char fd[16];

	snprintf(fd, sizeof(fd), "%d", out);
	execl(self, self, fd, (char *)NULL);
	_exit(1);
}

static void *short_thread(void *arg)
{
	(void)arg;
	call(1);
	return NULL;
}

static void grandchild(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		call(1);
		run_program();
	}
	call(1);
	reap(pid);
}

/* One child ends at once, another is still there while the caller goes on and a third one begins.
 */
static void one_round(void)
{
	pthread_t thread;
	pid_t first, second, third;

	if (pthread_create(&thread, NULL, short_thread, NULL) != 0)
		_exit(1);
	first = fork();
	if (first == 0) {
		call(1);
		_exit(0);
	}
	second = fork();
	if (second == 0) {
		call(1);
		grandchild();
		call(1);
		_exit(0);
	}
	reap(first);
	call(2);
	third = vfork();
	if (third == 0)
		run_program();
	call(1);
	reap(second);
	reap(third);
	pthread_join(thread, NULL);
	call(1);
}

static void *worker(void *go)
{
	unsigned i;
	char byte;

	if (read(*(int *)go, &byte, 1) != 1)
		_exit(2);
	call(1);
	for (i = 0; i < ROUNDS; i++)
		one_round();
	return NULL;
}

static void __attribute__((noreturn)) family_main(int go, int ready)
{
	pthread_t threads[THREADS];
	unsigned i;

	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, worker, &go) != 0)
			_exit(1);
	if (write(ready, "r", 1) != 1)
		_exit(1);
	worker(&go);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	_exit(0);
}

/* Exit status 1: its memory has the breakpoint. */
static void __attribute__((noreturn)) stranger_main(int go, const uint8_t *code)
{
	unsigned i, sum = 0;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(2);
	for (i = 0; i < STRANGER_CALLS; i++)
		sum += (unsigned)probed(0);
	if (sum != STRANGER_CALLS)
		_exit(2);
	_exit(memcmp((const void *)(uintptr_t)probed, code, CODE) != 0);
}

/* ---- the tracer's side ---- */

struct seen {
	unsigned hits, of_stranger, unnamed;
	pid_t stranger;
	bool bpf;
};

static int on_event(void *ctx, const struct rt_event *e)
{
	struct seen *seen = ctx;

	if (e->type != RT_EV_HIT)
		return 0;
	seen->hits++;
	seen->of_stranger += (seen->bpf ? e->pid : e->tid) == seen->stranger;
	seen->unnamed += seen->bpf && !e->pid;
	return 0;
}

static int find_probed(struct rt_function *f, struct rt_error *err)
{
	struct rt_addrmap *map = rt_addrmap_new();
	uint64_t ino;
	int r;

	if (!map)
		return -ENOMEM;
	r = rt_addrmap_read(map, getpid());
	if (r == 0)
		r = rt_addrmap_find(map, getpid(), (uint64_t)(uintptr_t)probed, &ino, &f->offset);
	rt_addrmap_free(map);
	f->name = (char *)"probed";
	return r < 0 ? r : rt_image_open("/proc/self/exe", "reach", &f->image, err);
}

static unsigned count_bytes(int fd)
{
	unsigned n = 0;
	char buf[4096];
	ssize_t got;

	while ((got = read(fd, buf, sizeof(buf))) > 0)
		n += (unsigned)got;
	return n;
}

struct run {
	pid_t family, stranger;
	int go[2], stranger_go[2], calls[2], ready[2];
};

static void start_run(struct run *run, const uint8_t *code)
{
	char byte;

	if (pipe2(run->go, O_CLOEXEC) || pipe2(run->stranger_go, O_CLOEXEC) || pipe(run->calls) ||
	    pipe2(run->ready, O_CLOEXEC))
		exit(1);
	out = run->calls[1];
	run->family = fork();
	if (run->family == 0) {
		close(run->go[1]);
		close(run->stranger_go[1]);
		close(run->calls[0]);
		family_main(run->go[0], run->ready[1]);
	}
	run->stranger = fork();
	if (run->stranger == 0) {
		close(run->go[1]);
		close(run->stranger_go[1]);
		stranger_main(run->stranger_go[0], code);
	}
	close(run->calls[1]);
	if (read(run->ready[0], &byte, 1) != 1)
		exit(1);
}

static void end_run(struct run *run)
{
	close(run->go[0]);
	close(run->stranger_go[0]);
	close(run->calls[0]);
	close(run->ready[0]);
	close(run->ready[1]);
}

static int wait_for(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The families' end, and how the stranger's memory was. */
static void go(struct run *run, bool traced, int *family, int *stranger)
{
	if (traced && (write(run->go[1], "gggg", THREADS + 1) != THREADS + 1 ||
		       write(run->stranger_go[1], "g", 1) != 1))
		exit(1);
	close(run->go[1]);
	close(run->stranger_go[1]);
	*stranger = wait_for(run->stranger);
	*family = wait_for(run->family);
}

static const char *const reaches[] = {
	[RT_REACH_CHILDREN] = "children",
	[RT_REACH_FOLLOWED] = "followed",
	[RT_REACH_ALL] = "all",
};

/* Returns whether it went wrong. */
static bool try_reach(const struct rt_attach_ops *ops, enum rt_reach reach,
		      const struct rt_functions *functions, const uint8_t *code)
{
	struct rt_plan plan;
	const struct rt_site site = { .kind = RT_SITE_ENTRY };
	struct seen seen = { .bpf = ops->bpf };
	const struct rt_event_handler handler = { on_event, &seen };
	struct rt_pids pids = { .n = 1 };
	struct rt_attach_request request = {
		.reach = reach, .pids = &pids, .functions = functions, .plans = &plan,
		.nplans = 1, .sites = &site, .nsites = 1, .program = functions->v[0].image,
		.ring_bytes = 256 << 10,
	};
	struct rt_attach *attach = NULL;
	struct rt_error err = { .text = "" };
	int r, family, stranger;
	unsigned i, want = 0;
	bool bad = false, open;
	struct run run;

	rt_plan_c_entry(rt_image_arch(functions->v[0].image), 1, &plan);
	start_run(&run, code);
	pids.v[0] = run.family;
	pids.n = reach != RT_REACH_ALL;
	seen.stranger = run.stranger;
	r = rt_attach_open(&request, ops, !ops->bpf, NULL, &attach, &err);
	go(&run, r == 0, &family, &stranger);
	if (r == -EOPNOTSUPP) {
		printf("skip reach: %s, %s: %s\n", ops->name, reaches[reach], err.text);
		end_run(&run);
		return false;
	}
	for (i = 0; r == 0 && i < attach->source->ops->nfds(attach->source); i++)
		r = attach->source->ops->drain(attach->source, i, &handler, &err);
	/* Before 4.7 the session drops the hits of strangers. */
	if (attach && attach->unfiltered) {
		seen.hits -= seen.of_stranger;
		seen.of_stranger = 0;
	}
	open = attach && (!ops->bpf || rt_reach_is_open(attach->reach));
	want = count_bytes(run.calls[0]) + (reach == RT_REACH_ALL ? STRANGER_CALLS : 0);
	if (attach)
		attach->ops->close(attach);
	end_run(&run);
	if (r < 0)
		printf("    %s\n", err.text), bad = true;
	else if (family != 0)
		printf("    the family ended with %d\n", family), bad = true;
	else if (seen.hits != want || seen.unnamed)
		printf("    %u hits, %u without a process; should be %u\n", seen.hits, seen.unnamed,
		       want), bad = true;
	else if (seen.of_stranger != (reach == RT_REACH_ALL ? STRANGER_CALLS : 0))
		printf("    %u hits of the stranger\n", seen.of_stranger), bad = true;
	else if (stranger != open)
		printf("    the stranger's memory %s a breakpoint\n", open ? "lacks" : "has"),
			bad = true;
	printf("%s reach: %s, %s\n", bad ? "not ok" : "ok", ops->name, reaches[reach]);
	return bad;
}

/* A list without room: each child of ours is counted.  Returns whether it went wrong. */
static bool try_full_list(void)
{
	enum { NO_PID = 0x40000000, CHILDREN = 3 };
	struct rt_followed list;
	struct rt_error err = { .text = "" };
	uint64_t missed = 0;
	int i, r = rt_followed_open(&list, RT_PID(getpid()), &err);
	bool bad;
	pid_t pid;

	for (i = 0; r == 0; i++)
		r = rt_followed_add(&list, NO_PID + i);
	for (i = 0; r == -E2BIG && i < CHILDREN; i++) {
		pid = fork();
		if (pid == 0)
			_exit(0);
		wait_for(pid);
	}
	if (r == -E2BIG)
		missed = rt_followed_missed(&list);
	rt_followed_close(&list);
	bad = r != -EOPNOTSUPP && missed != CHILDREN;
	if (bad)
		printf("    error %d, %u children were counted, should be %u: %s\n", -r,
		       (unsigned)missed, CHILDREN, err.text);
	printf("%s reach: a full list%s%s\n", r == -EOPNOTSUPP ? "skip" : bad ? "not ok" : "ok",
	       r == -EOPNOTSUPP ? ": " : "", r == -EOPNOTSUPP ? err.text : "");
	return bad;
}

int main(int argc, char **argv)
{
	struct rt_function function = { 0 };
	const struct rt_functions functions = { .v = &function, .n = 1, .cap = 1 };
	const struct rt_attach_ops *ops;
	struct rt_error err = { 0 };
	uint8_t code[CODE];
	bool failed = false;
	unsigned i, reach;
	int r;

	if (argc > 1) {
		out = atoi(argv[1]);
		call(2);
		return 0;
	}
	self = argv[0];
	setvbuf(stdout, NULL, _IOLBF, 0);
	memcpy(code, (const void *)(uintptr_t)probed, CODE);
	rt_limits_raise(4096);
	r = find_probed(&function, &err);
	for (i = 0; r == 0 && (ops = rt_attach_at(i)); i++)
		for (reach = RT_REACH_CHILDREN; reach <= RT_REACH_ALL; reach++)
			if (ops->reaches & 1u << reach)
				failed |= try_reach(ops, (enum rt_reach)reach, &functions, code);
	if (r == 0)
		failed |= try_full_list();
	if (r < 0)
		printf("not ok reach\n    %s\n", err.text);
	rt_image_close(function.image);
	return failed || r < 0;
}
