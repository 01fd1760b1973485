/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_STEPPED_H
#define RT_CALLS_STEPPED_H

#include "plan/sites.h"

/* Counts of hits by the instruction under the probe: of entry probes and of exit probes. */
struct rt_form_hits {
	uint64_t entries[RT_FORMS], exits[RT_FORMS];
};

/* Note `n` hits of the exit probe `exit` (NULL: of an entry probe) of `function`, modulo 2^64. */
void rt_stepped_hit(struct rt_form_hits *hits, const struct rt_function *function,
		    const struct rt_exit *exit, uint64_t n);

/* The hits of `function` that programs counted and did not send: a cell (emit/cells.h). */
void rt_stepped_cell(struct rt_form_hits *hits, const struct rt_function *function, unsigned cell,
		     uint64_t value);

#endif
