/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_PIDS_H
#define RT_BASE_PIDS_H

#include <stdbool.h>
#include <sys/types.h>

/* The most processes that are traced at once: a BPF program compares with each of them. */
enum { RT_PIDS_MOST = 64 };

/* The processes that a trace is of, in the order in which they were named. */
struct rt_pids {
	pid_t v[RT_PIDS_MOST];
	unsigned n;
};

/* The processes of which hits are recorded. */
enum rt_reach {
	RT_REACH_PROCESSES,	/* a struct rt_pids */
	/* and their children, to any depth; the kernel puts no probe into other processes */
	RT_REACH_CHILDREN,
	/*
	 * the same, by a list in the kernel (attach/follow.h); other processes that map the file
	 * have the probes, and trap
	 */
	RT_REACH_FOLLOWED,
	RT_REACH_ALL,		/* every process that maps the file */
};

/* One alone, as a pointer that is good as long as the block that it is written in. */
#define RT_PID(pid) (&(const struct rt_pids){ { pid }, 1 })

static inline bool rt_pids_has(const struct rt_pids *pids, pid_t pid)
{
	unsigned i;

	for (i = 0; i < pids->n && pids->v[i] != pid; i++)
		;
	return i < pids->n;
}

/* The one that was named first, for what is the same in all: they run one program. */
static inline pid_t rt_pids_first(const struct rt_pids *pids)
{
	return pids->v[0];
}

/* The only one, which needs not be asked for; 0: there are several, or none. */
static inline pid_t rt_pids_only(const struct rt_pids *pids)
{
	return pids->n == 1 ? pids->v[0] : 0;
}

#endif
