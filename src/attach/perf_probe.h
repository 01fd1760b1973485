/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_PERF_PROBE_H
#define RT_ATTACH_PERF_PROBE_H

#include "attach/bpf_side.h"
#include "attach/guard.h"
#include "kernel/sys.h"
#include "kernel/tracefs.h"

/* A perf event, and the function that its probe belongs to. */
struct rt_perf_fd {
	int fd;
	uint32_t function;
	pid_t pid;		/* the process */
	/* no program: it only makes the kernel probe the thread's memory too */
	bool filter_only;
	uint64_t event;		/* the number of tracefs's event, or 0 */
};

/*
 * State of the three mechanisms that put a BPF program on perf events: life cycle and file
 * descriptors.
 */
struct rt_perf_probes {
	struct rt_attach attach;
	struct rt_bpf_side side;
	struct rt_tracefs tracefs;
	struct rt_guard guard;		/* running where definitions were made */
	enum rt_reach reach;		/* the request's */
	int cpu;			/* where events are opened that are everybody's */
	struct rt_perf_fd *fds;
	size_t nfds, cap;
	uint32_t function;		/* the function to be probed */
};

/* Puts in probe `id`; `how` is the mechanism's own. */
typedef int rt_perf_probe_fn(struct rt_perf_probes *p, const struct rt_attach_request *request,
			     unsigned id, const void *how, struct rt_error *err);

/*
 * Put in every probe of the request, returns before entries.  On success `*attach` is `p`; on
 * failure `p` is closed.
 */
int rt_perf_probes_all(struct rt_perf_probes *p, const struct rt_attach_request *request,
		       rt_perf_probe_fn *add, const void *how, struct rt_attach **attach,
		       struct rt_error *err);

/*
 * Allocate, with maps and rings; `definitions`: find tracefs and start the guard too.  NULL on
 * failure, the code in `*r`.
 */
struct rt_perf_probes *rt_perf_probes_new(const struct rt_attach_ops *ops,
					  const struct rt_attach_request *request, bool definitions,
					  int *r, struct rt_error *err);

/*
 * Open the event that `attr` describes, for each process, or once for everybody's; put `prog`
 * (closed in any case) on it and enable it.  With several processes, only for events of tracefs:
 * there the first descriptor's program is the event's own, and a second one would be too many.
 */
int rt_perf_probes_add(struct rt_perf_probes *p, const struct rt_perf_attr *attr,
		       const struct rt_pids *pids, int prog, const char *what,
		       struct rt_error *err);

/* The perf event id of tracefs event GROUP/`event`, as an attr for rt_perf_probes_add. */
int rt_perf_probes_event(struct rt_perf_probes *p, const char *event, struct rt_perf_attr *attr,
			 struct rt_error *err);

/*
 * rt_attach_ops.again where events are tracefs's: the program is on the event itself, and stays
 * there as long as the first descriptor, so that one more thread takes no more than a descriptor
 * which has it as its target.
 */
int rt_perf_probes_add_thread(struct rt_attach *attach, const struct rt_attach_request *request,
			      enum rt_add_reason why, pid_t tid, struct rt_error *err);

/* The attr of tracefs event number `event`. */
struct rt_perf_attr rt_perf_event_attr(uint64_t event);

/* A descriptor without a program, for thread `tid` of process `pid`: -ESRCH, it has ended. */
int rt_perf_probes_add_filter(struct rt_perf_probes *p, const struct rt_perf_attr *attr, pid_t pid,
			    pid_t tid, struct rt_error *err);

/* A file's path as the kernel is given it, in `buf` of 64 bytes: the descriptor that we hold. */
const char *rt_perf_probes_path(const struct rt_function *function, char *buf);

/*
 * The uprobe PMU's number for perf_event_attr.type; -ENOENT where the kernel has none (before
 * 4.17).
 */
int rt_uprobe_pmu_type(uint32_t *type);

/* Does the uprobe PMU arm semaphores (4.20)? */
bool rt_uprobe_pmu_arms(void);

void rt_perf_probes_detach_one(struct rt_attach *attach);
void rt_perf_probes_detach(struct rt_attach *attach);
void rt_perf_probes_close(struct rt_attach *attach);

#endif
