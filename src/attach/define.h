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
 * How many probes the kernel holds for event `event` of our group, or a negative errno: older kernels replace a definition of the same
 * name silently.  It is looked at again where it is not the number expected.
 */
int rt_defined(const struct rt_tracefs *tracefs, const char *event, int expected);

#endif
