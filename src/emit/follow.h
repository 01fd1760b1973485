/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_FOLLOW_H
#define RT_EMIT_FOLLOW_H

#include "emit/bpf.h"
#include "kernel/pid_space.h"

/*
 * RT_MAP_FOLLOWED: a hash whose keys, u64 each, are the thread groups that are followed.  In a PID
 * namespace keys are also the addresses of tasks, as nothing names a new process by its id there.
 * The values are u64; that of key 0 counts the processes for which there was no room.
 */
enum { RT_FOLLOWED_MOST = 16384 };

/* Offsets of the fields of task:task_newtask, from its `format`. */
struct rt_newtask {
	uint16_t pid;			/* of the new thread, u32 */
	uint16_t clone_flags, flags_size;
};

/*
 * Emit the program for the tracepoint task:task_newtask (4.7, for tracepoint programs): a process
 * that one in RT_MAP_FOLLOWED begins goes into it.  The tracepoint is in copy_process(), before the
 * new task runs.
 */
void rt_follow_emit(const struct rt_newtask *newtask, struct rt_bpf *bpf);

/*
 * The same in the PID namespace `space`, for raw tracepoints (4.17), which need no tracefs: the
 * program of task_newtask enters the new task, that of sched_process_exit removes it.
 */
void rt_follow_emit_task(const struct rt_pid_space *space, struct rt_bpf *bpf);
void rt_follow_emit_task_exit(struct rt_bpf *bpf);

#endif
