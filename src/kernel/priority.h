/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_PRIORITY_H
#define RT_KERNEL_PRIORITY_H

#include <stdbool.h>

/* The priority of this process while it reads the rings. */
struct rt_priority {
	bool raised;
	int nice, policy;	/* the ones before */
};

/*
 * Lower the nice value by 20, so that this process runs before the traced program.  With more
 * runnable threads than CPUs the rings would overflow while it waits for its turn: on 2 CPUs with
 * 64 threads that do nothing but call, 71 % of the events were lost, a quarter with a value lower
 * by 10, and with this none of 20 million.  Nothing is changed without the right to (CAP_SYS_NICE
 * or RLIMIT_NICE), nor under real-time or idle scheduling, which the user chose.  Processes forked
 * meanwhile do not get a negative nice value (SCHED_RESET_ON_FORK).
 */
void rt_priority_raise(struct rt_priority *priority);

/* Put it back.  Nothing where it was not raised. */
void rt_priority_restore(struct rt_priority *priority);

#endif
