/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes that a call takes in the ring, by the size of its records: with every header and padding.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"
#include "plan/sites.h"

/*
 * Few enough that nothing wraps or is lost, enough that the records which tell of the process
 * hardly count.
 */
enum { CALLS = 4000 };

static int pass_over(void *ctx, const struct rt_event *event)
{
	(void)ctx;
	(void)event;
	return 0;
}

static int drain_all(struct rt_source *source, struct rt_error *err)
{
	const struct rt_event_handler handler = { pass_over, NULL };
	unsigned i;
	int r = 0;

	for (i = 0; i < source->ops->nfds(source) && r == 0; i++)
		r = source->ops->drain(source, i, &handler, err);
	return r;
}

static int attach_and_count(const struct rt_attach_ops *ops,
			    const struct rt_attach_request *request, struct child *child,
			    unsigned seconds, double *bytes, struct rt_error *err)
{
	struct rt_attach *attach;
	struct run run;
	int r;

	r = ops->open(request, &attach, err);
	if (r < 0) {
		child_drop(child);
		return r;
	}
	r = child_run(child, seconds, &run);
	if (r < 0)
		rt_fail(err, r, "the traced loop: %s", strerror(-r));
	else
		r = drain_all(attach->source, err);
	*bytes = (double)attach->source->taken / CALLS;
	ops->close(attach);
	return r;
}

int bytes_run(const struct bench *bench, const struct rt_attach_ops *ops,
	      const struct rt_ring_ops *ring, double *bytes, struct rt_error *err)
{
	char calls[16], *specs[] = { (char *)"hit" },
			*argv[] = { (char *)bench->loop, calls, NULL };
	struct rt_attach_request request = { 0 };
	struct rt_wanted wanted = { 0 };
	struct rt_traced traced;
	struct rt_sites sites;
	struct child child;
	int r;

	snprintf(calls, sizeof(calls), "%d", CALLS);
	r = rt_sites_resolve(&wanted, &traced, &sites, bench->loop, NULL, specs, 1, err);
	if (r == 0)
		r = rt_sites_make(&wanted, &traced, &sites, RT_PLANS_FEW, err);
	if (r < 0)
		goto out;
	r = child_start(&child, argv);
	if (r < 0) {
		rt_fail(err, r, "%s: %s", argv[0], strerror(-r));
		goto out;
	}
	request = (struct rt_attach_request){
		.pids = RT_PID(child.pid),
		.functions = &sites.functions,
		.plans = sites.plans,
		.nplans = sites.nplans,
		.sites = sites.v,
		.nsites = sites.n,
		.program = traced.program.v[0],
		.ring = ring,
	};
	r = attach_and_count(ops, &request, &child, bench->seconds, bytes, err);
out:
	rt_sites_free(&wanted, &traced, &sites);
	return r;
}
