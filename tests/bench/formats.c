/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rawtrace's own CPU time a call, by format, and the events that are lost while the reader of a
 * pipe sleeps for a second.  Runs of the formats take turns, so that a slow moment of the machine
 * meets all of them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "bench.h"

enum { REPEATS_MAX = 16 };

static const char *const formats[] = { "tree", "chrome" };

static int run_format(const struct bench *b, const char *format, const char *to, struct run *run)
{
	char option[32], calls[24];
	char *argv[] = { (char *)b->rawtrace, option, (char *)"-o", (char *)to, (char *)b->loop,
			 (char *)"hit", (char *)"--", calls, NULL };

	snprintf(option, sizeof(option), "--format=%s", format);
	snprintf(calls, sizeof(calls), "%ld", b->calls);
	return run_program(argv, b->seconds, run);
}

/* Calls that the trace has not.  -1: it cannot be read. */
static long count_missing(const struct bench *b)
{
	FILE *file = fopen(b->trace, "re");
	long missing = b->calls;
	char line[512];

	while (file && fgets(line, sizeof(line), file))
		if (line[0] == '>' || (line[0] == '{' && line[7] == 'X'))
			missing--;
	return file && fclose(file) == 0 ? missing : -1;
}

int bench_formats(const struct bench *b, struct rt_error *err)
{
	double ns[RT_COUNT(formats)][REPEATS_MAX];
	unsigned i, k, n = b->repeats < REPEATS_MAX ? b->repeats : REPEATS_MAX;
	struct run run;
	char pipe[4096];
	long missing;
	int r = 0;

	for (i = 0; i < n; i++)
		for (k = 0; k < RT_COUNT(formats) && r == 0; k++) {
			r = run_format(b, formats[k], b->trace, &run);
			ns[k][i] = (run.cpu - run.numbers[2]) / (double)b->calls;
		}
	printf("\nRawtrace's own CPU time, ns a call of %ld, by the format of a file; and calls "
	       "missing\nif the reader of a pipe sleeps for a second\n", b->calls);
	for (k = 0; k < RT_COUNT(formats) && r == 0; k++) {
		snprintf(pipe, sizeof(pipe), "|sleep %d; cat >%s", !b->smoke, b->trace);
		r = run_format(b, formats[k], pipe, &run);
		missing = count_missing(b);
		printf("  %-22s %8.0f %7ld%s\n", formats[k], bench_median(ns[k], n), missing,
		       bench_verdict(missing == 0));
	}
	return r < 0 ? bench_why("rawtrace", r, err) : 0;
}
