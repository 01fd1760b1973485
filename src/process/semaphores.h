/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_SEMAPHORES_H
#define RT_PROCESS_SEMAPHORES_H

#include "elf/image.h"

/*
 * Semaphores of USDT probes, where the kernel does not arm them (before 4.20): counters of 16 bits
 * in the data of a program.  Each is one more in a traced process while the trace runs, written
 * through /proc/PID/mem.  Writing is not atomic: another tracer that writes the same counter at the
 * same moment may undo it.
 */
struct rt_semaphores;

struct rt_semaphores *rt_semaphores_new(void);	/* NULL: out of memory */

/* The counter at that offset of the file; one that was added before is not added.  0 or -ENOMEM. */
int rt_semaphores_add(struct rt_semaphores *semaphores, const struct rt_image *image,
		      uint64_t offset);

/*
 * Arm those of the process that it has mapped and that are not armed yet; to be called again and
 * again, as it may map libraries and call exec.  `forked`: it may be a traced process's child,
 * which has its parent's counts.  Returns the number of counters that are armed by now.  Failures
 * leave counters as they are.
 */
size_t rt_semaphores_arm(struct rt_semaphores *semaphores, pid_t pid, bool forked);

/* Take back what was added, in all processes that are still there, and free it all. */
void rt_semaphores_free(struct rt_semaphores *semaphores);

#endif
