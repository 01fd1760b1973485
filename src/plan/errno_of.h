/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_ERRNO_OF_H
#define RT_PLAN_ERRNO_OF_H

#include "plan/sites.h"

/*
 * The traced process's errno, which says why a call has failed whose prototype has `errno`.  It is
 * a variable of the thread's own, so many bytes from the thread pointer (code/errno_at.h).  Where
 * only the running process knows how many, a function of the C library that it runs through before
 * all others is probed too, hidden and with RT_ROLE_ERRNO; its program leaves the number in
 * RT_MAP_ERRNO, where the programs of returns find it.
 */

/*
 * Once the prototypes are known: is errno wanted, and where is it?  Fills errno_source, errno_at
 * and errno_why, and may add the hidden function behind the others: then 1, and the probes must be
 * made anew.  0 or -ENOMEM else.
 */
int rt_errno_prepare(const struct rt_wanted *wanted, struct rt_traced *traced,
		     struct rt_sites *sites, struct rt_error *err);

/* Is errno read at returns? */
bool rt_errno_is_read(const struct rt_traced *traced, const struct rt_sites *sites);

/* The plan of the hidden function. */
int rt_errno_plan(const struct rt_traced *traced, const struct rt_function *f,
		  struct rt_plan *plan);

/*
 * What RT_MAP_ERRNO has to begin with, of processes that run already; 0: not known, or they differ,
 * so that it is never known.
 */
int64_t rt_errno_read(const struct rt_traced *traced);

/* Say whether and where it is read, where it is wanted. */
void rt_errno_print(const struct rt_traced *traced, const struct rt_sites *sites, FILE *file);

#endif
