/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/trial.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/sys.h"
#include "stream/addrmap.h"
#include "base/array.h"

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

static int call_probed(void)
{
	int sum = 0, i;

	for (i = 0; i < (int)RT_TRIAL_CALLS / 2; i++)
		sum += probed(i) + probed_too(-i);
	return sum == (int)RT_TRIAL_CALLS / 2 * 4 ? 0 : 1;
}

/* The functions' places in our own file: a stripped rawtrace has no symbols for them. */
static int find_functions(const struct rt_trial_program *program, struct rt_function *f, struct rt_error *err)
{
	struct rt_addrmap *map = rt_addrmap_new();
	struct rt_image *image;
	uint64_t ino;
	unsigned i;
	int r;

	if (!map)
		return rt_nomem(err);
	r = rt_addrmap_read(map, getpid());
	for (i = 0; i < program->n && r == 0; i++)
		r = rt_addrmap_find(map, getpid(), program->functions[i], &ino, &f[i].offset);
	rt_addrmap_free(map);
	if (r < 0)
		return rt_fail(err, r, "/proc/self/maps: cannot find rawtrace's own code: %s", strerror(-r));
	r = rt_image_open("/proc/self/exe", "rawtrace", &image, err);
	for (i = 0; i < program->n && r == 0; i++) {
		f[i].name = (char *)"probed";
		f[i].nargs = 1;
		f[i].image = image;
	}
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
	const struct rt_event_handler handler = { count, &counter };
	unsigned i;
	int r = 0;

	for (i = 0; i < source->ops->nfds(source) && r == 0; i++)
		r = source->ops->drain(source, i, &handler, err);
	return r;
}

static int start_child(const struct rt_trial_program *program, pid_t *pid, int *go, struct rt_error *err)
{
	char byte;
	int p[2];

	if (pipe(p) != 0)
		return rt_fail(err, -errno, "pipe: %s", strerror(errno));
	*pid = fork();
	if (*pid == 0) {
		close(p[1]);
		_exit(read(p[0], &byte, 1) == 1 ? program->main() : 2);
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

static int run_attached(struct rt_attach *attach, pid_t pid, int go, struct rt_trial *trial, struct rt_error *err)
{
	uint64_t began;
	int r;

	trial->harmed = !run_child(pid, go);
	r = rt_trial_count(attach->source, pid, trial, err);
	began = rt_now();
	attach->ops->close(attach);
	trial->detach_ms = (double)(rt_now() - began) / 1e6;
	return r;
}

int rt_trial_program(const struct rt_trial_program *program, const struct rt_attach_ops *only, const struct rt_attach_ops *forced,
		     bool no_bpf, struct rt_trial *trial, struct rt_error *err)
{
	struct rt_function function[RT_COUNT(program->functions)] = { { 0 } };
	const struct rt_functions functions = { .v = function, .n = program->n, .cap = program->n };
	struct rt_probe probes[2 * RT_COUNT(program->functions)];
	struct rt_plan plans[2];	/* their numbers are their kinds */
	struct rt_pids child = { .n = 1 };
	struct rt_attach_request request = {
		.pids = &child, .functions = &functions, .plans = plans, .nplans = 2, .probes = probes, .nprobes = 2 * program->n, .ring_bytes = 64 << 10,
	};
	struct rt_attach *attach = NULL;
	int go = -1, r;
	uint64_t began;
	unsigned i;

	memset(trial, 0, sizeof(*trial));
	r = find_functions(program, function, err);
	if (r < 0)
		return r;
	for (i = 0; i < request.nprobes; i++)
		probes[i] = (struct rt_probe){ .function = i / 2, .plan = i % 2 ? RT_KIND_RETURN : RT_KIND_ENTRY };
	request.program = function[0].image;
	rt_plan_c_entry(rt_image_arch(request.program), 1, &plans[RT_KIND_ENTRY]);
	rt_plan_c_return(rt_image_arch(request.program), &plans[RT_KIND_RETURN]);
	r = start_child(program, &child.v[0], &go, err);
	if (r == 0) {
		began = rt_now();
		r = only ? only->open(&request, &attach, err) : rt_attach_open(&request, forced, no_bpf, NULL, &attach, err);
		trial->attach_ms = (double)(rt_now() - began) / 1e6;
		if (r == 0)
			r = run_attached(attach, child.v[0], go, trial, err);
		close(go);	/* a child that got no word ends at this */
		while (waitpid(child.v[0], NULL, 0) < 0 && errno == EINTR)
			;
	}
	rt_image_close(function[0].image);
	return r;
}

int rt_trial_run(const struct rt_attach_ops *ops, unsigned n, struct rt_trial *trial, struct rt_error *err)
{
	const struct rt_trial_program program = {
		.main = call_probed, .functions = { (uintptr_t)probed, (uintptr_t)probed_too }, .n = n,
	};

	return rt_trial_program(&program, ops, NULL, false, trial, err);
}
