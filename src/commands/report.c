/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* The functions of --only-under by their names in the recording; malloced. */
static int choose_roots(const struct rt_options *o, const struct rt_functions *functions,
			bool **roots, struct rt_error *err)
{
	size_t i, found = 0;

	*roots = calloc(functions->n + 1, sizeof(**roots));
	if (!*roots)
		return rt_nomem(err);
	for (i = 0; o->only_under && i < functions->n; i++) {
		(*roots)[i] = strcmp(functions->v[i].name, o->only_under) == 0;
		found += (*roots)[i];
	}
	if (!o->only_under || found)
		return 0;
	return rt_usage(err, "--only-under=%s: the recording has no such function", o->only_under);
}

static int replay(const struct rt_options *o, struct rt_replay *recording, struct rt_sinks *sinks,
		  const bool *roots, struct rt_error *err)
{
	const struct rt_filter_want want = {
		.limit = { .depth = o->depth, .under = o->only_under, .min_time = o->min_time },
		.roots = roots,
	};
	struct rt_filter *filter = rt_filter_new(&want, &rt_sinks_ops, sinks);
	const struct rt_replay_to to = { &rt_filter_ops, filter, take_note, sinks };
	const struct rt_replay_to all = { &rt_sinks_ops, sinks, take_note, sinks };
	int r;

	if (!filter)
		return rt_nomem(err);
	r = rt_replay_run(recording, &sinks->trace, rt_limit_any(&want.limit) ? &to : &all, err);
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
	bool *roots = NULL;
	int r, end;

	if (!ops)
		return rt_usage_words(err, "format", "format", o->format, rt_sink_name);
	sink = rt_sinks_add(&sinks, ops);
	rt_out_file_choose(&sink->to, o->output ? o->output : ops->path, STDOUT_FILENO);
	r = rt_replay_open(path, &sinks.trace, &recording, err);
	if (r == 0)
		r = choose_roots(o, sinks.trace.functions, &roots, err);
	if (r == 0)
		r = rt_sinks_open(&sinks, NULL, err);
	if (r == 0 && !o->output && ops->path)
		rt_say("report written to %s", ops->path);
	if (r == 0) {
		r = replay(o, recording, &sinks, roots, err);
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
	free(roots);
	return r;
}
