/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel arms semaphores of USDT probes from 4.20 on, also in processes that begin later.
 * Before that rawtrace does it: after the probes are in and, as a program may map libraries and
 * call exec, in each round of the trace.
 */
#include <errno.h>
#include <stdlib.h>

#include "kernel/procfs.h"
#include "process/semaphores.h"
#include "session/session_private.h"

/*
 * exec has succeeded before the program is mapped (begin_new_exec), and its loader takes some
 * 0.3 ms: in that time the counters are looked for without a pause.
 */
enum { TRIES = 300 };

/* -a: those that run by now; nobody tells of others, as they do not hit the probes. */
static void arm_all(struct session *s)
{
	pid_t *v = NULL;
	int i, n = rt_proc_all(&v);

	for (i = 0; i < n; i++)
		rt_semaphores_arm(s->semaphores, v[i], false);
	free(v);
}

void rt_session_arm(struct session *s)
{
	size_t i;
	pid_t pid;

	if (!s->semaphores)
		return;
	for (i = 0; i < s->tracee.pids.n; i++)
		rt_semaphores_arm(s->semaphores, s->tracee.pids.v[i], false);
	for (i = 0; (s->options->follow || s->options->all) && (pid = rt_feed_process(s->feed, i));
	     i++)
		if (!rt_pids_has(&s->tracee.pids, pid))
			rt_semaphores_arm(s->semaphores, pid, true);
}

static int add_semaphores(struct session *s, size_t first)
{
	const struct rt_site *site;
	size_t i;

	for (i = first; i < s->sites.n; i++) {
		site = &s->sites.v[i];
		if (!rt_site_semaphore(site))
			continue;
		if (!s->semaphores)
			s->semaphores = rt_semaphores_new();
		if (!s->semaphores ||
		    rt_semaphores_add(s->semaphores, s->sites.functions.v[site->function].image,
				      rt_site_semaphore(site)) < 0)
			return -ENOMEM;
	}
	return 0;
}

int rt_session_add_semaphores(struct session *s, size_t first)
{
	bool had = s->semaphores;

	if (s->attach->arms)
		return 0;
	if (add_semaphores(s, first) < 0)
		return -ENOMEM;
	if (!s->semaphores || had)
		return 0;
	return rt_session_note(s, "this kernel does not arm USDT probes (before 4.20): hits are "
				  "not seen until rawtrace has armed them");
}

void rt_session_begin_semaphores(struct session *s)
{
	pid_t pid = rt_pids_first(&s->tracee.pids);
	unsigned i;

	if (!s->semaphores)
		return;
	for (i = 0; s->tracee.ours && i < TRIES && !rt_semaphores_arm(s->semaphores, pid, false);
	     i++)
		;
	rt_session_arm(s);
	if (s->options->all)
		arm_all(s);
}

void rt_session_disarm(struct session *s)
{
	rt_semaphores_free(s->semaphores);
	s->semaphores = NULL;
}
