/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/session.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "kernel/caps.h"
#include "kernel/cgroup.h"
#include "kernel/pid_space.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "session/session_private.h"
#include "session/stepped_remark.h"
#include "stream/ring.h"
#include "stream/spool.h"
#include "base/say.h"
#include "attach/attach.h"
#include "attach/rights.h"
#include "attach/trial.h"

/* ---- what the kernel counts ---- */

static int read_counts(const struct session *s, struct rt_count_list *list, struct rt_error *err)
{
	int r = s->attach->counts ? rt_counts_read(s->attach->counts, list) : 0;

	return r < 0 ? rt_fail(err, r, "BPF map: cannot be read: %s", strerror(-r)) : 0;
}

/* `first`: the number of the attachment's first function in the trace. */
static void add_counts(struct session *s, const struct rt_count_list *list, uint32_t first,
		       bool take_off)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		const struct rt_count *c = &list->v[i];
		uint32_t function = s->attach->ops->key != RT_KEY_IP
					    ? (uint32_t)c->key + first
					    : rt_site_map_function_of_any(rt_feed_map(s->feed),
									  &s->tracee.pids, c->key);

		rt_sinks_count(&s->sinks, function, c->cell, take_off ? -c->value : c->value);
		if (function < s->sites.functions.n)
			rt_stepped_cell(rt_feed_hits(s->feed), &s->sites.functions.v[function],
					c->cell, take_off ? -c->value : c->value);
	}
}

int rt_session_take_counts(struct session *s, struct rt_error *err)
{
	struct rt_count_list list = { 0 };
	int r = read_counts(s, &list, err);

	if (r == 0 && s->attach->counts) {
		add_counts(s, &s->base, 0, true);
		add_counts(s, &list, 0, false);
		list.missed = s->base.missed;
		free(s->base.v);
		s->base = list;
		return 0;
	}
	free(list.v);
	return r;
}

static void add_later(struct session *s, const struct rt_count_list *list, uint32_t first)
{
	add_counts(s, list, first, false);
}

/* After the last round, which may have brought the mappings of an instruction pointer's file. */
static int report_counts(struct session *s, uint64_t time)
{
	struct rt_event lost = { .type = RT_EV_LOST, .time = time };

	if (!s->attach->counts)
		return 0;
	add_counts(s, &s->base, 0, true);
	add_counts(s, &s->counts, 0, false);
	rt_session_add_awaited_counts(s, add_later);
	lost.lost.count = s->counts.missed - s->base.missed;
	lost.lost.until = time;
	return lost.lost.count ? rt_stack_event(s->stack, &lost) : 0;
}

/* ---- begin and end ---- */

static int start_command(struct session *s, struct rt_error *err)
{
	const struct rt_program *program = &s->traced.program;
	const char *name = s->options->user;
	struct rt_login user = { 0 };
	int *files = calloc(program->n, sizeof(*files)), r;
	size_t i, n = 0;

	if (!files)
		return rt_nomem(err);
	r = name ? rt_login_find(name, &user, err) : 0;
	for (i = 0; i < program->n; i++)
		if (rt_image_arch(program->v[i]) == rt_arch_of(rt_arch_native()))
			files[n++] = rt_image_fd(program->v[i]);
	if (r == 0)
		r = rt_tracee_start(&s->tracee, s->traced.path, s->options->argv,
				    name ? &user : NULL, files, n, err);
	rt_login_free(&user);
	free(files);
	return r;
}

static int open_group(struct session *s, struct rt_error *err)
{
	const struct rt_options *o = s->options;
	int r;

	if (!o->cgroup && !o->unit)
		return 0;
	r = o->cgroup ? rt_cgroup_open(o->cgroup, err) : rt_cgroup_open_unit(o->unit, err);
	s->group = r < 0 ? 0 : r;
	return r < 0 ? r : 0;
}

static int begin_tracee(struct session *s, struct rt_error *err)
{
	if (s->options->all)
		return open_group(s, err);
	if (s->options->pids.n)
		return rt_tracee_take(&s->tracee, &s->options->pids, err);
	return start_command(s, err);
}

static int make_stack(struct session *s, struct rt_error *err)
{
	const struct rt_filter_want want = {
		.limit = s->wanted.limit,
		.roots = s->sites.roots,
		.inside_only = s->sites.libcalls,
		.tids = s->options->tids.n ? &s->options->tids : NULL,
	};
	const struct rt_call_ops *to = &rt_sinks_ops;
	void *ctx = &s->sinks;

	if (want.limit.ends) {
		ctx = s->outcome = rt_outcome_new(&rt_outcome_plans, s->options->why, to, ctx);
		to = &rt_outcome_ops;
	}
	if (ctx && rt_filter_wants_any(&want)) {
		ctx = s->filter = rt_filter_new(&want, to, ctx);
		to = &rt_filter_ops;
	}
	s->stack = ctx ? rt_stack_new(to, ctx) : NULL;
	if (s->stack && !s->tracee.ours)
		rt_stack_attached(s->stack);
	return s->stack ? 0 : rt_nomem(err);
}

/* From now on fewer capabilities are needed. */
static int drop_capabilities(const struct session *s, struct rt_error *err)
{
	const struct rt_attach_ops *ops = s->attach->ops;
	unsigned uses = s->tracee.ours ? RT_CAPS_KILL : 0;
	/* One more thread takes perf events, except by uprobe-multi. */
	bool events = ops->bpf && ops->add && ops != &rt_attach_uprobe_multi;

	if (s->options->separate || rt_keep_any(&s->options->keep))
		uses |= RT_CAPS_OUTPUT;
	if (rt_session_awaits(s))
		uses |= RT_CAPS_FILES;
	if ((events || rt_session_awaits(s)) && rt_attach_wants_admin(ops))
		uses |= RT_CAPS_ADMIN;
	return rt_caps_keep(uses, err);
}

/* Make the stages below the attach for the process, then let it run. */
static int begin_stream(struct session *s, struct rt_error *err)
{
	unsigned n = s->attach->source->ops->nfds(s->attach->source);
	int r;

	s->merge = s->into = rt_merge_new(n);
	r = make_stack(s, err);
	if (r < 0)
		return r;
	s->feed = s->stack ? rt_feed_new(&s->traced, &s->sites, s->attach->ops->key,
					 &s->tracee.pids, s->attach->source->gaps, s->stack)
			   : NULL;
	s->pointers = s->feed ? rt_pointers_new(s->feed, &s->traced.program, s->options->raw_names)
			      : NULL;
	if (!s->merge || !s->pointers)
		return rt_nomem(err);
	s->resolver = (struct rt_resolver){ &rt_pointers_ops, s->pointers };
	s->sinks.trace.resolver = &s->resolver;
	r = rt_sites_notes(&s->wanted, &s->traced, &s->sites, s->attach->ops->everywhere,
			   s->options->verbose, rt_session_note, s);
	if (r == 0)
		r = rt_sites_check_roots(&s->sites, err);
	if (r == 0 && s->attach->remark)
		r = rt_session_note(s, s->attach->remark);
	if (r == 0 && s->simplified)
		r = rt_session_note(s, s->simplified);
	if (r == 0)
		r = rt_sinks_flush(&s->sinks, err);
	if (r == 0)
		r = rt_session_open_epoll(s, err);
	if (r == 0 && !s->tracee.ours && rt_feed_read_processes(s->feed) < 0)
		r = rt_nomem(err);
	if (r == 0 && rt_session_begin_awaited(s) < 0)
		r = rt_nomem(err);
	if (r == 0 && rt_session_begin_children(s) < 0)
		r = rt_nomem(err);
	if (r == 0 && rt_session_begin_learning(s) < 0)
		r = rt_nomem(err);
	rt_feed_set_pending(s->feed, s->attach->pending);
	if (r == 0 && rt_session_begin_later(s) < 0)
		r = rt_nomem(err);
	rt_session_begin_window(s);
	/* Our own command has not begun. */
	if (r == 0 && !s->tracee.ours)
		r = read_counts(s, &s->base, err);
	/*
	 * Records of the time in which the probes went in would fill the rings, and the beginning
	 * be lost.
	 */
	if (r == 0)
		r = rt_session_drain(s, false, err);
	/* They may be more than a new spool has room for, and then it has no heir. */
	if (r == 0 && s->later.spool && rt_session_decode_rounds(s) < 0)
		r = rt_nomem(err);
	if (r == 0)
		r = rt_session_check_files(&s->traced, err);
	if (r == 0)
		r = rt_session_begin_share(s, err);
	if (r == 0 && rt_session_add_semaphores(s, 0) < 0)
		r = rt_nomem(err);
	if (r == 0 && !s->semaphores)
		r = drop_capabilities(s, err);
	if (r < 0)
		return r;
	/* Not before: the thread would keep capabilities.  An heir is a copy of this process. */
	if (s->options->command != RT_CMD_RECORD)
		rt_sinks_write_beside(&s->sinks);
	rt_session_say_attached(s);
	s->top.since = rt_now();
	r = rt_tracee_go(&s->tracee, s->traced.path, err);
	if (r == 0)
		rt_session_begin_semaphores(s);
	if (r == 0)
		rt_session_begin_heir(s);
	return r;
}

/* These may be calls that the user asked for. */
static int report_unread(struct session *s)
{
	const int *map = s->attach->unread;
	uint32_t key = 0;
	uint64_t n = 0;
	char text[200];

	if (!map || *map < 0 || rt_bpf_map_lookup(*map, &key, &n) < 0 || !n)
		return 0;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " call%s skipped: the value to compare was not in memory", n,
		 n == 1 ? "" : "s");
	return rt_session_note(s, text);
}

static int report_too_deep(struct session *s)
{
	uint64_t n = rt_stack_too_deep(s->stack);
	char text[200];

	if (!n)
		return 0;
	snprintf(text, sizeof(text),
		 "%" PRIu64 " return%s not seen: the kernel has 64 uretprobes a thread; try "
		 "--return=insn",
		 n, n == 1 ? " was" : "s were");
	return rt_session_note(s, text);
}

static int report_outcome(struct session *s)
{
	uint64_t unseen = s->outcome ? rt_outcome_unseen(s->outcome) : 0,
		 large = s->outcome ? rt_outcome_too_large(s->outcome) : 0;
	char text[200];
	int r = 0;

	if (unseen) {
		snprintf(text, sizeof(text),
			 "%" PRIu64 " call%s left out: the result was not seen", unseen,
			 unseen == 1 ? "" : "s");
		r = rt_session_note(s, text);
	}
	if (r < 0 || !large)
		return r;
	snprintf(text, sizeof(text), "%" PRIu64 " call%s left out: too many calls inside", large,
		 large == 1 ? "" : "s");
	return rt_session_note(s, text);
}

static int report_stepped(struct session *s, uint64_t end)
{
	char text[200];

	/* -a has exit probes alone, and its own remark on what they cost. */
	if (s->options->all)
		return 0;
	if (!rt_stepped_remark(&s->wanted, &s->traced, &s->sites, rt_feed_hits(s->feed),
			       end - s->sinks.trace.start, s->options->no_bpf, s->options->exact,
			       text, sizeof(text)))
		return 0;
	return rt_session_note(s, text);
}

static int finish_out(struct session *s, struct rt_error *err)
{
	struct rt_event lost = { .type = RT_EV_LOST, .time = rt_session_end_time(s) };
	int r = rt_session_missed_threads(s);
	bool any_lost;

	lost.lost.count = s->attach->source->ops->lost_unseen(s->attach->source) +
			  rt_session_lost_awaited(s) + rt_feed_unplaced(s->feed);
	lost.lost.until = lost.time;
	any_lost = lost.lost.count || s->counts.missed != s->base.missed;
	if (r == 0 && lost.lost.count)
		r = rt_stack_event(s->stack, &lost);
	if (r == 0)
		r = rt_feed_pending(s->feed, 0, lost.time);
	if (r == 0)
		r = report_counts(s, lost.time);
	if (r == 0)
		r = rt_session_end_children(s, lost.time);
	if (r == 0 && s->over && rt_feed_unseen(s->feed))
		r = rt_stack_ended(s->stack, lost.time);
	if (r == 0)
		r = rt_stack_end(s->stack, lost.time);
	if (r == 0 && rt_session_show_top(s, true, err) < 0)
		r = -ENOMEM;
	if (r == 0)
		r = report_unread(s);
	if (r == 0)
		r = report_too_deep(s);
	if (r == 0)
		r = report_outcome(s);
	if (r == 0)
		r = report_stepped(s, lost.time);
	if (r == 0)
		r = rt_session_report_awaited(s);
	if (r == 0)
		r = rt_session_report_no_call(s, any_lost || rt_feed_has_lost(s->feed));
	if (r == 0)
		r = rt_session_report_share(s, err);
	if (r == 0)
		r = rt_session_report_untraced(s);
	if (r == 0)
		r = rt_session_report_signal(s);
	if (r == 0)
		r = rt_session_save_end(s);
	if (r == 0)
		r = rt_sinks_end(&s->sinks);
	return rt_sinks_flush(&s->sinks, err) < 0 ? -EIO : r < 0 ? rt_nomem(err) : 0;
}

/*
 * A failure in the middle (a full disk): the command continues, maybe for days, and the user hears
 * now.
 */
static void say_now(struct session *s, struct rt_error *err)
{
	if (rt_tracee_ended(&s->tracee, false))
		return;
	rt_say("%s", err->text);
	err->text[0] = '\0';
}

/*
 * After the trace: our command continues to its own end, unless a second signal says not to wait
 * for it.
 */
static void wait_command(struct session *s)
{
	struct epoll_event e;
	int sig = s->stopped;

	if (!s->tracee.ours || s->tracee.go >= 0)
		return;
	if (sig && s->pass_on && !rt_tracee_ended(&s->tracee, false))
		kill(rt_pids_first(&s->tracee.pids), sig);
	s->stopped = 0;
	while (!s->stopped && !rt_tracee_ended(&s->tracee, false))
		if (epoll_wait(s->epoll, &e, 1, RT_TICK_MS) > 0)
			rt_session_read_signals(s);
}

static void release(struct session *s)
{
	rt_screen_close(&s->top.screen);
	rt_session_end_heir(s);
	rt_session_disarm(s);
	rt_session_end_attach(s);
	rt_gate_close(&s->gate);
	rt_ring_memory_end(&s->ring_memory);
	rt_calibration_end(&s->calibration);
	rt_pins_close(&s->pins);
	rt_costs_end(&s->measures);
	rt_tracee_release(&s->tracee);
	rt_sinks_free(&s->sinks);
	free(s->base.v);
	free(s->counts.v);
	rt_pointers_free(s->pointers);
	rt_feed_free(s->feed);
	rt_statuses_close(s->statuses);
	rt_stack_free(s->stack);
	rt_filter_free(s->filter);
	rt_outcome_free(s->outcome);
	rt_merge_free(s->merge);
	rt_spool_free(s->later.spool);
	rt_session_free_awaited(s);
	rt_session_free_learning(s);
	rt_sites_free(&s->wanted, &s->traced, &s->sites);
	if (s->group)
		close(s->group);
	if (s->epoll >= 0)
		close(s->epoll);
	if (s->signals >= 0)
		close(s->signals);
}

static int check_options(const struct rt_options *o, struct rt_error *err)
{
	const struct rt_attach_ops *forced = o->attach ? rt_attach_find(o->attach) : NULL;

	if (o->attach && !forced)
		return rt_usage_words(err, "attach", "mechanism", o->attach, rt_attach_name);
	if (o->format && !rt_format_find(o->format))
		return rt_usage_words(err, "format", "format", o->format, rt_format_name);
	if (o->ring && !rt_ring_find(o->ring))
		return rt_usage_words(err, "ring", "ring", o->ring, rt_ring_name);
	if (o->all && forced && forced->everywhere)
		return rt_usage(err, "-a: --attach=%s does not name processes; it needs BPF",
				o->attach);
	if (o->libcalls && (o->no_bpf || (forced && forced->everywhere)))
		return rt_usage(err,
				"--libcalls: %s would probe every process; try --attach=event or "
				"another with BPF",
				o->no_bpf ? "--no-bpf" : o->attach);
	if (o->ring && (o->no_bpf || (forced && !forced->bpf)))
		return rt_usage(err, "--ring=%s: not allowed without BPF", o->ring);
	return 0;
}

/* The kernel runs it with rights that the user has not, and shows nothing of it. */
static int check_program(const struct session *s, struct rt_error *err)
{
	const struct rt_image *executable = rt_program_executable(&s->traced.program);
	struct stat st;

	if (!rt_caps_is_user() || s->options->pids.n || fstat(rt_image_fd(executable), &st) < 0)
		return 0;
	if (!(st.st_mode & (S_ISUID | S_ISGID)) &&
	    fgetxattr(rt_image_fd(executable), "security.capability", NULL, 0) < 0)
		return 0;
	return rt_fail(err, -EPERM,
		       "%s: is setuid, setgid or has capabilities; user %u may not trace it; try: "
		       "sudo rawtrace ...",
		       rt_image_name(executable), (unsigned)getuid());
}

/* Beforehand, and with the probes in: then no other process can get the number. */
static int check_processes(const struct session *s, struct rt_error *err)
{
	unsigned i;

	for (i = 0; i < s->traced.pids.n && rt_caps_is_user(); i++)
		if (!rt_caps_can_read_memory(s->traced.pids.v[i]))
			return rt_fail(err, -EPERM,
				       "process %d: user %u may not read its memory (ptrace); try: "
				       "sudo rawtrace ...",
				       (int)s->traced.pids.v[i], (unsigned)getuid());
	return 0;
}

static int check_rights(const struct session *s, struct rt_error *err)
{
	const struct rt_options *o = s->options;
	const struct rt_attach_ops *forced = o->attach ? rt_attach_find(o->attach) : NULL;
	int r = rt_caps_check(!o->no_bpf && (!forced || forced->bpf), err);

	if (r == 0 && o->all && rt_caps_is_user())
		r = rt_fail(err, -EPERM,
			    "-a: user %u may not trace other users' processes; try: sudo rawtrace "
			    "...",
			    (unsigned)getuid());
	if (r == 0)
		r = rt_pid_space_check(&s->traced.pids, err);
	/*
	 * Inherited probes are tracefs events.  uprobe-multi and pmu would put the probes into
	 * setuid programs and into processes of other users too.
	 */
	if (r == 0 && o->follow && rt_caps_is_user())
		r = rt_fail(err, -EPERM,
			    "-f: user %u may not use tracefs, which it needs; try: sudo rawtrace "
			    "...",
			    (unsigned)getuid());
	if (r == 0)
		r = check_program(s, err);
	return r < 0 ? r : check_processes(s, err);
}

static int report_gate(struct session *s)
{
	pid_t pid = rt_gate_closed_by(&s->gate);
	char text[200];

	if (!pid)
		return 0;
	snprintf(text, sizeof(text),
		 "process %d: runs a program that user %u may not trace (setuid, capabilities); "
		 "the trace ends",
		 (int)pid, (unsigned)getuid());
	return rt_session_note(s, text);
}

/* The trace itself, between the first probe and the last event. */
static int run(struct session *s, struct rt_error *err)
{
	int r;

	r = rt_session_follow(s, err);
	rt_screen_close(&s->top.screen);
	rt_session_disarm(s);
	/*
	 * A program that has ended sends nothing more; of a running one the window cuts off what
	 * comes during the last round.
	 */
	rt_session_end_window(s);
	if (r == 0)
		r = read_counts(s, &s->counts, err);
	if (r == 0)
		r = rt_session_count_awaited(s, err);
	if (!s->over)
		rt_session_detach_awaited(s);
	if (!s->over)
		rt_session_detach(s);
	if (r == 0)
		r = rt_session_drain(s, true, err);
	if (r == 0)
		r = report_gate(s);
	if (r == 0)
		r = rt_session_report_missed(s);
	if (r == 0)
		r = finish_out(s, err);
	rt_session_show_progress(s, true);
	return r;
}

/*
 * The way to trace children decides about returns: if processes that nobody has judged have the
 * probes too, there are no uretprobes.
 */
static void choose_reach(struct session *s, const struct rt_attach_ops *forced)
{
	const struct rt_options *o = s->options;
	struct rt_error why = { .text = "" };

	if (o->all)
		s->reach = RT_REACH_ALL;
	if (!o->follow)
		return;
	s->reach = rt_trial_reach(forced, o->no_bpf, &why);
	if (s->reach == RT_REACH_FOLLOWED && o->verbose)
		rt_say("children are followed by a list in the kernel: %s", why.text);
	if (rt_reach_is_open(s->reach) && s->wanted.want == RT_WANT_AUTO)
		s->wanted.want = RT_WANT_INSN;
}

/* Begin here what takes the kernel long, while we read the program and fork the command. */
static void begin_beside(struct session *s, const struct rt_attach_ops *forced)
{
	const struct rt_options *o = s->options;

	if (o->no_bpf || (forced && forced != &rt_attach_uprobe_multi))
		return;
	if (!o->exact) {
		rt_pins_open(&s->pins);
		rt_calibration_begin(s->traced.program.nops, &s->pins, &s->calibration);
	}
	if (s->wanted.purpose == RT_PURPOSE_RECORD && (!o->ring || strcmp(o->ring, "array") == 0))
		rt_ring_memory_begin(&s->ring_memory, o->buffer);
}

int rt_session_run(const struct rt_options *options, int *status, struct rt_error *err)
{
	const struct rt_attach_ops *forced;
	struct session s = { .options = options, .pins = { .fs = -1 }, .epoll = -1,
			     .signals = -1 };
	struct rt_error changed;
	int r;

	rt_tracee_init(&s.tracee);
	r = check_options(options, err);
	if (r == 0 && !rt_proc_mounted())
		r = rt_fail(err, -ENOENT, "/proc is not mounted; try: mount -t proc proc /proc");
	if (r < 0)
		return r;
	forced = options->attach ? rt_attach_find(options->attach) : NULL;
	s.wanted = rt_options_wanted(options, options->no_bpf || (forced && forced->everywhere));
	choose_reach(&s, forced);
	r = rt_sites_resolve(&s.wanted, &s.traced, &s.sites, options->program, &options->pids,
			     options->specs, options->nspecs, err);
	/* Not before: an error in a name would wait for the child's end. */
	if (r == 0)
		begin_beside(&s, forced);
	if (r == 0 && options->libcalls)
		r = rt_sites_add_libcalls(&s.wanted, &s.traced, &s.sites, options->libcalls, err);
	else if (r == 0 && !options->nspecs)
		r = rt_sites_add_own_functions(&s.wanted, &s.traced, &s.sites, err);
	if (r == 0)
		r = rt_sites_record_pairs(&s.wanted, &s.traced, &s.sites, err);
	if (r == 0 && options->why && !s.wanted.limit.ends)
		r = rt_usage(err,
			     "--why: no condition on an end; try: 'FUNC(time > 5ms)', --failed");
	if (r == 0)
		r = rt_sites_add_roots(&s.wanted, &s.traced, &s.sites, err);
	if (r == 0)
		r = rt_sites_add_hooks(&s.wanted, &s.traced, &s.sites, err);
	if (r == 0 && options->raw_names)
		r = rt_functions_raw_names(&s.sites.functions);
	else if (r == 0 && rt_purpose_of(options) != RT_PURPOSE_RECORD)
		r = rt_functions_full_names(&s.sites.functions);
	if (r == -ENOMEM)
		rt_nomem(err);
	if (r == 0)
		r = rt_sites_make(&s.wanted, &s.traced, &s.sites,
				  rt_attach_plans(forced, options->no_bpf), err);
	/* If the program is another file now, names may be missing because of that. */
	if (r < 0 && !options->pids.n && rt_session_check_files(&s.traced, &changed) < 0)
		*err = changed;
	if (r == 0)
		r = check_rights(&s, err);
	if (r == 0)
		r = rt_session_choose_out(&s, err);
	if (r == 0)
		r = rt_session_begin_top(&s, err);
	if (r == 0 && options->command == RT_CMD_RECORD)
		rt_costs_begin(&s.measures);
	if (r == 0)
		/* before signals and limits change: the command keeps its own */
		r = begin_tracee(&s, err);
	if (r == 0)
		r = rt_session_open_signals(&s, err);
	if (r == 0) {
		r = rt_session_attach(&s, err);
		/* If the file is another one, any failure may come of it. */
		if (r < 0 && rt_session_check_files(&s.traced, &changed) < 0)
			*err = changed;
	}
	if (r == 0 && !s.stopped)
		r = check_processes(&s, err);
	if (r == 0 && !s.stopped)
		rt_session_measure(&s);
	/* Not earlier: what was forked before, the program among it, does not inherit it. */
	if (r == 0)
		rt_priority_raise(&s.priority);
	/* Nothing is traced where a signal came before the probes were in. */
	if (r == 0 && !s.stopped)
		r = rt_session_open_out(&s, err);
	if (r == 0 && !s.stopped)
		r = begin_stream(&s, err);
	if (r == 0 && !s.stopped) {
		r = run(&s, err);
		rt_session_end_heir(&s);
		if (r < 0)
			say_now(&s, err);
		rt_priority_restore(&s.priority);
		rt_session_end_attach(&s);
		wait_command(&s);
	}
	*status = s.tracee.ours && !s.tracee.ended ? 128 + s.stopped
						   : rt_tracee_exit_status(&s.tracee);
	if (s.share.exceeded)
		*status = RT_EXIT_FAILURE;
	if (s.top.over)
		*status = 0;
	release(&s);
	return r;
}
