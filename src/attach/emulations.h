/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_EMULATIONS_H
#define RT_ATTACH_EMULATIONS_H

#include "attach/attach.h"

/*
 * Does the kernel load programs that write the registers of a uprobe (6.19)?  0, or a negative
 * errno: -EACCES where the verifier refuses them.
 */
int rt_emulations_ask(void);

/* The instructions that programs emulate. */
struct rt_emulations {
	bool *sites, *plans;	/* by site: it has such a one; by plan: its program has */
};

/*
 * Find them, and make the map that says how each is emulated, in `*map`.  Without members, and no
 * map: nothing is emulated, which costs time alone.
 */
struct rt_emulations rt_emulations_open(const struct rt_attach_request *request, enum rt_key key,
					int *map);
void rt_emulations_close(struct rt_emulations *emulations);

/* Has the process a shadow stack, or may its next program get one? */
bool rt_has_shadow_stack(pid_t pid);

/* The same by /proc/PID/environ: glibc enables shadow stacks if a tunable says so (2.39). */
bool rt_environ_has_shadow_stack(const char *environ, size_t size);

/* Does /proc/cpuinfo have shadow stacks of user space? */
bool rt_cpuinfo_has_shadow_stack(const char *text);

#endif
