/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SESSION_LEAVING_H
#define RT_SESSION_LEAVING_H

#include "plan/sites.h"
#include "attach/attach.h"

/*
 * Where this kernel may harm a program that leaves calls by longjmp or fork (before 4.3), and the
 * program may do that, try it, with the mechanism that a trace would use (rt_trial_leave), and give
 * the returns up where that does not come out right.  What came out right is told to
 * `verbose` (may be NULL).  0 or a negative errno.
 */
int rt_leaving_try(const struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		   const struct rt_attach_ops *forced, bool no_bpf, FILE *verbose,
		   struct rt_error *err);

#endif
