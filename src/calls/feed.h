/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_FEED_H
#define RT_CALLS_FEED_H

#include "calls/owners.h"
#include "calls/site_map.h"
#include "fetch/record.h"
#include "plan/sites.h"
#include "stream/record.h"

/*
 * Between the merged stream and the stack: which function a hit was of, and whether it was of a
 * traced process at all.
 */
struct rt_feed;

/*
 * `pids` are the traced processes; `key` says how the records name probes; `gaps` is NULL where the
 * source does not number its hits.  All must outlive the feed.  NULL: out of memory.
 */
struct rt_feed *rt_feed_new(const struct rt_traced *traced, const struct rt_sites *sites,
			    enum rt_key key, const struct rt_pids *pids, struct rt_gaps *gaps,
			    struct rt_stack *stack);
/*
 * The sites have grown: plans from `plan` on are of another source, with hits numbered by
 * `gaps` (NULL: by nobody).  0 or -ENOMEM.
 */
int rt_feed_grow(struct rt_feed *feed, unsigned plan, struct rt_gaps *gaps);
void rt_feed_free(struct rt_feed *feed);

/*
 * Read the threads and mappings that the processes have now, for events that name only those.  0 or
 * -ENOMEM.
 */
int rt_feed_read_processes(struct rt_feed *feed);

/*
 * Hits before `begin` or after `end` (ns, CLOCK_MONOTONIC) are passed over: probes go in and come
 * out one after another, and what they show meanwhile is halves of calls.
 */
void rt_feed_window(struct rt_feed *feed, uint64_t begin, uint64_t end);

/* The number of hits; the caller may add those that programs count.  The feed's. */
struct rt_form_hits *rt_feed_hits(struct rt_feed *feed);

/* The map of addresses to sites.  The feed's. */
struct rt_site_map *rt_feed_map(struct rt_feed *feed);

/*
 * Programs hold calls back (stream/pending.h): what is left of them when their thread ends is asked
 * for.  NULL: they do not.
 */
struct rt_pending;
void rt_feed_set_pending(struct rt_feed *feed, const struct rt_pending *pending);

/*
 * Read the calls that programs have not recorded of thread `tid` (0: of every thread), at `time`,
 * or at the window's end if that was before.  0 or a negative errno.
 */
int rt_feed_pending(struct rt_feed *feed, pid_t tid, uint64_t time);

/* Was there no room for records of threads or mappings, so that an end may not have been seen? */
bool rt_feed_unseen(const struct rt_feed *feed);

/* Was a call of a traced function seen, and were events lost? */
bool rt_feed_has_lost(const struct rt_feed *feed);
bool rt_feed_has_calls(const struct rt_feed *feed);

/* The number of children that are not traced. */
uint64_t rt_feed_untraced(const struct rt_feed *feed);

/*
 * Trace children too.  `filtered`: the kernel gives hits of traced processes alone, so one that is
 * not known is a child without a fork event.  `ended` gets each process with its last thread
 * ended, after its calls were closed; it returns 0 or a negative errno.
 */
void rt_feed_follow(struct rt_feed *feed, bool filtered,
		    int (*ended)(void *ctx, pid_t pid, uint64_t time), void *ctx);

/*
 * Trace every process that has hits, or executes a program that may come to have some; after
 * rt_feed_follow.  The names of those that run now are read, as one may have ended before its hits
 * are.  0 or a negative errno.
 */
int rt_feed_take_all(struct rt_feed *feed);

/* The traced processes that have not ended, by index; 0: past the last. */
pid_t rt_feed_process(const struct rt_feed *feed, size_t i);

/* Process `pid` has ended, and the events that say so were lost.  0 or a negative errno. */
int rt_feed_process_ended(struct rt_feed *feed, pid_t pid, uint64_t time);

/*
 * By which threads the kernel knows traced process `pid`; and one of its threads that is neither
 * that nor the first, or 0.
 */
struct rt_anchor *rt_feed_anchor(struct rt_feed *feed, pid_t pid);
pid_t rt_feed_other_thread(const struct rt_feed *feed, pid_t pid);

/*
 * The number of hits without a process that were not reported as lost yet: the beginning of their
 * thread was lost, and the thread has ended.  They count as reported then.
 */
uint64_t rt_feed_unplaced(struct rt_feed *feed);

/* A handler of events for the merge: ctx is the feed. */
int rt_feed_event(void *ctx, const struct rt_event *event);

/* Counts of hits by the instruction under the probe: of entry probes and of exit probes. */
struct rt_form_hits {
	uint64_t entries[RT_FORMS], exits[RT_FORMS];
};

/* Note `n` hits of the exit probe `exit` (NULL: of an entry probe) of `function`, modulo 2^64. */
void rt_stepped_hit(struct rt_form_hits *hits, const struct rt_function *function,
		    const struct rt_exit *exit, uint64_t n);

/* The hits of `function` that programs counted and did not send: a cell (emit/cells.h). */
void rt_stepped_cell(struct rt_form_hits *hits, const struct rt_function *function, unsigned cell,
		     uint64_t value);

#endif
