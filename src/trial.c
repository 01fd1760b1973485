/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/sys.h"
#include "stream/addrmap.h"

/*
 * The probed functions: kept whole, so that each call in the source is a call.  Two, as an event of one probe works where one of
 * many does not; and not alike, or the compiler makes one of them.
 */
static int __attribute__((noinline)) probed(int n)
{
	__asm__ volatile("" : "+r"(n) : : "memory");
	return n + 1;
}

static int __attribute__((noinline)) probed_too(int n)
{
	__asm__ volatile("" : "+r"(n) : : "memory");
	return n + 3;
}

static void __attribute__((noreturn)) child_main(int go)
{
	int sum = 0, i;
	char byte;

	if (read(go, &byte, 1) != 1)
		_exit(2);
	for (i = 0; i < (int)RT_TRIAL_CALLS / 2; i++)
		sum += probed(i) + probed_too(-i);
	_exit(sum == (int)RT_TRIAL_CALLS / 2 * 4 ? 0 : 1);
}

/* The functions' places in our own file: a stripped rawtrace has no symbols for them. */
static int find_probed(struct rt_function f[2], struct rt_error *err)
{
	struct rt_addrmap *map = rt_addrmap_new();
	uint64_t ino;
	int r;

	if (!map)
		return rt_nomem(err);
	r = rt_addrmap_read(map, getpid());
	if (r == 0)
		r = rt_addrmap_find(map, getpid(), (uint64_t)(uintptr_t)probed, &ino, &f[0].offset);
	if (r == 0)
		r = rt_addrmap_find(map, getpid(), (uint64_t)(uintptr_t)probed_too, &ino, &f[1].offset);
	rt_addrmap_free(map);
	if (r < 0)
		return rt_fail(err, r, "/proc/self/maps: cannot find rawtrace's own code: %s", strerror(-r));
	f[0].name = f[1].name = "probed";
	r = rt_image_open("/proc/self/exe", "rawtrace", &f[0].image, err);
	f[1].image = f[0].image;
	return r;
}

struct counter {
	struct rt_trial *trial;
	pid_t pid;
};

static int64_t first_value(const struct rt_event *event)
{
	int32_t value = 0;

	if (event->hit.size >= sizeof(value) && !(event->hit.faults & 1))
		memcpy(&value, event->hit.data, sizeof(value));
	return value;
}

static int count(void *ctx, const struct rt_event *event)
{
	struct counter *c = ctx;

	if (event->type != RT_EV_HIT || (event->pid ? event->pid : event->tid) != c->pid)
		return 0;
	if (event->hit.plan == RT_KIND_ENTRY) {
		c->trial->entries++;
		c->trial->arguments += first_value(event);
	} else {
		c->trial->returns++;
		c->trial->results += first_value(event);
	}
	return 0;
}

int rt_trial_count(struct rt_source *source, pid_t pid, struct rt_trial *trial, struct rt_error *err)
{
	struct counter counter = { trial, pid };
	const struct rt_sink sink = { count, &counter };
	unsigned i;
	int r = 0;

	for (i = 0; i < source->ops->nfds(source) && r == 0; i++)
		r = source->ops->drain(source, i, &sink, err);
	return r;
}

static int start_child(pid_t *pid, int *go, struct rt_error *err)
{
	int p[2];

	if (pipe(p) != 0)
		return rt_fail(err, -errno, "pipe: %s", strerror(errno));
	*pid = fork();
	if (*pid == 0) {
		close(p[1]);
		child_main(p[0]);
	}
	close(p[0]);
	*go = p[1];
	if (*pid > 0)
		return 0;
	close(p[1]);
	return rt_fail(err, -EAGAIN, "fork: %s", strerror(errno));
}

/* Word to the child, and its end.  True when it did what it should. */
static bool run_child(pid_t pid, int go)
{
	int status = -1;

	if (write(go, "g", 1) != 1)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static int attach_and_run(const struct rt_attach_ops *ops, const struct rt_attach_request *request, int go, struct rt_trial *trial,
			  struct rt_error *err)
{
	uint64_t began = rt_now();
	struct rt_attach *attach;
	int r;

	r = ops->open(request, &attach, err);
	if (r < 0)
		return r;
	trial->attach_ms = (double)(rt_now() - began) / 1e6;
	trial->harmed = !run_child(request->pid, go);
	r = rt_trial_count(attach->source, request->pid, trial, err);
	began = rt_now();
	ops->close(attach);
	trial->detach_ms = (double)(rt_now() - began) / 1e6;
	return r;
}

int rt_trial_run(const struct rt_attach_ops *ops, struct rt_trial *trial, struct rt_error *err)
{
	struct rt_function function[2] = { { .nargs = 1 }, { .nargs = 1 } };
	const struct rt_functions functions = { .v = function, .n = 2, .cap = 2 };
	/* The plans' numbers are their kinds. */
	const struct rt_probe probes[] = {
		{ 0, RT_KIND_ENTRY }, { 0, RT_KIND_RETURN }, { 1, RT_KIND_ENTRY }, { 1, RT_KIND_RETURN },
	};
	struct rt_plan plans[2];
	struct rt_attach_request request = {
		.functions = &functions, .plans = plans, .nplans = 2, .probes = probes, .nprobes = 4, .ring_bytes = 64 << 10,
	};
	int go = -1, r;

	memset(trial, 0, sizeof(*trial));
	r = find_probed(function, err);
	if (r < 0)
		return r;
	request.program = function[0].image;
	rt_plan_c_entry(rt_image_arch(function[0].image), 1, &plans[RT_KIND_ENTRY]);
	rt_plan_c_return(rt_image_arch(function[0].image), &plans[RT_KIND_RETURN]);
	r = start_child(&request.pid, &go, err);
	if (r == 0) {
		r = attach_and_run(ops, &request, go, trial, err);
		close(go);	/* a child that got no word ends at this */
		while (waitpid(request.pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	rt_image_close(function[0].image);
	return r;
}
