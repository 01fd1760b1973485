/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EMIT_GATE_H
#define RT_EMIT_GATE_H

#include "emit/bpf.h"
#include "base/pids.h"
#include "kernel/pid_space.h"

/*
 * Emit the program for the raw tracepoint sched_process_exec: where a process of `pids`, ids of
 * `space`, has executed a program and event i of the array RT_MAP_EVENTS, which is bound to process
 * i, is no longer on it, put the process's id into RT_MAP_GATE (attach/gate.h).
 */
void rt_gate_emit(const struct rt_pids *pids, const struct rt_pid_space *space,
		  struct rt_bpf *bpf);

#endif
