/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removing probes that have an event or a descriptor each costs RCU grace periods each, under
 * event_mutex (perf_uprobe_destroy): 17 to 96 ms a probe of the PMU. PERF_EVENT_IOC_DISABLE on all
 * first, exiting with all of them open, or threads change nothing; only /sys/kernel/rcu_expedited
 * does, which interrupts every CPU of the machine.  So beyond 40 of them (rt_attach.separate) a
 * forked child closes the attach.  It has the guard's name, so that the next start knows of its
 * work.
 *
 * Before 4.3 a return that longjmp skipped makes the kernel send a later one to its place, and
 * before 3.13 a forked child dies at the first return of a call that its parent began.  RHEL 7 has
 * fixed both.  So below 4.3, for a program that has longjmp or fork, that is tried on a child of
 * rawtrace's own.
 *
 * The files at the start decide once whether returns are safe.  Code that dlopen or exec bring
 * later cannot be judged, so if a file imports those, libraries get no uretprobe.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "attach/attach.h"
#include "attach/trial.h"
#include "base/say.h"
#include "kernel/caps.h"
#include "kernel/owner.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "kernel/thread_pointer.h"
#include "kernel/tracefs.h"
#include "plan/errno_of.h"
#include "plan/place.h"
#include "plan/plans.h"
#include "plan/returns.h"
#include "plan/tails.h"
#include "process/semaphores.h"
#include "session/session_private.h"
#include "stream/ring.h"

/* As many probes that go one by one are waited for: some seconds. */
enum { WAIT_FOR_PROBES = 40 };

/* So many are 10 s on any kernel. */
enum { MINUTES_PROBES = 300 };

/*
 * Definitions of processes that were killed together with their guards.  One that had our number
 * may still be at work in the background: ours would have the same names, and to clear what it
 * holds open would end the kernel (kernel/owner.c).
 */
static int clean_leftovers(struct rt_error *err)
{
	enum { WAIT_MS = 50, WAITS = 200 };
	struct rt_tracefs tracefs;
	unsigned i;

	if (rt_tracefs_mounted(&tracefs) < 0)
		return 0;
	rt_tracefs_clean(&tracefs);
	for (i = 0; rt_tracefs_remains(&tracefs, getpid()); i++) {
		if (i == WAITS)
			return rt_fail(err, -EBUSY,
				       "process id %d: an earlier rawtrace of this id still "
				       "removes its probes; start rawtrace again",
				       (int)getpid());
		usleep(WAIT_MS * 1000);
		rt_tracefs_clean(&tracefs);
	}
	return 0;
}

/*
 * Uretprobes of some kernels harm programs like this one: this kernel must first prove that it does
 * not.
 */
static int try_returns(struct session *s, const struct rt_attach_ops *forced, struct rt_error *err)
{
	const struct rt_arch *arch = rt_image_arch(rt_program_executable(&s->traced.program));
	uint64_t began = rt_now();
	struct rt_error why = { 0 };

	/* From 5.3 on none harms a program by its entries. */
	if (!arch->trial ||
	    !(rt_sites_has_returns(&s->sites) || rt_kernel_version() < RT_KERNEL(5, 3)))
		return 0;
	if (rt_trial_arch(arch, forced, s->options->no_bpf, &why) < 0) {
		s->traced.wrong_pushes = true;
		return rt_sites_has_returns(&s->sites)
			       ? rt_sites_give_up_returns(&s->wanted, &s->traced, &s->sites,
							  why.text, err)
			       : 0;
	}
	if (s->options->verbose)
		rt_say("uretprobes do not harm %s programs here (tried in %.1f ms)", arch->name,
		       (double)(rt_now() - began) / 1e6);
	return 0;
}

/* Before the probes go in, and after it is known which. */
static int place(struct session *s, const struct rt_attach_ops *forced, struct rt_error *err)
{
	const struct rt_options *o = s->options;
	uint64_t began = rt_now();
	bool costs = o->all || o->command == RT_CMD_RECORD ||
		     (o->verbose && rt_returns_stepped(&s->sites, NULL));
	int r = 0;

	if (!o->exact)
		r = rt_place_cheaply(
			&s->wanted, &s->traced, &s->sites, !o->no_bpf && (!forced || forced->bpf),
			costs, &s->calibration, err);
	else
		rt_place_exact(&s->traced, &s->sites);
	if (r == 0 && o->pids.n)
		r = rt_place_check(&s->traced, &s->sites, err);
	if (r == 0)
		r = rt_place_no_entries(&s->sites, o->exact, err);
	if (r == 0 && s->traced.wrong_pushes)
		r = rt_place_leave_out_pushes(&s->sites, err);
	if (r == 0 && o->verbose) {
		rt_plans_print(&s->sites, stderr);
		rt_errno_print(&s->traced, &s->sites, stderr);
		rt_returns_print(&s->wanted, &s->sites, stderr);
	}
	if (r < 0 || !o->verbose || o->exact)
		return r;
	rt_place_print(&s->sites, stderr);
	rt_say("places were found in %.1f ms%s", (double)(rt_now() - began) / 1e6,
		s->calibration.measured ? ", with what this kernel emulates" : "");
	return 0;
}

/*
 * The kernel refuses functions of a glob: trace without them, with a remark.  A function that the
 * user named exactly is an error.
 */
static int attach_without(struct session *s, struct rt_attach_request *request,
			  const struct rt_attach_ops *forced, struct rt_error *err)
{
	bool no_bpf = s->options->no_bpf, *bad = calloc(s->sites.functions.n, sizeof(*bad));
	int r = bad ? rt_attach_find_refused(request, forced, no_bpf, bad, err) : rt_nomem(err);

	if (r == 0)
		r = rt_place_leave_out(&s->sites, bad, err);
	free(bad);
	request->nsites = s->sites.n;
	return r < 0 ? r : rt_attach_open(request, forced, no_bpf, NULL, &s->attach, err);
}

/* After a failure to attach: is there something to leave out? */
static bool make_less(struct session *s, int r, struct rt_error *err)
{
	if (r == -EDOM)
		return rt_sites_fewer_plans(&s->wanted, &s->traced, &s->sites, err) == 0;
	return (r == -EOPNOTSUPP || r == -E2BIG) &&
	       rt_sites_simplify(&s->wanted, &s->traced, &s->sites, &s->simplified, err) == 0;
}

/*
 * Values that the kernel cannot read, or that make too many plans, are dropped: try once more with
 * less, at the same places.
 */
static int open_attach(struct session *s, struct rt_attach_request *request,
		       const struct rt_attach_ops *forced, struct rt_error *err)
{
	const struct rt_options *o = s->options;
	int r;

	do {
		request->most_plans = s->sites.most_plans;
		request->plans = s->sites.plans;
		request->nplans = s->sites.nplans;
		request->sites = s->sites.v;
		request->nsites = s->sites.n;
		r = rt_attach_open(request, forced, o->no_bpf, o->verbose ? stderr : NULL,
				   &s->attach, err);
		if (rt_attach_is_refusal(request, r))
			r = attach_without(s, request, forced, err);
	} while (make_less(s, r, err));
	s->sinks.trace.shows = s->sites.shows;
	if (!s->simplified && s->wanted.purpose == RT_PURPOSE_RECORD)
		s->simplified = s->sites.left_out;
	return r;
}

/* Some value needs the thread pointer: find the kernel's place for it, or make plans without it. */
static int find_thread_pointer(struct session *s, struct rt_attach_request *request,
			       const struct rt_attach_ops *forced, struct rt_error *err)
{
	struct rt_error why = { .text = "tracefs alone cannot read the thread pointer" };
	int r = -EOPNOTSUPP;

	if (!rt_sites_wants_thread(&s->sites))
		return 0;
	if (!s->options->no_bpf && (!forced || forced->bpf))
		r = rt_thread_pointer_find(&why);
	if (r < 0)
		return rt_sites_no_thread_pointer(&s->wanted, &s->traced, &s->sites, why.text, err);
	request->thread_pointer = (uint32_t)r;
	if (s->options->verbose)
		rt_say("task_struct: thread pointer at byte %d", r);
	return 0;
}

/*
 * The programs pair calls and returns by thread.  Those of goroutines are paired, timed and left
 * out only here.
 */
static void report_all_of_go(const struct session *s, struct rt_attach_request *request)
{
	if (!s->traced.goroutines || request->purpose == RT_PURPOSE_COUNT)
		return;
	request->purpose = RT_PURPOSE_RECORD;
	request->limit = (struct rt_limit){ .depth = 0 };
}

/*
 * Programs that know probes by address count by that.  With -f each program that a child runs has
 * its files at other addresses, of which nobody knows any more at the end of the trace; and they
 * would soon fill the table.  There each hit is sent.
 */
static void send_all_of_children(const struct session *s, const struct rt_attach_ops *forced,
				 struct rt_attach_request *request)
{
	if (s->options->follow && !(forced && forced->key == RT_KEY_ID))
		request->purpose = RT_PURPOSE_RECORD;
}

/* May the program do it?  Then who, in `buf`. */
static bool may_leave(const struct rt_traced *traced, enum rt_leave leave, char *buf, size_t size)
{
	if (leave == RT_LEAVE_FORK)
		return rt_program_can_fork(&traced->program, buf, size);
	return rt_program_can_longjmp(&traced->program, buf, size);
}

/*
 * Kernels before 4.3 may harm a program that ends calls by longjmp or fork.  If the program may do
 * that, try it with the trace's mechanism (rt_trial_leave), and give the returns up if that fails.
 * Successes are printed to `verbose` (may be NULL).  0 or a negative errno.
 */
static int try_uretprobes(const struct rt_wanted *wanted, struct rt_traced *traced,
			  struct rt_sites *sites, const struct rt_attach_ops *forced, bool no_bpf,
			  FILE *verbose, struct rt_error *err)
{
	struct rt_error why = { 0 };
	char who[sizeof(traced->entry_only)], text[sizeof(who) + sizeof(why.text) + 2];
	uint64_t began;
	unsigned i;

	if (rt_kernel_version() >= RT_KERNEL(4, 3) || !rt_sites_has_returns(sites))
		return 0;
	for (i = 0; i < RT_NLEAVES; i++) {
		if (!may_leave(traced, (enum rt_leave)i, who, sizeof(who)))
			continue;
		began = rt_now();
		if (rt_trial_leave((enum rt_leave)i, forced, no_bpf, &why) < 0) {
			snprintf(text, sizeof(text), "%s, %s", who, why.text);
			return rt_sites_give_up_returns(wanted, traced, sites, text, err);
		}
		if (verbose)
			fprintf(verbose,
				"rawtrace: uretprobes leave programs that %s unharmed here (tried "
				"in %.1f ms)\n",
				rt_leave_name((enum rt_leave)i), (double)(rt_now() - began) / 1e6);
	}
	return 0;
}

/*
 * --why in the kernel: all calls of a thread must come by one attachment, and the programs must
 * know their ends.  A child has its parent's open calls, of which the programs know nothing.
 */
static bool may_have_shelves(const struct session *s)
{
	const struct rt_limit *limit = &s->wanted.limit;
	const struct rt_functions *functions = &s->sites.functions;
	size_t i;

	for (i = 0; i < functions->n && !functions->v[i].pair; i++)
		;
	return i == functions->n && !s->options->follow && !s->options->all &&
	       !rt_session_awaits(s) && !limit->depth && !limit->under && !limit->min_time;
}

int rt_session_attach(struct session *s, struct rt_error *err)
{
	const struct rt_options *o = s->options;
	const struct rt_attach_ops *forced = o->attach ? rt_attach_find(o->attach) : NULL;
	struct rt_attach_request request = {
		.purpose = s->wanted.purpose,
		.reach = s->reach,
		.group = s->group,
		.limit = s->wanted.limit,
		.here_only = s->sites.libcalls || o->all,
		.emulate = !o->exact,
		.pids = &s->tracee.pids,
		.functions = &s->sites.functions,
		.program = rt_program_executable(&s->traced.program),
		.ring_bytes = o->buffer,
		.ring_memory = &s->ring_memory,
		.ring = o->ring ? rt_ring_find(o->ring) : NULL,
		.stop = rt_session_stopping,
		.stop_ctx = s,
	};
	uint64_t began;
	int r;

	if (rt_caps_is_user()) {
		request.gate = &s->gate;
		r = rt_gate_open(&s->gate, &s->tracee.pids, err);
		if (r < 0)
			return r;
	}
	/*
	 * Calls that are not shown would be levels to the programs, which do not know who called;
	 * nor do they learn of an exec, after which the calls that were open would be levels.
	 */
	if (s->sites.libcalls || o->follow || o->all)
		request.limit = (struct rt_limit){ 0 };
	else if (rt_limit_any(&request.limit) && rt_program_can_exec(&s->traced.program))
		request.limit = o->why ? (struct rt_limit){ 0 }
				       : rt_limit_only_tests(&request.limit);
	/* A call that fails its tests may be inside one that passes them. */
	request.limit.ends &= !o->why;
	request.limit.why = o->why && may_have_shelves(s);
	report_all_of_go(s, &request);
	send_all_of_children(s, forced, &request);
	rt_limits_raise(RT_FILES_USUAL);
	r = clean_leftovers(err);
	if (r == 0)
		r = try_returns(s, forced, err);
	if (r == 0)
		r = try_uretprobes(&s->wanted, &s->traced, &s->sites, forced, o->no_bpf,
				   o->verbose ? stderr : NULL, err);
	if (r == 0)
		r = find_thread_pointer(s, &request, forced, err);
	request.errno_offset = rt_errno_read(&s->traced);
	if (r == 0)
		r = place(s, forced, err);
	if (r == 0 && o->verbose)
		rt_functions_print_sources(&s->sites.functions, stderr);
	if (r < 0)
		return r;
	began = rt_now();
	do {
		r = open_attach(s, &request, forced, err);
	} while (r < 0 && rt_tracee_forget_ended(&s->tracee));
	/* ^C at a terminal ends our command too. */
	if (rt_session_stopping(s) && (r == 0 || r == -ESRCH))
		return 0;
	/* All else has been dropped by make_less(). */
	if (s->wanted.stacks && (r == -E2BIG || r == -EOPNOTSUPP))
		return rt_fail(err, r, "%s: stacks need BPF and a ring of Linux 5.8; see: "
				       "rawtrace doctor", rt_options_stacks(o));
	if (r < 0 && !s->tracee.ours && !o->all && rt_tracee_ended(&s->tracee, false))
		return rt_fail(err, -ESRCH, "process %d: ended before its probes were attached",
			       (int)rt_pids_first(&o->pids));
	s->request = request;
	if (r == 0 && o->follow && s->attach->reach == RT_REACH_PROCESSES)
		r = rt_fail(err, -EOPNOTSUPP,
			    "-f: %s does not trace children; see: rawtrace doctor",
			    s->attach->ops->name);
	if (r == 0)
		r = rt_place_verify(&s->sites, &s->tracee.pids, err);
	rt_tails_cut(&s->sites);
	if (r < 0)
		return r;
	rt_place_set_emulated(&s->sites, s->attach->emulated);
	if (o->verbose)
		rt_returns_print_cost(&s->sites, &s->calibration.costs, stderr);
	if (o->verbose)
		rt_say("attach %s: functions: %zu, probes: %u, ring: %s, in %.1f ms",
		       s->attach->ops->name, rt_functions_shown(&s->sites.functions), s->sites.n,
		       s->attach->source->name, (double)(rt_now() - began) / 1e6);
	return 0;
}

void rt_session_measure(struct session *s)
{
	const struct rt_options *o = s->options;
	const struct rt_arch *arch = rt_image_arch(rt_program_executable(&s->traced.program));
	uint64_t began = rt_now();

	if (o->command != RT_CMD_RECORD)
		return;
	rt_costs_measure(&s->measures, s->attach->ops, s->request.ring, s->request.emulate,
			 &s->costs);
	if (s->calibration.measured)
		s->costs.emulated = s->calibration.emulated | RT_FORM_BIT(RT_FORM_EMULATED);
	else
		s->costs.emulated = arch->form ? RT_FORMS_ASSUMED : 0;
	s->sinks.trace.costs = &s->costs;
	if (!o->verbose)
		return;
	if (s->costs.known)
		rt_say("a hit costs %u ns, single-stepped %u ns, a uretprobe's %u ns, an exit's "
		       "%u ns; measured in %.1f ms",
		       s->costs.entry.before + s->costs.entry.after,
		       s->costs.stepped_entry.before + s->costs.stepped_entry.after,
		       s->costs.uretprobe.before + s->costs.uretprobe.after,
		       s->costs.stepped_exit.before + s->costs.stepped_exit.after,
		       (double)(rt_now() - began) / 1e6);
	else
		rt_say("the cost of a hit could not be measured; report --net will not work");
}

/* Links wait together for one grace period of RCU, events of the PMU for each other's. */
static void release_calibration(struct session *s)
{
	if (s->attach->ops == &rt_attach_uprobe_multi)
		rt_calibration_release(&s->calibration);
}

void rt_session_detach(struct session *s)
{
	release_calibration(s);
	if (s->attach->separate <= WAIT_FOR_PROBES)
		s->attach->ops->detach(s->attach);
}

/*
 * A child that no signal to us reaches takes the probes out.  It keeps nobody waiting for the end
 * of our output.  Who closes a probe's descriptor last has to wait in the kernel, so it begins
 * when ours are closed.
 */
static bool leave_to_child(struct session *s)
{
	char name[RT_COMM_MAX], byte;
	int fd, null, p[2];
	unsigned i;
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) != 0)
		return false;
	rt_guard_name(getpid(), name);
	pid = fork();
	if (pid != 0) {
		close(p[0]);
		if (pid > 0 && s->attach->ops->detach_one)
			s->attach->ops->detach(s->attach);
		close(p[1]);
		return pid > 0;
	}
	setsid();
	close(p[1]);
	prctl(PR_SET_NAME, name);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
	for (i = 0; i < s->sinks.n; i++)
		if (s->sinks.v[i].file)
			close(rt_out_file_fd(&s->sinks.v[i].to));
	if (s->tracee.go >= 0)
		close(s->tracee.go);
	while (read(p[0], &byte, 1) < 0 && errno == EINTR)
		;
	s->attach->ops->close(s->attach);
	_exit(0);
}

/*
 * Is there no process of ours that still has the probes, and no file whose mount somebody may want
 * to unmount?
 */
static bool can_leave(const struct session *s)
{
	const struct rt_functions *f = &s->sites.functions;
	const struct rt_image *last = NULL;
	size_t i;

	if (!s->over || !s->tracee.ours || s->options->follow || !s->attach->ops->leave)
		return false;
	for (i = 0; i < f->n; last = f->v[i++].image)
		if (f->v[i].image != last && !rt_pins_allow(&s->pins, rt_image_fd(f->v[i].image)))
			return false;
	return true;
}

/* Measure the removal of one probe, in ns; 0: the mechanism cannot. */
static uint64_t time_one(struct session *s)
{
	uint64_t began = rt_now();

	if (!s->attach->ops->detach_one)
		return 0;
	s->attach->ops->detach_one(s->attach);
	return rt_now() - began;
}

/* Estimate the background process's time from the removal of one probe. */
static void say_background(unsigned probes, uint64_t each)
{
	char text[64] = "";

	if (each)
		snprintf(text, sizeof(text), ", some %u s in all",
			 (unsigned)(each * probes / 1000000000 + 1));
	rt_say("%u probes are removed in the background, one by one%s", probes, text);
}

/*
 * Before 5.4 a thousand functions take minutes, in which the command's end is not to be waited for.
 */
void rt_session_end_attach(struct session *s)
{
	uint64_t each = 0;
	bool background, reported;

	if (!s->attach)
		return;
	release_calibration(s);
	if (can_leave(s)) {
		rt_session_leave_awaited(s);
		s->attach->ops->leave(s->attach, &s->pins);
	}
	rt_session_close_awaited(s);
	background = s->attach->separate > WAIT_FOR_PROBES;
	reported = background &&
	       (!s->tracee.ended || s->options->verbose || s->attach->separate > MINUTES_PROBES);
	if (reported)
		each = time_one(s);
	if (!background || !leave_to_child(s))
		s->attach->ops->close(s->attach);
	else if (reported)
		say_background(s->attach->separate, each);
	s->attach = NULL;
}

/* ---- files that were replaced ---- */

/* A process that has ended is not another one. */
static bool runs_another(const struct rt_image *program, pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat(path, &st) == 0 && !rt_image_is_file(program, &st);
}

int rt_session_check_files(const struct rt_traced *traced, struct rt_error *err)
{
	const char *change;
	size_t i;

	for (i = 0; i < traced->program.n; i++) {
		change = rt_image_change(traced->program.v[i], !traced->pids.n);
		if (change)
			return rt_fail(err, -ESTALE,
				       "%s: %s while rawtrace started; start rawtrace again",
				       rt_image_name(traced->program.v[i]), change);
	}
	for (i = 0; i < traced->pids.n; i++)
		if (runs_another(rt_program_executable(&traced->program), traced->pids.v[i]))
			return rt_fail(err, -ESTALE,
				       "process %d: called exec while rawtrace started; start "
				       "rawtrace again",
				       (int)traced->pids.v[i]);
	return 0;
}

/* ---- threads that the kernel filters by ---- */

/* Threads that end at once are no good spares, and each takes descriptors for a while. */
enum { SPARES_MOST = 16 };

/* The kernel frees the thread that exec ended after a grace period of RCU, some 50 ms. */
enum { SETTLED_NS = 1000000000 };

static int note_gap(struct session *s, const struct rt_anchor *a, pid_t pid, const char *failed)
{
	struct rt_event lost = { .type = RT_EV_LOST, .time = rt_now(), .pid = pid };
	char text[300];
	int r;

	lost.lost.until = lost.time;
	snprintf(text, sizeof(text),
		 "process %d: its filter thread %s: no calls seen for %.1f ms%s%s", (int)pid,
		 a->exec ? "was replaced by exec" : "has ended",
		 (double)(lost.time - a->since) / 1e6, *failed ? ", and none will be: " : "",
		 failed);
	r = rt_session_note(s, text);
	return r == 0 ? rt_stack_event(s->stack, &lost) : r;
}

/*
 * Does this thread run no more code?  If all threads of a process are like that, no calls are
 * missed.  Notes when the first one was seen.
 */
static bool note_ending(struct rt_anchor *a, pid_t tid)
{
	if (!rt_thread_will_end(tid))
		return false;
	if (!a->ending)
		a->ending = rt_now();
	return true;
}

static int add_thread(struct session *s, pid_t pid, enum rt_add_reason why, pid_t tid)
{
	struct rt_attach_request request = s->request;
	struct rt_anchor *a = rt_feed_anchor(s->feed, pid);
	struct rt_error failed = { .text = "" };
	int r;

	if (why != RT_ADD_EXEC && note_ending(a, tid))
		return 0;
	request.pids = RT_PID(pid);
	rt_session_end_learning(s);
	r = s->attach->ops->add(s->attach, &request, why, tid, &failed);
	if (why == RT_ADD_SPARE) {
		/* Without one calls may be missed later, which is reported then. */
		a->spares = r < 0 && r != -ESRCH ? SPARES_MOST : a->spares + 1;
		a->spare = r < 0 ? 0 : tid;
		a->ready = rt_now();
		return 0;
	}
	/* It has ended meanwhile.  The next round knows. */
	if (r == -ESRCH || (r > 0 && rt_now() - a->since < SETTLED_NS) ||
	    (why == RT_ADD_ENDED && note_ending(a, tid)))
		return 0;
	a->done = r < 0;
	if (r >= 0)
		a->tid = tid;
	return r > 0 ? 0 : note_gap(s, a, pid, r < 0 ? failed.text : "");
}

/*
 * The traced process number `i` that the kernel knows by one of its threads; 0: there is none.
 * With -f only tracefs has such: event-fork.
 */
static pid_t anchored(const struct session *s, size_t i)
{
	const struct rt_attach *attach = s->attach;

	if (!attach->ops->add || attach->reach == RT_REACH_FOLLOWED)
		return 0;
	if (attach->reach == RT_REACH_PROCESSES)
		return i < s->tracee.pids.n ? s->tracee.pids.v[i] : 0;
	return attach->ops->bpf ? 0 : rt_feed_process(s->feed, i);
}

int rt_session_add_threads(struct session *s)
{
	pid_t pid;
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && (pid = anchored(s, i)); i++) {
		const struct rt_anchor *a = rt_feed_anchor(s->feed, pid);
		enum rt_add_reason why = a->tid	   ? RT_ADD_SPARE
					 : a->exec ? RT_ADD_EXEC
						   : RT_ADD_ENDED;
		pid_t tid = why == RT_ADD_EXEC ? pid : rt_feed_other_thread(s->feed, pid);

		if (why >= s->attach->ops->add_from && tid && !a->done &&
		    (a->tid == 0 || (!a->spare && a->spares < SPARES_MOST)))
			r = add_thread(s, pid, why, tid);
	}
	return r;
}

/*
 * The threads of a process that ends do so one after another, on a busy machine over tens of
 * milliseconds.  In a longer time the others went on, and may have made calls.
 */
enum { LIVED_NS = 500000000 };

static bool lived_on(const struct session *s, const struct rt_anchor *a)
{
	return !a->exec && RT_ADD_ENDED >= s->attach->ops->add_from &&
	       (a->ending ? a->ending : a->until) > a->since + LIVED_NS;
}

int rt_session_missed_threads(struct session *s)
{
	pid_t pid;
	size_t i;
	int r = 0;

	for (i = 0; r == 0 && (pid = anchored(s, i)); i++) {
		const struct rt_anchor *a = rt_feed_anchor(s->feed, pid);

		/* Without BPF the filter of the probes' hits is that of ends too. */
		if (!a->tid && !a->done &&
		    (lived_on(s, a) || (a->exec && (s->attach->ops->bpf || !a->end_seen))))
			r = note_gap(s, a, pid, "it has ended before");
	}
	return r;
}

/*
 * The kernel arms semaphores of USDT probes from 4.20 on, also in processes that begin later.
 * Before that rawtrace does it: after the probes are in and, as a program may map libraries and
 * call exec, in each round of the trace.
 */

/*
 * exec has succeeded before the program is mapped (begin_new_exec), and its loader takes some
 * 0.3 ms: in that time the counters are looked for without a pause.
 */
enum { TRIES = 300 };

/* -a: those that run by now; nobody tells of others, as they do not hit the probes. */
static void arm_all(struct session *s)
{
	pid_t *v = NULL;
	int i, n = rt_proc_all(&v);

	for (i = 0; i < n; i++)
		rt_semaphores_arm(s->semaphores, v[i], false);
	free(v);
}

void rt_session_arm(struct session *s)
{
	size_t i;
	pid_t pid;

	if (!s->semaphores)
		return;
	for (i = 0; i < s->tracee.pids.n; i++)
		rt_semaphores_arm(s->semaphores, s->tracee.pids.v[i], false);
	for (i = 0; (s->options->follow || s->options->all) && (pid = rt_feed_process(s->feed, i));
	     i++)
		if (!rt_pids_has(&s->tracee.pids, pid))
			rt_semaphores_arm(s->semaphores, pid, true);
}

static int add_semaphores(struct session *s, size_t first)
{
	const struct rt_site *site;
	size_t i;

	for (i = first; i < s->sites.n; i++) {
		site = &s->sites.v[i];
		if (!rt_site_semaphore(site))
			continue;
		if (!s->semaphores)
			s->semaphores = rt_semaphores_new();
		if (!s->semaphores ||
		    rt_semaphores_add(s->semaphores, s->sites.functions.v[site->function].image,
				      rt_site_semaphore(site)) < 0)
			return -ENOMEM;
	}
	return 0;
}

int rt_session_add_semaphores(struct session *s, size_t first)
{
	bool had = s->semaphores;

	if (s->attach->arms)
		return 0;
	if (add_semaphores(s, first) < 0)
		return -ENOMEM;
	if (!s->semaphores || had)
		return 0;
	return rt_session_note(s, "this kernel does not arm USDT probes (before 4.20): hits are "
				  "not seen until rawtrace has armed them");
}

void rt_session_begin_semaphores(struct session *s)
{
	pid_t pid = rt_pids_first(&s->tracee.pids);
	unsigned i;

	if (!s->semaphores)
		return;
	for (i = 0; s->tracee.ours && i < TRIES && !rt_semaphores_arm(s->semaphores, pid, false);
	     i++)
		;
	rt_session_arm(s);
	if (s->options->all)
		arm_all(s);
}

void rt_session_disarm(struct session *s)
{
	rt_semaphores_free(s->semaphores);
	s->semaphores = NULL;
}
