/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_RETURNS_H
#define RT_PLAN_RETURNS_H

#include "plan/sites.h"

/* What a hit costs on this kernel (attach/calibrate.h); 0: not measured. */
struct rt_trap_costs {
	uint32_t push_ns, return_ns;	/* a probe on a push, and one on a return */
	bool return_stepped;		/* the kernel single-steps a return */
};

/*
 * How the end of each function's calls is seen (enum rt_how of symbols/function.h), for the
 * purpose and what the user wants: by a uretprobe where nothing says that it could harm,
 * else at the instructions that leave the function, where those are known for certain, else not at
 * all.  Fills how and how_why of all functions.  0 or -ENOMEM.
 */
int rt_returns_choose(const struct rt_wanted *wanted, struct rt_traced *traced,
		      const struct rt_sites *sites, struct rt_error *err);

/*
 * The choice for function `f` and its reason as a phrase, for the user, in `buf`: "uretprobe",
 * "insn (3 places): the program ...".
 */
const char *rt_returns_why(const struct rt_function *f, char *buf, size_t size);

/*
 * Say of each function how its returns are seen; of many, how many share a reason; and what it
 * costs, as `calibration` has measured it.
 */
void rt_returns_print(const struct rt_wanted *wanted, const struct rt_sites *sites,
		      const struct rt_trap_costs *costs, FILE *file);

/*
 * How many of the probes at instructions stand on a return, which kernels single-step; of `*all`
 * (may be NULL).
 */
size_t rt_returns_stepped(const struct rt_sites *sites, size_t *all);

#endif
