/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_INHERIT_H
#define RT_ATTACH_INHERIT_H

#include "attach/perf_probe.h"

/*
 * Children by inherited perf events (6.12): the kernel puts the breakpoints into the memory of the
 * request's processes and of all that they fork, and of nobody else.
 */

/*
 * 0 where the kernel has such events, else -EOPNOTSUPP with the reason.  No probe is put in:
 * whether the events do what they should is for rt_trial_children to say.
 */
int rt_inherit_check(struct rt_error *err);

/*
 * For each event of `p` that has a program: an event that is inherited, for each thread of the
 * processes.  -ESRCH: none of them is alive.  -EOPNOTSUPP: there are not enough descriptors.
 */
int rt_inherit_add(struct rt_perf_probes *p, const struct rt_pids *pids, struct rt_error *err);

#endif
