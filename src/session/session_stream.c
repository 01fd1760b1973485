/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "kernel/sys.h"
#include "session/session_private.h"
#include "attach/attach.h"
#include "stream/source.h"
#include "stream/spool.h"

/* ---- signals ---- */

static int add_to_epoll(struct session *s, int fd, uint32_t tag, struct rt_error *err)
{
	struct epoll_event e = { .events = EPOLLIN, .data.u32 = tag };

	if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &e) == 0)
		return 0;
	return rt_fail(err, -errno, "epoll: %s", strerror(errno));
}

/*
 * Signals that were ignored when we were started (nohup) stay ignored: a blocked one would reach
 * the signalfd all the same.
 */
static void add_signal(sigset_t *set, int sig)
{
	struct sigaction sa;

	if (sigaction(sig, NULL, &sa) != 0 || sa.sa_handler != SIG_IGN)
		sigaddset(set, sig);
}

int rt_session_open_signals(struct session *s, struct rt_error *err)
{
	sigset_t set;

	sigemptyset(&set);
	/*
	 * Shells that are not interactive ignore SIGINT for whatever they start with "&": there it
	 * is how a script ends rawtrace -p.
	 */
	if (s->options->pids.n || s->options->all)
		sigaddset(&set, SIGINT);
	else
		add_signal(&set, SIGINT);
	add_signal(&set, SIGTERM);
	add_signal(&set, SIGHUP);
	add_signal(&set, SIGQUIT);
	if (rt_keep_any(&s->options->keep))
		sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	/*
	 * A reader of our output that goes away, or a file that may not grow, is an error to
	 * report, not a reason to die in the middle.
	 */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	s->epoll = epoll_create1(EPOLL_CLOEXEC);
	s->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s->epoll < 0 || s->signals < 0)
		return rt_fail(err, -errno, "events: cannot wait for them: %s", strerror(errno));
	return add_to_epoll(s, s->signals, RT_TAG_SIGNAL, err);
}

void rt_session_read_signals(struct session *s)
{
	struct signalfd_siginfo si;

	while (read(s->signals, &si, sizeof(si)) == sizeof(si)) {
		if (si.ssi_signo == SIGCHLD)
			continue;
		if (si.ssi_signo == SIGUSR1) {
			s->save = true;
			continue;
		}
		s->stopped = (int)si.ssi_signo;
		/*
		 * ^C at a terminal (from the kernel) goes to the command too; kill(1) reaches only
		 * us.
		 */
		s->pass_on = si.ssi_code <= 0;
	}
}

bool rt_session_stopping(void *ctx)
{
	struct session *s = ctx;

	rt_session_read_signals(s);
	return s->stopped;
}

int rt_session_open_epoll(struct session *s, struct rt_error *err)
{
	const struct rt_source *source = s->attach->source;
	unsigned i, n = source->ops->nfds(source);
	int fd, r = 0;

	for (i = 0; i < n && r == 0; i++) {
		fd = source->ops->fd(source, i);
		if (fd >= 0)
			r = add_to_epoll(s, fd, RT_TAG_RING, err);
	}
	for (i = 0; i < s->tracee.pids.n && r == 0; i++)
		if (s->tracee.pidfds[i] >= 0)
			r = add_to_epoll(s, s->tracee.pidfds[i], RT_TAG_TRACEE, err);
	return r;
}

/* ---- the stream ---- */

static int push(void *ctx, const struct rt_event *event)
{
	struct session *s = ctx;
	struct rt_event mapped;

	if (s->arrivals && event->type == RT_EV_MMAP && rt_session_mapped(s, event) < 0)
		return -ENOMEM;
	if (event->type == RT_EV_MMAP) {
		if (s->wanted.stacks)
			rt_pointers_mapped(s->pointers, event);
		mapped = *event;
		mapped.mmap.path = NULL;
		event = &mapped;
	}
	if (s->later.spool)
		return rt_session_put_later(s, event);
	return rt_merge_push(s->into, s->ring, event);
}

/*
 * The trace is from now, or from our own command's beginning.  On a clock that we cannot read, a
 * mark in the stream says when.
 */
void rt_session_begin_window(struct session *s)
{
	struct rt_source *source = s->attach->source;

	s->began = rt_now_since_1970();
	s->sinks.trace.start = source->foreign_clock ? 0 : rt_now();
	s->sinks.trace.wall = (int64_t)(s->began - s->sinks.trace.start);
	if (!source->foreign_clock)
		rt_feed_window(s->feed, s->tracee.ours ? 0 : s->sinks.trace.start, UINT64_MAX);
	else if (source->ops->mark)
		source->ops->mark(source, false);
}

void rt_session_end_window(struct session *s)
{
	struct rt_source *source = s->attach->source;

	if (!source->foreign_clock && !s->over)
		rt_feed_window(s->feed, s->tracee.ours ? 0 : s->sinks.trace.start, rt_now());
	else if (source->foreign_clock && source->ops->mark)
		source->ops->mark(source, true);
}

/*
 * Before the first flush the mark of the beginning has come: it was in its ring before that was
 * drained.
 */
static void take_marks(struct session *s)
{
	const struct rt_source *source = s->attach->source;

	if (!source->foreign_clock)
		return;
	rt_feed_window(s->feed, source->begin, source->end);
	s->sinks.trace.start = source->begin;
	s->sinks.trace.wall = (int64_t)(s->began - source->begin);
}

/* When the trace ended, on its own clock. */
uint64_t rt_session_end_time(const struct session *s)
{
	const struct rt_source *source = s->attach->source;

	if (!source->foreign_clock)
		return rt_now();
	return source->end != UINT64_MAX ? source->end : rt_merge_newest(s->merge);
}

/*
 * Events that are written out before the rings are looked at again: some milliseconds, in which a
 * ring does not fill.
 */
enum { BATCH = 16384 };

/*
 * The most memory for events before the output has caught up: then the rings are not read, they
 * fill, and the programs count the lost hits.
 */
size_t rt_session_queued_max(void)
{
	size_t most = (size_t)256 << 20, pages = (size_t)sysconf(_SC_PHYS_PAGES),
	       page = (size_t)sysconf(_SC_PAGESIZE);

	return pages / 16 < most / page ? pages / 16 * page : most;
}

int rt_session_drain_rings(struct session *s, struct rt_error *err)
{
	struct rt_source *source = s->attach->source;
	const struct rt_event_handler in = { push, s };
	unsigned n = source->ops->nfds(source);
	int r;

	for (s->ring = 0; s->ring < n; s->ring++) {
		err->text[0] = '\0';
		r = source->ops->drain(source, s->ring, &in, err);
		if (r < 0)
			return err->text[0] ? r : rt_nomem(err);
	}
	return rt_session_drain_awaited(s, err);
}

/*
 * One round: everything out of the rings, the lock of which is held.  Events older than its
 * beginning are due then.
 */
static int read_rings(struct session *s, struct rt_error *err)
{
	struct rt_source *source = s->attach->source;
	uint64_t bound = source->foreign_clock ? rt_merge_newest(s->merge) : rt_now();
	int r = rt_session_take_relief(s, err);

	if (r == 0)
		r = rt_session_drain_rings(s, err);
	if (r < 0)
		return r;
	take_marks(s);
	if (source->ops->oldest && source->ops->oldest(source) < bound)
		bound = source->ops->oldest(source);
	if (s->later.spool)
		return rt_spool_end_round(s->later.spool, bound) < 0 ? rt_nomem(err) : 0;
	s->bound = bound;
	return 0;
}

/* Is there so much to be passed on that the rings have to wait? */
static bool is_full(const struct session *s)
{
	return s->later.spool ? rt_spool_full(s->later.spool)
			      : rt_merge_full(s->merge, rt_session_queued_max());
}

/*
 * Pass on the events that are due.  None while the sinks are behind: they would wait for a slow
 * reader, and the rings for them.
 */
static int pass_on(struct session *s, bool last, struct rt_error *err)
{
	const struct rt_event_handler out = { rt_feed_event, s->feed };
	int r = 0;

	if (s->later.spool && !last)
		return rt_session_decode(s);
	if (s->later.spool)
		r = rt_session_decode_rest(s, err);
	if (r < 0 || last)
		return r < 0 ? r : rt_merge_flush(s->merge, UINT64_MAX, &out);
	return rt_merge_some(s->merge, s->bound, rt_sinks_are_behind(&s->sinks) ? 0 : BATCH, &out);
}

int rt_session_drain(struct session *s, bool last, struct rt_error *err)
{
	int r = 0;

	if (last || !is_full(s)) {
		rt_session_lock_rings(s);
		r = read_rings(s, err);
		rt_session_unlock_rings(s);
	}
	if (r < 0)
		return r;
	r = pass_on(s, last, err);
	if (r == -EIO)
		return err->text[0] ? r : rt_fail(err, r, "waiting events: cannot be read back");
	if (r == -EBADMSG)
		return rt_fail(err, r, "event: does not match its probe; please report this bug");
	/* rt_merge_some returns how many events it gave. */
	if (r >= 0)
		r = rt_sinks_round(&s->sinks);
	if (rt_sinks_push(&s->sinks, err) < 0)
		return -EIO;
	rt_sinks_put_tails(&s->sinks);
	return r < 0 ? rt_nomem(err) : 0;
}

/* Is there more to be done without a wait? */
static bool has_work(const struct session *s)
{
	if (rt_sinks_are_behind(&s->sinks))
		return false;
	return s->later.spool ? rt_session_is_behind(s) : rt_merge_due(s->merge);
}

/* Until the next round at the latest, in ms. */
static int wait_most(const struct session *s)
{
	unsigned round = s->attach->source->round_ms;
	bool soon = s->rounds || s->arrivals || rt_session_learns(s) ||
		    rt_sinks_are_behind(&s->sinks);
	int most = soon ? RT_SOON_MS : RT_TICK_MS;

	if (has_work(s))
		return 0;
	return round && round < (unsigned)most ? (int)round : most;
}

static int follow(struct session *s, struct rt_error *err)
{
	struct epoll_event e[16];
	int i, n, r;

	while (!s->stopped && !s->share.exceeded && !rt_gate_closed_by(&s->gate) &&
	       !rt_session_is_over(s)) {
		rt_session_set_waits(s, true);
		n = epoll_wait(s->epoll, e, 16, wait_most(s));
		rt_session_set_waits(s, false);
		if (n < 0 && errno != EINTR)
			return rt_fail(err, -errno, "events: cannot wait for them: %s",
				       strerror(errno));
		for (i = 0; i < n; i++)
			if (e[i].data.u32 == RT_TAG_SIGNAL)
				rt_session_read_signals(s);
		r = rt_session_drain(s, false, err);
		if (r == 0 && s->save) {
			s->save = false;
			r = rt_sinks_save(&s->sinks, "SIGUSR1") < 0 ? rt_nomem(err) : 0;
		}
		if (r == 0)
			r = rt_session_show_top(s, false, err);
		rt_session_show_progress(s, false);
		rt_session_renew_heir(s);
		if (s->statuses)
			rt_statuses_drain(s->statuses);
		if (r == 0)
			r = rt_session_check_budget(s, err);
		if (r == 0 && rt_session_add_threads(s) < 0)
			r = rt_nomem(err);
		if (r == 0)
			r = rt_session_take_awaited(s, err);
		if (r == 0)
			r = rt_session_learn(s, err);
		rt_session_arm(s);
		if (r < 0)
			return r;
	}
	return 0;
}

int rt_session_follow(struct session *s, struct rt_error *err)
{
	int r, ended;

	rt_session_begin_relief(s);
	r = follow(s, err);
	ended = rt_session_end_relief(s, r < 0 ? &(struct rt_error){ .text = "" } : err);
	return r < 0 ? r : ended;
}
