/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"

/* The ways in which the loop's functions begin, and where their probes may stand. */
static const struct {
	const char *name, *spec, *what;
	bool returns;
} functions[] = {
	{ "hit", "hit", "push", true },
	{ "marked", "marked", "endbr64, push", true },
	{ "tested", "tested", "test, js", true },
	{ "noted", "usdt:loop:noted", "a USDT probe", false },
};

static const char *const where[] = { "--entry=exact", "--entry=auto" };

static int one(const struct bench *b, unsigned i, const char *entry, double *ns,
	       struct rt_error *err)
{
	char calls[24];
	char *argv[] = {
		(char *)b->rawtrace, (char *)entry, (char *)"-o", (char *)b->trace, (char *)b->loop,
		(char *)functions[i].spec, (char *)"--", calls, (char *)functions[i].name, NULL
	};
	struct run run;
	int r;

	/* The slow ones take twelve times as long. */
	snprintf(calls, sizeof(calls), "%ld", b->calls / 8 + 1);
	r = run_program(argv, b->seconds, &run);
	if (r < 0)
		return bench_why("rawtrace", r, err);
	*ns = run.numbers[1];
	return 0;
}

int bench_entries(const struct bench *b, struct rt_error *err)
{
	double *v = calloc(b->repeats * RT_COUNT(where), sizeof(*v)), floors[2];
	unsigned i, k, e;
	int r = v ? 0 : rt_nomem(err);

	for (i = 0; i < RT_COUNT(floors) && r == 0; i++)
		if (floor_run(b, FLOOR_MULTI, i, &floors[i], err) < 0)
			r = floor_run(b, FLOOR_PERF, i, &floors[i], err);
	if (r == 0)
		printf("A call, by how the function begins, with the probe at its entry and where "
		       "rawtrace puts it (ns, ratio;\nof a USDT probe to an entry alone)\n");
	for (i = 0; i < RT_COUNT(functions) && r == 0; i++) {
		for (k = 0; k < b->repeats && r == 0; k++)
			for (e = 0; e < RT_COUNT(where) && r == 0; e++)
				r = one(b, i, where[e], &v[e * b->repeats + k],
					err);
		if (r == 0) {
			double exact = bench_median(v, b->repeats),
			       moved = bench_median(v + b->repeats, b->repeats),
			       floor = floors[functions[i].returns];

			printf("  %-20s %8.0f %8.2f %8.0f %8.2f\n", functions[i].what, exact,
			       exact / floor, moved, moved / floor);
		}
	}
	free(v);
	return r;
}
