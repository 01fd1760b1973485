/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_SETS_H
#define RT_PLAN_SETS_H

#include "plan/sites.h"

/*
 * @NAME: add the functions that the set has in the program, and await those of libraries that it
 * may load.  0, a usage error where there are none of either, or another negative errno.
 */
int rt_sites_add_set(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		     const char *name, struct rt_error *err);

#endif
