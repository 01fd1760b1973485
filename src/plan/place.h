/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_PLACE_H
#define RT_PLAN_PLACE_H

#include "plan/sites.h"

/*
 * Decide where each function is probed: at its entry, or behind it on the first instruction that
 * the kernel does not single-step, if that is proven to be the same (code/prologue.h).  Call it
 * after the returns are chosen.  If nothing is proven, the probe stays at the entry.
 *
 * rt_place_first() takes places that are cheap on every kernel.  True: instructions that this
 * kernel emulates (attach/calibrate.h) may give better ones; then rt_place_measured() takes their
 * RT_FORM_BITs.  If an instruction is left that neither this kernel nor a BPF program emulates
 * (rt_place_is_stepped), and programs can emulate at all (attach/emulations.h),
 * rt_place_for_programs() moves such probes to one that a program can.  At last
 * rt_place_check_files() moves probes back to the entry if other code of the
 * file may jump between it and the probe.  0 or -ENOMEM.
 */
bool rt_place_first(const struct rt_wanted *wanted, const struct rt_traced *traced,
		    const struct rt_sites *sites);
void rt_place_measured(const struct rt_wanted *wanted, const struct rt_traced *traced,
		       const struct rt_sites *sites, uint32_t emulated);
bool rt_place_is_stepped(const struct rt_sites *sites, uint32_t emulated);
void rt_place_for_programs(const struct rt_wanted *wanted, const struct rt_traced *traced,
			   const struct rt_sites *sites, uint32_t emulated);
int rt_place_check_files(const struct rt_traced *traced, struct rt_sites *sites,
			 struct rt_error *err);

/*
 * Before all of that, while there is nothing else to do: look through the files for what may jump
 * to the beginnings of functions.  No function is left out or moved in sites->functions afterwards.
 */
int rt_place_begin(const struct rt_traced *traced, struct rt_sites *sites, struct rt_error *err);
void rt_place_free(struct rt_places *places);

/*
 * With --entry=exact, in place of that: probes stay at the entries, and the instruction there is
 * noted.
 */
void rt_place_exact(const struct rt_traced *traced, const struct rt_sites *sites);

/*
 * After these: functions with an entry that must not be probed (rt_function.refused) and that could
 * not stay behind it, all with `exact`, are left out with a remark; when none is left, -ENOTSUP.
 */
int rt_place_no_entries(struct rt_sites *sites, bool exact, struct rt_error *err);

/* Back to the function's entry, for the reason `why`, which is not copied. */
void rt_place_at_entry(struct rt_function *f, const char *why);

/*
 * The traced processes run already, and may have patched their own code (hooks, live patches).
 * The kernel executes the file's bytes at a probe, and continues behind them: in the middle of a
 * patch.  So such a function's probe goes back to its entry, or out, with a remark in
 * `dropped`; when none is left, -ENOTSUP.  On x86 alone: elsewhere an instruction has one
 * size.
 */
int rt_place_check(const struct rt_traced *traced, struct rt_sites *sites, struct rt_error *err);

/*
 * The kernel refuses to probe the functions of which `bad` says so: they are left out with a
 * remark; when none is left, -ENOTSUP.
 */
int rt_place_leave_out(struct rt_sites *sites, const bool *bad, struct rt_error *err);

/* The same for what traced->wrong_pushes says of the kernel, wherever the probes stand by now. */
int rt_place_leave_out_pushes(struct rt_sites *sites, struct rt_error *err);

/*
 * Say where the probes stand and why: a line a function where there are few, else how many for each
 * reason.
 */
void rt_place_print(const struct rt_sites *sites, FILE *file);

/*
 * The probes are attached: BPF programs emulate the instructions of the sites that are true in
 * `emulated` (rt_attach.emulated; NULL: none).
 */
void rt_place_set_emulated(struct rt_sites *sites, const bool *emulated);

/*
 * The probes are attached: verify that the memory of `pids` has them.  Some kernels (RHEL 7's perf
 * events) refuse an instruction silently, and the function would have no calls.  Functions without
 * their probe become a remark.  They are an error if no other function is left, or if the user gave
 * such a function's exact name.  0 or a negative errno.
 */
int rt_place_verify(struct rt_sites *sites, const struct rt_pids *pids, struct rt_error *err);

#endif
