/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_PID_SPACE_H
#define RT_KERNEL_PID_SPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/pids.h"

/*
 * The PID namespace that ids are of, as bpf_get_ns_current_pid_tgid (5.7) wants it.  perf events
 * and their records use the ids of the namespace of their opener; bpf_get_current_pid_tgid and
 * ftrace use those of the initial one.
 */
struct rt_pid_space {
	uint64_t dev, ino;	/* of /proc/self/ns/pid; ino 0: the initial one */
};

/* The PID namespace of this process. */
struct rt_pid_space rt_pid_space_own(void);

/*
 * Does /proc have our ids, and are `pids` (may be none) in our PID namespace?  From the initial one
 * all are.  0, or -EPERM with a message that names the mount or the container.
 */
int rt_pid_space_check(const struct rt_pids *pids, struct rt_error *err);

#endif
