/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_HOOKS_H
#define RT_PLAN_HOOKS_H

#include "plan/sites.h"

/*
 * Functions that are not traced but tell what traced ones do: the unwinder and longjmp, from which
 * a stack comes back shorter than its calls, and what makes stacks for coroutines and signals.
 * They are added to the functions, with a role (struct rt_plan), behind the traced ones;
 * nothing of them is shown.  The plans and probes must be made anew after this.  0 or -ENOMEM; what
 * cannot be hooked is left out.
 */
int rt_hooks_add(const struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		 struct rt_error *err);

/*
 * The plan for the entry of a hooked function that makes a stack: its address and its size, or its
 * top and its size; or for where a goroutine continues: its stack pointer.
 */
int rt_hook_plan(const struct rt_traced *traced, const struct rt_function *f, struct rt_plan *plan);

#endif
