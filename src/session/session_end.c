/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Remarks at the end of a trace: that it has no call, and that a signal ended the program. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "session/session_private.h"
#include "base/array.h"
#include "base/say.h"

static bool has_calls(const struct session *s)
{
	const struct rt_sink *table = rt_sinks_table(&s->sinks);

	if (table)
		return table->ops->has_calls(table);
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
	bool limit = o->depth || o->only_under || o->min_time, more = s->sites.libcalls;

	if (limit || (s->wanted.limit.tests && more))
		return "that passes the filters";
	if (more)
		return "by the program itself";
	return s->wanted.limit.tests ? "that meets the condition" : "";
}

int rt_session_tell_no_call(struct session *s, bool lost)
{
	const char *filters = filters_of(s),
		   *forked = rt_feed_has_forked(s->feed) ? "; children are not followed" : "";
	char functions[200], text[RT_REMARK_MAX * 3];

	if (has_calls(s))
		return 0;
	put_functions(&s->sites.functions, functions, sizeof(functions));
	if (lost)
		snprintf(text, sizeof(text), "no call of %s seen, but events were lost%s",
			 functions, forked);
	else if (*filters)
		snprintf(text, sizeof(text), "no call of %s %s%s", functions, filters, forked);
	else
		snprintf(text, sizeof(text), "not called: %s%s", functions, forked);
	return rt_session_note(s, text);
}

int rt_session_tell_signal(struct session *s)
{
	static const struct {
		int sig;
		const char *name;
	} names[] = {
		{ SIGHUP, "SIGHUP" },	    { SIGINT, "SIGINT" },   { SIGQUIT, "SIGQUIT" },
		{ SIGILL, "SIGILL" },	    { SIGTRAP, "SIGTRAP" }, { SIGABRT, "SIGABRT" },
		{ SIGBUS, "SIGBUS" },	    { SIGFPE, "SIGFPE" },   { SIGKILL, "SIGKILL" },
		{ SIGUSR1, "SIGUSR1" },	    { SIGSEGV, "SIGSEGV" }, { SIGUSR2, "SIGUSR2" },
		{ SIGPIPE, "SIGPIPE" },	    { SIGALRM, "SIGALRM" }, { SIGTERM, "SIGTERM" },
		{ SIGSTKFLT, "SIGSTKFLT" }, { SIGXCPU, "SIGXCPU" }, { SIGXFSZ, "SIGXFSZ" },
		{ SIGVTALRM, "SIGVTALRM" }, { SIGPROF, "SIGPROF" }, { SIGIO, "SIGIO" },
		{ SIGPWR, "SIGPWR" },	    { SIGSYS, "SIGSYS" },
	};
	const struct rt_tracee *t = &s->tracee;
	char text[128];
	size_t i;

	if (!t->ours || !t->ended || !WIFSIGNALED(t->status))
		return 0;
	snprintf(text, sizeof(text), "%.60s: killed by signal %d", s->options->program,
		 WTERMSIG(t->status));
	for (i = 0; i < RT_COUNT(names); i++)
		if (names[i].sig == WTERMSIG(t->status))
			snprintf(text, sizeof(text), "%.60s: killed by %s", s->options->program,
				 names[i].name);
	return rt_session_note(s, text);
}

void rt_session_say_attached(const struct session *s)
{
	const struct rt_tracee *t = &s->tracee;
	size_t n = rt_functions_shown(&s->sites.functions);
	char name[RT_COMM_MAX];

	if (t->ours || !isatty(STDERR_FILENO))
		return;
	rt_proc_comm(rt_pids_first(&t->pids), rt_pids_first(&t->pids), name);
	if (t->pids.n == 1)
		rt_say("attached to %d (%s), %zu function%s", (int)rt_pids_first(&t->pids), name, n,
		       n == 1 ? "" : "s");
	else
		rt_say("attached to %u processes (%s), %zu function%s", t->pids.n, name, n,
		       n == 1 ? "" : "s");
}
