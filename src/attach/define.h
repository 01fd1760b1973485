/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_DEFINE_H
#define RT_ATTACH_DEFINE_H

#include "attach/attach.h"
#include "kernel/tracefs.h"

/*
 * Write the definition of probe `id` as event `event` of our group.  `values`: with the plan's values and `with_id`, its id, for
 * events that are read through tracefs; else bare.
 */
int rt_define(const struct rt_tracefs *tracefs, const struct rt_attach_request *request, unsigned id, const char *event,
	      bool values, bool with_id, struct rt_error *err);

/* How many probes the kernel holds for event `event` of our group: older kernels replace a definition of the same name silently. */
int rt_defined(const struct rt_tracefs *tracefs, const char *event);

#endif
