/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_FOLLOW_H
#define RT_ATTACH_FOLLOW_H

#include <stdint.h>

#include "base/error.h"
#include "base/pids.h"

/*
 * RT_REACH_FOLLOWED: the list of processes that the programs on probes look into (RT_MAP_FOLLOWED,
 * emit/follow.h).  A program on task:task_newtask adds their children, before those run.  In a PID
 * namespace it is on the raw tracepoint, and another one on sched_process_exit.
 */
struct rt_followed {
	int map, program, event, exit_program, exit_event;
};

/*
 * Make the list, with `pids` in it, and follow their children from now on.  Close it also where
 * this fails.  -EOPNOTSUPP with the reason: the kernel has no tracepoint programs (before 4.7), or
 * another tracer has the tracepoint's only program (before 4.15), or this is a PID namespace of a
 * container: the tracepoint does not give its ids.
 */
int rt_followed_open(struct rt_followed *followed, const struct rt_pids *pids,
		     struct rt_error *err);
void rt_followed_close(struct rt_followed *followed);

/* -E2BIG: there is no room.  A process that has ended is to be removed, or its id is followed. */
int rt_followed_add(const struct rt_followed *followed, pid_t pid);
void rt_followed_remove(const struct rt_followed *followed, pid_t pid);

/* The number of processes that were not followed, as there was no room. */
uint64_t rt_followed_missed(const struct rt_followed *followed);

#endif
