/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_TRIAL_H
#define RT_TRIAL_H

#include "attach/attach.h"

/* What came of trying an attach mechanism. */
struct rt_trial {
	unsigned entries, returns;	/* hits that were seen; RT_TRIAL_CALLS of each are right */
	bool harmed;			/* the probed process did not end as it should have */
	double attach_ms, detach_ms;
};

#define RT_TRIAL_CALLS 4u

/*
 * Put probes on two functions of rawtrace itself, in a child of ours, let the child call them, RT_TRIAL_CALLS calls in all, and
 * count what is seen.
 * No other process is touched.  0 when the probes could be put in, else a negative errno with the reason.
 */
int rt_trial_run(const struct rt_attach_ops *ops, struct rt_trial *trial, struct rt_error *err);

#endif
