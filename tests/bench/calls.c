/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a traced call costs.  Just before each traced run the floors are measured, so that a slow moment of the machine
 * meets both, and what is printed is the median of the ratios of such pairs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

#define RATIO_MOST	1.2

enum { REPEATS_MAX = 64, RINGS_MAX = 8 };

struct samples {
	double v[REPEATS_MAX];
	unsigned n;
};

/* The loop under one mechanism and ring. */
struct loop_cost {
	const struct rt_attach_ops *ops;
	const struct rt_ring_ops *ring;		/* NULL: tracefs has its own */
	struct samples ns, ratio[FLOORS];
	unsigned long long lost, missing;	/* in the worst run */
	double bytes;
	struct rt_error err;
};

static void add(struct samples *s, double value)
{
	if (s->n < REPEATS_MAX)
		s->v[s->n++] = value;
}

/* 0 when there is none. */
static double middle(struct samples *s)
{
	return s->n ? bench_median(s->v, s->n) : 0;
}

/* What the trace of `calls` calls lacks: events that it says were lost, and lines that are not there. */
static int read_trace(const struct bench *b, unsigned long long *lost, unsigned long long *missing)
{
	unsigned long long n, sum = 0, lines = 0, want = (unsigned long long)b->calls * 2;
	FILE *file = fopen(b->trace, "re");
	char line[256];

	if (!file)
		return -errno;
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "*** %llu event", &n) == 1)
			sum += n;
		else if (strcmp(line, ">(hit 1)\n") == 0 || strcmp(line, "<1\n") == 0)
			lines++;
	}
	fclose(file);
	if (sum > *lost)
		*lost = sum;
	if (lines < want && want - lines > *missing)
		*missing = want - lines;
	return 0;
}

/* One traced run, beside the floors that were measured just before it (0: this kernel has not that kind). */
static int traced_loop(const struct bench *b, const double floors[FLOORS], struct loop_cost *c)
{
	char attach[64], ring[64], calls[24];
	char *argv[] = { (char *)b->rawtrace, attach, (char *)"-o", (char *)b->trace, (char *)b->loop, (char *)"hit",
			 (char *)"--", calls, NULL, NULL };
	struct run run;
	int floor, r;

	snprintf(attach, sizeof(attach), "--attach=%s", c->ops->name);
	snprintf(calls, sizeof(calls), "%ld", b->calls);
	if (c->ring) {
		snprintf(ring, sizeof(ring), "--ring=%s", c->ring->name);
		memmove(argv + 2, argv + 1, 7 * sizeof(argv[0]));
		argv[1] = ring;
	}
	r = run_program(argv, b->seconds, &run);
	if (r == 0)
		r = read_trace(b, &c->lost, &c->missing);
	if (r < 0)
		return bench_why("rawtrace", r, &c->err);
	add(&c->ns, run.numbers[1]);
	for (floor = 0; floor < FLOORS; floor++)
		if (floors[floor] > 0)
			add(&c->ratio[floor], run.numbers[1] / floors[floor]);
	return 0;
}

static int plain_loop(const struct bench *b, struct samples *plain, struct rt_error *err)
{
	char calls[24], *argv[] = { (char *)b->loop, calls, NULL };
	struct run run;
	int r;

	snprintf(calls, sizeof(calls), "%ld", b->calls);
	r = run_program(argv, b->seconds, &run);
	if (r < 0)
		return bench_why(b->loop, r, err);
	add(plain, run.numbers[1]);
	return 0;
}

/* Both floors; a kernel before 6.6 has only the second. */
static int measure_floors(const struct bench *b, double now[FLOORS], struct samples all[FLOORS], struct rt_error *err)
{
	int floor, r = 0, worked = 0;

	for (floor = 0; floor < FLOORS; floor++) {
		now[floor] = 0;
		r = floor_run(b, (enum floor)floor, true, &now[floor], err);
		if (r < 0)
			continue;
		add(&all[floor], now[floor]);
		worked++;
	}
	return worked ? 0 : r;
}

static int measure(const struct bench *b, struct loop_cost *c, unsigned n, struct samples *plain,
		   struct samples all[FLOORS], struct rt_error *err)
{
	double floors[FLOORS];
	unsigned i, k;
	int r = 0;

	for (k = 0; k < b->repeats && r == 0; k++) {
		r = plain_loop(b, plain, err);
		for (i = 0; i < n && r == 0; i++) {
			if (c[i].err.text[0])
				continue;
			r = measure_floors(b, floors, all, err);
			if (r == 0)
				traced_loop(b, floors, &c[i]);
		}
	}
	for (i = 0; i < n && r == 0; i++)
		if (c[i].ring && c[i].ns.n)
			bytes_run(b, c[i].ops, c[i].ring, &c[i].bytes, &c[i].err);
	return r;
}

/* The floor of the probes that a mechanism makes. */
static enum floor kind(const struct rt_attach_ops *ops)
{
	return ops == &rt_attach_uprobe_multi ? FLOOR_MULTI : FLOOR_PERF;
}

/* Its ratio to the cheaper floor, which is what counts, and to that of its own kind of probe. */
static void print_cost(struct loop_cost *c)
{
	double ratio = middle(&c->ratio[c->ratio[FLOOR_MULTI].n ? FLOOR_MULTI : FLOOR_PERF]);
	char bytes[24] = "-", name[64];

	snprintf(name, sizeof(name), "%s%s%s", c->ops->name, c->ring ? ", " : "", c->ring ? c->ring->name : "");
	if (!c->ns.n) {
		printf("  %-22s %s\n", name, c->err.text);
		return;
	}
	if (c->bytes > 0)
		snprintf(bytes, sizeof(bytes), "%.0f", c->bytes);
	printf("  %-22s %8.0f %8.2f %8.2f %8llu %8llu %8s%s\n", name, middle(&c->ns), ratio,
	       middle(&c->ratio[kind(c->ops)]), c->lost, c->missing, bytes,
	       bench_verdict(!c->ops->bpf || ratio <= RATIO_MOST));
}

static void print_all(const struct bench *b, struct loop_cost *c, unsigned n, struct samples *plain,
		      struct samples all[FLOORS])
{
	static const char *const names[FLOORS] = { "floor, uprobe_multi", "floor, perf events" };
	unsigned i;

	printf("A call, entry and return, of a function that begins with a push (%ld calls, median of %u)\n", b->calls,
	       b->repeats);
	printf("  %-22s %8s %8s %8s %8s %8s %8s\n", "", "ns", "ratio", "own", "lost", "missing", "bytes");
	printf("  %-22s %8.1f\n", "not traced", middle(plain));
	for (i = 0; i < FLOORS; i++)
		if (all[i].n)
			printf("  %-22s %8.0f            an empty BPF program\n", names[i], middle(&all[i]));
	for (i = 0; i < n; i++)
		print_cost(&c[i]);
}

/* Every ring under the first mechanism with BPF, and the first ring under the others.  Returns the number of pairs. */
static unsigned pair(struct loop_cost *c, const struct rt_attach_ops *const *ops, unsigned n)
{
	unsigned i, k, pairs = 0;
	bool all = true;

	for (i = 0; i < n; i++) {
		for (k = 0; ops[i]->bpf && rt_ring_at(k) && (k == 0 || all) && k < RINGS_MAX; k++)
			c[pairs++] = (struct loop_cost){ .ops = ops[i], .ring = rt_ring_at(k) };
		if (ops[i]->bpf)
			all = false;
		else
			c[pairs++] = (struct loop_cost){ .ops = ops[i] };
	}
	return pairs;
}

int bench_calls(const struct bench *b, const struct rt_attach_ops *const *ops, unsigned n, struct rt_error *err)
{
	struct loop_cost *c = calloc(n * RINGS_MAX, sizeof(*c));
	struct samples plain = { .n = 0 }, all[FLOORS] = { { .n = 0 } };
	unsigned i;
	int r;

	if (!c)
		return rt_nomem(err);
	n = pair(c, ops, n);
	r = measure(b, c, n, &plain, all, err);
	if (r == 0)
		print_all(b, c, n, &plain, all);
	for (i = 0; i < n && r == 0 && b->smoke; i++)
		if (c[i].err.text[0])
			r = rt_fail(err, -EIO, "%s: %s", c[i].ops->name, c[i].err.text);
	free(c);
	return r;
}
