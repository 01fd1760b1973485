/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_BUDGET_H
#define RT_BASE_BUDGET_H

#include <stdint.h>

/*
 * Work that may take a share of the time, in ns.  Time that was not used is saved, and work that
 * took longer than it may is a debt, both up to a limit.
 */
struct rt_budget {
	unsigned percent;
	int64_t most;		/* that is saved, or owed */
	int64_t saved;		/* as of `since` */
	uint64_t since;
};

/* The time that the work may take at `now`. */
static inline uint64_t rt_budget_at(struct rt_budget *budget, uint64_t now)
{
	budget->saved += (int64_t)((now - budget->since) * budget->percent / 100);
	budget->since = now;
	if (budget->saved > budget->most)
		budget->saved = budget->most;
	return budget->saved > 0 ? (uint64_t)budget->saved : 0;
}

/* The work began at the time of the last rt_budget_at and ended at `now`. */
static inline void rt_budget_use(struct rt_budget *budget, uint64_t now)
{
	budget->saved -= (int64_t)(now - budget->since);
	budget->since = now;
	if (budget->saved < -budget->most)
		budget->saved = -budget->most;
}

#endif
