/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_FEED_PRIVATE_H
#define RT_CALLS_FEED_PRIVATE_H

#include "calls/feed.h"
#include "calls/goroutines.h"
#include "calls/stacks.h"

/* Shared by feed.c and feed_whose.c only. */

/* A traced process. */
struct process {
	pid_t pid;
	struct rt_members members;
	struct rt_anchor anchor;
	bool executed;			/* its last event was an exec */
	struct rt_stacks stacks;	/* of coroutines and signals */
	struct rt_goroutines goroutines;
};

struct rt_feed {
	const struct rt_target *target;
	enum rt_key key;
	uint32_t main;			/* the function main, or RT_NO_FUNCTION */
	struct process *processes;
	unsigned nprocesses;
	uint64_t begin, end;
	struct rt_gaps *gaps;
	struct rt_stack *stack;
	struct rt_members others;	/* threads that are known not to be ours */
	struct rt_members vanished;	/* whose nobody knows: their beginning was lost, and they have ended */
	uint64_t unplaced;		/* hits of those that have not been told as lost */
	bool doubt;			/* something was lost */
	bool called, forked;		/* rt_feed_has_calls, rt_feed_has_forked */
	bool unseen;			/* so it was with other records than hits */
	struct rt_locate *locate;
	const struct rt_held *held;	/* or NULL */
	struct rt_form_hits hits;	/* by what their probes stand on */
};

/* The process that the event says it is of, or that is known to have its thread; NULL: none. */
struct process *rt_feed_known(const struct rt_feed *feed, const struct rt_event *event);
/* Which process is the event of?  `*process` NULL: none of ours.  Keeps the members in step with the stream.  0 or -ENOMEM. */
int rt_feed_whose(struct rt_feed *feed, const struct rt_event *event, struct process **process);

#endif
