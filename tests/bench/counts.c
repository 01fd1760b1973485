/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a call costs that the kernel counts, times or leaves out, beside the floor of its kind of probe that was measured just before. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MOST	1.1

enum { WAYS = 6, WHOLE = 2 };

/* `count` has a probe at the entry alone.  A trace in full, one whose filter passes every call, and those whose filters pass none. */
static const struct {
	const char *command;
	bool returns;
	double most;		/* of the floor; 0: no promise */
	bool saves;		/* it must save more than it costs */
} ways[WAYS] = {
	{ "count", false, COUNT_MOST, false }, { "hist", true, 0, false }, { "--entry=auto", true, 0, false }, { "--depth=1", true, 0, false },
	{ "--only-under=never", true, 0, true }, { "--min-time=100s", true, 0, true },
};

/* What one way takes a call: of the program's time, beside the floor, and of rawtrace's own. */
struct cost {
	double ns, ratio, own;
};

static int traced(const struct bench *b, const char *command, const char *mechanism, long n, double *ns, double *own,
		  struct rt_error *err)
{
	char attach[64], calls[24];
	char *argv[] = { (char *)b->rawtrace, (char *)command, attach, (char *)"-o", (char *)b->trace, (char *)b->loop, (char *)"hit",
			 (char *)"--", calls, NULL };
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
		right |= (sscanf(line, "hit %ld", &n) == 1 || sscanf(line, "avg = %*d nsecs, total: %*d nsecs, count: %ld", &n) == 1) &&
			 n == b->calls;
	if (file)
		fclose(file);
	return right ? 0 : rt_fail(err, -EIO, "%s did not see %ld calls", command, b->calls);
}

static int one(const struct bench *b, const struct rt_attach_ops *ops, unsigned way, double *v, struct cost *cost, struct rt_error *err)
{
	enum floor floor = ops == &rt_attach_uprobe_multi ? FLOOR_MULTI : FLOOR_PERF;
	double *ratio = v + b->repeats, *own = ratio + b->repeats, base, idle, ns;
	unsigned k;
	int r;

	/* What it takes to begin and to end. */
	r = traced(b, ways[way].command, ops->name, 1, &ns, &idle, err);
	for (k = 0; k < b->repeats && r == 0; k++) {
		r = floor_run(b, floor, ways[way].returns, &base, err);
		if (r == 0)
			r = traced(b, ways[way].command, ops->name, b->calls, &v[k], &own[k], err);
		if (r == 0)
			r = ways[way].command[0] == '-' ? 0 : check(b, ways[way].command, err);
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

static void print_cost(const struct rt_attach_ops *ops, unsigned way, const struct cost *c, const struct cost *whole)
{
	bool over = ops->bpf && ways[way].most && c->ratio > ways[way].most;

	printf("  %-14s %-18s %8.0f %8.2f %8.0f", ops->name, ways[way].command, c->ns, c->ratio, c->own);
	if (way > WHOLE && whole->ns > 0) {
		printf(" %8.0f %8.0f", c->ns - whole->ns, whole->own - c->own);
		over |= ops->bpf && ways[way].saves && c->ns + c->own > whole->ns + whole->own;
	}
	printf("%s\n", bench_verdict(!over));
}

int bench_counts(const struct bench *b, const struct rt_attach_ops *const *ops, unsigned n, struct rt_error *err)
{
	double *v = calloc(b->repeats * 3, sizeof(*v));
	struct cost cost, whole = { 0 };
	struct rt_error why = { 0 };
	unsigned i, way;
	int r = v ? 0 : rt_nomem(err);

	if (r == 0)
		printf("\nA call that is counted (entry), timed (entry and return), traced, traced through a filter that passes it, and left\n"
		       "out by two: ns, ratio to an empty BPF program on the same probes, ns of rawtrace's own CPU time; of a filter, what\n"
		       "it adds to the first and saves of the last, beside the whole trace\n");
	for (i = 0; i < n * WAYS && r == 0; i++) {
		const struct rt_attach_ops *o = ops[i / WAYS];

		way = i % WAYS;
		if (way == 0)
			whole = (struct cost){ 0 };
		if (one(b, o, way, v, &cost, &why) < 0) {
			printf("  %-14s %-18s %s\n", o->name, ways[way].command, why.text);
			r = b->smoke ? rt_fail(err, -EIO, "%s: %s", o->name, why.text) : 0;
			continue;
		}
		if (way == WHOLE)
			whole = cost;
		print_cost(o, way, &cost, &whole);
	}
	free(v);
	return r;
}
