/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_TRACEFS_H
#define RT_KERNEL_TRACEFS_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * tracefs: its mount point, and how to read and write its files.  Paths given to these functions
 * are relative to it.
 */
struct rt_tracefs {
	char root[PATH_MAX - NAME_MAX];
	/* mounted by us, in a mount namespace of our own: it goes away with us */
	bool private_mount;
	/* definitions take no semaphore (before 4.20): rt_define_check_semaphores */
	bool no_semaphores;
};

/*
 * Find tracefs in /proc/self/mounts, or under debugfs (before 4.1); where neither is mounted, mount
 * it in a private mount namespace that nobody else sees.  Returns 0 or a negative errno with the
 * reason.
 */
int rt_tracefs_find(struct rt_tracefs *tracefs, struct rt_error *err);
/* The same without mounting: -ENOENT where it is not mounted. */
int rt_tracefs_mounted(struct rt_tracefs *tracefs);
/*
 * The search alone, over the text of a mounts file; returns -ENOENT where it has neither.  For
 * rt_tracefs_find and its test.
 */
int rt_tracefs_in_mounts(const char *mounts, char *root, size_t size);

/* The full path of a file, formatted; returns `buf` (PATH_MAX bytes). */
const char *rt_tracefs_path(const struct rt_tracefs *tracefs, char *buf, const char *fmt, ...)
	RT_PRINTF(3, 4);

bool rt_tracefs_has(const struct rt_tracefs *tracefs, const char *file);
/*
 * Do uprobes write to trace instances, with a clock that we can read too?  Up to 3.14 they write to
 * the main buffer alone, and up to 3.16 (and in RHEL 7's 3.10) no such clock is among those in
 * `file`, a trace_clock.
 */
bool rt_tracefs_has_clock(const struct rt_tracefs *tracefs, const char *file);
int rt_tracefs_read(const struct rt_tracefs *tracefs, const char *file,
		    char **text); /* as rt_read_file */
int rt_tracefs_write(const struct rt_tracefs *tracefs, const char *file, const char *text);
/*
 * Append a line to a file of definitions (opened without O_TRUNC, which would clear everybody's).
 */
int rt_tracefs_append(const struct rt_tracefs *tracefs, const char *file, const char *line);

/*
 * Delete the definitions and the instance of process `pid` of our PID namespace (kernel/owner.h),
 * disabled first, wherever they are enabled.  Returns how many definitions and instances went; what
 * is busy or stays enabled stays.  Missing ones are no error.  No perf event of theirs may be open:
 * from 5.4 on that ends the kernel.
 */
unsigned rt_tracefs_clear(const struct rt_tracefs *tracefs, pid_t pid);

/* Is anything of `pid` still defined? */
bool rt_tracefs_remains(const struct rt_tracefs *tracefs, pid_t pid);

/*
 * rt_tracefs_clear for every process that is gone, and its guard with it.  Nothing of a live
 * process or of another tool is touched.
 */
unsigned rt_tracefs_clean(const struct rt_tracefs *tracefs);

#endif
