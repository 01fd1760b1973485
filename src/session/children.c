/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -f: the trace lasts until all traced processes have ended, children of children too.
 *
 * The feed learns of each from its events: the last thread's exit event ends a process.  If a ring
 * had no room for that event, only /proc shows the end.  So when the processes that the trace
 * began with have ended, /proc is asked for the others.
 *
 * Example: `rawtrace -f sh f -- -c 'daemon & exit'`.  The shell has ended at once.  The daemon's
 * fork event came before the shell's exit event, so the feed has the daemon by then.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/follow.h"
#include "base/say.h"
#include "emit/follow.h"
#include "session/session_private.h"

/* A zombie's events are in the rings; they are read within so many rounds, or they were lost. */
enum { ROUNDS_MOST = 20 };

/*
 * The exit event comes shortly before the process becomes a zombie (do_exit:
 * perf_event_exit_task, then exit_notify).
 */
static int wait_status(struct session *s)
{
	enum { TRIES = 200, WAIT_US = 500 };
	unsigned i;

	for (i = 0; i < TRIES && !rt_tracee_ended(&s->tracee, false); i++)
		usleep(WAIT_US);
	return s->tracee.ended ? s->tracee.status : -1;
}

/* The connector's message follows the exit event, unless the kernel had no room for it. */
enum { STATUS_MS = 50 };

static int on_ended(void *ctx, pid_t pid, uint64_t time)
{
	struct session *s = ctx;
	bool ours = s->tracee.ours && pid == rt_pids_first(&s->tracee.pids);
	int status = -1;

	(void)time;
	if (s->attach->followed)
		rt_followed_remove(s->attach->followed, pid);
	if (s->options->all)
		return 0;
	if (ours)
		status = wait_status(s);
	else if (s->statuses)
		status = rt_statuses_find(s->statuses, pid, STATUS_MS);
	return rt_sinks_exited(&s->sinks, pid, status);
}

int rt_session_begin_children(struct session *s)
{
	struct rt_error why = { .text = "" };

	bool wanted = s->options->follow ||
		      (rt_keep_any(&s->options->keep) && !s->tracee.ours && !s->options->all);

	if (wanted && rt_statuses_open(&s->statuses, &why) < 0 && s->options->verbose)
		rt_say("how processes end is not known: %s", why.text);
	if (s->options->follow || s->options->all)
		rt_feed_follow(s->feed, !s->attach->unfiltered, on_ended, s);
	return s->options->all ? rt_feed_take_all(s->feed) : 0;
}

static bool all_gone(const struct session *s)
{
	size_t i;
	pid_t pid;

	for (i = 0; (pid = rt_feed_process(s->feed, i)); i++)
		if (!rt_tracee_is_gone(pid))
			return false;
	return true;
}

bool rt_session_is_over(struct session *s)
{
	s->over = false;
	if (s->options->all)
		return false;
	if (!rt_tracee_ended(&s->tracee, false))
		return false;
	if (s->options->follow && rt_feed_process(s->feed, 0)) {
		if (!all_gone(s))
			s->rounds = 0;
		else if (!rt_session_has_due(s))
			s->rounds++;
		if (s->rounds < ROUNDS_MOST)
			return false;
	}
	s->over = true;
	return true;
}

int rt_session_end_children(struct session *s, uint64_t time)
{
	pid_t pid;
	int r = 0;

	while (s->options->follow && s->over && r == 0 && (pid = rt_feed_process(s->feed, 0)))
		r = rt_feed_process_ended(s->feed, pid, time);
	return r;
}

int rt_session_report_missed(struct session *s)
{
	uint64_t n = s->attach->followed ? rt_followed_missed(s->attach->followed) : 0;
	char text[160];

	if (!n)
		return 0;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " children not traced: more than %d processes at once; trace fewer",
		 n, RT_FOLLOWED_MOST);
	return rt_session_note(s, text);
}
