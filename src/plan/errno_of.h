/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_ERRNO_OF_H
#define RT_PLAN_ERRNO_OF_H

#include "plan/sites.h"

/*
 * errno of the traced process: the reason of a failure, for prototypes with `errno`.  It is a
 * thread variable at a fixed distance from the thread pointer (arch/errno_at.h).  If only the
 * running process knows this distance, a function of its C library that runs before all others is
 * hooked, hidden and with RT_ROLE_ERRNO.  The hook's program writes the distance to RT_MAP_ERRNO,
 * and the programs of returns read it there.
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

/*
 * A usage error where a condition wants errno (`errno == ENOENT`), and it is known by now that
 * nobody can read it; else 0.
 */
int rt_errno_check(const struct rt_traced *traced, const struct rt_sites *sites,
		   struct rt_error *err);

/* The plan of the hidden function. */
int rt_errno_plan(const struct rt_traced *traced, const struct rt_function *f,
		  struct rt_plan *plan);

/*
 * The first value of RT_MAP_ERRNO, for processes that run already; 0: unknown.  0 too if the
 * processes differ, and then it is never known.
 */
int64_t rt_errno_read(const struct rt_traced *traced);

/* Say whether and where it is read, where it is wanted. */
void rt_errno_print(const struct rt_traced *traced, const struct rt_sites *sites, FILE *file);

/*
 * Find errno by the code of the image's __errno_location.  0; -ENOENT: it has no such function;
 * -ENOTSUP: its code is not understood, or this is not known of its architecture.
 */
int rt_errno_find(struct rt_image *image, struct rt_errno_at *at);

#endif
