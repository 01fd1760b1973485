/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Costs of a call that the kernel counts or times, compared with the floor of its kind of probe,
 * measured just before.
 */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MOST	1.1

enum { WAYS = 2 };

/* `count` has a probe at the entry alone. */
static const struct {
	const char *command;
	bool returns;
	double most;		/* of the floor; 0: no promise */
} ways[WAYS] = { { "count", false, COUNT_MOST }, { "hist", true, 0 } };

/* One way's cost a call: the program's time, its ratio to the floor, and rawtrace's own time. */
struct cost {
	double ns, ratio, own;
};

static int traced(const struct bench *b, const char *command, const char *mechanism, long n,
		  double *ns, double *own, struct rt_error *err)
{
	char attach[64], calls[24];
	char *argv[] = {
		(char *)b->rawtrace, (char *)command, attach,	    (char *)"-o", (char *)b->trace,
		(char *)b->loop,     (char *)"hit",   (char *)"--", calls,	  NULL
	};
	struct run run;
	int r;

	snprintf(attach, sizeof(attach), "--attach=%s", mechanism);
	snprintf(calls, sizeof(calls), "%ld", n);
	r = run_program(argv, b->seconds, &run);
	if (r < 0)
		return bench_why("rawtrace", r, err);
	*ns = run.numbers[1];
	*own = run.cpu - run.numbers[2];
	return 0;
}

/* The number of calls is known: whatever is not counted, or not timed, is wrong. */
static int check(const struct bench *b, const char *command, struct rt_error *err)
{
	FILE *file = fopen(b->trace, "re");
	char line[256];
	bool right = false;
	long n;

	while (file && fgets(line, sizeof(line), file))
		right |= (sscanf(line, "hit %ld", &n) == 1 ||
			  sscanf(line, "avg = %*d nsecs, total: %*d nsecs, count: %ld", &n) == 1) &&
			 n == b->calls;
	if (file)
		fclose(file);
	return right ? 0 : rt_fail(err, -EIO, "%s did not see %ld calls", command, b->calls);
}

static int one(const struct bench *b, const struct rt_attach_ops *ops, unsigned way, double *v,
	       struct cost *cost, struct rt_error *err)
{
	enum floor floor = ops == &rt_attach_uprobe_multi ? FLOOR_MULTI : FLOOR_PERF;
	double *ratio = v + b->repeats, *own = ratio + b->repeats, base, idle = 0, ns;
	unsigned k;
	int r = 0;

	/* A run of one call: the cost to begin and to end. */
	if (!b->smoke)
		r = traced(b, ways[way].command, ops->name, 1, &ns, &idle, err);
	for (k = 0; k < b->repeats && r == 0; k++) {
		r = floor_run(b, floor, ways[way].returns, &base, err);
		if (r == 0)
			r = traced(b, ways[way].command, ops->name, b->calls, &v[k], &own[k], err);
		if (r == 0)
			r = check(b, ways[way].command, err);
		ratio[k] = v[k] / base;
		own[k] = own[k] > idle ? (own[k] - idle) / (double)b->calls : 0;
	}
	if (r < 0)
		return r;
	cost->ns = bench_median(v, b->repeats);
	cost->ratio = bench_median(ratio, b->repeats);
	cost->own = bench_median(own, b->repeats);
	return 0;
}

static void print_cost(const struct rt_attach_ops *ops, unsigned way, const struct cost *c)
{
	bool over = ops->bpf && ways[way].most && c->ratio > ways[way].most;

	printf("  %-14s %-18s %8.0f %8.2f %8.0f%s\n", ops->name, ways[way].command, c->ns, c->ratio,
	       c->own, bench_verdict(!over));
}

int bench_counts(const struct bench *b, const struct rt_attach_ops *const *ops, unsigned n,
		 struct rt_error *err)
{
	double *v = calloc(b->repeats * 3, sizeof(*v));
	struct cost cost;
	struct rt_error why = { 0 };
	unsigned i, way;
	int r = v ? 0 : rt_nomem(err);

	if (r == 0)
		printf("\nA call that is counted (entry) and timed (entry and return): ns, ratio "
		       "to an empty BPF program on the same probes, ns of\n"
		       "rawtrace's own CPU time\n");
	for (i = 0; i < n * WAYS && r == 0; i++) {
		const struct rt_attach_ops *o = ops[i / WAYS];

		way = i % WAYS;
		if (one(b, o, way, v, &cost, &why) < 0) {
			printf("  %-14s %-18s %s\n", o->name, ways[way].command, why.text);
			r = b->smoke ? rt_fail(err, -EIO, "%s: %s", o->name, why.text) : 0;
			continue;
		}
		print_cost(o, way, &cost);
	}
	free(v);
	return r;
}
