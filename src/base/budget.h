/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_BUDGET_H
#define RT_BASE_BUDGET_H

#include <stdint.h>

/* Work that may take a share of the time: what was not used is saved, up to a limit.  In ns. */
struct rt_budget {
	unsigned percent;
	uint64_t most;		/* that is saved */
	uint64_t saved, since;	/* as of that time */
};

/* The time that the work may take at `now`. */
static inline uint64_t rt_budget_at(struct rt_budget *budget, uint64_t now)
{
	budget->saved += (now - budget->since) * budget->percent / 100;
	budget->since = now;
	if (budget->saved > budget->most)
		budget->saved = budget->most;
	return budget->saved;
}

/* The work began at the time of the last rt_budget_at and ended at `now`. */
static inline void rt_budget_use(struct rt_budget *budget, uint64_t now)
{
	uint64_t used = now - budget->since;

	budget->saved -= used < budget->saved ? used : budget->saved;
	budget->since = now;
}

#endif
