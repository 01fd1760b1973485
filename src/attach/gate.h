/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_GATE_H
#define RT_ATTACH_GATE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/pids.h"

/*
 * A user with CAP_BPF and CAP_PERFMON may not read the memory of a setuid program, but uprobes
 * survive the exec of one.  A gate ends the trace in the kernel, before that program runs its first
 * instruction.
 *
 * The kernel takes its perf events from a task that executes a setuid, setgid or capable program,
 * or one that its user may not read (begin_new_exec, after commit_creds).  So each process gets a
 * pinned event.  A program on the tracepoint sched_process_exec, which comes later in the same
 * exec, reads it: perf_event_read_local gives an error for a pinned event that is not on.  Then
 * RT_MAP_GATE has the process's id, and the programs on probes return at once.
 *
 * Exec by a thread other than the first closes the gate too, as the event is the first thread's.
 */
struct rt_gate {
	bool open;
	int map;			/* for RT_MAP_GATE */
	int events, program, link;
	int fds[RT_PIDS_MOST];		/* the pinned events */
	unsigned n;
};

/* 0, or a negative errno with a message: then the user may not trace.  Close it in any case. */
int rt_gate_open(struct rt_gate *gate, const struct rt_pids *pids, struct rt_error *err);

/* The process that has closed it; 0: none. */
pid_t rt_gate_closed_by(const struct rt_gate *gate);

void rt_gate_close(struct rt_gate *gate);

#endif
