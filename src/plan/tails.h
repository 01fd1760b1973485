/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_TAILS_H
#define RT_PLAN_TAILS_H

#include <stdio.h>

#include "plan/sites.h"

/*
 * Add the functions that calls of traced functions end in by a tail call, as hidden functions with
 * `tail`: only their exits are probed.  The exits of the traced functions must be known.  The plans
 * and probes must be made anew after this.  0 or a negative errno.
 */
int rt_tails_add(const struct rt_wanted *wanted, const struct rt_traced *traced,
		 struct rt_sites *sites, struct rt_error *err);

/* Some probes could not be put in: jumps to functions without them end calls as other jumps do. */
void rt_tails_cut(struct rt_sites *sites);

/* For -v: their number, and that of their probes. */
void rt_tails_print(const struct rt_sites *sites, FILE *file);

#endif
