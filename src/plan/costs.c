/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/costs.h"

#include "arch/arch.h"
#include "plan/sites.h"

/* A function has several exits, and a recording does not say which one was taken: use most. */
static bool steps_exits(const struct rt_probe_costs *costs, const struct rt_exits *exits)
{
	size_t i, stepped = 0;

	for (i = 0; i < exits->n; i++)
		stepped += !(costs->emulated & RT_FORM_BIT(exits->v[i].place.form));
	return stepped * 2 >= exits->n;
}

struct rt_call_cost rt_call_cost_of(const struct rt_probe_costs *costs,
				    const struct rt_function *f)
{
	struct rt_call_cost cost = { .entry = costs->stepped_entry };

	if (costs->emulated & RT_FORM_BIT(f->form))
		cost.entry = costs->entry;
	if (f->how == RT_HOW_URETPROBE)
		cost.end = costs->uretprobe;
	else if (f->how == RT_HOW_INSN && f->exits.n)
		cost.end = steps_exits(costs, &f->exits) ? costs->stepped_exit : costs->exit;
	return cost;
}
