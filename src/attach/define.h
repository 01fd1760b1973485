/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_DEFINE_H
#define RT_ATTACH_DEFINE_H

#include "attach/attach.h"
#include "kernel/tracefs.h"

/* What a definition carries: nothing for a BPF program's event, the plan's values for one that is read through tracefs. */
enum rt_define {
	RT_DEFINE_BARE = 0,
	RT_DEFINE_VALUES = 1,
	RT_DEFINE_ID = 2,		/* and the probe's id as a constant (5.4) */
	RT_DEFINE_NO_RA = 4,		/* but not the return address, where it lies in memory, which 3.10 does not read */
};

/* Write the definition of probe `id` as event `event` of our group, with what `carries` (of enum rt_define) says. */
int rt_define(const struct rt_tracefs *tracefs, const struct rt_attach_request *request, unsigned id, const char *event,
	      unsigned carries, struct rt_error *err);

/*
 * Define all probes of the request, those of one plan as one event, "plan" and its number (5.4); without those that
 * rt_attach_leaves_out names where `leave_out` is set.  `*first` is the first probe of each plan, nprobes where it has none; it is
 * malloced, also where this fails.  -EOPNOTSUPP where an event cannot have several probes: older kernels replace one silently.
 */
int rt_define_plans(const struct rt_tracefs *tracefs, const struct rt_attach_request *request, unsigned carries, bool leave_out,
		    unsigned **first, struct rt_error *err);

#endif
