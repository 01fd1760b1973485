/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_MEMBERS_H
#define RT_STREAM_MEMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Numbers of threads or processes: above all the threads of the traced process, for sources with
 * events that name only the thread.
 */
struct rt_members {
	pid_t *v;		/* sorted */
	size_t n, cap;
};

int rt_members_add(struct rt_members *members, pid_t tid); /* 0 or -ENOMEM; a known one stays */
void rt_members_remove(struct rt_members *members, pid_t tid);
bool rt_members_has(const struct rt_members *members, pid_t tid);
void rt_members_free(struct rt_members *members);

#endif
