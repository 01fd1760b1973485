/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/chosen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/say.h"
#include "calls/filter.h"
#include "calls/net.h"
#include "output/profile.h"

/* Functions that the options choose, by their numbers in the recording. */
struct chosen {
	bool *roots;		/* of --only-under */
	bool *excluded;		/* by --exclude, or not of --only */
};

/* Many names of C++ are globs: operator*. */
static bool is_named(const char *name, const char *const *globs, unsigned n)
{
	unsigned i;

	for (i = 0; i < n && strcmp(globs[i], name) != 0 && !rt_glob_match(globs[i], name); i++)
		;
	return i < n;
}

/* A glob that matches nothing is a mistake. */
static int check_globs(const char *option, const char *const *globs, unsigned n,
		       const struct rt_functions *functions, struct rt_error *err)
{
	unsigned i;
	size_t k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < functions->n; k++)
			if (is_named(functions->v[k].name, &globs[i], 1))
				break;
		if (k == functions->n)
			return rt_usage(err, "--%s=%s: the recording has no such function", option,
					globs[i]);
	}
	return 0;
}

static int choose_functions(const struct rt_options *o, const struct rt_functions *functions,
			    struct chosen *chosen, struct rt_error *err)
{
	unsigned under = o->only_under ? 1 : 0;
	size_t i;

	chosen->roots = calloc(functions->n + 1, sizeof(bool));
	chosen->excluded = calloc(functions->n + 1, sizeof(bool));
	if (!chosen->roots || !chosen->excluded)
		return rt_nomem(err);
	for (i = 0; i < functions->n; i++) {
		const char *name = functions->v[i].name;

		chosen->roots[i] = is_named(name, &o->only_under, under);
		chosen->excluded[i] = (o->nonly && !is_named(name, o->only, o->nonly)) ||
				      is_named(name, o->excluded, o->nexcluded);
	}
	if (check_globs("only-under", &o->only_under, under, functions, err) < 0 ||
	    check_globs("only", o->only, o->nonly, functions, err) < 0)
		return -EINVAL;
	return check_globs("exclude", o->excluded, o->nexcluded, functions, err);
}

/* As rt_replay_run, with --net. */
static int replay_net(const struct rt_options *o, struct rt_replay *recording,
		      struct rt_trace *trace, const struct rt_replay_to *to, struct rt_error *err)
{
	const struct rt_call_cost *costs = rt_replay_costs(recording);
	struct rt_replay_to net = { &rt_net_ops, NULL, to->note, to->sinks };
	char time[32];
	uint64_t calls, taken;
	int r;

	if (!o->net)
		return rt_replay_run(recording, trace, to, err);
	net.ctx = rt_net_new(costs, trace->functions->n, to->ops, to->ctx);
	if (!net.ctx)
		return rt_nomem(err);
	r = rt_replay_run(recording, trace, &net, err);
	taken = rt_net_taken(net.ctx, &calls);
	rt_net_free(net.ctx);
	if (r == 0)
		rt_say("--net: %s of the probes' cost taken off %" PRIu64 " call%s",
		       rt_duration_text(taken, time), calls, calls == 1 ? "" : "s");
	return r;
}

static int replay(const struct rt_options *o, struct rt_replay *recording, struct rt_trace *trace,
		  const struct chosen *chosen, const struct rt_replay_to *to, struct rt_error *err)
{
	const struct rt_filter_want want = {
		.limit = { .depth = o->depth, .under = o->only_under, .min_time = o->min_time },
		.roots = chosen->roots,
		.excluded = o->nonly || o->nexcluded ? chosen->excluded : NULL,
		.tids = o->tids.n ? &o->tids : NULL,
		.from = o->from,
		.to = o->to,
		.start = &trace->start,
	};
	struct rt_filter *filter = rt_filter_new(&want, to->ops, to->ctx);
	const struct rt_replay_to filtered = { &rt_filter_ops, filter, to->note, to->sinks };
	int r;

	if (!filter)
		return rt_nomem(err);
	r = replay_net(o, recording, trace, rt_filter_wants_any(&want) ? &filtered : to, err);
	if (r == 0 && rt_filter_wants_any(&want) && !rt_filter_has_shown(filter))
		r = to->note(to->sinks, "no call passes the filters") < 0 ? rt_nomem(err) : 0;
	rt_filter_free(filter);
	return r;
}

int rt_replay_chosen(const struct rt_options *o, struct rt_replay *recording,
		     struct rt_trace *trace, const struct rt_replay_to *to, struct rt_error *err)
{
	struct chosen chosen = { NULL, NULL };
	int r = choose_functions(o, trace->functions, &chosen, err);

	if (r == 0)
		r = replay(o, recording, trace, &chosen, to, err);
	free(chosen.roots);
	free(chosen.excluded);
	return r;
}
