/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output of a session: its sink, by the command and --format, where that goes, and the remarks
 * at the end: that the trace has no call, and that a signal ended the program.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clean.h"
#include "base/say.h"
#include "base/signals.h"
#include "kernel/procfs.h"
#include "output/files.h"
#include "output/top.h"
#include "record/calls.h"
#include "session/session_private.h"

static const struct rt_sink_ops *choose_sink(const struct rt_options *o)
{
	switch (o->command) {
	case RT_CMD_COUNT:
		return &rt_sink_count;
	case RT_CMD_HIST:
		return &rt_sink_hist;
	case RT_CMD_TOP:
		return &rt_sink_top;
	case RT_CMD_RECORD:
		return &rt_sink_record;
	default:
		return rt_sink_find(o->format ? o->format : "tree");
	}
}

int rt_session_choose_out(struct session *s, struct rt_error *err)
{
	const struct rt_options *o = s->options;
	const struct rt_sink_ops *ops = choose_sink(o);
	struct rt_sink *sink = rt_sinks_add(&s->sinks, ops);
	bool to_stdout = (ops->at_end && (o->pids.n || o->all)) || o->command == RT_CMD_TOP;

	s->sinks.trace.functions = &s->sites.functions;
	s->sinks.trace.string = o->limits.string;
	s->sinks.trace.members = o->limits.members;
	s->sinks.trace.stacks = o->stacks;
	s->sinks.trace.by = o->by;
	s->sinks.trace.fd_paths = o->fd_paths;
	s->sinks.trace.keep = o->keep;
	s->sinks.trace.sort = o->sort;
	s->sinks.trace.callers = o->callers;
	s->sinks.trace.color = o->color;
	s->sinks.trace.width = o->width;
	s->sinks.trace.stamp = o->stamp;
	s->sinks.trace.durations = o->durations;
	s->sinks.trace.no_exits = o->quiet > 1;
	s->sinks.trace.processes = o->pids.n > 1 || o->all;
	s->sinks.trace.names = o->all;
	s->sinks.trace.command = o->program
					 ? o->program
					 : rt_image_name(rt_program_executable(&s->traced.program));
	/*
	 * The table of a program that rawtrace starts does not go among the program's own output.
	 */
	rt_out_file_choose(&sink->to, o->output ? o->output : ops->path,
			   to_stdout ? STDOUT_FILENO : STDERR_FILENO);
	sink->to.append = o->append;
	sink->to.alone = o->command == RT_CMD_RECORD;
	if (o->separate && rt_files_init(sink, ops) < 0)
		return rt_nomem(err);
	return rt_sinks_check(&s->sinks, &s->traced.program, err);
}

int rt_session_open_out(struct session *s, struct rt_error *err)
{
	unsigned i;
	int r;

	s->sinks.trace.first = s->options->all ? 0 : rt_pids_first(&s->tracee.pids);
	r = rt_sinks_open(&s->sinks, &s->traced.program, err);
	if (r == 0 && rt_keep_any(&s->options->keep)) {
		if (!s->options->quiet)
			rt_say("kept in memory; kill -USR1 %d writes it to %s", (int)getpid(),
			       s->sinks.v[0].to.name);
		return 0;
	}
	if (s->options->output || s->options->quiet)
		return r;
	for (i = 0; i < s->sinks.n && r == 0; i++)
		if (s->sinks.v[i].to.path)
			rt_say("trace written to %s", s->sinks.v[i].to.path);
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

/* Remarks at the end of a trace: that it has no call, and that a signal ended the program. */

static bool has_calls(const struct session *s)
{
	const struct rt_sink *table = rt_sinks_table(&s->sinks);

	if (table)
		return table->ops->has_calls(table);
	if (s->outcome)
		return rt_outcome_has_shown(s->outcome);
	return s->filter ? rt_filter_has_shown(s->filter) : rt_feed_has_calls(s->feed);
}

/* The functions' names where they are few and short, else their number. */
static void put_functions(const struct rt_functions *functions, char *buf, size_t size)
{
	enum { NAMES = 25 };
	const char *last = "";
	size_t i, at = 0, n = rt_functions_shown(functions);

	buf[0] = '\0';
	for (i = 0; i < functions->n && at < NAMES; i++) {
		/* The implementations of an IFUNC have one name. */
		if (functions->v[i].hidden || strcmp(functions->v[i].name, last) == 0)
			continue;
		last = functions->v[i].name;
		at += (size_t)snprintf(buf + at, size - at, "%s%.*s", at ? ", " : "", NAMES + 1,
				       last);
	}
	if (at > NAMES || i < functions->n)
		snprintf(buf, size, "%zu function%s", n, n == 1 ? "" : "s");
}

/* The filters that left calls out, as a phrase; "": there are none. */
static const char *filters_of(const struct session *s)
{
	const struct rt_options *o = s->options;
	bool limit = o->depth || o->only_under || o->min_time, more = s->sites.libcalls,
	     conditions = s->wanted.limit.tests || s->wanted.limit.ends;

	if (limit || (conditions && more))
		return "that passes the filters";
	if (more)
		return "by the program itself";
	return conditions ? "that meets the condition" : "";
}

int rt_session_report_no_call(struct session *s, bool lost)
{
	const char *filters = filters_of(s);
	char functions[200], text[RT_REMARK_MAX * 3];

	/* Awaited files have another remark. */
	if ((s->options->quiet && !lost) || has_calls(s) || !s->sites.functions.n)
		return 0;
	put_functions(&s->sites.functions, functions, sizeof(functions));
	if (lost)
		snprintf(text, sizeof(text), "no call of %s seen; events were lost", functions);
	else if (*filters)
		snprintf(text, sizeof(text), "no call of %s %s", functions, filters);
	else
		snprintf(text, sizeof(text), "not called: %s", functions);
	return rt_session_note(s, text);
}

int rt_session_report_untraced(struct session *s)
{
	uint64_t n = rt_feed_untraced(s->feed);
	char text[RT_REMARK_MAX];

	if (!n || s->options->quiet)
		return 0;
	snprintf(text, sizeof(text), "%" PRIu64 " child%s not traced; -f traces children", n,
		 n == 1 ? " was" : "ren were");
	return rt_session_note(s, text);
}

int rt_session_report_signal(struct session *s)
{
	const struct rt_tracee *t = &s->tracee;
	char name[32], text[128];

	/* With -f a line of the process says so (rt_sinks_exited). */
	if (!t->ours || !t->ended || !WIFSIGNALED(t->status) || s->options->follow)
		return 0;
	rt_signal_name(WTERMSIG(t->status), name, sizeof(name));
	snprintf(text, sizeof(text), "%.60s: killed by %s", s->options->program, name);
	return rt_session_note(s, text);
}

/* Put the name of the signal that ended a traced process into `name`.  False: none is known. */
static bool find_death(struct session *s, char *name, size_t size)
{
	enum { WAIT_MS = 50 };
	const struct rt_tracee *t = &s->tracee;
	int status = -1;
	unsigned i;

	if (t->ours && t->ended)
		status = t->status;
	for (i = 0; !t->ours && s->statuses && i < t->pids.n; i++) {
		status = rt_statuses_find(s->statuses, t->pids.v[i], s->stopped ? 0 : WAIT_MS);
		if (status >= 0 && WIFSIGNALED(status))
			break;
	}
	if (status < 0 || !WIFSIGNALED(status))
		return false;
	rt_signal_name(WTERMSIG(status), name, size);
	return true;
}

int rt_session_save_end(struct session *s)
{
	char name[32], reason[64];

	if (!rt_keep_any(&s->options->keep))
		return 0;
	if (find_death(s, name, sizeof(name)))
		snprintf(reason, sizeof(reason), "killed by %s", name);
	else if (s->save)
		snprintf(reason, sizeof(reason), "SIGUSR1");
	else if (s->stopped)
		snprintf(reason, sizeof(reason), "the trace was ended by a signal");
	else
		return 0;
	return rt_sinks_save(&s->sinks, reason);
}

void rt_session_say_attached(const struct session *s)
{
	const struct rt_tracee *t = &s->tracee;
	size_t n = rt_functions_shown(&s->sites.functions);
	char name[RT_COMM_MAX];

	if (t->ours || s->options->quiet ||
	    !(s->options->verbose || isatty(STDERR_FILENO)))
		return;
	if (s->options->all) {
		rt_say("attached to every process that runs %s, %zu function%s",
		       rt_image_name(rt_program_executable(&s->traced.program)), n,
		       n == 1 ? "" : "s");
		return;
	}
	rt_proc_comm(rt_pids_first(&t->pids), rt_pids_first(&t->pids), name);
	if (t->pids.n == 1)
		rt_say("attached to %d (%s), %zu function%s", (int)rt_pids_first(&t->pids), name, n,
		       n == 1 ? "" : "s");
	else
		rt_say("attached to %u processes (%s), %zu function%s", t->pids.n, name, n,
		       n == 1 ? "" : "s");
}
