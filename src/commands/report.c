/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/report.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/say.h"
#include "commands/chosen.h"
#include "output/sink.h"

static int take_note(void *ctx, const char *text)
{
	struct rt_sinks *sinks = ctx;

	if (!rt_sinks_are_seen(sinks))
		rt_say("%s", text);
	return rt_sinks_note(sinks, text);
}

/* A word that is no file may be meant as a function. */
static int check_files(const struct rt_options *o, struct rt_error *err)
{
	unsigned i;

	for (i = 0; i < o->nfiles; i++)
		if (!strchr(o->files[i], '/') && strcmp(o->files[i], "-") != 0 &&
		    access(o->files[i], F_OK) != 0 && errno == ENOENT)
			return rt_fail(err, -ENOENT, "%s: No such file or directory; for calls of "
						     "a function: --only=%s",
				       o->files[i], o->files[i]);
	return 0;
}

/* --net is all or nothing: times with and without it do not compare. */
static int check_costs(const struct rt_options *o, const struct rt_replay *recording,
		       struct rt_error *err)
{
	unsigned i;

	for (i = 0; o->net && i < rt_replay_files(recording); i++)
		if (!rt_replay_costs(recording, i))
			return rt_usage(err, "--net: %s has no costs of probes; record it anew",
					o->nfiles ? o->files[i] : rt_sink_record.path);
	return 0;
}

static int open_recordings(const struct rt_options *o, struct rt_trace *trace,
			   struct rt_replay **recording, struct rt_error *err)
{
	const char *path = rt_sink_record.path;
	int r = check_files(o, err);

	if (r == 0 && o->nfiles)
		r = rt_replay_open((const char *const *)o->files, o->nfiles, trace, recording,
				   err);
	else if (r == 0)
		r = rt_replay_open(&path, 1, trace, recording, err);
	return r == 0 ? check_costs(o, *recording, err) : r;
}

int rt_report(const struct rt_options *o, struct rt_error *err)
{
	const struct rt_sink_ops *ops = rt_sink_find(o->format ? o->format : "tree");
	struct rt_replay *recording = NULL;
	struct rt_sinks sinks = { .n = 0 };
	const struct rt_replay_to to = { &rt_sinks_ops, &sinks, take_note, &sinks, NULL };
	struct rt_error unwritten;
	struct rt_sink *sink;
	int r, end;

	if (!ops)
		return rt_usage_words(err, "format", "format", o->format, rt_sink_name);
	sink = rt_sinks_add(&sinks, ops);
	sinks.trace.sort = o->sort;
	sinks.trace.callers = o->callers;
	sinks.trace.color = o->color;
	sinks.trace.width = o->width;
	sinks.trace.stamp = o->stamp;
	sinks.trace.durations = o->durations;
	sinks.trace.no_exits = o->quiet > 1;
	rt_out_file_choose(&sink->to, o->output ? o->output : ops->path, STDOUT_FILENO);
	sink->to.append = o->append;
	rt_out_file_page(&sink->to);
	r = open_recordings(o, &sinks.trace, &recording, err);
	if (r == 0)
		r = rt_sinks_open(&sinks, NULL, err);
	/* The pager is ended by its own keys. */
	if (sink->to.pager)
		signal(SIGINT, SIG_IGN);
	if (r == 0 && !o->output && ops->path && !o->quiet)
		rt_say("report written to %s", ops->path);
	if (r == 0) {
		r = rt_replay_chosen(o, recording, &sinks.trace, &to, err);
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
	return r;
}
