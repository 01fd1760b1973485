/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SESSION_STEPPED_REMARK_H
#define RT_SESSION_STEPPED_REMARK_H

#include "calls/feed.h"

/*
 * The remark that the kernel's single-stepping took much of a trace of `ns`: at least a tenth of
 * the probes stand on instructions that it does not emulate, and their hits took at least a tenth
 * of the time.  A child of ours measures what a hit takes (calibrate.h), if that may be.  False:
 * there is nothing to remark.
 */
bool rt_stepped_remark(const struct rt_wanted *wanted, const struct rt_traced *traced,
		       const struct rt_sites *sites, const struct rt_form_hits *hits, uint64_t ns,
		       bool no_bpf, bool exact, char *buf, size_t size);

#endif
