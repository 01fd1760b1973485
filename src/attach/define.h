/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_DEFINE_H
#define RT_ATTACH_DEFINE_H

#include "attach/attach.h"
#include "kernel/tracefs.h"

/*
 * The fields of a definition: none for a BPF program's event, the plan's values for one that is
 * read through tracefs.
 */
enum rt_define {
	RT_DEFINE_BARE = 0,
	RT_DEFINE_VALUES = 1,
	RT_DEFINE_ID = 2,		/* and the probe's id as a constant (5.4) */
	/* but not the return address, where it lies in memory, which 3.10 does not read */
	RT_DEFINE_NO_RA = 4,
};

/*
 * Write the definition of probe `id` as event `event` of our group, with what `carries` (of enum
 * rt_define) says.
 */
int rt_define(const struct rt_tracefs *tracefs, const struct rt_attach_request *request,
	      unsigned id, const char *event, unsigned carries, struct rt_error *err);

/*
 * Do the definitions of this kernel take a semaphore (4.20)?  Tries it where a site has one, with
 * an event of our group that stays disabled, and sets t->no_semaphores.
 */
void rt_define_check_semaphores(struct rt_tracefs *t, const struct rt_attach_request *request);

/* The beginning of the names of the request's events, in `buf` of RT_EVENT_NAME. */
enum { RT_EVENT_NAME = 48 };
const char *rt_define_prefix(const struct rt_attach_request *request, char *buf);

/* An event of many probes, all of one plan. */
struct rt_defined {
	unsigned plan, first;		/* the first is the number of one of its probes */
	char name[RT_EVENT_NAME];
};

/*
 * Define all probes of the request, those of one plan as one event (5.4), or as several of at most
 * so many probes as `most` says and the number of events allows; without those that
 * rt_attach_leaves_out names where `leave_out` is set.  `*events` is malloced, also where this
 * fails.  -EOPNOTSUPP where an event cannot have several probes: older kernels replace one
 * silently.
 */
int rt_define_plans(const struct rt_tracefs *tracefs, const struct rt_attach_request *request,
		    unsigned carries, bool leave_out, unsigned most, struct rt_defined **events,
		    unsigned *n, struct rt_error *err);

/*
 * Can an event have several probes?  Asked with two that are never enabled, where the request has
 * no site that would show it.  0 or -EOPNOTSUPP.
 */
int rt_define_ask_several(const struct rt_tracefs *tracefs, struct rt_error *err);

#endif
