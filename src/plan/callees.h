/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_CALLEES_H
#define RT_PLAN_CALLEES_H

#include "symbols/function.h"

/*
 * Which traced functions do the tail calls of traced functions lead to?  The exits and `how` of all
 * functions must be known before.
 */
struct rt_callees;

/* NULL: out of memory. */
struct rt_callees *rt_callees_new(const struct rt_functions *functions);
void rt_callees_free(struct rt_callees *callees);

/*
 * Fill in callee, middle and through of a function's exits.  `code` is that of its image; NULL:
 * find nothing by names.  0 or -ENOMEM.
 */
int rt_callees_find(struct rt_callees *callees, struct rt_code *code, struct rt_exits *exits);

#endif
