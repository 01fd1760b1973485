/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_OWNER_H
#define RT_KERNEL_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Definitions and trace instances are named after the process that makes them: its id, and "n" and
 * its PID namespace's inode where that is not the initial one.  tracefs is one for all namespaces,
 * and in another one the same id is another process.
 */
struct rt_owner {
	pid_t pid;
	unsigned long space;	/* 0: the initial PID namespace, or a kernel without them */
};

enum { RT_OWNER_NAME_MAX = 48 };

/* Process `pid` of our own PID namespace. */
struct rt_owner rt_owner_of(pid_t pid);

/*
 * The group of its uprobe events ("rawtrace_PID"), and its instance ("rawtrace-PID"), in `buf`
 * (RT_OWNER_NAME_MAX), which they return.
 */
const char *rt_owner_group(struct rt_owner owner, char *buf);
const char *rt_owner_instance(struct rt_owner owner, char *buf);

/* The group and the instance of this process. */
const char *rt_own_group(char *buf);
const char *rt_own_instance(char *buf);

/* The owner in the name, of `len` bytes, of a group or an instance.  False: not rawtrace's. */
bool rt_owner_of_group(const char *name, size_t len, struct rt_owner *owner);
bool rt_owner_of_instance(const char *name, size_t len, struct rt_owner *owner);

bool rt_owner_same(struct rt_owner a, struct rt_owner b);

/*
 * Is the process gone for certain, and its guard with it?  rawtrace asks this of itself before it
 * makes anything: true means an earlier process that had its number.  For another PID namespace
 * only the initial one knows: the owner is gone when that namespace has no process any more.
 */
bool rt_owner_gone(struct rt_owner owner);

/*
 * The name of the process that clears up after `pid` (attach/guard.h), in `buf` (RT_COMM_MAX
 * bytes), which it returns.
 */
const char *rt_guard_name(pid_t pid, char *buf);

#endif
