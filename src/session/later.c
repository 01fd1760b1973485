/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rawtrace record pairs calls and writes them later, so that it takes little of the CPUs while the
 * program runs.
 *
 * To pair the events of a call, to fetch its values and to compress them takes 700 ns.  At a
 * million calls a second that is most of a CPU, which the program lacks.  So the events go from the
 * rings into a spool (stream/spool.h), which takes 100 ns a call.  They are decoded in a small
 * share of the time, and the rest when the program has ended.  A recording of fewer than some
 * 40,000 calls a second is always up to date.  The file is the same in any case.
 *
 * Limits: a spool of 1 GB is emptied at full speed, so that the end takes half a minute at most.
 * Options that act on a call at once, or read /proc for its values, exclude this (can_wait).
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "kernel/sys.h"
#include "session/session_private.h"
#include "stream/spool.h"

enum { PERCENT = 3, BATCH = 1024 };

static const int64_t saved_most_ns = 100000000;
static const uint64_t slice_ns = 5000000, waiting_most = UINT64_C(1) << 30;

static bool can_wait(const struct session *s)
{
	const struct rt_options *o = s->options;

	/* For each child, semaphores and the kernel's list of processes are changed at once. */
	if (o->follow && (s->attach->followed || !s->attach->arms))
		return false;
	return o->command == RT_CMD_RECORD && !rt_keep_any(&o->keep) && !o->all && !o->separate &&
	       !o->fd_paths && !rt_session_awaits(s) && !s->attach->pending &&
	       !s->attach->source->foreign_clock;
}

/* The user chose a file system with room for the trace. */
static struct rt_spool *open_spool(const struct session *s)
{
	const struct rt_out_file *to = &s->sinks.v[0].to;
	const char *slash = to->regular ? strrchr(to->path, '/') : NULL;
	struct rt_spool *spool;
	char *folder;

	if (!to->regular) {
		folder = getenv("TMPDIR");
		return rt_spool_new(folder && *folder ? folder : "/var/tmp");
	}
	folder = slash ? strndup(to->path, (size_t)(slash - to->path) + 1) : strdup(".");
	spool = folder ? rt_spool_new(folder) : NULL;
	free(folder);
	return spool;
}

int rt_session_begin_later(struct session *s)
{
	unsigned i;

	if (!can_wait(s))
		return 0;
	/* Later they may have ended, and a pointer to a function in them has no name. */
	for (i = 0; !s->tracee.ours && i < s->tracee.pids.n; i++)
		if (rt_site_map_read(rt_feed_map(s->feed), s->tracee.pids.v[i]) == -ENOMEM)
			return -ENOMEM;
	s->later.spool = open_spool(s);
	s->later.budget = (struct rt_budget){ PERCENT, saved_most_ns, 0, rt_now() };
	return s->later.spool ? 0 : -ENOMEM;
}

/*
 * May it make another thread the one that the kernel filters by (rt_session_add_threads), or end a
 * followed process, for which its status is found at once?
 */
static bool is_urgent(const struct session *s, const struct rt_event *event)
{
	if (s->options->follow)
		return event->type == RT_EV_EXIT && event->tid == event->pid;
	/* Without a process, the events that matter are of its first thread. */
	if (!s->attach->ops->add ||
	    !rt_pids_has(&s->tracee.pids, event->pid ? event->pid : event->tid))
		return false;
	return event->type == RT_EV_EXEC ||
	       ((event->type == RT_EV_FORK || event->type == RT_EV_EXIT) &&
		s->attach->ops->add_from < RT_ADD_EXEC);
}

int rt_session_put_later(struct session *s, const struct rt_event *event)
{
	struct rt_gaps *gaps = s->attach->source->gaps;
	struct rt_event counted;

	s->later.urgent |= is_urgent(s, event);
	if (event->type != RT_EV_EXIT || !gaps)
		return rt_spool_push(s->later.spool, s->ring, event);
	/* Later another thread may count in the same slot. */
	counted = *event;
	counted.exit.hits = rt_gaps_counted(gaps, event->tid);
	return rt_spool_push(s->later.spool, s->ring, &counted);
}

/* Move events into the merge, up to the end of a round.  Their number, or a negative errno. */
static int take_some(struct session *s)
{
	struct rt_spooled item;
	int r = 0, n = 0;

	while (n < BATCH && (r = rt_spool_take(s->later.spool, &item)) > 0) {
		if (item.ends_round) {
			s->bound = item.bound;
			return n + 1;
		}
		r = rt_merge_push(s->merge, item.ring, &item.event);
		if (r < 0)
			return r;
		n++;
	}
	return r < 0 ? r : n;
}

/* 1: there may be more; 0: nothing is due; or a negative errno. */
static int decode_some(struct session *s)
{
	const struct rt_event_handler out = { rt_feed_event, s->feed };
	int taken = rt_merge_due(s->merge) ? 1 : take_some(s), r;

	if (taken < 0)
		return taken;
	r = rt_merge_some(s->merge, s->bound, BATCH, &out);
	return r < 0 ? r : taken > 0 || rt_merge_due(s->merge);
}

bool rt_session_is_behind(const struct session *s)
{
	/* -f: whether there are children is known when all was decoded. */
	return s->later.spool && (rt_spool_full(s->later.spool) || s->later.urgent ||
				  rt_spool_bytes(s->later.spool) > waiting_most ||
				  (s->options->follow && s->tracee.ended));
}

bool rt_session_has_due(const struct session *s)
{
	return rt_merge_due(s->merge) || (s->later.spool && rt_spool_events(s->later.spool));
}

int rt_session_decode(struct session *s)
{
	struct rt_later *later = &s->later;
	uint64_t begin = rt_now(), now = begin, most = rt_budget_at(&later->budget, begin);
	int r = 1;

	if (most > slice_ns || rt_session_is_behind(s))
		most = slice_ns;
	while (r > 0 && now - begin < most) {
		r = decode_some(s);
		now = rt_now();
	}
	rt_budget_use(&later->budget, now);
	if (r == 0)
		later->urgent = false;
	return r < 0 ? r : 0;
}

int rt_session_decode_rounds(struct session *s)
{
	int r;

	while ((r = decode_some(s)) > 0)
		;
	return r;
}

/* The user does not wait for the rest. */
static int drop_rest(struct session *s)
{
	struct rt_event lost = { .type = RT_EV_LOST, .time = rt_session_end_time(s) };
	char text[RT_REMARK_MAX];

	lost.lost.count = rt_spool_events(s->later.spool);
	lost.lost.until = lost.time;
	snprintf(text, sizeof(text), "%" PRIu64 " events not written: a second signal came",
		 lost.lost.count);
	rt_spool_free(s->later.spool);
	s->later.spool = NULL;
	if (!lost.lost.count)
		return 0;
	/* Numbered hits are counted as lost by rt_gaps_rest(). */
	if (!s->attach->source->gaps && rt_merge_push(s->merge, 0, &lost) < 0)
		return -ENOMEM;
	return rt_session_note(s, text);
}

int rt_session_decode_rest(struct session *s, struct rt_error *err)
{
	uint64_t looked = rt_now();
	int stopped = s->stopped, r;

	/* The program does not wait for a ring any more. */
	rt_priority_restore(&s->priority);
	s->stopped = 0;
	if (rt_spool_bytes(s->later.spool))
		rt_sinks_hurry(&s->sinks);
	while ((r = decode_some(s)) > 0 && !s->stopped) {
		if (rt_now() - looked < slice_ns)
			continue;
		looked = rt_now();
		rt_session_read_signals(s);
		rt_session_show_progress(s, false);
		if (rt_sinks_round(&s->sinks) < 0)
			return -ENOMEM;
		if (rt_sinks_flush(&s->sinks, err) < 0)
			return -EIO;
	}
	if (r >= 0)
		r = drop_rest(s);
	if (!s->stopped)
		s->stopped = stopped;
	return r;
}
