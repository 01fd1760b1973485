/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A thread that drains the rings while the main thread is busy.
 *
 * At a million calls a second, rings of 8 MB are full after 90 ms.  The main thread is busy for
 * longer while it waits for a slow terminal, reads /proc, or attaches to a library that was loaded.
 * If nobody has drained the rings for one round, this thread drains them into a merge of its own.
 * The main thread takes these events before it drains the rings again.  So it holds no lock while
 * it passes events on, and events are copied once more only if it was late.
 *
 * A lock covers all that draining uses: the sources, s->into, s->ring and the list of attachments
 * (awaited.c).
 *
 * There is no such thread for a recording, whose events wait in a spool (later.c); with -k, which
 * notes mappings while it drains; and on tracefs, where only records tell the time of its clock.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "kernel/sys.h"
#include "session/session_private.h"
#include "stream/source.h"

struct rt_relief {
	struct session *session;
	pthread_t thread;
	pthread_mutex_t lock;		/* for the rings and all below */
	pthread_cond_t end;
	struct rt_merge *merge;		/* events that this thread has drained */
	uint64_t drained;		/* when either thread drained the rings last */
	size_t queued;			/* bytes of events in the main thread's merge */
	uint64_t round;			/* ns */
	bool waits;			/* the main thread waits for events */
	bool ends;
	int failed;			/* 0 or a negative errno, with its message */
	struct rt_error why;
};

enum { ROUND_MOST_MS = 20, NS_PER_MS = 1000000, NS_PER_S = 1000000000 };

/* ---- the thread ---- */

static void drain(struct rt_relief *relief)
{
	struct session *s = relief->session;

	s->into = relief->merge;
	relief->failed = rt_session_drain_rings(s, &relief->why);
	s->into = s->merge;
	relief->drained = rt_now();
}

static bool is_due(const struct rt_relief *relief)
{
	return !relief->waits && !relief->failed && rt_now() - relief->drained > relief->round &&
	       relief->queued + rt_merge_bytes(relief->merge) < rt_session_queued_max();
}

static void *relieve(void *ctx)
{
	struct rt_relief *relief = ctx;
	struct rt_priority priority;
	struct timespec until;
	uint64_t at;

	rt_priority_raise(&priority);
	pthread_mutex_lock(&relief->lock);
	while (!relief->ends) {
		if (is_due(relief))
			drain(relief);
		at = rt_now() + relief->round;
		until = (struct timespec){ (time_t)(at / NS_PER_S), (long)(at % NS_PER_S) };
		pthread_cond_timedwait(&relief->end, &relief->lock, &until);
	}
	pthread_mutex_unlock(&relief->lock);
	return NULL;
}

/* ---- the main thread ---- */

static bool can_relieve(const struct session *s)
{
	return s->wanted.purpose == RT_PURPOSE_RECORD && s->options->command != RT_CMD_RECORD &&
	       !s->wanted.stacks && !s->attach->source->foreign_clock;
}

static int begin_thread(struct rt_relief *relief)
{
	pthread_condattr_t attributes;
	int r;

	pthread_mutex_init(&relief->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&relief->end, &attributes);
	pthread_condattr_destroy(&attributes);
	r = pthread_create(&relief->thread, NULL, relieve, relief);
	if (r == 0)
		return 0;
	pthread_cond_destroy(&relief->end);
	pthread_mutex_destroy(&relief->lock);
	return -r;
}

void rt_session_begin_relief(struct session *s)
{
	unsigned round = s->attach->source->round_ms;
	struct rt_relief *relief = can_relieve(s) ? calloc(1, sizeof(*relief)) : NULL;

	if (!relief)
		return;
	relief->session = s;
	relief->round = (uint64_t)(round && round < ROUND_MOST_MS ? round : ROUND_MOST_MS) *
			NS_PER_MS;
	relief->drained = rt_now();
	relief->merge = rt_merge_new(rt_merge_rings(s->merge));
	if (relief->merge && begin_thread(relief) == 0) {
		s->relief = relief;
		return;
	}
	rt_merge_free(relief->merge);
	free(relief);
}

void rt_session_lock_rings(struct session *s)
{
	if (s->relief)
		pthread_mutex_lock(&s->relief->lock);
}

void rt_session_unlock_rings(struct session *s)
{
	if (s->relief)
		pthread_mutex_unlock(&s->relief->lock);
}

void rt_session_set_waits(struct session *s, bool waits)
{
	rt_session_lock_rings(s);
	if (s->relief)
		s->relief->waits = waits;
	rt_session_unlock_rings(s);
}

int rt_session_take_relief(struct session *s, struct rt_error *err)
{
	struct rt_relief *relief = s->relief;

	if (!relief)
		return 0;
	relief->drained = rt_now();
	if (relief->failed) {
		*err = relief->why;
		return relief->failed;
	}
	if (rt_merge_move(s->merge, relief->merge) < 0)
		return rt_nomem(err);
	relief->queued = rt_merge_bytes(s->merge);
	return 0;
}

int rt_session_grow_relief(struct session *s, unsigned nrings)
{
	return s->relief ? rt_merge_grow(s->relief->merge, nrings) : 0;
}

int rt_session_end_relief(struct session *s, struct rt_error *err)
{
	struct rt_relief *relief = s->relief;
	int r;

	if (!relief)
		return 0;
	pthread_mutex_lock(&relief->lock);
	relief->ends = true;
	pthread_cond_signal(&relief->end);
	pthread_mutex_unlock(&relief->lock);
	pthread_join(relief->thread, NULL);
	r = rt_session_take_relief(s, err);
	pthread_cond_destroy(&relief->end);
	pthread_mutex_destroy(&relief->lock);
	rt_merge_free(relief->merge);
	free(relief);
	s->relief = NULL;
	return r;
}
