/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_RETURNS_H
#define RT_PLAN_RETURNS_H

#include "plan/sites.h"

/* The cost of a hit on this kernel (attach/calibrate.h); 0: not measured. */
struct rt_trap_costs {
	uint32_t push_ns, return_ns;	/* a probe on a push, and one on a return */
	bool return_stepped;		/* the kernel single-steps a return */
};

/*
 * Choose how the end of each function's calls is seen (enum rt_how of symbols/function.h), for the
 * purpose and for --return.  Use a uretprobe if it is safe; else exit probes, if all exits are
 * known for certain; else none.  Fills how and how_why of all functions.  0 or -ENOMEM.
 */
int rt_returns_choose(const struct rt_wanted *wanted, struct rt_traced *traced,
		      const struct rt_sites *sites, struct rt_error *err);

/*
 * The same to be listed, not traced: exits are not named or compared with those of other functions.
 * `next` gives the functions' numbers, until one that is none.
 */
int rt_returns_judge(const struct rt_wanted *wanted, const struct rt_traced *traced,
		     const struct rt_sites *sites, size_t (*next)(void *ctx), void *ctx,
		     struct rt_error *err);

/*
 * The choice for function `f` and its reason as a phrase, for the user, in `buf`: "uretprobe",
 * "insn (3 places): the program ...".
 */
const char *rt_returns_why(const struct rt_function *f, char *buf, size_t size);

/* Say of each function how its returns are seen; of many, how many share a reason. */
void rt_returns_print(const struct rt_wanted *wanted, const struct rt_sites *sites, FILE *file);

/*
 * Say how many entries and exits BPF programs emulate, and what exit probes on other returns cost,
 * as `costs` has it.
 */
void rt_returns_print_cost(const struct rt_sites *sites, const struct rt_trap_costs *costs,
			   FILE *file);

/*
 * Count the exit probes on returns, which kernels single-step, and in `*all` (may be NULL) all exit
 * probes.
 */
size_t rt_returns_stepped(const struct rt_sites *sites, size_t *all);

#endif
