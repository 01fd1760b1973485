/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cost of -f: a short child of the traced process, and a call in a process that is not traced.
 *
 * loop makes the children; none calls the probed function.  They map its file, so the kernel may
 * have to put breakpoints into each.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench.h"
#include "plan/sites.h"

/* CHILD_MOST: us that following a child may cost. */
enum { SMOKE_PART = 10, REPEATS = 5, CHILD_MOST = 1000 };

static const struct way {
	const char *name;
	const struct rt_attach_ops *ops;	/* NULL: nothing is traced, or rawtrace runs */
	enum rt_reach reach;
	bool command;				/* rawtrace -f, its reader too */
} ways[] = {
	{ "not traced", NULL, RT_REACH_PROCESSES, false },
	{ "inherited probes", &rt_attach_multi_event, RT_REACH_CHILDREN, false },
	{ "a list, uprobe-multi", &rt_attach_uprobe_multi, RT_REACH_FOLLOWED, false },
	{ "a list, multi-event", &rt_attach_multi_event, RT_REACH_FOLLOWED, false },
	{ "a list, event", &rt_attach_event, RT_REACH_FOLLOWED, false },
	{ "tracefs", &rt_attach_tracefs, RT_REACH_CHILDREN, false },
	{ "rawtrace -f", NULL, RT_REACH_CHILDREN, true },
};

/* loop's name of each kind of child, and how many there are. */
static const struct birth {
	const char *name;
	long children;
} births[] = { { "fork", 400 }, { "exec", 100 }, { "vfork", 100 } };

enum { BIRTHS = RT_COUNT(births) };

/* us a child, and ns a call in another process. */
struct cost {
	double us[BIRTHS], call;
};

static int run_stranger(const struct bench *b, double *ns)
{
	char calls[24], *argv[] = { (char *)b->loop, calls, NULL };
	struct run run;
	int r;

	snprintf(calls, sizeof(calls), "%ld", b->calls / 8 + 1);
	r = run_program(argv, b->seconds, &run);
	*ns = run.numbers[1];
	return r;
}

/* By rawtrace as a user runs it. */
static int run_command(const struct bench *b, char *const child[], struct run *run)
{
	char *argv[] = { (char *)b->rawtrace, (char *)"-qf", (char *)"-o", (char *)b->trace,
			 (char *)b->loop,     (char *)"hit", (char *)"--", child[1],
			 child[2],	      NULL };

	return run_program(argv, b->seconds, run);
}

/* `ns`: a call in another process meanwhile; NULL: not measured. */
static int run_probed(const struct bench *b, const struct way *way,
		      const struct rt_traced *traced, const struct rt_sites *sites,
		      char *const argv[], struct run *run, double *ns, struct rt_error *err)
{
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
	struct child child;
	int r = child_start(&child, argv);

	if (r < 0)
		return bench_why("children", r, err);
	pids.v[0] = child.pid;
	if (way->ops)
		r = way->ops->open(&request, &attach, err);
	if (r < 0) {
		child_drop(&child);
		return r;
	}
	r = ns ? run_stranger(b, ns) : 0;
	if (r < 0)
		child_drop(&child);
	else
		r = child_run(&child, b->seconds, run);
	if (attach)
		attach->ops->close(attach);
	return r < 0 ? bench_why("children", r, err) : 0;
}

static int one_way(const struct bench *b, const struct way *way, const struct rt_traced *traced,
		   const struct rt_sites *sites, struct cost *cost, struct rt_error *err)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < BIRTHS && r == 0; i++) {
		char n[24], *argv[] = { (char *)b->loop, n, (char *)births[i].name, NULL };
		struct run run = { 0 };

		snprintf(n, sizeof(n), "%ld", births[i].children / (b->smoke ? SMOKE_PART : 1));
		if (way->command) {
			r = run_command(b, argv, &run);
			if (r < 0)
				return bench_why(way->name, r, err);
		} else {
			r = run_probed(b, way, traced, sites, argv, &run, i ? NULL : &cost->call,
				       err);
		}
		cost->us[i] = run.numbers[1] / 1e3;
	}
	return r;
}

/* The least of each figure: what else runs on the machine only adds to it. */
static int measure(const struct bench *b, const struct way *way, const struct rt_traced *traced,
		   const struct rt_sites *sites, struct cost *least, struct rt_error *err)
{
	unsigned i, k, n = b->smoke ? 1 : REPEATS;
	struct cost cost = { .call = 0 };
	int r = 0;

	for (i = 0; i < n && r == 0; i++) {
		r = one_way(b, way, traced, sites, &cost, err);
		if (i == 0 || cost.call < least->call)
			least->call = cost.call;
		for (k = 0; k < BIRTHS; k++)
			if (i == 0 || cost.us[k] < least->us[k])
				least->us[k] = cost.us[k];
	}
	return r;
}

/* Only inherited probes are filtered by the kernel: a stranger then pays nothing. */
static void print_row(const struct way *way, const struct cost *cost, const struct cost *base)
{
	bool good = way->ops != &rt_attach_multi_event || way->reach != RT_REACH_CHILDREN ||
		    cost->call < 2 * base->call + 10;
	unsigned k;

	printf("  %-20s", way->name);
	for (k = 0; k < BIRTHS; k++) {
		double us = cost->us[k] - (way == ways ? 0 : base->us[k]);

		printf(" %8.0f", us);
		good &= way == ways || us < CHILD_MOST;
	}
	if (!way->command)
		printf(" %8.1f", cost->call);
	printf("%s\n", bench_verdict(good));
}

int bench_children(const struct bench *b, struct rt_error *err)
{
	struct rt_wanted wanted = { .want = RT_WANT_NONE };
	char *specs[] = { (char *)"hit" };
	struct rt_traced traced;
	struct rt_sites sites;
	struct cost base = { .call = 0 }, cost;
	unsigned i;
	int r;

	r = rt_sites_resolve(&wanted, &traced, &sites, b->loop, NULL, specs, 1, err);
	if (r == 0)
		r = rt_sites_make(&wanted, &traced, &sites, RT_PLANS_FEW, err);
	if (r == 0)
		printf("\nChildren: us more than untraced; a stranger: ns a call (least of %u)\n"
		       "  %-20s %8s %8s %8s %8s\n",
		       b->smoke ? 1 : REPEATS, "", "fork", "and exec", "vfork", "stranger");
	for (i = 0; i < RT_COUNT(ways) && r == 0; i++) {
		if (b->smoke && ways[i].reach == RT_REACH_FOLLOWED)
			continue;
		r = measure(b, &ways[i], &traced, &sites, i ? &cost : &base, err);
		if (r == -EOPNOTSUPP)
			printf("  %-20s %s\n", ways[i].name, err->text);
		else if (r == 0)
			print_row(&ways[i], i ? &cost : &base, &base);
		r = r == -EOPNOTSUPP ? 0 : r;
	}
	rt_sites_free(&wanted, &traced, &sites);
	return r;
}
