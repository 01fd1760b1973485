/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_PROCFS_H
#define RT_KERNEL_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/pids.h"

/*
 * Read a whole small file (of /proc, /sys, tracefs) into malloced, NUL-ended `*text`.  Returns its
 * length or a negative errno.
 */
int rt_read_file(const char *path, char **text);

/*
 * Write `text` to a file with one write(2), opened with `flags` (O_WRONLY is added).  0 or a
 * negative errno.
 */
int rt_write_file(const char *path, int flags, const char *text);

/*
 * A number from a "Name:\tVALUE" line of /proc/PID/status.  0, -ESRCH when the process is gone,
 * -ENOENT without such a line.
 */
int rt_proc_status(pid_t pid, const char *name, long *value);

/* In a child: close all descriptors from `first` on but two.  Without /proc none is closed. */
void rt_close_from(int first, int keep, int other);

/* Is /proc there, with this process in it? */
bool rt_proc_mounted(void);

/*
 * The processes of `pids`, each once: a thread's id means its process.  An id without a
 * process stays as it is.
 */
void rt_proc_leaders(const struct rt_pids *pids, struct rt_pids *leaders);

/* Does such a line have `word` in it? */
bool rt_proc_status_has(pid_t pid, const char *name, const char *word);

enum { RT_COMM_MAX = 16 };	/* TASK_COMM_LEN: with the NUL */

/* Is there a process of that name, of our own user, and not a zombie? */
bool rt_proc_named(const char *comm);

/* The process's name; "?" when it is gone. */
void rt_proc_comm(pid_t pid, pid_t tid, char comm[16]);

/*
 * The threads of the machine that are in the middle of their end, when a thread gives its perf
 * events back (perf_event_exit_task): by /proc/TID/stat.  `*v` is malloced.  Their number or
 * -ENOMEM.
 */
int rt_proc_ending(pid_t **v);
bool rt_thread_is_ending(pid_t tid);
bool rt_stat_is_ending(const char *stat);	/* such a line */
bool rt_thread_will_end(pid_t tid);		/* is ending, or has SIGKILL pending */
bool rt_stat_is_killed(const char *stat);

/* Its threads.  `*v` is malloced.  Returns their number, or -ESRCH. */
int rt_proc_threads(pid_t pid, pid_t **v);

/* All processes.  `*v` is malloced.  Returns their number, or a negative errno. */
int rt_proc_all(pid_t **v);

#endif
