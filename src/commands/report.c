/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"
#include "base/say.h"
#include "calls/filter.h"
#include "output/sinks.h"
#include "record/calls.h"

static int take_note(void *ctx, const char *text)
{
	struct rt_sinks *sinks = ctx;

	if (!rt_sinks_are_seen(sinks))
		rt_say("%s", text);
	return rt_sinks_note(sinks, text);
}

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

static int replay(const struct rt_options *o, struct rt_replay *recording, struct rt_sinks *sinks,
		  const struct chosen *chosen, struct rt_error *err)
{
	const struct rt_filter_want want = {
		.limit = { .depth = o->depth, .under = o->only_under, .min_time = o->min_time },
		.roots = chosen->roots,
		.excluded = o->nonly || o->nexcluded ? chosen->excluded : NULL,
		.tids = o->tids.n ? &o->tids : NULL,
		.from = o->from,
		.to = o->to,
		.start = &sinks->trace.start,
	};
	struct rt_filter *filter = rt_filter_new(&want, &rt_sinks_ops, sinks);
	const struct rt_replay_to to = { &rt_filter_ops, filter, take_note, sinks };
	const struct rt_replay_to all = { &rt_sinks_ops, sinks, take_note, sinks };
	int r;

	if (!filter)
		return rt_nomem(err);
	r = rt_replay_run(recording, &sinks->trace, rt_filter_wants_any(&want) ? &to : &all, err);
	if (r == 0 && rt_filter_wants_any(&want) && !rt_filter_has_shown(filter))
		r = take_note(sinks, "no call passes the filters") < 0 ? rt_nomem(err) : 0;
	rt_filter_free(filter);
	return r;
}

int rt_report(const struct rt_options *o, struct rt_error *err)
{
	const struct rt_sink_ops *ops = rt_sink_find(o->format ? o->format : "tree");
	const char *path = o->nspecs ? o->specs[0] : rt_sink_record.path;
	struct rt_replay *recording = NULL;
	struct rt_sinks sinks = { .n = 0 };
	struct rt_error unwritten;
	struct rt_sink *sink;
	struct chosen chosen = { NULL, NULL };
	int r, end;

	if (!ops)
		return rt_usage_words(err, "format", "format", o->format, rt_sink_name);
	sink = rt_sinks_add(&sinks, ops);
	sinks.trace.sort = o->sort;
	sinks.trace.callers = o->callers;
	rt_out_file_choose(&sink->to, o->output ? o->output : ops->path, STDOUT_FILENO);
	r = rt_replay_open(path, &sinks.trace, &recording, err);
	if (r == 0)
		r = choose_functions(o, sinks.trace.functions, &chosen, err);
	if (r == 0)
		r = rt_sinks_open(&sinks, NULL, err);
	if (r == 0 && !o->output && ops->path)
		rt_say("report written to %s", ops->path);
	if (r == 0) {
		r = replay(o, recording, &sinks, &chosen, err);
		end = r == 0 || r == -EBADMSG ? rt_sinks_end(&sinks) : 0;
		if (rt_sinks_flush(&sinks, &unwritten) < 0 && r == 0) {
			*err = unwritten;
			r = -EIO;
		} else if (end < 0 && r == 0) {
			r = rt_nomem(err);
		}
	}
	rt_sinks_free(&sinks);
	rt_replay_close(recording);
	free(chosen.roots);
	free(chosen.excluded);
	return r;
}
