/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_COSTS_H
#define RT_PLAN_COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/function.h"

/* The time that one hit takes from the program, ns: before its record's time is read, and after. */
struct rt_hit_cost {
	uint32_t before, after;
};

/* The cost of the probes of one call. */
struct rt_call_cost {
	struct rt_hit_cost entry, end;	/* `end` is 0 if the end is not probed */
};

/* The costs of all kinds of hits on this machine (attach/costs.h). */
struct rt_probe_costs {
	bool known;
	uint32_t emulated;		/* RT_FORM_BITs of the instructions that are emulated */
	struct rt_hit_cost entry, stepped_entry, uretprobe, exit, stepped_exit;
};

/* The cost of a call of the function, by the places of its probes.  `costs` must be known. */
struct rt_call_cost rt_call_cost_of(const struct rt_probe_costs *costs,
				    const struct rt_function *function);

#endif
