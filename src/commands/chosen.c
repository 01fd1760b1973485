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
#include "calls/outcome.h"
#include "commands/condition.h"
#include "output/profile.h"

/* Functions that the options choose, by their numbers in the recording. */
struct chosen {
	bool *roots;		/* of --only-under */
	bool *excluded;		/* by --exclude, or not of --only, or not of a specification */
	struct rt_conditions *conditions;	/* NULL: there are none */
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

static int read_conditions(const struct rt_options *o, const struct rt_functions *functions,
			   struct chosen *chosen, struct rt_error *err)
{
	int i, r = 0;

	if (o->command != RT_CMD_REPORT || (!o->nspecs && !o->failed && !o->why))
		return 0;
	chosen->conditions = rt_conditions_new(functions, o->failed);
	if (!chosen->conditions)
		return rt_nomem(err);
	for (i = 0; i < o->nspecs && r == 0; i++)
		r = rt_conditions_add(chosen->conditions, o->specs[i], err);
	if (r == 0 && o->why && !rt_conditions_test_end(chosen->conditions))
		r = rt_usage(err,
			     "--why: no condition on an end; try: 'FUNC(time > 5ms)', --failed");
	return r;
}

static int choose_functions(const struct rt_options *o, const struct rt_functions *functions,
			    struct chosen *chosen, struct rt_error *err)
{
	unsigned under = o->only_under ? 1 : 0;
	int nspecs = o->command == RT_CMD_REPORT ? o->nspecs : 0;
	size_t i;

	chosen->roots = calloc(functions->n + 1, sizeof(bool));
	chosen->excluded = calloc(functions->n + 1, sizeof(bool));
	if (!chosen->roots || !chosen->excluded)
		return rt_nomem(err);
	for (i = 0; i < functions->n; i++) {
		const char *name = functions->v[i].name;

		chosen->roots[i] = is_named(name, &o->only_under, under);
		chosen->excluded[i] = (o->nonly && !is_named(name, o->only, o->nonly)) ||
				      is_named(name, o->excluded, o->nexcluded) ||
				      (nspecs && !o->why &&
				       !rt_conditions_name(chosen->conditions, (uint32_t)i));
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
	unsigned i, n = rt_replay_files(recording);
	struct rt_replay_to net = { &rt_net_ops, NULL, to->note, to->sinks, NULL };
	uint64_t calls = 0, taken = 0, some;
	char time[32];
	int r = 0;

	if (!o->net)
		return rt_replay_run(recording, trace, to, err);
	net.of_file = calloc(n, sizeof(*net.of_file));
	for (i = 0; net.of_file && i < n; i++) {
		net.of_file[i] = rt_net_new(rt_replay_costs(recording, i), trace->functions->n,
					    to->ops, to->ctx);
		r = net.of_file[i] ? r : -ENOMEM;
	}
	r = net.of_file && r == 0 ? rt_replay_run(recording, trace, &net, err) : rt_nomem(err);
	for (i = 0; net.of_file && i < n; i++) {
		if (net.of_file[i])
			taken += rt_net_taken(net.of_file[i], &some);
		calls += net.of_file[i] ? some : 0;
		rt_net_free(net.of_file[i]);
	}
	free(net.of_file);
	if (r == 0)
		rt_say("--net: %s of the probes' cost taken off %" PRIu64 " call%s",
		       rt_duration_text(taken, time), calls, calls == 1 ? "" : "s");
	return r;
}

static int note_number(const struct rt_replay_to *to, uint64_t n, const char *what)
{
	char text[160];

	if (!n)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64 " %s%s", n, n == 1 ? "call" : "calls", what);
	return to->note(to->sinks, text);
}

static int end_conditions(const struct chosen *chosen, const struct rt_outcome *outcome,
			  const struct rt_replay_to *to)
{
	int r = note_number(to, rt_outcome_unseen(outcome), " left out: the result was not seen");

	if (r == 0)
		r = note_number(to, rt_outcome_too_large(outcome),
				" left out: too many calls inside");
	if (r == 0)
		r = note_number(to, rt_conditions_unknown(chosen->conditions),
				" left out: the recording has no such value to compare");
	if (r == 0 && !rt_outcome_has_shown(outcome))
		r = to->note(to->sinks, "no call meets the condition");
	return r;
}

static int replay_filtered(const struct rt_options *o, struct rt_replay *recording,
			   struct rt_trace *trace, const struct chosen *chosen,
			   const struct rt_replay_to *to, struct rt_error *err)
{
	const struct rt_filter_want want = {
		.limit = { .depth = o->depth, .under = o->only_under, .min_time = o->min_time },
		.roots = chosen->roots,
		.excluded = o->nonly || o->nexcluded || chosen->conditions ? chosen->excluded
									   : NULL,
		.tids = o->tids.n ? &o->tids : NULL,
		.from = o->from,
		.to = o->to,
		.start = &trace->start,
	};
	struct rt_filter *filter = rt_filter_new(&want, to->ops, to->ctx);
	const struct rt_replay_to filtered = { &rt_filter_ops, filter, to->note, to->sinks, NULL };
	int r;

	if (!filter)
		return rt_nomem(err);
	r = replay_net(o, recording, trace, rt_filter_wants_any(&want) ? &filtered : to, err);
	if (r == 0 && !chosen->conditions && rt_filter_wants_any(&want) &&
	    !rt_filter_has_shown(filter))
		r = to->note(to->sinks, "no call passes the filters") < 0 ? rt_nomem(err) : 0;
	rt_filter_free(filter);
	return r;
}

/* As live: the conditions choose among the calls that pass the filters. */
static int replay(const struct rt_options *o, struct rt_replay *recording, struct rt_trace *trace,
		  const struct chosen *chosen, const struct rt_replay_to *to, struct rt_error *err)
{
	struct rt_replay_to tested = { &rt_outcome_ops, NULL, to->note, to->sinks, NULL };
	struct rt_outcome_tests tests;
	int r;

	if (!chosen->conditions)
		return replay_filtered(o, recording, trace, chosen, to, err);
	tests = rt_conditions_tests(chosen->conditions);
	tested.ctx = rt_outcome_new(&tests, o->why, to->ops, to->ctx);
	if (!tested.ctx)
		return rt_nomem(err);
	r = replay_filtered(o, recording, trace, chosen, &tested, err);
	if (r == 0 && end_conditions(chosen, tested.ctx, to) < 0)
		r = rt_nomem(err);
	rt_outcome_free(tested.ctx);
	return r;
}

int rt_replay_chosen(const struct rt_options *o, struct rt_replay *recording,
		     struct rt_trace *trace, const struct rt_replay_to *to, struct rt_error *err)
{
	struct chosen chosen = { NULL, NULL, NULL };
	int r = read_conditions(o, trace->functions, &chosen, err);

	if (r == 0)
		r = choose_functions(o, trace->functions, &chosen, err);
	if (r == 0)
		r = replay(o, recording, trace, &chosen, to, err);
	free(chosen.roots);
	free(chosen.excluded);
	rt_conditions_free(chosen.conditions);
	return r;
}
