/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_CAPS_H
#define RT_KERNEL_CAPS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * For a user who is not root, keep only the capabilities that tracing takes.  So each file is
 * opened with the user's own rights, whether an option, the environment or the traced program names
 * it.  Inheritable and ambient capabilities go too, so that no program that is started gets them.
 * A setuid or setgid rawtrace is an error.  0 or a negative errno with a message.
 */
int rt_caps_own_rights(struct rt_error *err);
bool rt_caps_is_user(void);

/* A trace with its probes in may still have to ... */
enum {
	RT_CAPS_ADMIN = 1, /* add probes that only CAP_SYS_ADMIN may */
	RT_CAPS_KILL = 2,  /* pass a signal on to a process of another user */
	/* open files that the traced processes map later, and put probes into them */
	RT_CAPS_FILES = 4,
	RT_CAPS_OUTPUT = 8 /* make files of output */
};

/*
 * Drop all capabilities but those of the `uses`, and those for maps, probes of further threads and
 * /proc: CAP_BPF, CAP_PERFMON (before 5.8 CAP_SYS_ADMIN) and CAP_SYS_PTRACE.  tracefs has files of
 * root, which take none.  0 or a negative errno with a message.
 */
int rt_caps_keep(unsigned uses, struct rt_error *err);

/*
 * Run `trial` while CAP_SYS_ADMIN is not effective in this thread.  Its result, or a negative
 * errno.
 */
int rt_caps_try_without_admin(int (*trial)(void *ctx), void *ctx);

/*
 * May this user look into the memory of a process, as ptrace(2) and the kernel's check of
 * /proc/PID/mem have it?
 */
bool rt_caps_can_read_memory(pid_t pid);

/*
 * May this process trace?  With `bpf`: CAP_SYS_ADMIN, or CAP_BPF and CAP_PERFMON (5.8).  Without,
 * tracefs is files of root.  0 or -EPERM with a message that names what is missing.
 */
int rt_caps_check(bool bpf, struct rt_error *err);

/* the user and the group that own nothing; NSS cannot be asked in a static file */
enum { RT_NOBODY = 65534 };

/*
 * Give up all rights for good: no capability, none to be gained by exec (no_new_privs), and root
 * becomes the user nobody.  Root without capabilities would not do: it owns the system's files.  0
 * or a negative errno, after which nothing else may be run.
 */
int rt_caps_drop(void);

#endif
