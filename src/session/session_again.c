/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "kernel/sys.h"
#include "session/session_private.h"
#include "attach/attach.h"

/* Threads that end at once are no good spares, and each takes descriptors for a while. */
enum { SPARES_MOST = 16 };

static int tell(struct session *s, const struct rt_anchor *a, pid_t pid, const char *failed)
{
	struct rt_event lost = { .type = RT_EV_LOST, .time = rt_now(), .pid = pid };
	char text[300];
	int r;

	lost.lost.until = lost.time;
	snprintf(text, sizeof(text),
		 "process %d, whose first thread the kernel filters by: %s: no call was seen for "
		 "%.1f ms%s%s",
		 (int)pid, a->exec ? "another one ran a program (exec)" : "that has ended",
		 (double)(lost.time - a->since) / 1e6, *failed ? ", nor will one be: " : "",
		 failed);
	r = rt_session_note(s, text);
	return r == 0 ? rt_stack_event(s->stack, &lost) : r;
}

static int again(struct session *s, unsigned i, enum rt_again why, pid_t tid)
{
	struct rt_attach_request request = s->request;
	pid_t pid = s->tracee.pids.v[i];
	struct rt_anchor *a = rt_feed_anchor(s->feed, i);
	struct rt_error failed = { .text = "" };
	int r;

	request.pids = RT_PID(pid);
	r = s->attach->ops->again(s->attach, &request, why, tid, &failed);
	if (why == RT_AGAIN_SPARE) {
		/* Without one calls may be missed later, which is told then. */
		a->spares = r < 0 && r != -ESRCH ? SPARES_MOST : a->spares + 1;
		a->spare = r < 0 ? 0 : tid;
		a->ready = rt_now();
		return 0;
	}
	/* It has ended meanwhile.  The next round knows. */
	if (r == -ESRCH)
		return 0;
	a->done = r < 0;
	if (r == 0)
		a->tid = tid;
	return tell(s, a, pid, r < 0 ? failed.text : "");
}

int rt_session_again(struct session *s)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < s->tracee.pids.n && r == 0 && s->attach->ops->again; i++) {
		const struct rt_anchor *a = rt_feed_anchor(s->feed, i);
		enum rt_again why = a->tid    ? RT_AGAIN_SPARE
				    : a->exec ? RT_AGAIN_EXEC
					      : RT_AGAIN_ENDED;
		pid_t tid = why == RT_AGAIN_EXEC ? s->tracee.pids.v[i]
						 : rt_feed_other_thread(s->feed, i);

		if (why >= s->attach->ops->again_from && tid && !a->done &&
		    (a->tid == 0 || (!a->spare && a->spares < SPARES_MOST)))
			r = again(s, i, why, tid);
	}
	return r;
}

int rt_session_not_again(struct session *s)
{
	unsigned i;
	int r = 0;

	for (i = 0; i < s->tracee.pids.n && r == 0 && s->attach->ops->again; i++) {
		const struct rt_anchor *a = rt_feed_anchor(s->feed, i);

		if (!a->tid && a->exec && !a->done)
			r = tell(s, a, s->tracee.pids.v[i], "it has ended before");
	}
	return r;
}
