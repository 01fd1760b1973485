/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of -f: a short child of the traced process, and a call in a process that is not traced.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "bench.h"
#include "kernel/sys.h"
#include "plan/sites.h"

enum { CHILDREN = 2000, CHILDREN_SMOKE = 50, REPEATS = 3 };

static const struct way {
	const char *name;
	const struct rt_attach_ops *ops;	/* NULL: nothing is traced */
	enum rt_reach reach;
} ways[] = {
	{ "not traced", NULL, RT_REACH_PROCESSES },
	{ "inherited probes", &rt_attach_multi_event, RT_REACH_CHILDREN },
	{ "a list, uprobe-multi", &rt_attach_uprobe_multi, RT_REACH_FOLLOWED },
	{ "a list, multi-event", &rt_attach_multi_event, RT_REACH_FOLLOWED },
};

static int wait_for(pid_t pid)
{
	int status = -1;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 ? 0 : -EIO;
}

static void __attribute__((noreturn)) parent_main(int go, unsigned children)
{
	unsigned i;
	char byte;
	pid_t pid;

	if (read(go, &byte, 1) != 1)
		_exit(1);
	for (i = 0; i < children; i++) {
		pid = fork();
		if (pid == 0)
			_exit(0);
		if (pid < 0 || wait_for(pid) < 0)
			_exit(1);
	}
	_exit(0);
}

/* The children of `pid`, in us each; then a loop that is not its child, in ns a call. */
static int measure(const struct bench *b, pid_t pid, int go, unsigned children, double *us,
		   double *ns)
{
	char calls[24], *argv[] = { (char *)b->loop, calls, NULL };
	uint64_t began;
	struct run run;
	int r;

	snprintf(calls, sizeof(calls), "%ld", b->calls / 8 + 1);
	r = run_program(argv, b->seconds, &run);
	*ns = run.numbers[1];
	began = rt_now();
	if (write(go, "g", 1) != 1)
		r = -EIO;
	if (wait_for(pid) < 0)
		r = -EIO;
	*us = (double)(rt_now() - began) / 1e3 / children;
	return r;
}

static int one_way(const struct bench *b, const struct way *way, const struct rt_traced *traced,
		   const struct rt_sites *sites, double *us, double *ns, struct rt_error *err)
{
	unsigned children = b->smoke ? CHILDREN_SMOKE : CHILDREN;
	struct rt_attach *attach = NULL;
	struct rt_pids pids = { .n = 1 };
	const struct rt_attach_request request = {
		.reach = way->reach,
		.pids = &pids,
		.functions = &sites->functions,
		.plans = sites->plans,
		.nplans = sites->nplans,
		.sites = sites->v,
		.nsites = sites->n,
		.program = traced->program.v[0],
	};
	int p[2], r = 0;

	if (pipe(p) != 0)
		return rt_fail(err, -errno, "pipe: %s", strerror(errno));
	pids.v[0] = fork();
	if (pids.v[0] == 0) {
		close(p[1]);
		parent_main(p[0], children);
	}
	close(p[0]);
	if (way->ops)
		r = way->ops->open(&request, &attach, err);
	if (r == 0) {
		r = measure(b, pids.v[0], p[1], children, us, ns);
		if (r < 0)
			rt_fail(err, r, "children: a run failed: %s", strerror(-r));
	}
	close(p[1]);
	if (r < 0)
		waitpid(pids.v[0], NULL, 0);
	if (attach)
		attach->ops->close(attach);
	return r;
}

static int row(const struct bench *b, const struct way *way, const struct rt_traced *traced,
	       const struct rt_sites *sites, double base[2], struct rt_error *err)
{
	double us[REPEATS], ns[REPEATS], child, call;
	unsigned i, n = b->smoke ? 1 : REPEATS;
	int r = 0;

	for (i = 0; i < n && r == 0; i++)
		r = one_way(b, way, traced, sites, &us[i], &ns[i], err);
	if (r == -EOPNOTSUPP) {
		printf("  %-20s %s\n", way->name, err->text);
		return 0;
	}
	if (r < 0)
		return r;
	child = bench_median(us, n);
	call = bench_median(ns, n);
	if (!way->ops) {
		base[0] = child;
		base[1] = call;
	}
	printf("  %-20s %8.0f %8.0f %8.1f%s\n", way->name, child, child - base[0], call,
	       bench_verdict(child - base[0] < 1000 &&
			     (way->reach != RT_REACH_CHILDREN || call < 2 * base[1] + 10)));
	return 0;
}

int bench_children(const struct bench *b, struct rt_error *err)
{
	struct rt_wanted wanted = { .want = RT_WANT_NONE };
	char *specs[] = { (char *)"hit" };
	struct rt_traced traced;
	struct rt_sites sites;
	double base[2] = { 0 };
	unsigned i;
	int r;

	r = rt_sites_resolve(&wanted, &traced, &sites, b->loop, NULL, specs, 1, err);
	if (r == 0)
		r = rt_sites_make(&wanted, &traced, &sites, RT_PLANS_FEW, err);
	if (r == 0)
		printf("Children: us a child, more than untraced, and ns a call in a process that "
		       "is not traced\n");
	for (i = 0; i < RT_COUNT(ways) && r == 0; i++)
		r = row(b, &ways[i], &traced, &sites, base, err);
	rt_sites_free(&wanted, &traced, &sites);
	return r;
}
