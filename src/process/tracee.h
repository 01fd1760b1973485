/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_TRACEE_H
#define RT_PROCESS_TRACEE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/pids.h"
#include "process/login.h"

/*
 * The traced processes: a child that waits before exec until the probes are in, or processes that
 * run already.
 */
struct rt_tracee {
	struct rt_pids pids;
	bool ours;		/* our child, the only one: its exit status becomes ours */
	/* pipes to the held child: our word to continue, its errno when exec fails; -1: none */
	int go, failed;
	/* readable when a process that is not ours ends; -1: it has been, or before 5.3 */
	int pidfds[RT_PIDS_MOST];
	bool ended;		/* all have */
	int status;		/* of wait(2), once it has ended and was ours */
};

/* Nothing yet: what rt_tracee_release has nothing to do with. */
void rt_tracee_init(struct rt_tracee *tracee);

/*
 * The file that execvp(3) would start for `name`: a path, or looked up in PATH.  Malloced into
 * `*path`.
 */
int rt_tracee_find(const char *name, char **path, struct rt_error *err);

/*
 * Fork the command; the child waits, and becomes a process of `user` before exec (NULL: of ours).
 * If we die before rt_tracee_go, the child ends without having
 * started anything.  Until then it maps the code of `files` (`n` descriptors, may be none): only of
 * a process that maps it does the kernel say that it refuses to probe an instruction, or this file;
 * else that probe is never hit, without a word.  They must be of the kernel's own architecture, for
 * it takes the instructions for those of the first process that maps them.
 */
int rt_tracee_start(struct rt_tracee *tracee, const char *path, char *const argv[],
		    const struct rt_login *user, const int *files, size_t n, struct rt_error *err);

/* Take running processes; a thread's id means its process, which may be named twice. */
int rt_tracee_take(struct rt_tracee *tracee, const struct rt_pids *pids, struct rt_error *err);

/* Forget those of several that have ended.  Are there some, and others left? */
bool rt_tracee_forget_ended(struct rt_tracee *tracee);

/*
 * Let the held command start.  Returns when exec has succeeded or with the error that it failed
 * with.
 */
int rt_tracee_go(struct rt_tracee *tracee, const char *path, struct rt_error *err);

/* Has process `pid` ended?  A zombie has, if no other thread of it runs. */
bool rt_tracee_is_gone(pid_t pid);

/* Have all ended?  Looks without waiting; or waits, with `wait`, for a command of ours. */
bool rt_tracee_ended(struct rt_tracee *tracee, bool wait);

/* The exit status that a shell would give for it: its own, or 128 + the signal that ended it. */
int rt_tracee_exit_status(const struct rt_tracee *tracee);

/* Forget it: a command that is still held is ended, a running one left alone. */
void rt_tracee_release(struct rt_tracee *tracee);

#endif
