/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FETCH_LOWER_H
#define RT_FETCH_LOWER_H

#include "fetch/show.h"
#include "util/error.h"

/*
 * A prototype and its calling convention -> what is read at the function's entry or return, and how it is shown.  `memory` owns what is
 * shown (with the plan's values as they stand in the record).  Of what does not fit into the limits the least useful is left out: what
 * pointers lead to, the deepest first; their addresses are then all that is shown.  `plan` is made anew; shown->plan is left to the
 * caller, who may share plans.  0, or -ENOMEM.
 */
int rt_lower_entry(const struct rt_prototype *prototype, const struct rt_arch *arch, const struct rt_limits *limits,
		   struct rt_types *memory, struct rt_plan *plan, struct rt_showing *shown);
int rt_lower_return(const struct rt_prototype *prototype, const struct rt_arch *arch, const struct rt_limits *limits,
		    struct rt_types *memory, struct rt_plan *plan, struct rt_showing *shown);

#endif
