/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_THREAD_POINTER_H
#define RT_KERNEL_THREAD_POINTER_H

#include <stdint.h>

#include "base/error.h"

/*
 * Where this kernel keeps user space's thread pointer (x86-64's fs base, aarch64's tpidr_el0) in
 * its task_struct, as no helper gives it to a BPF program: what bpf_get_current_task returns, and
 * so many bytes more.  Two children of ours that have thread pointers of their own look for them in
 * their own task_structs, in a program that runs at a page fault of theirs; the one place that is
 * right for both is it.  Takes about a millisecond; ask once.
 *
 * Returns the offset, above 0; or a negative errno with the reason: no BPF for perf events (before
 * 4.9), not permitted (a capability, lockdown), not found.
 *
 * What stands there is right from the thread's first change of CPU or sleep on; on x86-64 from the
 * beginning, unless the program sets it by wrfsbase (5.9).  That of a 32-bit program is elsewhere.
 */
int rt_thread_pointer_find(struct rt_error *err);

#endif
