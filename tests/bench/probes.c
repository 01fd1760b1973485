/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Putting thousands of probes in and taking them out. */
#include <stdio.h>
#include <string.h>

#include "bench.h"

/*
 * With a descriptor a probe the kernel takes about 0.1 s to close each, one after another: ten
 * functions say enough, as in a smoke test.
 */
static bool needs_few(const struct bench *b, const struct rt_attach_ops *ops)
{
	return b->smoke || ops == &rt_attach_pmu || ops == &rt_attach_event;
}

int many_run(const struct bench *b, const struct rt_attach_ops *ops, const struct rt_ring_ops *ring,
	     struct many_cost *cost)
{
	char attach[64], choice[64];
	char *argv[] = { (char *)b->rawtrace,
			 attach,
			 (char *)"-o",
			 (char *)b->trace,
			 (char *)b->many,
			 (char *)(needs_few(b, ops) ? "fn000?" : "fn*"),
			 NULL,
			 NULL };
	struct run run;
	int r;

	snprintf(attach, sizeof(attach), "--attach=%s", ops->name);
	if (ring) {
		snprintf(choice, sizeof(choice), "--ring=%s", ring->name);
		memmove(argv + 2, argv + 1, 5 * sizeof(argv[0]));
		argv[1] = choice;
	}
	r = run_program(argv, b->seconds, &run);
	if (r < 0)
		return r;
	cost->attach = (run.numbers[0] - (double)run.began) / 1e6;
	cost->detach = ((double)run.ended - run.numbers[1]) / 1e6;
	cost->few = needs_few(b, ops);
	return 0;
}
