/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a call costs that the kernel counts, times or leaves out, beside the floor of its kind of probe that was measured just before. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_MOST	1.1

enum { WAYS = 5 };

/* `count` has a probe at the entry alone.  A trace in full, one whose filter passes every call, and one whose filter passes none. */
static const struct {
	const char *command;
	bool returns;
	double most;		/* of the floor; 0: no promise */
} ways[WAYS] = {
	{ "count", false, COUNT_MOST }, { "hist", true, 0 }, { "--entry=auto", true, 0 }, { "--depth=1", true, 0 },
	{ "--only-under=never", true, 0 },
};

static int traced(const struct bench *b, const char *command, const char *mechanism, double *ns, struct rt_error *err)
{
	char attach[64], calls[24];
	char *argv[] = { (char *)b->rawtrace, (char *)command, attach, (char *)"-o", (char *)b->trace, (char *)b->loop, (char *)"hit",
			 (char *)"--", calls, NULL };
	struct run run;
	int r;

	snprintf(attach, sizeof(attach), "--attach=%s", mechanism);
	snprintf(calls, sizeof(calls), "%ld", b->calls);
	r = run_program(argv, b->seconds, &run);
	if (r < 0)
		return bench_why("rawtrace", r, err);
	*ns = run.numbers[1];
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

static int one(const struct bench *b, const struct rt_attach_ops *ops, unsigned way, double *v, struct rt_error *err)
{
	enum floor floor = ops == &rt_attach_uprobe_multi ? FLOOR_MULTI : FLOOR_PERF;
	double *ratio = v + b->repeats, base;
	unsigned k;
	int r = 0;

	for (k = 0; k < b->repeats && r == 0; k++) {
		r = floor_run(b, floor, ways[way].returns, &base, err);
		if (r == 0)
			r = traced(b, ways[way].command, ops->name, &v[k], err);
		if (r == 0)
			r = ways[way].command[0] == '-' ? 0 : check(b, ways[way].command, err);
		ratio[k] = v[k] / base;
	}
	return r;
}

int bench_counts(const struct bench *b, const struct rt_attach_ops *const *ops, unsigned n, struct rt_error *err)
{
	double *v = calloc(b->repeats * 2, sizeof(*v)), ratio;
	struct rt_error why = { 0 };
	unsigned i, way;
	int r = v ? 0 : rt_nomem(err);

	if (r == 0)
		printf("\nA call that is counted (entry), timed (entry and return), traced, traced through a filter that passes it, and left\n"
		       "out by one: ns, ratio to an empty BPF program on the same probes\n");
	for (i = 0; i < n * WAYS && r == 0; i++) {
		const struct rt_attach_ops *o = ops[i / WAYS];

		way = i % WAYS;
		if (one(b, o, way, v, &why) < 0) {
			printf("  %-14s %-18s %s\n", o->name, ways[way].command, why.text);
			r = b->smoke ? rt_fail(err, -EIO, "%s: %s", o->name, why.text) : 0;
			continue;
		}
		ratio = bench_median(v + b->repeats, b->repeats);
		printf("  %-14s %-18s %8.0f %8.2f%s\n", o->name, ways[way].command, bench_median(v, b->repeats), ratio,
		       bench_verdict(!o->bpf || !ways[way].most || ratio <= ways[way].most));
	}
	free(v);
	return r;
}
