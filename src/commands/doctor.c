/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "kernel/caps.h"
#include "process/nops.h"
#include "kernel/pid_space.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "kernel/tracefs.h"
#include "arch/flow.h"
#include "stream/ring.h"
#include "attach/emulations.h"
#include "attach/perf_probe.h"
#include "attach/trial.h"
#include "base/array.h"
#include "base/clean.h"

static void row(FILE *file, const char *what, const char *state, const char *why)
{
	char text[PATH_MAX + 128];

	/* The kernel's words, and paths of mounts. */
	snprintf(text, sizeof(text), "%s", why);
	rt_make_printable(text);
	fprintf(file, "%-18s %-8s %s\n", what, state, text);
}

/* ---- what the user may do ---- */

static void row_limit(FILE *file, const char *what, int resource, const char *low, rlim_t enough)
{
	struct rlimit l;
	char text[160];

	if (getrlimit(resource, &l) != 0)
		return;
	if (l.rlim_cur == RLIM_INFINITY)
		snprintf(text, sizeof(text), "unlimited");
	else
		snprintf(text, sizeof(text), "%llu, and cannot be raised further%s",
			 (unsigned long long)l.rlim_cur, l.rlim_cur < enough ? low : "");
	row(file, what, l.rlim_cur == RLIM_INFINITY || l.rlim_cur >= enough ? "ok" : "low", text);
}

static void rows_user(FILE *file)
{
	struct rt_error err;
	long seccomp;

	if (rt_caps_check(true, &err) == 0)
		row(file, "capabilities", "ok",
		    geteuid() == 0 ? "root" : "cap_sys_admin, or cap_bpf and cap_perfmon");
	else
		row(file, "capabilities", "no", err.text);
	if (rt_pid_space_check(&(struct rt_pids){ .n = 0 }, &err) == 0)
		row(file, "process ids", "ok",
		    rt_pid_space_own().ino ? "this container's" : "the machine's own");
	else
		row(file, "process ids", "no", err.text);
	if (rt_proc_status(getpid(), "Seccomp", &seccomp) < 0 || seccomp == 0)
		row(file, "seccomp", "ok", "no filter on this process");
	else
		row(file, "seccomp", "filter",
		    "programs started here get no uretprobes, and bpf(2) may be refused");
	row_limit(file, "RLIMIT_NOFILE", RLIMIT_NOFILE,
		  "; thousands of functions need uprobe-multi or multi-event", 4096);
	row_limit(file, "RLIMIT_MEMLOCK", RLIMIT_MEMLOCK, "; counts only before 5.11, for BPF maps",
		  64 << 20);
}

/* ---- what the kernel has ---- */

static void row_lockdown(FILE *file)
{
	char *text, *mode;

	if (rt_read_file("/sys/kernel/security/lockdown", &text) < 0) {
		row(file, "lockdown", "ok", "the kernel has none, or securityfs is not mounted");
		return;
	}
	mode = strchr(text, '[');
	if (mode)
		mode[strcspn(mode, "]")] = '\0';
	if (mode && strcmp(mode, "[confidentiality") == 0)
		row(file, "lockdown", "no",
		    "confidentiality: tracefs, perf events and BPF reads are refused; boot without "
		    "it");
	else
		row(file, "lockdown", "ok", mode ? mode + 1 : "off");
	free(text);
}

static void rows_tracefs(FILE *file, const struct rt_tracefs *t, int found,
			 const struct rt_error *err)
{
	char text[PATH_MAX + 64];
	int fd;

	if (found < 0) {
		row(file, "tracefs", "no", err->text);
		return;
	}
	snprintf(text, sizeof(text), "%s%s", t->root,
		 t->private_mount ? " (not mounted; mounted privately)" : "");
	row(file, "tracefs", "ok", text);
	fd = open(rt_tracefs_path(t, text, "uprobe_events"),
		  O_WRONLY | O_CLOEXEC); /* not O_TRUNC, which would clear everybody's */
	row(file, "uprobe_events", fd >= 0 ? "ok" : "no",
	    fd >= 0 ? "can be written" : strerror(errno));
	if (fd >= 0)
		close(fd);
	if (rt_tracefs_has(t, "instances") && rt_tracefs_has_clock(t, "trace_clock"))
		row(file, "trace instances", "ok", "for --no-bpf");
	else
		row(file, "trace instances", "no",
		    "of no use before 3.17; --no-bpf takes ftrace's main buffer");
	row(file, "set_event_pid", rt_tracefs_has(t, "options/event-fork") ? "ok" : "no",
	    rt_tracefs_has(t, "options/event-fork")
		    ? "--no-bpf records only the traced threads"
		    : "before 4.7; --no-bpf records every process that runs the program, and picks "
		      "the traced one out");
}

/* The kernel's own words: what its uprobe_events and its uprobe PMU take. */
static void row_semaphores(FILE *file, const struct rt_tracefs *t, int found)
{
	bool arms = rt_uprobe_pmu_arms();
	char *text;

	if (!arms && found == 0 && rt_tracefs_read(t, "README", &text) >= 0) {
		arms = strstr(text, "ref_ctr_offset");
		free(text);
	}
	row(file, "USDT semaphores", arms ? "ok" : "memory",
	    arms ? "armed by the kernel"
		 : "before 4.20; armed through /proc/PID/mem: a killed rawtrace leaves them armed");
}

static void row_nops(FILE *file)
{
	static const struct {
		const char *state, *why;
	} rows[] = {
		[RT_NOPS_TRAP] = { "ok", "stay breakpoints" },
		[RT_NOPS_CALL5] = { "avoided",
				    "5-byte nops become calls, by which forked children crash "
				    "(6.18 to 7.1): probes are placed behind them" },
		[RT_NOPS_CALL10] = { "ok",
				     "10-byte nops become calls, in forked children too (7.2)" },
	};
	enum rt_nops nops = rt_nops_ask();

	row(file, "probed nops", rows[nops].state, rows[nops].why);
}

static void row_instructions(FILE *file)
{
	const struct rt_arch *arch = rt_arch_of(rt_arch_native());
	int r = rt_emulations_ask();

	if (!arch || !arch->emulation)
		return;
	row(file, "instructions", r == 0 ? "ok" : "no",
	    r == 0 ? "BPF programs emulate probed instructions (6.19)"
		   : "before 6.19; the kernel single-steps them instead");
}

/* The ways from BPF programs to us, each opened. */
static void rows_rings(FILE *file)
{
	const struct rt_layout layout = { .key = RT_KEY_ID };
	const struct rt_ring_want want = { .bytes = 64 << 10 };
	struct rt_record_decoder *decoder = rt_record_decoder_new(NULL, 0, 0, layout, 0);
	const struct rt_ring_ops *ring;
	struct rt_source *source;
	struct rt_error err;
	char what[32];
	uint32_t size;
	int map, r;
	unsigned i;

	for (i = 0; decoder && (ring = rt_ring_at(i)); i++) {
		err.text[0] = '\0';
		r = ring->open(&want, decoder, NULL, &map, &size, &source, &err);
		snprintf(what, sizeof(what), "ring %s", ring->name);
		row(file, what, r < 0 ? "no" : "ok", r < 0 ? err.text : ring->help);
		if (r < 0)
			continue;
		source->ops->close(source);
		close(map);
	}
	rt_record_decoder_free(decoder);
}

static void rows_bpf(FILE *file)
{
	static const struct {
		const char *what, *instead;
		enum rt_bpf_helper helper;
	} helpers[] = {
		{ "bpf cookies",
		  "before 5.15; one program a probe instead, or the instruction pointer",
		  RT_FN_get_attach_cookie },
		{ "probe_read_user", "before 5.5; probe_read instead", RT_FN_probe_read_user },
	};
	struct rt_bpf_insn exit_only[] = { { .code = 0xb7 }, { .code = 0x95 } };
	int fd = rt_bpf_prog_load(exit_only, 2, 0, NULL, 0);
	unsigned i;

	if (fd < 0) {
		row(file, "bpf(2)", "no",
		    fd == -ENOSYS ? "the kernel was built without it; --no-bpf is used instead"
				  : strerror(-fd));
		return;
	}
	close(fd);
	row(file, "bpf(2)", "ok", "programs for uprobes can be loaded");
	for (i = 0; i < RT_COUNT(helpers); i++) {
		/*
		 * r1 is the context: right for the cookie.  For a read: 0 bytes from 0 to the
		 * stack.
		 */
		struct rt_bpf_insn call[] = {
			{ .code = 0x85, .imm = (int32_t)helpers[i].helper },
			{ .code = 0xb7 },
			{ .code = 0x95 },
		};
		struct rt_bpf_insn read[] = {
			{ .code = 0x7a, .regs = 10, .off = -8 },
			{ .code = 0xbf, .regs = 1 | 10 << 4 },
			{ .code = 0x07, .regs = 1, .imm = -8 },
			{ .code = 0xb7, .regs = 2, .imm = 8 },
			{ .code = 0xb7, .regs = 3 },
			call[0],
			call[1],
			call[2],
		};
		bool reads = helpers[i].helper == RT_FN_probe_read_user;

		fd = reads ? rt_bpf_prog_load(read, 8, 0, NULL, 0)
			   : rt_bpf_prog_load(call, 3, 0, NULL, 0);
		row(file, helpers[i].what, fd >= 0 ? "ok" : "no",
		    fd >= 0 ? "" : helpers[i].instead);
		if (fd >= 0)
			close(fd);
	}
	row_instructions(file);
	rows_rings(file);
}

/* ---- the mechanisms, each tried ---- */

enum { MECHANISMS_MAX = 8 };

struct tried {
	const struct rt_attach_ops *ops;
	int result;		/* of its open */
	bool works;
	bool works_for_one;	/* it is refused for two functions, and not for one */
	const char *state;
	char text[1200];
};

/*
 * Before 5.4 an event has one probe: a trace of one function has an event for calls and one for
 * returns.
 */
static bool works_for_one(const struct rt_attach_ops *ops)
{
	struct rt_trial trial;
	struct rt_error err;

	return rt_trial_run(ops, 1, &trial, &err) == 0 && !trial.harmed &&
	       trial.entries == RT_TRIAL_CALLS / 2 && trial.returns == RT_TRIAL_CALLS / 2;
}

static void try_mechanism(const struct rt_attach_ops *ops, struct tried *tried)
{
	struct rt_error err = { 0 };
	struct rt_trial trial;
	int r = rt_trial_run(ops, 2, &trial, &err);

	tried->ops = ops;
	tried->works_for_one = r == -EOPNOTSUPP && works_for_one(ops);
	tried->result = r;
	tried->state = "no";
	if (r < 0) {
		snprintf(tried->text, sizeof(tried->text), "%s", err.text);
	} else if (trial.harmed) {
		tried->state = "HARM";
		snprintf(tried->text, sizeof(tried->text),
			 "the trial process did not survive its probes");
	} else if (trial.entries != RT_TRIAL_CALLS || trial.returns != RT_TRIAL_CALLS) {
		snprintf(tried->text, sizeof(tried->text),
			 "of %u calls, %u entries and %u returns were seen", RT_TRIAL_CALLS,
			 trial.entries, trial.returns);
	} else {
		tried->works = true;
		tried->state = "ok";
		snprintf(tried->text, sizeof(tried->text),
			 "%s; attached in %.1f ms, detached in %.1f ms", ops->help, trial.attach_ms,
			 trial.detach_ms);
	}
}

static const struct tried *first_working(const struct tried *tried, unsigned n)
{
	unsigned i;

	for (i = 0; i < n && !tried[i].works; i++)
		;
	return i < n ? &tried[i] : NULL;
}

/*
 * The mechanism that a trace would use (rt_attach_open): the first that the kernel has, even if it
 * is refused or does not work.
 */
static const struct tried *chosen(const struct tried *tried, unsigned n, bool no_bpf)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (tried[i].result != -EOPNOTSUPP && !(no_bpf && tried[i].ops->bpf))
			return &tried[i];
	return NULL;
}

/* Are returns seen at the instructions that leave functions where a uretprobe may not be? */
static bool sees_exits(const struct rt_arch *arch)
{
	struct rt_decoder *decoder = rt_flow_open(arch);
	bool works = rt_flow_works(arch, decoder);

	rt_decoder_close(decoder);
	return works;
}

/* A trial of uretprobes came to `r`. */
static void row_returns(FILE *file, const char *what, const struct rt_arch *arch, int r,
			const struct rt_error *why)
{
	bool exits = r < 0 && sees_exits(arch);
	char text[sizeof(why->text) + 64];

	snprintf(text, sizeof(text), "%s: %s",
		 exits ? "returns at instructions, not by uretprobes" : "entries only",
		 r < 0 ? why->text : "");
	row(file, what,
	    r == 0  ? "ok"
	    : exits ? "insn"
		    : "entries",
	    r == 0 ? "entries and returns" : text);
}

/* Programs of the machine's other architectures, by the mechanism that a trace would use. */
static void rows_other_programs(FILE *file, const char *mechanism)
{
	const struct rt_arch *arch;
	struct rt_error why;
	char what[32];
	unsigned i;
	int r;

	for (i = 0; (arch = rt_arch_at(i)); i++) {
		if (!arch->trial || arch->kernel_machine != rt_arch_native())
			continue;
		r = rt_trial_arch(arch, rt_attach_find(mechanism), false, &why);
		snprintf(what, sizeof(what), "%u-bit programs", arch->word * 8u);
		if (r == -ENOEXEC)
			row(file, what, "no", "this kernel runs none");
		else
			row_returns(file, what, arch, r, &why);
	}
}

/* Rows of exits that harmed programs before 4.3, by that mechanism too. */
static void print_unwind_rows(FILE *file, const char *mechanism)
{
	struct rt_error why = { 0 };
	int i, r;

	for (i = 0; i < RT_NLEAVES && rt_kernel_version() < RT_KERNEL(4, 3); i++) {
		r = rt_trial_leave((enum rt_leave)i, rt_attach_find(mechanism), false, &why);
		row_returns(file, rt_leave_name((enum rt_leave)i), rt_arch_of(rt_arch_native()), r,
			    &why);
	}
}

static const char *used(const struct tried *tried)
{
	return tried && tried->works ? tried->ops->name : "none";
}

/* Add the mechanism that a trace uses in place of this one, if this one does not work. */
static void add_instead(struct tried *t, const struct tried *taken, const struct tried *working)
{
	size_t len = strlen(t->text), room = sizeof(t->text) - len;

	if (t->works || !working)
		return;
	if (t == taken)
		snprintf(t->text + len, room, "; --attach=%s works", working->ops->name);
	else if (taken && taken->works)
		snprintf(t->text + len, room, "; %s is used instead%s", taken->ops->name,
			 t->works_for_one ? ", but not for one function alone" : "");
}

/* The first mechanism that traces children by `reach`, or NULL with the reason of the last one. */
static const struct rt_attach_ops *find_way(enum rt_reach reach, struct rt_error *why)
{
	const struct rt_attach_ops *ops;
	unsigned i;

	for (i = 0; (ops = rt_attach_at(i)); i++)
		if (ops->bpf && ops->reaches & 1u << reach &&
		    rt_trial_children(ops, reach, why) == 0)
			return ops;
	return NULL;
}

/* The kernel follows nobody: rawtrace learns of children from their fork events (before 4.7). */
static const struct rt_attach_ops *find_unfiltered(bool tracefs)
{
	struct rt_error unused;
	const struct rt_attach_ops *ops = NULL;

	if (!rt_pid_space_own().ino)
		ops = find_way(RT_REACH_ALL, &unused);
	return ops || !tracefs ? ops : &rt_attach_tracefs;
}

/* In the order in which -f tries them.  `tracefs`: --no-bpf works. */
static void row_children(FILE *file, const struct rt_tracefs *t, bool tracefs)
{
	static const char what[] = "children (-f)";
	struct rt_error why = { .text = "" };
	const struct rt_attach_ops *ops = find_way(RT_REACH_CHILDREN, &why);
	char text[160];

	if (ops) {
		snprintf(text, sizeof(text), "inherited probes (%s); other processes have none",
			 ops->name);
		row(file, what, "ok", text);
		return;
	}
	ops = find_way(RT_REACH_FOLLOWED, &why);
	if (ops) {
		snprintf(text, sizeof(text),
			 "a list in the kernel (%s); other processes that map the file trap too",
			 ops->name);
		row(file, what, "list", text);
	} else if (tracefs && rt_tracefs_has(t, "options/event-fork")) {
		row(file, what, "tracefs",
		    "event-fork; other processes that map the file trap too");
	} else if ((ops = find_unfiltered(tracefs))) {
		snprintf(text, sizeof(text),
			 "rawtrace drops calls of other processes (%s): all that map the file are "
			 "recorded", ops->name);
		row(file, what, "reader", text);
	} else {
		row(file, what, "no", why.text);
	}
}

/* Each refusal with its reason and what is used instead.  Returns whether anything works. */
static bool rows_mechanisms(FILE *file, const struct rt_tracefs *tracefs, int found)
{
	struct tried tried[MECHANISMS_MAX] = { { 0 } };
	const struct tried *working, *taken, *taken_too;
	unsigned i, n;

	for (n = 0; n < MECHANISMS_MAX && rt_attach_at(n); n++)
		try_mechanism(rt_attach_at(n), &tried[n]);
	working = first_working(tried, n);
	taken = chosen(tried, n, false);
	for (i = 0; i < n; i++) {
		add_instead(&tried[i], taken, working);
		row(file, tried[i].ops->name, tried[i].state, tried[i].text);
	}
	if (working && taken && taken->works) {
		rows_other_programs(file, taken->ops->name);
		print_unwind_rows(file, taken->ops->name);
	}
	taken_too = chosen(tried, n, true);
	row_children(file, tracefs, found == 0 && taken_too && taken_too->works);
	fprintf(file, "\nused: %s; with --no-bpf: %s\n", used(taken), used(taken_too));
	return working;
}

int rt_doctor_run(FILE *file, struct rt_error *err)
{
	struct rt_error why = { 0 };
	struct rt_tracefs tracefs;
	struct utsname u;
	bool works;
	int found;

	if (uname(&u) == 0)
		fprintf(file, "rawtrace on Linux %s, %s\n\n", u.release, u.machine);
	rt_limits_raise(RT_FILES_USUAL);	/* as a trace does: what is shown is what it gets */
	rows_user(file);
	row_lockdown(file);
	found = rt_tracefs_find(&tracefs, &why);
	rows_tracefs(file, &tracefs, found, &why);
	row_nops(file);
	row_semaphores(file, &tracefs, found);
	rows_bpf(file);
	fputc('\n', file);
	works = rows_mechanisms(file, &tracefs, found);
	return works ? 0
		     : rt_fail(err, -EOPNOTSUPP,
			       "nothing can be traced here, for the reasons above");
}

int rt_doctor_clean(FILE *file, struct rt_error *err)
{
	struct rt_tracefs tracefs;
	unsigned n;

	if (rt_tracefs_mounted(&tracefs) < 0) {
		fprintf(file, "tracefs is not mounted: nothing can have been left in it\n");
		return 0;
	}
	if (!rt_tracefs_has(&tracefs, "uprobe_events"))
		return rt_fail(err, -EACCES, "%s: %s; run it as root", tracefs.root,
			       strerror(errno));
	n = rt_tracefs_clean(&tracefs);
	fprintf(file, "%u definition%s and instances of dead rawtrace processes removed\n", n,
		n == 1 ? "" : "s");
	return 0;
}
