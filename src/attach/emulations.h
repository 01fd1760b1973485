/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_EMULATIONS_H
#define RT_ATTACH_EMULATIONS_H

#include "attach/attach.h"

/*
 * Does the kernel load programs that write the registers of a uprobe (6.19)?  0, or a negative
 * errno: -EACCES where the verifier refuses them.
 */
int rt_emulations_ask(void);

/*
 * The map that says how the instruction of each site is emulated, in `*map`; in `*n` how many are.
 * The result, which is malloced, says by plan whether its program emulates any.  NULL, and no map:
 * nothing is emulated, which costs time alone.
 */
bool *rt_emulations_open(const struct rt_attach_request *request, int *map, unsigned *n);

/* Has the process a shadow stack, or may its next program get one? */
bool rt_has_shadow_stack(pid_t pid);

/* The same by /proc/PID/environ: glibc enables shadow stacks if a tunable says so (2.39). */
bool rt_environ_has_shadow_stack(const char *environ, size_t size);

/* Does /proc/cpuinfo have shadow stacks of user space? */
bool rt_cpuinfo_has_shadow_stack(const char *text);

#endif
