/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_THREAD_POINTER_H
#define RT_KERNEL_THREAD_POINTER_H

#include <stdint.h>

#include "base/error.h"

/*
 * Find user space's thread pointer (x86-64's fs base, aarch64's tpidr_el0) in this kernel's
 * task_struct, as no helper gives it to a BPF program.  The offset counts from the pointer that
 * bpf_get_current_task returns.  Two children with known thread pointers search their own
 * task_structs for them, in a program that runs at their page faults.  The one offset that is right
 * for both is the result.  Takes about a millisecond; ask once.
 *
 * Returns the offset, above 0; or a negative errno with the reason: no BPF for perf events (before
 * 4.9), not permitted (a capability, lockdown), not found.
 *
 * The value there is right from the thread's first change of CPU or sleep on; on x86-64 from the
 * beginning, unless the program sets it by wrfsbase (5.9).  32-bit programs have theirs elsewhere.
 */
int rt_thread_pointer_find(struct rt_error *err);

#endif
