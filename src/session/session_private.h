/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SESSION_SESSION_PRIVATE_H
#define RT_SESSION_SESSION_PRIVATE_H

#include "attach/counts.h"
#include "attach/attach.h"
#include "attach/gate.h"
#include "attach/calibrate.h"
#include "attach/costs.h"
#include "base/budget.h"
#include "session/options.h"
#include "calls/feed.h"
#include "calls/filter.h"
#include "calls/outcome.h"
#include "kernel/pins.h"
#include "kernel/priority.h"
#include "output/sink.h"
#include "session/pointers.h"
#include "session/screen.h"
#include "stream/merge.h"
#include "stream/ring.h"
#include "stream/statuses.h"
#include "plan/sites.h"
#include "process/tracee.h"

/*
 * For session.c, which begins and ends a trace, session_attach.c, which puts the probes in and out,
 * session_stream.c, which waits for what comes in between, and session_output.c, which opens the
 * output and says how the trace ended.
 */

/*
 * Rings that can, wake us when a quarter is full; the clock shows what a quiet program did, this
 * often.
 */
enum { RT_TICK_MS = 50, RT_SOON_MS = 5 };

enum { RT_TAG_SIGNAL, RT_TAG_TRACEE, RT_TAG_RING };	/* which descriptor of s->epoll */

/* The share of a CPU that the probes take from the programs that they are in (session/share.c). */
struct rt_share {
	uint64_t began, hits;		/* when probes were in, and the hits until then */
	uint64_t last, last_hits;	/* the last look */
	uint64_t peak;			/* the largest share between two looks, in 1/100 % */
	bool exceeded;			/* more than --budget: the trace ends */
};

/* rawtrace top (session/top.c). */
struct rt_top {
	struct rt_screen screen;
	enum rt_sort sort;
	uint64_t since;			/* the round began then */
	unsigned rounds;		/* printed so far */
	unsigned lines, columns;	/* of the window, when it was drawn */
	bool over;			/* by a key, or the number of rounds */
};

/* rawtrace record: events that are paired and written later (session/later.c). */
struct rt_later {
	struct rt_spool *spool;		/* NULL: nothing waits */
	struct rt_budget budget;	/* of the time to decode in */
	bool urgent;			/* an event in it must not wait */
	pid_t heir;			/* the process that finishes the file (heir.c); 0: none */
	int heir_pipe;			/* its end of file tells the heir that we are gone */
};

/* Probes behind calls that end in a tail call (session/return_sites.c). */
struct rt_learning {
	struct rt_return_sites *sites;	/* NULL: nothing is learned */
	uint64_t last, wait;		/* when probes were put in, and how long others wait */
	struct rt_code *code;		/* of the file that was looked at last */
	struct rt_callers *callers;	/* and its calls; NULL: not read, or too many */
	struct rt_sites *replaced;	/* what the trace's arrays were before, by round */
	size_t n, cap;
};

struct session {
	const struct rt_options *options;
	struct rt_wanted wanted;
	struct rt_traced traced;
	struct rt_sites sites;
	struct rt_tracee tracee;
	enum rt_reach reach;		/* what is asked of the attach */
	struct rt_attach *attach;
	struct rt_gate gate;
	struct rt_attach_request request;	/* what it was made for */
	struct rt_pins pins;		/* of links that the kernel removes after our end */
	struct rt_ring_memory ring_memory;
	struct rt_calibration calibration;
	struct rt_costs_worker measures;	/* of a recording: the cost of probes */
	struct rt_probe_costs costs;
	struct rt_priority priority;
	struct rt_merge *merge;
	struct rt_filter *filter;	/* NULL: everything is shown */
	struct rt_outcome *outcome;	/* NULL: nothing depends on how calls end */
	struct rt_stack *stack;
	struct rt_feed *feed;
	struct rt_statuses *statuses;	/* -f: of children that are not ours; NULL: not known */
	struct rt_pointers *pointers;
	struct rt_resolver resolver;	/* of the sinks: s->pointers */
	struct rt_sinks sinks;
	/* what the kernel had counted when the trace began, and when it ended */
	struct rt_count_list base, counts;
	/* what is not shown, since the kernel cannot read it or it would take long; or NULL */
	const char *simplified;
	struct rt_later later;
	struct rt_learning learning;
	struct rt_arrivals *arrivals;	/* awaited.c; NULL: nothing is awaited */
	struct rt_semaphores *semaphores; /* semaphores.c; NULL: the kernel arms them, or none */
	int group;		/* a descriptor: --cgroup or --unit; 0: none */
	int epoll, signals;
	struct rt_share share;
	bool over;		/* all traced processes have ended */
	unsigned rounds;	/* so many since /proc has none of them (session/children.c) */
	int stopped;		/* the signal that ended the trace, 0: none */
	uint64_t began;		/* the trace, ns since 1970 */
	uint64_t progress;	/* when it was shown; 0: not yet */
	struct rt_top top;
	bool save;		/* SIGUSR1 came: --last writes what it keeps */
	bool pass_on;		/* it reached only us: our command gets it too */
	struct rt_relief *relief;	/* relief.c; NULL: none */
	/* used while draining, under the lock: the merge for the events, and the ring in hand */
	struct rt_merge *into;
	unsigned ring;
	uint64_t bound;		/* what is older is due: all rings were read since */
};

/*
 * Put the probes in, at places that this kernel has shown to be harmless.  0 or a negative errno
 * with a message.  When a signal ends the trace before it begins, s->stopped is set and some of
 * them are in.  To take them out is to wait for those that go one by one, unless that is long: then
 * rt_session_detach leaves it to rt_session_end_attach, and that to a process in the background.
 */
int rt_session_attach(struct session *s, struct rt_error *err);
/* For a recording: measure the cost of the probes, for report --net.  Call it when they are in. */
void rt_session_measure(struct session *s);
void rt_session_detach(struct session *s);
void rt_session_end_attach(struct session *s);

/*
 * Give what the kernel has counted so far to the sinks; the end of the trace adds the rest.  0 or a
 * negative errno.
 */
int rt_session_take_counts(struct session *s, struct rt_error *err);

/*
 * rawtrace top: open the terminal, unless there is --batch; in each round of the rings show the
 * table if a second is over, and do what the keys ask for; `last`: the trace has ended.  0 or a
 * negative errno.
 */
int rt_session_begin_top(struct session *s, struct rt_error *err);
int rt_session_show_top(struct session *s, bool last, struct rt_error *err);

/*
 * Are the files still those that the probes were made for?  A package upgrade or a rebuild may come
 * between.  To be asked when the probes are in and the command has not begun.  0, or -ESTALE with a
 * message.  Processes that run already keep the files that they have mapped: of them only the
 * program can be another one, by exec.
 */
int rt_session_check_files(const struct rt_traced *traced, struct rt_error *err);

/*
 * Signals that end the trace come through s->signals; s->epoll waits for them, for the command's
 * end and for the rings.
 */
int rt_session_open_signals(struct session *s, struct rt_error *err);
int rt_session_open_epoll(struct session *s, struct rt_error *err);
void rt_session_read_signals(struct session *s);
bool rt_session_stopping(void *ctx);		/* of a session: has such a signal come? */

/* The trace is from the first to the second. */
void rt_session_begin_window(struct session *s);
void rt_session_end_window(struct session *s);
uint64_t rt_session_end_time(const struct session *s);	/* when it ended, on its own clock */

/*
 * Wait and drain until the command has ended or a signal came; and one round: everything out of the
 * rings, then on to the stack and the output what is due, a batch of it, or in the last round,
 * after the probes are out, everything.
 */
int rt_session_follow(struct session *s, struct rt_error *err);
int rt_session_drain(struct session *s, bool last, struct rt_error *err);
/* Into s->into, or the spool; the lock of the rings is held. */
int rt_session_drain_rings(struct session *s, struct rt_error *err);
size_t rt_session_queued_max(void);

/*
 * A thread that drains the rings while the main thread is busy (relief.c).  Without one, all these
 * do nothing.
 * - lock_rings, unlock_rings: the rings' lock
 * - set_waits: does the main thread wait for events, and nothing else?  Then this thread rests.
 * - take_relief: take the events that this thread has drained; the caller holds the lock
 * - grow_relief: make room for more rings; the caller holds the lock
 * - end_relief: end the thread and take the rest of its events
 * Those that return int: 0 or a negative errno.
 */
void rt_session_begin_relief(struct session *s);
void rt_session_lock_rings(struct session *s);
void rt_session_unlock_rings(struct session *s);
void rt_session_set_waits(struct session *s, bool waits);
int rt_session_take_relief(struct session *s, struct rt_error *err);
int rt_session_grow_relief(struct session *s, unsigned nrings);
int rt_session_end_relief(struct session *s, struct rt_error *err);

/*
 * rawtrace record (later.c): begin to let events wait, where the trace can; put one in; decode some
 * in each round, and all that is left in the last one.  0 or a negative errno.
 */
int rt_session_begin_later(struct session *s);
int rt_session_put_later(struct session *s, const struct rt_event *event);
int rt_session_decode(struct session *s);
int rt_session_decode_rest(struct session *s, struct rt_error *err);
/* Must they be decoded without a pause?  Do events of the last round wait, here or in the merge? */
bool rt_session_is_behind(const struct session *s);
bool rt_session_has_due(const struct session *s);
/* Up to the last whole round, without a look at signals.  0 or a negative errno. */
int rt_session_decode_rounds(struct session *s);

/*
 * A process that finishes the recording of a killed rawtrace (heir.c): start it, if that is
 * possible; each round, let another one take its place if that is due; and end it.
 */
void rt_session_begin_heir(struct session *s);
void rt_session_renew_heir(struct session *s);
void rt_session_end_heir(struct session *s);

/*
 * If the thread that the kernel filters by has ended, attach the probes to another one, and report
 * the missed hits; and at the end, if that was not possible any more.
 */
int rt_session_add_threads(struct session *s);
int rt_session_missed_threads(struct session *s);

/*
 * With -f and -a (children.c): tell the feed, before its first event; have all traced processes
 * ended, so that the trace is over?  And at its end, where events were lost, end those that have.
 */
int rt_session_begin_children(struct session *s);
bool rt_session_is_over(struct session *s);
int rt_session_end_children(struct session *s, uint64_t time);
/* A remark where the list of followed processes had no room. */
int rt_session_report_missed(struct session *s);

/*
 * Semaphores that the kernel does not arm (semaphores.c): take note of those of the sites from
 * `first` on; arm them once the command runs; arm what has come since, each round; and disarm all.
 * 0 or -ENOMEM.
 */
int rt_session_add_semaphores(struct session *s, size_t first);
void rt_session_begin_semaphores(struct session *s);
void rt_session_arm(struct session *s);
void rt_session_disarm(struct session *s);

/*
 * -a: begin to measure; once a second compare with --budget, which sets share.exceeded; and at the
 * end a remark.  0 or a negative errno.
 */
int rt_session_begin_share(struct session *s, struct rt_error *err);
int rt_session_check_budget(struct session *s, struct rt_error *err);
int rt_session_report_share(struct session *s, struct rt_error *err);

/*
 * Files that come while the trace runs (awaited.c).  rt_session_mapped() takes each RT_EV_MMAP as
 * it is read; rt_session_take_awaited() then puts the probes of new files in.  A file that cannot
 * be traced becomes a remark.  0 or a negative errno.
 */
bool rt_session_awaits(const struct session *s);
int rt_session_begin_awaited(struct session *s);
int rt_session_mapped(struct session *s, const struct rt_event *event);
int rt_session_take_awaited(struct session *s, struct rt_error *err);

/* Everything out of the rings of their attachments, into the merge. */
int rt_session_drain_awaited(struct session *s, struct rt_error *err);

/*
 * At the end: what their programs have counted, given to `add` with the number of the first
 * function; how many hits were lost in their rings; which files never came.
 */
int rt_session_count_awaited(struct session *s, struct rt_error *err);
void rt_session_add_awaited_counts(struct session *s,
				   void (*add)(struct session *s, const struct rt_count_list *list,
					       uint32_t function));
uint64_t rt_session_lost_awaited(struct session *s);
int rt_session_report_awaited(struct session *s);

/* Before those of the trace's own attachment: take the probes out, close, and free all. */
void rt_session_detach_awaited(struct session *s);
void rt_session_leave_awaited(struct session *s);
void rt_session_close_awaited(struct session *s);
void rt_session_free_awaited(struct session *s);

/*
 * Results of tail calls to functions that are not traced (return_sites.c): begin to look for where
 * they return; put probes there, if it is time; ignore the probes from now on; free all.
 */
int rt_session_begin_learning(struct session *s);
int rt_session_learn(struct session *s, struct rt_error *err);
/* return_callers.c: the callers of a function that has jumped; of all that only jump. */
void rt_session_note_callers(struct session *s, uint32_t function, pid_t pid);
void rt_session_note_early(struct session *s);
bool rt_session_learns(const struct session *s);	/* may it be time soon? */
void rt_session_end_learning(struct session *s);
void rt_session_free_learning(struct session *s);

/* The sinks: chosen by the options, and whether they may be written; opened, and begun. */
int rt_session_choose_out(struct session *s, struct rt_error *err);
int rt_session_open_out(struct session *s, struct rt_error *err);

/*
 * Remarks stand in the trace, and on standard error where that is something else.  ctx is the
 * session.
 */
int rt_session_note(void *ctx, const char *text);

/*
 * At the end: a remark where the trace has no call (`lost`: events were), and one where a signal
 * ended the program.  At the beginning, on a terminal or with -v: which processes are traced.
 */
int rt_session_report_no_call(struct session *s, bool lost);
int rt_session_report_untraced(struct session *s);
int rt_session_report_signal(struct session *s);
/* A recording: a line on a terminal, once a second, and `end`: at its end.  Nothing elsewhere. */
void rt_session_show_progress(struct session *s, bool end);

/* --last: write what is saved if a signal ended a process or the trace.  0 or -ENOMEM. */
int rt_session_save_end(struct session *s);
void rt_session_say_attached(const struct session *s);

#endif
