/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bench [--smoke] RAWTRACE LOOP INSTRUMENTED MANY: what tracing costs, in one run.
 */
#include "bench.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The project's promise, in ms: for uprobe_multi, and for the other mechanisms. */
#define START_MOST	30.0
#define WHOLE_MOST	35.0
#define START_MOST_ELSE	60.0

enum { MECHANISMS_MAX = 16 };

const char *bench_verdict(bool good)
{
	return good ? "" : "  <- over";
}

int bench_why(const char *what, int r, struct rt_error *err)
{
	if (r == -EIO)
		return rt_fail(err, r, "%s failed", what);
	return rt_fail(err, r, "%s: %s", what,
		       r == -ETIMEDOUT ? "did not end in time" : strerror(-r));
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

double bench_median(double *v, unsigned n)
{
	qsort(v, n, sizeof(*v), compare);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

/* ---- start-up ---- */

/* From exec to the beginning of the program's main, and to the end of all, ms. */
struct start_cost {
	double main, least_main, end, least_end;
};

static int measure_start(const struct bench *b, char *const argv[], struct start_cost *c,
			 struct rt_error *err)
{
	double *v = calloc(2 * (size_t)b->starts, sizeof(*v)), *ends = v + b->starts;
	struct run run;
	unsigned i;
	int r = 0;

	if (!v)
		return rt_nomem(err);
	for (i = 0; i < b->starts && r == 0; i++) {
		r = run_program(argv, b->seconds, &run);
		v[i] = (run.numbers[0] - (double)run.began) / 1e6;
		ends[i] = (double)(run.ended - run.began) / 1e6;
	}
	if (r < 0) {
		free(v);
		return bench_why(argv[0], r, err);
	}
	c->main = bench_median(v, b->starts);
	c->least_main = v[0];
	c->end = bench_median(ends, b->starts);
	c->least_end = ends[0];
	free(v);
	return 0;
}

static void print_start(const char *name, const struct start_cost *c, bool good)
{
	printf("  %-20s %8.1f %8.1f %8.1f %8.1f%s\n", name, c->main, c->least_main, c->end,
	       c->least_end, bench_verdict(good));
}

static int bench_start(const struct bench *b, const struct rt_attach_ops *const *ops, unsigned n,
		       struct rt_error *err)
{
	char attach[64];
	char *plain[] = { (char *)b->loop, (char *)"1", NULL };
	char *argv[] = { (char *)b->rawtrace, attach,	       (char *)"-o",
			 (char *)b->trace,    (char *)b->loop, (char *)"hit",
			 (char *)"--",	      (char *)"1",     NULL };
	struct rt_error reason = { 0 };
	struct start_cost cost;
	unsigned i;
	int r;

	r = measure_start(b, plain, &cost, err);
	if (r < 0)
		return r;
	printf("\nFrom exec to the program's main, and a whole run (ms, of %u runs)\n", b->starts);
	printf("  %-20s %8s %8s %8s %8s\n", "", "main", "least", "whole", "least");
	print_start("not traced", &cost, true);
	for (i = 0; i < n; i++) {
		snprintf(attach, sizeof(attach), "--attach=%s", ops[i]->name);
		if (measure_start(b, argv, &cost, &reason) < 0)
			printf("  %-20s %s\n", ops[i]->name, reason.text);
		else
			print_start(ops[i]->name, &cost,
				    i ? cost.main < START_MOST_ELSE
				      : cost.main < START_MOST && cost.end < WHOLE_MOST);
	}
	return 0;
}

/* ---- */

/* The mechanisms to measure; the smoke test takes what rawtrace would choose with BPF, and without.
 */
static unsigned choose(const struct bench *b, const struct rt_attach_ops **ops)
{
	const struct rt_attach_ops *next;
	unsigned i, n = 0;

	for (i = 0; n < MECHANISMS_MAX && (next = rt_attach_at(i)); i++)
		if (!b->smoke || !next->bpf || !n)
			ops[n++] = next;
	return n;
}

/* Everything.  A mechanism that this kernel has not is told as such; in a smoke test it fails. */
static int bench_all(const struct bench *b, struct rt_error *err)
{
	const struct rt_attach_ops *ops[MECHANISMS_MAX];
	unsigned n = choose(b, ops);
	int r;

	r = bench_calls(b, ops, n, err);
	fflush(stdout);
	if (r == 0)
		r = bench_counts(b, ops, n, err);
	fflush(stdout);
	if (r == 0)
		r = bench_filters(b, ops, n, err);
	fflush(stdout);
	if (r == 0 && rt_arch_native() == EM_X86_64)
		r = bench_entries(b, err);
	fflush(stdout);
	if (r == 0)
		r = bench_children(b, err);
	fflush(stdout);
	if (r == 0)
		r = bench_threads(b, err);
	fflush(stdout);
	if (r == 0)
		r = bench_formats(b, err);
	fflush(stdout);
	if (r == 0)
		r = bench_start(b, ops, n, err);
	fflush(stdout);
	return r;
}

static int bench_main(struct bench *b)
{
	char trace[] = "/tmp/rawtrace-bench-XXXXXX";
	struct rt_error err = { 0 };
	int fd = mkstemp(trace), r;

	if (fd < 0) {
		fprintf(stderr, "bench: %s: %s\n", trace, strerror(errno));
		return 1;
	}
	close(fd);
	b->trace = trace;
	r = bench_all(b, &err);
	unlink(trace);
	if (r < 0)
		fprintf(stderr, "bench: %s\n", err.text);
	/*
	 * 77 is "skipped" for automake's test driver: without a floor there is nothing to compare
	 * with.
	 */
	return r == -EOPNOTSUPP ? 77 : r < 0;
}

int main(int argc, char **argv)
{
	struct bench b = { .calls = 500000, .repeats = 5, .starts = 10, .seconds = 60 };

	if (argc > 1 && strcmp(argv[1], "--smoke") == 0) {
		b = (struct bench){
			.calls = 5000, .repeats = 1, .starts = 1, .seconds = 60, .smoke = true
		};
		argc--;
		argv++;
	}
	if (argc != 6) {
		fprintf(stderr, "usage: bench [--smoke] RAWTRACE LOOP INSTRUMENTED MANY CROWD\n");
		return 2;
	}
	b.rawtrace = argv[1];
	b.loop = argv[2];
	b.instrumented = argv[3];
	b.many = argv[4];
	b.crowd = argv[5];
	return bench_main(&b);
}
