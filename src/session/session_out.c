/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sinks of a session: which one, by the command and --format, and where it goes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean.h"
#include "base/say.h"
#include "session/session_private.h"

static const char *sink_name(const struct rt_options *o)
{
	if (o->command == RT_CMD_COUNT)
		return "count";
	if (o->command == RT_CMD_HIST)
		return "hist";
	return o->format ? o->format : "tree";
}

int rt_session_choose_out(struct session *s, struct rt_error *err)
{
	const struct rt_options *o = s->options;
	const struct rt_sink_ops *ops = rt_sink_find(sink_name(o));
	struct rt_sink *sink = rt_sinks_add(&s->sinks, ops);
	bool to_stdout = ops->is_table && o->pids.n;

	s->sinks.trace.functions = &s->sites.functions;
	s->sinks.trace.string = o->limits.string;
	s->sinks.trace.members = o->limits.members;
	s->sinks.trace.fd_paths = o->fd_paths;
	s->sinks.trace.processes = o->pids.n > 1;
	s->sinks.trace.command = o->program
					 ? o->program
					 : rt_image_name(rt_program_executable(&s->traced.program));
	/*
	 * The table of a program that rawtrace starts does not go among the program's own output.
	 */
	rt_out_file_choose(&sink->to, o->output ? o->output : ops->path,
			   to_stdout ? STDOUT_FILENO : STDERR_FILENO);
	return rt_sinks_check(&s->sinks, &s->traced.program, err);
}

int rt_session_open_out(struct session *s, struct rt_error *err)
{
	int r = rt_sinks_open(&s->sinks, &s->traced.program, err);
	unsigned i;

	for (i = 0; i < s->sinks.n && r == 0 && !s->options->output; i++)
		if (s->sinks.v[i].to.path)
			rt_say("the trace goes to %s", s->sinks.v[i].to.path);
	return r;
}

int rt_session_note(void *ctx, const char *text)
{
	struct session *s = ctx;
	char *copy = strdup(text);
	int r;

	if (!copy)
		return -ENOMEM;
	rt_make_printable(copy);
	if (!rt_sinks_are_seen(&s->sinks))
		rt_say("%s", copy);
	r = rt_sinks_note(&s->sinks, copy);
	free(copy);
	return r;
}
