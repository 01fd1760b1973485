/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/leaving.h"

#include "kernel/sys.h"
#include "attach/trial.h"

/* May the program do it?  Then who, in `buf`. */
static bool may(const struct rt_traced *traced, enum rt_leave leave, char *buf, size_t size)
{
	if (leave == RT_LEAVE_FORK)
		return rt_program_can_fork(&traced->program, buf, size);
	return rt_program_can_longjmp(&traced->program, buf, size);
}

/* From 4.3 on no kernel does harm, and the trial is not free: only in doubt is it made. */
int rt_leaving_try(const struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		   const struct rt_attach_ops *forced, bool no_bpf, FILE *verbose,
		   struct rt_error *err)
{
	struct rt_error why = { 0 };
	char who[sizeof(traced->entry_only)], text[sizeof(who) + sizeof(why.text) + 2];
	uint64_t began;
	unsigned i;

	if (rt_kernel_version() >= RT_KERNEL(4, 3) || !rt_sites_has_returns(sites))
		return 0;
	for (i = 0; i < RT_NLEAVES; i++) {
		if (!may(traced, (enum rt_leave)i, who, sizeof(who)))
			continue;
		began = rt_now();
		if (rt_trial_leave((enum rt_leave)i, forced, no_bpf, &why) < 0) {
			snprintf(text, sizeof(text), "%s, %s", who, why.text);
			return rt_sites_give_up_returns(wanted, traced, sites, text, err);
		}
		if (verbose)
			fprintf(verbose,
				"rawtrace: uretprobes leave programs that %s unharmed here (tried "
				"in %.1f ms)\n",
				rt_leave_name((enum rt_leave)i), (double)(rt_now() - began) / 1e6);
	}
	return 0;
}
