/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "attach/perf_probe.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "attach/define.h"
#include "kernel/owner.h"
#include "kernel/procfs.h"
#include "base/array.h"

/* Descriptors besides the probes' own: rings, images, standard streams. */
enum { OTHER_FDS = 1024 };

/* So many descriptors at most have others that wait in case a thread ends. */
enum { SPARED_FDS = 32 };

/* Open for a moment while a probe is put in: its program, a file of tracefs. */
enum { PASSING_FDS = 4 };

static unsigned files_wanted(const struct rt_attach_request *request)
{
	return request->nsites * (rt_reach_is_open(request->reach) ? 1 : request->pids->n);
}

/* The first CPU that is online: an event that is everybody's is opened there. */
static int find_cpu(struct rt_perf_probes *p, struct rt_error *err)
{
	int *cpus, n = rt_cpus_online(&cpus);

	if (n <= 0)
		return rt_fail(err, n ? n : -ENODEV, "/sys/devices/system/cpu/online: %s",
			       strerror(n ? -n : ENODEV));
	p->cpu = cpus[0];
	free(cpus);
	return 0;
}

struct rt_perf_probes *rt_perf_probes_new(const struct rt_attach_ops *ops,
					  const struct rt_attach_request *request, bool definitions,
					  int *r, struct rt_error *err)
{
	struct rt_perf_probes *p = calloc(1, sizeof(*p));

	if (!p) {
		*r = rt_nomem(err);
		return NULL;
	}
	p->attach.ops = ops;
	p->reach = request->reach;
	rt_limits_raise(files_wanted(request) + OTHER_FDS);
	*r = rt_bpf_side_open(&p->side, request, ops->key, &p->attach.source, err);
	if (*r < 0) {
		free(p);
		return NULL;
	}
	if (request->reach == RT_REACH_FOLLOWED)
		p->attach.followed = &p->side.followed;
	p->attach.unread = &p->side.maps[RT_MAP_UNREAD];
	p->attach.strangers = &p->side.maps[RT_MAP_STRANGERS];
	p->attach.emulated = p->side.emulations.sites;
	p->attach.pending = rt_pending_any(&p->side.pending) ? &p->side.pending : NULL;
	p->attach.counts = request->purpose == RT_PURPOSE_RECORD ? NULL : &p->side.counts;
	*r = rt_reach_is_open(p->reach) ? find_cpu(p, err) : 0;
	if (*r == 0 && definitions) {
		*r = rt_tracefs_find(&p->tracefs, err);
		if (*r == 0 && !request->part)
			*r = rt_guard_start(&p->guard, &p->tracefs, err);
		if (*r == 0)
			rt_define_check_semaphores(&p->tracefs, request);
		p->attach.arms = !p->tracefs.no_semaphores;
	}
	if (*r < 0) {
		rt_perf_probes_close(&p->attach);
		return NULL;
	}
	return p;
}

/* Beforehand: putting in what fits and taking it out again, 0.1 s a probe, would take minutes. */
static int check_files(const struct rt_attach_request *request, struct rt_error *err)
{
	unsigned left = rt_files_left(), wanted = files_wanted(request);

	if (wanted + PASSING_FDS <= left)
		return 0;
	return rt_fail(
		err, -EMFILE,
		"%u probes: one descriptor each%s, %u are free; fewer functions, or: ulimit -n %u "
		"(RLIMIT_NOFILE)",
		request->nsites, wanted > request->nsites ? " for each process" : "",
		left > PASSING_FDS ? left - PASSING_FDS : 0, wanted + OTHER_FDS);
}

int rt_perf_probes_all(struct rt_perf_probes *p, const struct rt_attach_request *request,
		       rt_perf_probe_fn *add, const void *how, struct rt_attach **attach,
		       struct rt_error *err)
{
	int kind, r = check_files(request, err);
	unsigned i;

	for (kind = RT_KIND_RETURN; kind >= RT_KIND_ENTRY && r == 0; kind--)
		for (i = 0; i < request->nsites && r == 0 && !rt_attach_stopped(request); i++)
			if ((int)request->plans[request->sites[i].plan].kind == kind) {
				p->function = request->sites[i].function;
				r = add(p, request, i, how, err);
			}
	p->attach.separate = (unsigned)p->nfds;
	if (r < 0)
		rt_perf_probes_close(&p->attach);
	else
		*attach = &p->attach;
	return r;
}

/* `pid` -1: every process.  `prog` < 0: the event has it. */
static int add_for(struct rt_perf_probes *p, const struct rt_perf_attr *attr, pid_t pid, int prog,
		   const char *what, struct rt_error *err)
{
	int fd, r = 0;

	if (RT_ROOM(&p->fds, p->nfds, &p->cap) != 0)
		return rt_nomem(err);
	/* The program of an event on one CPU runs on each: it is the tracepoint's. */
	fd = rt_perf_open(attr, pid, pid < 0 ? p->cpu : -1);
	if (fd == -EMFILE)
		r = rt_fail(err, fd,
			    "%s: no file descriptor left (%zu open; RLIMIT_NOFILE); trace fewer "
			    "functions",
			    what, p->nfds);
	else if (fd < 0)
		r = rt_fail(err, fd, "%s: perf_event_open: %s", what, rt_probe_strerror(-fd));
	else if (prog >= 0 && ioctl(fd, RT_PERF_IOC_SET_BPF, prog) != 0)
		r = rt_fail(err, -errno, "%s: BPF program not attached: %s", what, strerror(errno));
	else if (ioctl(fd, RT_PERF_IOC_ENABLE, 0) != 0)
		r = rt_fail(err, -errno, "%s: probe not enabled: %s", what, strerror(errno));
	if (r == 0)
		p->fds[p->nfds++] = (struct rt_perf_fd){
			.fd = fd,
			.function = p->function,
			.pid = pid,
			.event = attr->type == RT_PERF_TYPE_TRACEPOINT ? attr->config : 0,
		};
	else if (fd >= 0)
		close(fd);
	return r;
}

int rt_perf_probes_add(struct rt_perf_probes *p, const struct rt_perf_attr *attr,
		       const struct rt_pids *pids, int prog, const char *what, struct rt_error *err)
{
	unsigned i;
	int r = 0;

	if (rt_reach_is_open(p->reach)) {
		r = add_for(p, attr, -1, prog, what, err);
	} else if (p->reach == RT_REACH_CHILDREN) {
		/* One has the program: event.c adds the others. */
		for (i = 0, r = -ESRCH; i < pids->n && r == -ESRCH; i++)
			r = add_for(p, attr, pids->v[i], prog, what, err);
	} else {
		for (i = 0; i < pids->n && r == 0; i++)
			r = add_for(p, attr, pids->v[i], i ? -1 : prog, what, err);
	}
	close(prog);
	return r;
}

struct rt_perf_attr rt_perf_event_attr(uint64_t event)
{
	return (struct rt_perf_attr){
		.type = RT_PERF_TYPE_TRACEPOINT,
		.size = sizeof(struct rt_perf_attr),
		.config = event,
		.sample_period = 1,
		.flags = RT_PERF_DISABLED,
	};
}

int rt_perf_probes_event(struct rt_perf_probes *p, const char *event, struct rt_perf_attr *attr,
			 struct rt_error *err)
{
	char file[128], group[RT_OWNER_NAME_MAX], *text;
	int r;

	snprintf(file, sizeof(file), "events/%s/%.40s/id", rt_own_group(group), event);
	r = rt_tracefs_read(&p->tracefs, file, &text);
	if (r < 0)
		return rt_fail(err, r, "%s/%s: %s", p->tracefs.root, file, strerror(-r));
	*attr = rt_perf_event_attr(strtoull(text, NULL, 10));
	free(text);
	return 0;
}

int rt_perf_probes_add_filter(struct rt_perf_probes *p, const struct rt_perf_attr *attr, pid_t pid,
			      pid_t tid, struct rt_error *err)
{
	int fd;

	if (RT_ROOM(&p->fds, p->nfds, &p->cap) != 0)
		return rt_nomem(err);
	fd = rt_perf_open(attr, tid, -1);
	if (fd < 0)
		return rt_fail(err, fd, "perf_event_open: %s", strerror(-fd));
	p->fds[p->nfds++] = (struct rt_perf_fd){
		.fd = fd, .function = p->function, .pid = pid, .filter_only = true
	};
	return 0;
}

/* Those of the process's thread that has ended. */
static void drop_filters(struct rt_perf_probes *p, pid_t pid)
{
	size_t i, n = 0;

	for (i = 0; i < p->nfds; i++)
		if (p->fds[i].filter_only && p->fds[i].pid == pid)
			close(p->fds[i].fd);
		else
			p->fds[n++] = p->fds[i];
	p->nfds = n;
}

int rt_perf_probes_add_thread(struct rt_attach *attach, const struct rt_attach_request *request,
			      enum rt_add_reason why, pid_t tid, struct rt_error *err)
{
	struct rt_perf_probes *p = (struct rt_perf_probes *)attach;
	pid_t pid = rt_pids_first(request->pids);
	struct rt_perf_attr attr;
	size_t i, n;
	int r = 0;

	if (p->reach != RT_REACH_PROCESSES)
		return 0;
	drop_filters(p, pid);
	n = p->nfds;
	if (why == RT_ADD_SPARE && n > SPARED_FDS)
		return -EMFILE;
	for (i = 0; i < n && r == 0; i++) {
		if (p->fds[i].pid != pid || !p->fds[i].event)
			continue;
		p->function = p->fds[i].function;
		attr = rt_perf_event_attr(p->fds[i].event);
		/* The breakpoints are there, and the kernel need not look. */
		if (why == RT_ADD_SPARE)
			attr.flags |= RT_PERF_ENABLE_ON_EXEC;
		r = rt_perf_probes_add_filter(p, &attr, pid, tid, err);
	}
	return r;
}

const char *rt_perf_probes_path(const struct rt_function *function, char *buf)
{
	snprintf(buf, 64, "/proc/self/fd/%d", rt_image_fd(function->image));
	return buf;
}

/*
 * Each close waits for RCU grace periods, about 0.1 s, and closing from many threads gains
 * nothing: the kernel holds event_mutex meanwhile (measured on 6.18).  Hence the mechanisms with
 * one descriptor for all are preferred.
 */
void rt_perf_probes_detach_one(struct rt_attach *attach)
{
	struct rt_perf_probes *p = (struct rt_perf_probes *)attach;

	if (p->nfds)
		close(p->fds[--p->nfds].fd);
}

void rt_perf_probes_detach(struct rt_attach *attach)
{
	while (((struct rt_perf_probes *)attach)->nfds)
		rt_perf_probes_detach_one(attach);
}

static int compare_functions(const void *a, const void *b)
{
	const struct rt_perf_fd *x = a, *y = b;

	return (x->function > y->function) - (x->function < y->function);
}

/*
 * Nothing is read any more, so sort the probes by function: a breakpoint stays until its last probe
 * has gone, and a running process pays for each meanwhile.  While records are read, all entries go
 * first instead, as no return may be missed.
 */
void rt_perf_probes_close(struct rt_attach *attach)
{
	struct rt_perf_probes *p = (struct rt_perf_probes *)attach;

	if (p->nfds)
		qsort(p->fds, p->nfds, sizeof(*p->fds), compare_functions);
	rt_perf_probes_detach(attach);
	rt_guard_end(&p->guard, &p->tracefs);
	if (attach->source)
		attach->source->ops->close(attach->source);
	rt_bpf_side_close(&p->side);
	free(p->fds);
	free(p);
}
