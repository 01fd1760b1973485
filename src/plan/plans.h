/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_PLANS_H
#define RT_PLAN_PLANS_H

#include "plan/sites.h"

/* Begin to guess the prototypes of many functions, in a child, for rt_plans_make to take. */
void rt_plans_begin(const struct rt_wanted *wanted, const struct rt_traced *traced,
		    struct rt_sites *sites);

/*
 * Make the plans, what is shown of each function (sites->shows) and which plans its probes have
 * (sites->entry_plan and exit_plan, the latter if sites->returns says so).  Functions that read the
 * same share a plan.  With more than sites->most_plans, less is read, of all functions alike: first
 * nothing behind pointers but strings, then nothing behind pointers.  `any`: some function's return
 * has a uretprobe.  0 or a negative errno.
 */
int rt_plans_make(const struct rt_wanted *wanted, const struct rt_traced *traced,
		  struct rt_sites *sites, bool any, struct rt_error *err);
/*
 * Find the record of the running goroutine at the entry or an exit of Go function `f`.  It is in a
 * register of the convention since 1.17, but assembly may use this register for something else;
 * then it is read by the thread pointer.  Before 1.17 the stack check has loaded it into a
 * register. False: it cannot be found.
 */
bool rt_plans_goroutine(const struct rt_traced *traced, const struct rt_function *f,
			enum rt_kind kind, struct rt_fetch *record);
/* Has function `i` a probe on its entry, for the purpose? */
bool rt_plans_has_entry(const struct rt_wanted *wanted, const struct rt_traced *traced,
			const struct rt_sites *sites, size_t i);
void rt_plans_free(struct rt_sites *sites);

/*
 * The kernel or its ring cannot take these plans: read less.  -ENOENT where nothing can be left
 * out; the probes must be made anew after this.  `why` says for the user what is missing.
 */
int rt_plans_simplify(const struct rt_wanted *wanted, struct rt_traced *traced,
		      struct rt_sites *sites, const char **why);

/* For -v: what the functions' arguments are shown by; a line each where they are few. */
void rt_plans_print(const struct rt_sites *sites, FILE *file);

#endif
