/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fetch/fetch.h"

#include <errno.h>
#include <string.h>

/* C promotes what an undeclared parameter could be to int, so that is how a value without a type is read. */
static void plan_int(struct rt_fetch *fetch)
{
	fetch->type = RT_TYPE_INT;
	fetch->size = 4;
	fetch->is_signed = true;
}

int rt_plan_c_entry(const struct rt_arch *arch, unsigned nargs, struct rt_plan *plan)
{
	unsigned i;

	if (nargs > RT_MAX_VALUES)
		return -E2BIG;
	memset(plan, 0, sizeof(*plan));
	plan->kind = RT_KIND_ENTRY;
	plan->arch = arch;
	plan->nvalues = nargs;
	for (i = 0; i < nargs; i++) {
		struct rt_fetch *fetch = &plan->values[i];

		plan_int(fetch);
		if (i < arch->nargs) {
			fetch->base = RT_BASE_REG;
			fetch->reg = arch->args[i];
		} else {
			/* A stack argument takes a whole slot, however small it is. */
			fetch->base = RT_BASE_STACK;
			fetch->offset = (int32_t)(arch->stack_args + arch->word * (i - arch->nargs));
		}
	}
	return 0;
}

void rt_plan_c_return(const struct rt_arch *arch, struct rt_plan *plan)
{
	memset(plan, 0, sizeof(*plan));
	plan->kind = RT_KIND_RETURN;
	plan->arch = arch;
	plan->nvalues = 1;
	plan_int(&plan->values[0]);
	plan->values[0].base = RT_BASE_REG;
	plan->values[0].reg = arch->result;
}

size_t rt_plan_size(const struct rt_plan *plan)
{
	return rt_plan_offset(plan, plan->nvalues);
}

size_t rt_plan_offset(const struct rt_plan *plan, unsigned i)
{
	size_t at = 0;
	unsigned k;

	for (k = 0; k < i && k < RT_MAX_VALUES; k++)
		at += 8 + (plan->values[k].type == RT_TYPE_STRING ? plan->values[k].max : 0);
	return at;
}
