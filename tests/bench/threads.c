/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that are lost where 64 threads want the CPUs that the reader needs: live, as a tree, to a
 * file, with the default buffers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"

enum { THREADS = 64, CALLS_PART = 4 };

static int count_calls(const char *path, long *calls)
{
	FILE *file = fopen(path, "re");
	char line[256];

	*calls = 0;
	while (file && fgets(line, sizeof(line), file))
		*calls += strstr(line, "(inner ") != NULL;
	return file ? fclose(file) : -1;
}

int bench_threads(const struct bench *b, struct rt_error *err)
{
	long each = b->calls * CALLS_PART / THREADS, calls;
	char command[4096];

	snprintf(command, sizeof(command), "timeout %u %s -o %s %s inner -- %d %ld >/dev/null",
		 b->seconds, b->rawtrace, b->trace, b->crowd, THREADS, each);
	if (system(command) != 0 || count_calls(b->trace, &calls) != 0)
		return rt_fail(err, -1, "%s: failed", command);
	printf("\n%d threads at full speed: %ld calls, %ld lost%s\n", THREADS, each * THREADS,
	       each * THREADS - calls, bench_verdict(calls == each * THREADS));
	return 0;
}
