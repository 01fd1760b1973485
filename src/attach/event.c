/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One uprobe_events definition a probe, a BPF program on each one's perf event (4.4). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attach/define.h"
#include "attach/perf_probe.h"
#include "base/array.h"
#include "kernel/procfs.h"
#include "stream/members.h"

/* ---- children by inherited perf events (6.12) ---- */

/*
 * A perf event with `inherit` is copied into each new thread and process and stays over exec.  A
 * copy on a uprobe event of tracefs makes the kernel put the breakpoints into the memory of its
 * task (trace_uprobe_filter_add).  Two traps, found on 6.18:
 *
 * - The first copy that is freed takes the BPF program off the tracepoint.  So there are two kinds
 *   of events on one tracepoint: one has the program and is not inherited, the others have none.
 * - The scheduler swaps the contexts of two tasks with equal events instead of the events
 *   (perf_event_context_sched_out).  A copy then has the memory of another task, and goes
 *   when that one ends.  Contexts with PERF_SAMPLE_READ are never swapped (6.12, 7e8b255650fc).
 *
 * Each copy takes event_mutex, when a task forks and when it ends (perf_trace_init).  So a
 * fork waits while another tracer holds it, 0.1 s where that takes probes out.
 *
 * Inheritance is by task, so each thread that runs already needs an event of its own.  Threads
 * begin while the list is read; those that a thread with an event began have inherited it.  So the
 * list is read again until it has nothing new, and a few times at most: a program that always
 * begins threads would never let it end.
 */

/* Each reading takes what is new since the last one, so each is shorter. */
enum { READINGS_MOST = 4 };

/* Descriptors besides those of the events: rings, images, standard streams. */
enum { OTHER_FILES = 1024 };

static void set_inherit(struct rt_perf_attr *attr)
{
	attr->sample_type = RT_PERF_SAMPLE_READ | RT_PERF_SAMPLE_TID;
	attr->flags |= RT_PERF_INHERIT;
}

static int check_inherit(struct rt_error *err)
{
	struct rt_perf_attr attr = {
		.type = RT_PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = RT_PERF_COUNT_SW_DUMMY,
		.sample_period = 1,
		.flags = RT_PERF_DISABLED,
	};
	int fd;

	/*
	 * Linux 4.11 takes the flags of set_inherit, and loses children.  It refuses to inherit a
	 * group's format, which later kernels do not (before 4.12: ba5213ae6b88).
	 */
	attr.read_format = RT_PERF_FORMAT_GROUP;
	attr.flags |= RT_PERF_INHERIT;
	fd = rt_perf_open(&attr, 0, -1);
	if (fd >= 0) {
		close(fd);
		attr.read_format = 0;
		set_inherit(&attr);
		fd = rt_perf_open(&attr, 0, -1);
	}
	if (fd >= 0)
		close(fd);
	/* Linux 3.10 has no dummy event (before 3.12: ENOENT). */
	if (fd == -EINVAL || fd == -ENOENT)
		return rt_fail(err, -EOPNOTSUPP,
			       "perf events that are inherited may not be read by samples (before "
			       "6.12); others lose children");
	return fd < 0 ? rt_fail(err, fd, "perf_event_open: %s", strerror(-fd)) : 0;
}

/* The events that have programs, at the beginning of p->fds. */
static size_t count_programs(const struct rt_perf_probes *p)
{
	size_t i;

	for (i = 0; i < p->nfds && p->fds[i].event; i++)
		;
	return i;
}

/* 0, -ESRCH: it has ended, or another negative errno. */
static int add_thread(struct rt_perf_probes *p, size_t nprograms, pid_t pid, pid_t tid,
		      struct rt_error *err)
{
	struct rt_perf_attr attr;
	size_t i;
	int r = 0;

	for (i = 0; i < nprograms && r == 0; i++) {
		attr = rt_perf_event_attr(p->fds[i].event);
		set_inherit(&attr);
		p->function = p->fds[i].function;
		r = rt_perf_probes_add_filter(p, &attr, pid, tid, err);
	}
	return r;
}

/* The process's threads that are not `known`; how many there were, or a negative errno. */
static int add_threads(struct rt_perf_probes *p, size_t nprograms, pid_t pid,
		       struct rt_members *known, struct rt_error *err)
{
	pid_t *tids;
	int i, n = rt_proc_threads(pid, &tids), found = 0, r = 0;

	if (n == -ESRCH)
		return 0;
	if (n < 0)
		return rt_fail(err, n, "/proc/%d/task: %s", (int)pid, strerror(-n));
	rt_limits_raise((unsigned)(p->nfds + (size_t)n * nprograms) + OTHER_FILES);
	for (i = 0; i < n && r == 0; i++) {
		if (rt_members_has(known, tids[i]))
			continue;
		if (rt_members_add(known, tids[i]) < 0)
			r = rt_nomem(err);
		else
			r = add_thread(p, nprograms, pid, tids[i], err);
		found += r == 0;
		if (r == -ESRCH)
			r = 0;
	}
	free(tids);
	return r < 0 ? r : found;
}

static int add_inherited(struct rt_perf_probes *p, const struct rt_pids *pids, struct rt_error *err)
{
	size_t nprograms = count_programs(p);
	struct rt_members known = { 0 };
	unsigned i, reading, all = 0;
	int r = 0, found = 1;

	for (reading = 0; reading < READINGS_MOST && found && r >= 0; reading++) {
		found = 0;
		for (i = 0; i < pids->n && r >= 0; i++) {
			r = add_threads(p, nprograms, pids->v[i], &known, err);
			found += r > 0 ? r : 0;
		}
		all += (unsigned)found;
	}
	rt_members_free(&known);
	/* Threads that only a later reading finds most likely have inherited their events. */
	if (r == -EMFILE && reading > 1)
		r = 0;
	if (r == -EMFILE)
		return rt_fail(err, -EOPNOTSUPP,
			       "each thread takes %zu file descriptors, and there are too few; "
			       "raise it: ulimit -n",
			       nprograms);
	if (r >= 0 && !all)
		return rt_fail(err, -ESRCH, "process %d has ended", (int)rt_pids_first(pids));
	return r < 0 ? r : 0;
}

/* ---- the mechanism ---- */

static int add_probe(struct rt_perf_probes *p, const struct rt_attach_request *request, unsigned id,
		     const void *how, struct rt_error *err)
{
	const struct rt_site *probe = &request->sites[id];
	const struct rt_function *f = &request->functions->v[probe->function];
	struct rt_perf_attr attr;
	char event[RT_EVENT_NAME + 16], prefix[RT_EVENT_NAME];
	int prog, r;

	(void)how;
	snprintf(event, sizeof(event), "%sprobe%u", rt_define_prefix(request, prefix), id);
	r = rt_define(&p->tracefs, request, id, event, RT_DEFINE_BARE, err);
	if (r == 0)
		r = rt_perf_probes_event(p, event, &attr, err);
	if (r < 0)
		return r;
	prog = rt_bpf_side_load(&p->side, request, probe->plan, RT_KEY_CONSTANT, id, 0, err);
	if (prog < 0)
		return prog;
	return rt_perf_probes_add(p, &attr, request->pids, prog, f->name, err);
}

static int event_open(const struct rt_attach_request *request, struct rt_attach **attach,
		      struct rt_error *err)
{
	struct rt_perf_probes *p;
	int r;

	p = rt_perf_probes_new(&rt_attach_event, request, true, &r, err);
	return p ? rt_perf_probes_all(p, request, add_probe, NULL, attach, err) : r;
}

const struct rt_attach_ops rt_attach_event = {
	.name = "event",
	.help = "a uprobe_events definition and a descriptor a probe (4.4)",
	.bpf = true,
	.reaches = 1 << RT_REACH_PROCESSES | 1 << RT_REACH_FOLLOWED |
		   1 << RT_REACH_ALL,
	.key = RT_KEY_ID,
	.plans = RT_PLANS_ANY,
	.open = event_open,
	.add = rt_perf_probes_add_thread,
	.add_from = RT_ADD_SPARE,
	.detach_one = rt_perf_probes_detach_one,
	.detach = rt_perf_probes_detach,
	.close = rt_perf_probes_close,
};

/*
 * One uprobe_events event of many probes for each plan (about 5.4), one BPF program on its perf
 * event: two descriptors for thousands of functions.  The program cannot tell the probes apart, so
 * an entry is known by its instruction pointer and a return by the stack pointer of the entry it
 * ends.
 */

/*
 * Each event takes 0.1 s to be taken out, as long as so many more probes take to be defined
 * (define.c).
 */
enum { EVENT_PROBES = 5000 };

static int add_event(struct rt_perf_probes *p, const struct rt_attach_request *request,
		     const struct rt_defined *event, struct rt_error *err)
{
	struct rt_perf_attr attr;
	int prog, r;

	r = rt_perf_probes_event(p, event->name, &attr, err);
	if (r < 0)
		return r;
	prog = rt_bpf_side_load(&p->side, request, (uint16_t)event->plan, RT_KEY_POINTER, 0, 0,
				err);
	if (prog < 0)
		return prog;
	return rt_perf_probes_add(p, &attr, request->pids, prog, event->name, err);
}

static int multi_open(const struct rt_attach_request *request, struct rt_attach **attach,
		      struct rt_error *err)
{
	struct rt_perf_probes *p;
	struct rt_defined *events;
	unsigned i, n;
	int kind, r = request->reach == RT_REACH_CHILDREN ? check_inherit(err) : 0;

	if (r < 0)
		return r;
	p = rt_perf_probes_new(&rt_attach_multi_event, request, true, &r, err);
	if (!p)
		return r;
	r = request->nsites ? 0 : rt_define_ask_several(&p->tracefs, err);
	if (r < 0) {
		rt_perf_probes_close(&p->attach);
		return r;
	}
	r = rt_define_plans(&p->tracefs, request, RT_DEFINE_BARE, false, EVENT_PROBES, &events, &n,
			    err);
	for (kind = RT_KIND_RETURN; kind >= RT_KIND_ENTRY && r == 0; kind--)
		for (i = 0; i < n && r == 0 && !rt_attach_stopped(request); i++)
			if ((int)request->plans[events[i].plan].kind == kind)
				r = add_event(p, request, &events[i], err);
	p->guard.inherited = request->reach == RT_REACH_CHILDREN;
	if (r == 0 && request->reach == RT_REACH_CHILDREN && !rt_attach_stopped(request))
		r = add_inherited(p, request->pids, err);
	free(events);
	if (r < 0)
		rt_perf_probes_close(&p->attach);
	else
		*attach = &p->attach;
	return r;
}

const struct rt_attach_ops rt_attach_multi_event = {
	.name = "multi-event",
	.help = "one uprobe_events event for all probes (5.4)",
	.bpf = true,
	.reaches = 1 << RT_REACH_PROCESSES | 1 << RT_REACH_CHILDREN | 1 << RT_REACH_FOLLOWED |
		   1 << RT_REACH_ALL,
	.key = RT_KEY_IP,
	.plans = RT_PLANS_FEW,
	.open = multi_open,
	.add = rt_perf_probes_add_thread,
	.add_from = RT_ADD_SPARE,
	.detach_one = rt_perf_probes_detach_one,
	.detach = rt_perf_probes_detach,
	.close = rt_perf_probes_close,
};
