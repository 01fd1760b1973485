/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * With tracefs alone the returns of libraries are not probed: a probe is in every process that maps
 * the file, and a uretprobe in a library could abort some other program's C++ exceptions. Entries
 * harm nobody. The program's own file is probed in full.
 *
 * Before 3.15 uprobes write to the main trace buffer alone: its clock cannot be read (before
 * 3.17, and RHEL 7's). Marks written to trace_marker say where the trace begins and ends; times
 * count from the first. rawtrace and its guard keep a flock on trace_clock, so that no second
 * rawtrace takes some of the events.
 *
 * The program starts late because of the kernel, 40 of some 60 ms on 6.18. Its waits are a grace
 * period of RCU for buffer_size_kb, two for trace_clock, and patching of code when the first event
 * is enabled.
 */
/*
 * tracefs alone (--no-bpf; 3.10): uprobe_events enabled in a trace instance of our own and read
 * from its trace_pipe_raw.  Neither bpf(2) nor perf_event_open(2) is called.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/define.h"
#include "attach/guard.h"
#include "kernel/owner.h"
#include "kernel/pid_space.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "stream/members.h"
#include "stream/tracefs_source.h"

struct tracefs {
	struct rt_attach attach;
	struct rt_tracefs fs;
	struct rt_guard guard;
	char instance[64];			/* its folder below the root */
	struct rt_tracefs_event *events;	/* until the source takes them */
	size_t nevents;
};

static void tracefs_detach(struct rt_attach *attach)
{
	struct tracefs *t = (struct tracefs *)attach;
	char file[128], group[RT_OWNER_NAME_MAX];

	/* In the main buffer others may have enabled events of theirs meanwhile. */
	if (t->guard.buffer && t->guard.buffer->taken)
		snprintf(file, sizeof(file), "events/%s/enable", rt_own_group(group));
	else
		snprintf(file, sizeof(file), "%s/events/enable", t->instance);
	rt_tracefs_write(&t->fs, file, "0");
}

static void tracefs_close(struct rt_attach *attach)
{
	struct tracefs *t = (struct tracefs *)attach;

	if (attach->source)
		/* an instance with open files cannot be removed */
		attach->source->ops->close(attach->source);
	rt_guard_end(&t->guard, &t->fs);
	rt_tracefs_events_free(t->events, t->nevents);
	free(t);
}

static int add_event(struct tracefs *t, const char *name, enum rt_event_type type,
		     const struct rt_attach_request *request, unsigned probe, struct rt_error *err)
{
	struct rt_tracefs_event *e = &t->events[t->nevents];
	char file[128], *text;
	int r;

	snprintf(file, sizeof(file), "events/%s/format", name);
	r = rt_tracefs_read(&t->fs, file, &text);
	if (r < 0)
		return rt_fail(err, r, "%s/%s: %s", t->fs.root, file, strerror(-r));
	r = rt_format_parse(text, file, &e->format, err);
	free(text);
	if (r < 0)
		return r;
	e->type = type;
	if (type == RT_EV_HIT) {
		e->probe = probe;
		e->plan_id = request->sites[probe].plan;
		e->plan = &request->plans[e->plan_id];
	}
	t->nevents++;
	return 0;
}

static int add_hits(struct tracefs *t, const struct rt_attach_request *request, const char *event,
		    unsigned probe, struct rt_error *err)
{
	char name[96], group[RT_OWNER_NAME_MAX];

	snprintf(name, sizeof(name), "%s/%.40s", rt_own_group(group), event);
	return add_event(t, name, RT_EV_HIT, request, probe, err);
}

/* Larger ones are slow to define (define.c), and each takes 35 ms to be disabled. */
enum { EVENT_PROBES = 2000 };

/*
 * Events of many probes each, distinguished by a constant in the record (5.4).  -EOPNOTSUPP where
 * the kernel cannot.
 */
static int define_plans(struct tracefs *t, const struct rt_attach_request *request,
			struct rt_error *err)
{
	struct rt_defined *events;
	unsigned i, n;
	int r;

	r = rt_define_plans(&t->fs, request, RT_DEFINE_VALUES | RT_DEFINE_ID, true, EVENT_PROBES,
			    &events, &n, err);
	if (r == -EINVAL || r == -EEXIST)
		r = -EOPNOTSUPP;
	for (i = 0; i < n && r == 0; i++)
		r = add_hits(t, request, events[i].name, events[i].first, err);
	free(events);
	return r;
}

static bool reads_memory(const struct rt_plan *plan)
{
	unsigned i;

	for (i = 0; i < plan->nvalues; i++)
		if (plan->values[i].base == RT_BASE_STACK || plan->values[i].nderef ||
		    (plan->values[i].type == RT_TYPE_STRING &&
		     plan->values[i].base != RT_BASE_COMM))
			return true;
	return false;
}

/* Does it refuse to read the word at the stack pointer, where it takes the same probe without? */
static bool cannot_read_memory(const struct tracefs *t, const struct rt_attach_request *request,
			       const struct rt_site *probe)
{
	const struct rt_arch *arch = request->plans[probe->plan].arch;
	const struct rt_plan plan = {
		.kind = request->plans[probe->plan].kind,
		.end = request->plans[probe->plan].end,
		.arch = arch,
		.nvalues = 1,
		.values = { { .base = RT_BASE_STACK, .size = arch->word } },
	};
	const struct rt_site alone = { .kind = probe->kind,
				       .function = probe->function,
				       .exit = probe->exit };
	struct rt_attach_request one = *request;

	one.plans = &plan;
	one.sites = &alone;
	one.nplans = one.nsites = 1;
	return rt_define(&t->fs, &one, 0, "memory", RT_DEFINE_VALUES, NULL) == -EINVAL &&
	       rt_define(&t->fs, &one, 0, "bare", RT_DEFINE_BARE, NULL) == 0;
}

/* 3.10 reads registers only. */
static int define_probe(struct tracefs *t, const struct rt_attach_request *request, unsigned id,
			const char *event, struct rt_error *err)
{
	const struct rt_site *probe = &request->sites[id];
	const struct rt_plan *plan = &request->plans[probe->plan];
	int r;

	r = rt_define(&t->fs, request, id, event, RT_DEFINE_VALUES, err);
	if (r != -EINVAL)
		return r;
	if (reads_memory(plan) && cannot_read_memory(t, request, probe))
		return rt_fail(err, -EOPNOTSUPP,
			       "%s: uprobe_events of Linux 3.10 read registers alone, no memory: "
			       "no strings, pointers, stack",
			       request->functions->v[probe->function].name);
	if (!plan->return_address || plan->arch->link.tracefs)
		return r;
	r = rt_define(&t->fs, request, id, event, RT_DEFINE_VALUES | RT_DEFINE_NO_RA, err);
	if (r == 0)
		t->attach.remark = "this kernel's uprobe_events do not read memory (3.10): after a "
				   "longjmp, a call from the place "
				   "of one that was left may be shown inside it";
	return r;
}

static int define_probes(struct tracefs *t, const struct rt_attach_request *request,
			 struct rt_error *err)
{
	char event[32];
	unsigned i;
	int r;

	for (i = 0; i < request->nsites && !rt_attach_stopped(request); i++) {
		if (rt_attach_leaves_out(request, i))
			continue;
		snprintf(event, sizeof(event), "probe%u", i);
		r = define_probe(t, request, i, event, err);
		if (r == 0)
			r = add_hits(t, request, event, i, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int define(struct tracefs *t, const struct rt_attach_request *request, struct rt_error *err)
{
	int r;

	rt_define_check_semaphores(&t->fs, request);
	t->attach.arms = !t->fs.no_semaphores;
	r = define_plans(t, request, err);
	if (r != -EOPNOTSUPP)
		return r;
	rt_tracefs_clear(&t->fs, getpid());
	while (t->nevents)
		rt_format_free(&t->events[--t->nevents].format);
	return define_probes(t, request, err);
}

static int write_instance(struct tracefs *t, const char *file, const char *text)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s", t->instance, file);
	return rt_tracefs_write(&t->fs, path, text);
}

static int append_instance(struct tracefs *t, const char *file, const char *text)
{
	char path[320];

	snprintf(path, sizeof(path), "%s/%s", t->instance, file);
	return rt_tracefs_append(&t->fs, path, text);
}

/* Make our instance, or take the main buffer where that is what uprobes write to. */
static int make_instance(struct tracefs *t, const struct rt_attach_request *request,
			 struct rt_error *err)
{
	size_t kb = (request->ring_bytes ? request->ring_bytes : 8u << 20) / 1024;
	char path[PATH_MAX], number[32], clock[sizeof(t->instance) + 16], name[RT_OWNER_NAME_MAX];

	snprintf(t->instance, sizeof(t->instance), "instances/%s", rt_own_instance(name));
	if (mkdir(rt_tracefs_path(&t->fs, path, "%s", t->instance), 0700) != 0 && errno != ENOENT)
		return rt_fail(err, -errno, "%s: cannot make a trace instance: %s", path,
			       strerror(errno));
	snprintf(clock, sizeof(clock), "%s/trace_clock", t->instance);
	if (!rt_tracefs_has_clock(&t->fs, clock)) {
		rmdir(path);
		strcpy(t->instance, ".");
		return rt_main_buffer_take(&t->fs, t->guard.buffer, kb ? kb : 1, err);
	}
	snprintf(number, sizeof(number), "%zu", kb ? kb : 1);
	if (write_instance(t, "buffer_size_kb", number) < 0)
		return rt_fail(err, -ENOMEM,
			       "%s: no memory for a ring of %zu KiB a CPU; try a smaller --buffer",
			       path, kb);
	return 0;
}

/*
 * The threads that the kernel records, which adds those that they begin, into `known`.  0 or
 * -ENOMEM.
 */
static int recorded_threads(const struct tracefs *t, struct rt_members *known)
{
	char path[320], *text, *at, *end;
	long tid;
	int r = 0;

	snprintf(path, sizeof(path), "%s/set_event_pid", t->instance);
	if (rt_tracefs_read(&t->fs, path, &text) < 0)
		return 0;
	for (at = text; r == 0 && (tid = strtol(at, &end, 10)) > 0 && end != at; at = end)
		r = rt_members_add(known, (pid_t)tid);
	free(text);
	return r;
}

/*
 * The threads of `pid` that are not known, their numbers into `file`.  `found` and how many they
 * are, or a negative errno.
 */
static int add_threads(pid_t pid, struct rt_members *known, int found, FILE *file)
{
	pid_t *tids;
	int i, n = rt_proc_threads(pid, &tids);

	if (n < 0)
		return n;
	for (i = 0; i < n && found >= 0; i++) {
		if (rt_members_has(known, tids[i]))
			continue;
		fprintf(file, "%d ", (int)tids[i]);
		found = rt_members_add(known, tids[i]) < 0 ? -ENOMEM : found + 1;
	}
	free(tids);
	return found;
}

/*
 * The threads of the processes that are not recorded yet, as one text of numbers, malloced into
 * `*text`.  Returns how many.
 */
static int new_threads(const struct tracefs *t, const struct rt_pids *pids,
		       struct rt_members *known, char **text)
{
	int found = 0;
	unsigned i;
	size_t size;
	FILE *file;

	if (recorded_threads(t, known) < 0)
		return -ENOMEM;
	file = open_memstream(text, &size);
	if (!file)
		return -ENOMEM;
	for (i = 0; i < pids->n && found >= 0; i++)
		found = add_threads(pids->v[i], known, found, file);
	if (fclose(file) != 0 && found >= 0)
		found = -ENOMEM;
	return found;
}

/* Each is shorter than the last one. */
enum { READINGS_MOST = 5 };

/*
 * Let the kernel record only the traced processes' threads.  Without event-fork (4.7) new threads
 * would be missed, so there everything is recorded and the session picks its threads out.
 */
static int filter_threads(struct tracefs *t, const struct rt_pids *pids, struct rt_error *err)
{
	struct rt_members known = { 0 };
	unsigned readings = 0;
	char *text;
	int n, r = 0;

	if (write_instance(t, "options/event-fork", "1") < 0) {
		t->attach.unfiltered = true;
		return 0;
	}
	/*
	 * Threads that begin while we read the list are found by reading it again.  Each write but
	 * the first waits for RCU, 40 ms.  The kernel adds what recorded threads begin, so a
	 * program that always begins some needs no more readings.
	 */
	do {
		text = NULL;
		n = new_threads(t, pids, &known, &text);
		if (n > 0)
			r = append_instance(t, "set_event_pid", text);
		free(text);
	} while (n > 0 && r == 0 && ++readings < READINGS_MOST);
	rt_members_free(&known);
	if (n == -ENOMEM)
		return rt_nomem(err);
	if (n < 0)
		return rt_fail(err, n, "process %d%s: threads not listed: %s",
			       (int)rt_pids_first(pids), pids->n > 1 ? " or another one" : "",
			       strerror(-n));
	return r < 0 ? rt_fail(err, r, "%s/set_event_pid: %s", t->instance, strerror(-r)) : 0;
}

/*
 * exec by another thread ends the first one and takes over its number.  event-fork removes the
 * number of a thread that ends, or is freed, from set_event_pid.  Up to 5.7 this is the number of
 * the process, and the new program is not recorded; 5.8 swaps the two numbers (exchange_tids).
 */
static int tracefs_add(struct rt_attach *attach, const struct rt_attach_request *request,
		       enum rt_add_reason why, pid_t tid, struct rt_error *err)
{
	struct tracefs *t = (struct tracefs *)attach;
	pid_t pid = rt_pids_first(request->pids);
	struct rt_members known = { 0 };
	char text[16];
	bool recorded;
	int r;

	(void)why;
	(void)tid;
	if (attach->unfiltered)
		return 1;
	r = recorded_threads(t, &known);
	recorded = rt_members_has(&known, pid);
	rt_members_free(&known);
	if (r < 0)
		return rt_nomem(err);
	if (recorded)
		return 1;
	/* Once it has ended, its number is missing on each kernel. */
	if (kill(pid, 0) != 0 && errno == ESRCH)
		return -ESRCH;
	snprintf(text, sizeof(text), "%d ", (int)pid);
	r = append_instance(t, "set_event_pid", text);
	return r < 0 ? rt_fail(err, r, "%s/set_event_pid: %s", t->instance, strerror(-r)) : 0;
}

static int enable_event(struct tracefs *t, const char *name, struct rt_error *err)
{
	char file[192];
	int r;

	snprintf(file, sizeof(file), "events/%s/enable", name);
	r = write_instance(t, file, "1");
	return r < 0 ? rt_fail(err, r, "%s/%s: enabling it: %s", t->instance, file, strerror(-r))
		     : 0;
}

static int enable_probe(struct tracefs *t, const struct rt_attach_request *request,
			const struct rt_tracefs_event *e, struct rt_error *err)
{
	const char *name = request->functions->v[request->sites[e->probe].function].name;
	char event[128], group[RT_OWNER_NAME_MAX];
	int r;

	snprintf(event, sizeof(event), "%s/%.70s", rt_own_group(group), e->format.name);
	r = enable_event(t, event, NULL);
	if (r == 0)
		return 0;
	return rt_fail(err, r, "%s%s: %s", name,
		       strncmp(e->format.name, "plan", 4) == 0 ? " or another function" : "",
		       rt_probe_strerror(-r));
}

/*
 * Each event by itself: the group's `enable` says success up to 4.9 even when a member fails.
 * Returns before entries.
 */
static int enable(struct tracefs *t, const struct rt_attach_request *request,
		  const struct rt_tracefs_event *events, size_t n, struct rt_error *err)
{
	int kind, r;
	size_t i;

	r = enable_event(t, "task/task_newtask", err);
	if (r == 0)
		r = enable_event(t, "sched/sched_process_exit", err);
	if (r == 0)
		r = enable_event(t, "sched/sched_process_exec", err);
	for (kind = RT_KIND_RETURN; kind >= RT_KIND_ENTRY && r == 0; kind--) {
		for (i = 0; i < n && r == 0 && !rt_attach_stopped(request); i++) {
			if (events[i].type != RT_EV_HIT || (int)events[i].plan->kind != kind)
				continue;
			r = enable_probe(t, request, &events[i], err);
		}
	}
	return r;
}

static int start(struct tracefs *t, const struct rt_attach_request *request, struct rt_error *err)
{
	struct rt_tracefs_event *events;
	char path[PATH_MAX];
	size_t n;
	int r;

	r = define(t, request, err);
	if (rt_attach_stopped(request))
		return r;
	if (r == 0)
		r = add_event(t, "task/task_newtask", RT_EV_FORK, request, 0, err);
	if (r == 0)
		r = add_event(t, "sched/sched_process_exit", RT_EV_EXIT, request, 0, err);
	if (r == 0)
		r = add_event(t, "sched/sched_process_exec", RT_EV_EXEC, request, 0, err);
	if (r == 0)
		r = make_instance(t, request, err);
	if (r < 0)
		return r;
	events = t->events;
	n = t->nevents;
	t->events = NULL;
	t->nevents = 0;
	r = rt_tracefs_source_open(rt_tracefs_path(&t->fs, path, "%s", t->instance), events, n,
				   &t->attach.source, err);
	if (r < 0)
		return r;
	/* A clock that we cannot read: the session then merges by what it has seen. */
	t->attach.source->foreign_clock = t->guard.buffer->taken ||
					  write_instance(t, "trace_clock", "mono") < 0;
	/*
	 * On the kernels that need the main buffer it is quick, and the next trace needs that
	 * buffer.
	 */
	t->attach.separate = t->guard.buffer->taken ? 0 : (unsigned)n;
	if (request->reach != RT_REACH_ALL)
		r = filter_threads(t, request->pids, err);
	return r < 0 ? r : enable(t, request, events, n, err);
}

static int tracefs_open(const struct rt_attach_request *request, struct rt_attach **attach,
			struct rt_error *err)
{
	struct tracefs *t;
	int r;

	/* In records and in set_event_pid, which takes numbers as they are (trace_pid_write). */
	if (rt_pid_space_own().ino)
		return rt_fail(err, -EOPNOTSUPP,
			       "tracefs has the process ids of the machine, not of this container; "
			       "run it on the host");
	t = calloc(1, sizeof(*t));
	if (!t)
		return rt_nomem(err);
	t->attach.ops = &rt_attach_tracefs;
	t->events = calloc(request->nsites + 3, sizeof(*t->events));
	r = t->events ? rt_tracefs_find(&t->fs, err) : rt_nomem(err);
	if (r == 0)
		r = rt_guard_start(&t->guard, &t->fs, err);
	if (r == 0)
		r = start(t, request, err);
	if (r < 0)
		tracefs_close(&t->attach);
	else
		*attach = &t->attach;
	return r;
}

const struct rt_attach_ops rt_attach_tracefs = {
	.name = "tracefs",
	.help = "uprobe_events alone, without bpf(2) and perf_event_open(2) (3.10)",
	.bpf = false,
	.everywhere = true,
	.reaches = 1 << RT_REACH_PROCESSES | 1 << RT_REACH_CHILDREN | 1 << RT_REACH_ALL,
	.key = RT_KEY_ID,
	.plans = RT_PLANS_FEW,
	.open = tracefs_open,
	.add = tracefs_add,
	.add_from = RT_ADD_EXEC,
	.detach = tracefs_detach,
	.close = tracefs_close,
};
