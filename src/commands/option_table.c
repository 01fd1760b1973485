/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/option_table.h"

#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach/attach.h"
#include "base/array.h"
#include "base/scan.h"
#include "fetch/fetch.h"
#include "output/sink.h"
#include "process/named.h"
#include "stream/ring.h"

static int parse_depth(struct rt_options *o, const char *text, struct rt_error *err)
{
	size_t n;

	if (strspn(text, "0123456789") != strlen(text) || rt_size_parse(text, &n) < 0 || n < 1 ||
	    n > INT_MAX)
		return rt_usage(err, "--depth=%s: expected a number of levels, from 1", text);
	o->depth = (unsigned)n;
	return 0;
}

/* A number from `least` to `most`. */
static int parse_limit(const char *option, const char *text, unsigned least, unsigned most,
		       unsigned *limit, struct rt_error *err)
{
	size_t n;

	if (strspn(text, "0123456789") != strlen(text) || rt_size_parse(text, &n) < 0 ||
	    n < least || n > most)
		return rt_usage(err, "%s%s: expected a number, %u to %u", option, text, least,
				most);
	*limit = (unsigned)n;
	return 0;
}

/* "5%" or "0.5": of one CPU. */
static int parse_budget(struct rt_options *o, const char *text, struct rt_error *err)
{
	enum { PERCENT = 100, MOST = 100000 };
	const char *at = text;
	uint64_t v;
	unsigned i;

	if (rt_scan_number(&at, 10, &v) && v <= MOST) {
		o->budget = (uint32_t)v * PERCENT;
		if (rt_scan_text(&at, "."))
			for (i = PERCENT / 10; *at >= '0' && *at <= '9'; i /= 10)
				o->budget += (uint32_t)(*at++ - '0') * i;
		rt_scan_text(&at, "%");
		if (!*at && o->budget)
			return 0;
	}
	return rt_usage(err, "--budget=%s: a share of a CPU is expected, such as 5%%", text);
}

static int parse_cgroup(struct rt_options *o, const char *text, struct rt_error *err)
{
	o->all = true;
	o->cgroup = text;
	return *text ? 0 : rt_usage(err, "--cgroup '': the path of a control group is expected");
}

static int parse_unit(struct rt_options *o, const char *text, struct rt_error *err)
{
	o->all = true;
	o->unit = text;
	return *text && !strchr(text, '/')
		       ? 0
		       : rt_usage(err, "--unit=%s: a unit is expected, such as nginx.service",
				  text);
}

/* A number begins a list of ids. */
static bool is_name(const char *text)
{
	return *text == '/' || *text == '.' || *text == '_' || (*text >= 'a' && *text <= 'z') ||
	       (*text >= 'A' && *text <= 'Z') || (unsigned char)*text >= 0x80;
}

/*
 * As strace takes them: several between commas or spaces, so that -p "$(pidof nginx)" is right too.
 */
static int parse_ids(const char *option, const char *text, const char *expected,
		     struct rt_pids *pids, struct rt_error *err)
{
	static const char between[] = ", \t\n";
	const char *at = text;
	uint64_t pid;

	do {
		at += strspn(at, between);
		if (!rt_scan_number(&at, 10, &pid) || !pid || pid > INT_MAX ||
		    (*at && !strchr(between, *at)))
			return rt_usage(err, "%s%s: expected %s", option, text, expected);
		if (rt_pids_has(pids, (pid_t)pid))
			continue;
		if (pids->n == RT_PIDS_MOST)
			return rt_usage(err, "%s%s: too many; at most %d", option, text,
					RT_PIDS_MOST);
		pids->v[pids->n++] = (pid_t)pid;
	} while (at[strspn(at, between)]);
	return 0;
}

/* Ids, or the name of processes. */
static int parse_pids(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (is_name(text))
		return rt_named_find(text, &o->pids, err);
	return parse_ids("-p ", text, "a process id, several with commas, or a name", &o->pids,
			 err);
}

static int parse_tids(struct rt_options *o, const char *text, struct rt_error *err)
{
	return parse_ids("--tid=", text, "a thread id, or several with commas", &o->tids, err);
}

static int parse_batch(struct rt_options *o, const char *text, struct rt_error *err)
{
	o->batch = true;
	return text ? parse_limit("--batch=", text, 1, INT_MAX, &o->rounds, err) : 0;
}

static int parse_dump(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (strcmp(text, "ir") == 0)
		o->dump = RT_DUMP_IR;
	else if (strcmp(text, "bpf") == 0)
		o->dump = RT_DUMP_BPF;
	else if (strcmp(text, "tracefs") == 0)
		o->dump = RT_DUMP_TRACEFS;
	else
		return rt_usage(err, "--dump=%s: expected ir, bpf or tracefs", text);
	return 0;
}

static int parse_entry(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (strcmp(text, "exact") != 0 && strcmp(text, "auto") != 0)
		return rt_usage(err, "--entry=%s: expected auto or exact", text);
	o->exact = strcmp(text, "exact") == 0;
	return 0;
}

static int parse_demangle(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (strcmp(text, "no") != 0 && strcmp(text, "yes") != 0)
		return rt_usage(err, "--demangle=%s: expected yes or no", text);
	o->raw_names = strcmp(text, "no") == 0;
	return 0;
}

static int parse_return(struct rt_options *o, const char *text, struct rt_error *err)
{
	static const char *const names[] = { [RT_WANT_AUTO] = "auto",
					     [RT_WANT_URETPROBE] = "uretprobe",
					     [RT_WANT_INSN] = "insn",
					     [RT_WANT_NONE] = "none" };
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		o->returns = (enum rt_want)i;
		return 0;
	}
	return rt_usage(err, "--return=%s: expected auto, uretprobe, insn or none", text);
}

static int parse_buffer(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (rt_size_parse(text, &o->buffer) < 0 || !o->buffer)
		return rt_usage(
			err, "--buffer=%s: expected a size for each CPU, such as 512K or 8M", text);
	return 0;
}

static int parse_stack_size(struct rt_options *o, const char *text, struct rt_error *err)
{
	size_t size;

	if (rt_size_parse(text, &size) < 0 || size < RT_STACK_BYTES_LEAST ||
	    size > RT_STACK_BYTES_MOST)
		return rt_usage(err, "--stack-size=%s: expected %d to %d bytes, such as 24K", text,
				RT_STACK_BYTES_LEAST, RT_STACK_BYTES_MOST);
	o->stack_size = (uint32_t)size & ~7u;
	return 0;
}

static int parse_min_time(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (rt_time_parse(text, &o->min_time) < 0)
		return rt_usage(err,
				"--min-time=%s: expected a time, such as 300ns, 20us, 1.5ms or 2s",
				text);
	return 0;
}

static int parse_from(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (rt_time_parse(text, &o->from) == 0)
		return 0;
	return rt_usage(err, "--from=%s: expected a time, such as 300us, 1.5ms or 2s", text);
}

static int parse_to(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (rt_time_parse(text, &o->to) == 0)
		return 0;
	return rt_usage(err, "--to=%s: expected a time, such as 300us, 1.5ms or 2s", text);
}

static int parse_glob(const char *option, const char *text, const char **globs, unsigned *n,
		      struct rt_error *err)
{
	if (*n == RT_GLOBS_MOST)
		return rt_usage(err, "--%s=%s: too many; at most %d", option, text, RT_GLOBS_MOST);
	globs[(*n)++] = text;
	return 0;
}

static int parse_only(struct rt_options *o, const char *text, struct rt_error *err)
{
	return parse_glob("only", text, o->only, &o->nonly, err);
}

static int parse_exclude(struct rt_options *o, const char *text, struct rt_error *err)
{
	return parse_glob("exclude", text, o->excluded, &o->nexcluded, err);
}

static int parse_summary(struct rt_options *o, const char *text, struct rt_error *err)
{
	(void)text;
	(void)err;
	o->format = rt_sink_summary.name;
	return 0;
}

static int parse_sort(struct rt_options *o, const char *text, struct rt_error *err)
{
	static const struct {
		const char *word, *column;
	} strace[] = { { "time", "total" }, { "count", "calls" }, { "errors", "failed" },
		       { "error", "failed" }, { "name", "function" } };
	const char *column = text;
	unsigned i;

	for (i = 0; i < RT_COUNT(strace); i++)
		if (strcmp(text, strace[i].word) == 0)
			column = strace[i].column;
	for (i = 0; rt_sort_name(i); i++) {
		if (strcmp(rt_sort_name(i), column) != 0)
			continue;
		o->sort = (enum rt_sort)i;
		return 0;
	}
	return rt_usage_words(err, "sort", "column", text, rt_sort_name);
}

static int parse_color(struct rt_options *o, const char *text, struct rt_error *err)
{
	static const char *const names[] = { [RT_COLOR_AUTO] = "auto",
					     [RT_COLOR_ALWAYS] = "always",
					     [RT_COLOR_NEVER] = "never" };
	unsigned i;

	for (i = 0; i < RT_COUNT(names); i++) {
		if (strcmp(text, names[i]) != 0)
			continue;
		o->color = (enum rt_color)i;
		return 0;
	}
	return rt_usage(err, "--color=%s: expected auto, always or never", text);
}

/* -t, -tt, -ttt */
static int parse_time(struct rt_options *o, const char *text, struct rt_error *err)
{
	(void)text;
	if (o->stamp == RT_STAMP_SINCE)
		return rt_usage(err, "-t: not together with -r");
	if (o->stamp < RT_STAMP_EPOCH)
		o->stamp++;
	return 0;
}

static int parse_relative(struct rt_options *o, const char *text, struct rt_error *err)
{
	(void)text;
	if (o->stamp && o->stamp != RT_STAMP_SINCE)
		return rt_usage(err, "-r: not together with -t");
	o->stamp = RT_STAMP_SINCE;
	return 0;
}

static int parse_width(struct rt_options *o, const char *text, struct rt_error *err)
{
	return parse_limit("--width=", text, 20, 100000, &o->width, err);
}

static int parse_last(struct rt_options *o, const char *text, struct rt_error *err)
{
	enum { LEAST = 1 << 20, DEFAULT = 64 << 20 };

	if (rt_time_parse(text, &o->keep.ns) == 0) {
		if (!o->keep.bytes)
			o->keep.bytes = DEFAULT;
		return 0;
	}
	if (rt_size_parse(text, &o->keep.bytes) == 0 && o->keep.bytes >= LEAST)
		return 0;
	return rt_usage(err, "--last=%s: expected a time, such as 10s, or a size from 1M", text);
}

static int parse_on_slow(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (rt_time_parse(text, &o->keep.slow) == 0)
		return 0;
	return rt_usage(err, "--on-slow=%s: expected a time, such as 300us, 5ms or 2s", text);
}

static int parse_string(struct rt_options *o, const char *text, struct rt_error *err)
{
	return parse_limit("-s ", text, 1, RT_LIMIT_STRING_MAX, &o->limits.string, err);
}

static int parse_members(struct rt_options *o, const char *text, struct rt_error *err)
{
	return parse_limit("--members=", text, 1, RT_LIMIT_MEMBERS_MAX, &o->limits.members, err);
}

static int parse_deref(struct rt_options *o, const char *text, struct rt_error *err)
{
	return parse_limit("--deref=", text, 0, RT_MAX_DEREF - 1, &o->limits.deref, err);
}

/* -ff: each process has a file of its own. */
static int parse_follow(struct rt_options *o, const char *text, struct rt_error *err)
{
	(void)text;
	(void)err;
	o->separate = o->follow;
	o->follow = true;
	return 0;
}

static int parse_output(struct rt_options *o, const char *text, struct rt_error *err)
{
	o->output = text;
	return *text ? 0 : rt_usage(err, "-o '': expected a file name");
}

/* strace's -e KIND=...: does it choose anything but what is traced? */
static bool is_other_kind(const char *text)
{
	size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz-");

	return n && text[n] == '=';
}

/* The end of a specification: a comma inside of brackets or quotes is its own. */
static size_t event_length(const char *text)
{
	unsigned depth = 0;
	bool quoted = false;
	size_t i;

	for (i = 0; text[i] && (text[i] != ',' || depth || quoted); i++)
		if (text[i] == '"')
			quoted = !quoted;
		else if (!quoted && strchr("([{<", text[i]))
			depth++;
		else if (!quoted && strchr(")]}>", text[i]) && depth)
			depth--;
	return i;
}

/* [trace=][!]FUNCTION,...; '!' is for all of them. */
static int parse_event(struct rt_options *o, const char *text, struct rt_error *err)
{
	const char *at = text;
	char **events;
	bool excluded;
	size_t n;

	if (!rt_scan_text(&at, "trace=") && is_other_kind(text))
		return rt_usage(err, "-e %s: only functions are chosen: -e FUNCTION,...", text);
	excluded = rt_scan_text(&at, "!");
	if (*at == '%')
		return rt_usage(err, "-e %s: there are no classes; try a glob or a set: "
				     "-e 'libc.so.6:open*', -e @libc", text);
	do {
		n = event_length(at);
		if (!n)
			return rt_usage(err, "-e %s: expected functions, with commas", text);
		events = realloc(o->events, (o->nevents + 1) * sizeof(*events));
		if (!events)
			return rt_nomem(err);
		o->events = events;
		if (asprintf(&events[o->nevents], "%s%.*s", excluded ? "!" : "", (int)n, at) < 0)
			return rt_nomem(err);
		o->nevents++;
		at += n;
	} while (*at++);
	return 0;
}

/* -q, -qq */
static int parse_quiet(struct rt_options *o, const char *text, struct rt_error *err)
{
	(void)text;
	(void)err;
	o->quiet++;
	return 0;
}

static int parse_libcalls(struct rt_options *o, const char *text, struct rt_error *err)
{
	(void)err;
	o->libcalls = text ? text : "*";
	return 0;
}

static int parse_help(struct rt_options *o, const char *text, struct rt_error *err)
{
	(void)text;
	(void)err;
	o->command = RT_CMD_HELP;
	return 0;
}

static int parse_version(struct rt_options *o, const char *text, struct rt_error *err)
{
	(void)text;
	(void)err;
	o->command = RT_CMD_VERSION;
	return 0;
}

static void choose_format(unsigned i, const char **name, const char **help)
{
	const struct rt_sink_ops *ops = rt_format_at(i);

	*name = ops ? ops->name : NULL;
	*help = ops ? ops->help : NULL;
}

static void choose_sink(unsigned i, const char **name, const char **help)
{
	const struct rt_sink_ops *ops = rt_sink_at(i);

	*name = ops ? ops->name : NULL;
	*help = ops ? ops->help : NULL;
}

static void choose_mechanism(unsigned i, const char **name, const char **help)
{
	const struct rt_attach_ops *ops = rt_attach_at(i);

	*name = ops ? ops->name : NULL;
	*help = ops ? ops->help : NULL;
}

static void choose_ring(unsigned i, const char **name, const char **help)
{
	const struct rt_ring_ops *ops = rt_ring_at(i);

	*name = ops ? ops->name : NULL;
	*help = ops ? ops->help : NULL;
}

#define FLAG(member) .flag = offsetof(struct rt_options, member)
#define WORD(member) .word = offsetof(struct rt_options, member)

#define TREE RT_FOR(RT_CMD_TRACE)
#define RECORD RT_FOR(RT_CMD_RECORD)
#define TRACE (TREE | RECORD)
#define REPORT RT_FOR(RT_CMD_REPORT)
#define DIFF RT_FOR(RT_CMD_DIFF)
#define TOP RT_FOR(RT_CMD_TOP)
#define TABLES (RT_FOR(RT_CMD_COUNT) | RT_FOR(RT_CMD_HIST) | TOP)
#define LIST RT_FOR(RT_CMD_LIST)
#define DOCTOR RT_FOR(RT_CMD_DOCTOR)
#define ALL (TRACE | TABLES | REPORT | DIFF | LIST | DOCTOR)

const struct rt_option rt_option_table[] = {
	{ "pid", 'p', "PID,...|NAME",
	  "trace running processes of one program, with all their threads",
	  .commands = TRACE | TABLES | LIST, .parse = parse_pids },
	{ "all", 'a', NULL, "trace every process that runs FILE, now and later, until ^C",
	  .commands = TRACE | TABLES, FLAG(all) },
	{ "budget", 0, "SHARE", "with -a: end the trace when it costs more of a CPU (5%)",
	  .commands = TRACE | TABLES, .parse = parse_budget },
	{ "cgroup", 0, "PATH", "like -a, in the control group PATH and below it",
	  .commands = TRACE | TABLES, .parse = parse_cgroup },
	{ "unit", 0, "UNIT", "like -a, in the control group of a systemd unit (nginx.service)",
	  .commands = TRACE | TABLES, .parse = parse_unit },
	{ "user", 'u', "USER", "start PROGRAM as USER, with the groups of USER",
	  .commands = TRACE | TABLES, WORD(user) },
	{ "follow-forks", 'f', NULL, "trace children too, and the programs that they run;\n"
	  "-ff -o FILE: write a file a process, FILE.PID",
	  .commands = TRACE | TABLES, .parse = parse_follow },
	{ "events", 'e', "FUNC,...",
	  "trace these functions too, as those behind PROGRAM; '!FUNC,...': leave\n"
	  "them out",
	  .commands = TRACE | TABLES, .parse = parse_event },
	{ "output", 'o', "FILE",
	  "write the trace to FILE, not to standard error; - is standard output,\n"
	  "'|COMMAND' the input of a command",
	  .commands = TRACE | TABLES, .parse = parse_output },
	{ "output", 'o', "FILE", "write the report to FILE, not to standard output",
	  .commands = REPORT, .parse = parse_output },
	{ "output-append-mode", 'A', NULL, "with -o: keep what FILE has, and write behind it",
	  .commands = TREE | TABLES | REPORT, FLAG(append) },
	{ "last", 0, "TIME|SIZE",
	  "keep only the newest TIME (10s), or SIZE (64M), in memory; write\n"
	  "it on SIGUSR1, or when a signal ends the program",
	  .commands = RECORD, .parse = parse_last },
	{ "on-slow", 0, "TIME", "with --last: write it when a call takes so long (5ms)",
	  .commands = RECORD, .parse = parse_on_slow },
	{ "on-fail", 0, NULL, "with --last: write it when a call fails", .commands = RECORD,
	  FLAG(keep.failed) },
	{ "format", 'F', "FORMAT", "how the trace is written:", choose_format, .commands = TREE,
	  WORD(format) },
	{ "format", 'F', "FORMAT", "how the report is written:", choose_sink, .commands = REPORT,
	  WORD(format) },
	{ "format", 'F', "FORMAT", "how the list is written: text or json", .commands = LIST,
	  WORD(format) },
	{ "summary", 'c', NULL, "print a table of functions at the end: --format=summary",
	  .commands = TREE | REPORT, .parse = parse_summary },
	{ "attach", 0, "MECHANISM",
	  "put the probes in by MECHANISM; without it, by the first of\n"
	  "these that works:",
	  choose_mechanism, .commands = TRACE | TABLES, WORD(attach) },
	{ "no-bpf", 0, NULL, "call neither bpf(2) nor perf_event_open(2): tracefs alone",
	  .commands = TRACE | TABLES, FLAG(no_bpf) },
	{ "buffer", 0, "SIZE", "the ring's size a CPU (8M); K, M and G are understood",
	  .commands = TRACE | TABLES, .parse = parse_buffer },
	{ "ring", 0, "RING",
	  "take the events from BPF programs by RING; without it, by the\n"
	  "first of these that works:",
	  choose_ring, .commands = TRACE, WORD(ring) },
	{ "depth", 0, "N", "show only N levels of calls", .commands = TRACE | REPORT | DIFF,
	  .parse = parse_depth },
	{ "min-time", 0, "TIME",
	  "show only calls that took so long (20us, 1.5ms, 2s), and those around",
	  .commands = TRACE | REPORT | DIFF, .parse = parse_min_time },
	{ "failed", 'Z', NULL,
	  "show only calls that failed, of functions with a prototype that says how",
	  .commands = TRACE | TABLES | REPORT, FLAG(failed) },
	{ "why", 0, NULL,
	  "show calls that meet a condition on their end, or failed (--failed), with\n"
	  "all calls inside them and those around",
	  .commands = TRACE | REPORT, FLAG(why) },
	{ "only-under", 0, "FUNC", "show only calls of FUNC, and what is called in them",
	  .commands = TRACE | REPORT | DIFF, WORD(only_under) },
	{ "only", 0, "GLOB", "show only the functions that GLOB matches; may be repeated",
	  .commands = REPORT | DIFF, .parse = parse_only },
	{ "exclude", 'x', "GLOB", "do not show the functions that GLOB matches; may be repeated",
	  .commands = REPORT | DIFF, .parse = parse_exclude },
	{ "exclude", 'x', "FUNC",
	  "do not trace FUNC (a glob, LIBRARY:GLOB), as '!FUNC' does; may be repeated",
	  .commands = TRACE | TABLES, .parse = parse_exclude },
	{ "tid", 0, "TID,...", "show only calls of these threads",
	  .commands = TRACE | REPORT, .parse = parse_tids },
	{ "from", 0, "TIME",
	  "show only calls that begin TIME (20us, 1.5s) into the trace or later",
	  .commands = REPORT | DIFF, .parse = parse_from },
	{ "to", 0, "TIME", "show only calls that begin before TIME", .commands = REPORT | DIFF,
	  .parse = parse_to },
	{ "sort", 'S', "COLUMN",
	  "sort --format=summary by calls, total (without it), self, avg, min, p50,\n"
	  "p99, max, failed or function, and graph by calls, total or self",
	  .commands = TREE | REPORT, .parse = parse_sort },
	{ "sort", 'S', "COLUMN", "sort by the difference of total (without it), calls or self",
	  .commands = DIFF, .parse = parse_sort },
	{ "sort", 'S', "COLUMN", "sort by calls, avg, p99 or self (without it)", .commands = TOP,
	  .parse = parse_sort },
	{ "first", 0, NULL, "print the first call at which the two runs part", .commands = DIFF,
	  FLAG(first) },
	{ "callers", 0, NULL, "--format=graph from the bottom up: below a function its callers",
	  .commands = TREE | REPORT, FLAG(callers) },
	{ "color", 0, "WHEN", "colours in --format=flow: auto (on a terminal), always or never",
	  .commands = TREE | REPORT, .parse = parse_color },
	{ "width", 0, "N", "cut lines of --format=flow at N columns, not at the terminal's width",
	  .commands = TREE | REPORT, .parse = parse_width },
	{ "absolute-timestamps", 't', NULL,
	  "in tree and flow, the time of the day on each line; -tt: with\n"
	  "microseconds; -ttt: seconds since 1970",
	  .commands = TREE | REPORT, .parse = parse_time },
	{ "relative-timestamps", 'r', NULL, "in tree and flow, the time since the line before",
	  .commands = TREE | REPORT, .parse = parse_relative },
	{ "call-times", 'T', NULL, "in tree, how long a call took, behind its result",
	  .commands = TREE | REPORT, FLAG(durations) },
	{ "stack-trace", 'k', NULL, "in tree, flow and json, the callers of each call",
	  .commands = TREE, FLAG(stacks) },
	{ "stack-size", 0, "SIZE", "with -k and by path: copy so much of each stack (8K)",
	  .commands = TREE | RT_FOR(RT_CMD_COUNT) | RT_FOR(RT_CMD_HIST),
	  .parse = parse_stack_size },
	{ "batch", 0, "[N]", "print N tables to standard output, one a second; not on a terminal",
	  .commands = TOP, .parse = parse_batch },
	{ "net", 0, NULL, "take the cost of the probes off each duration; say how much it was",
	  .commands = REPORT, FLAG(net) },
	{ "libcalls", 0, "[GLOB]",
	  "trace the calls that the program itself makes to functions of its\n"
	  "libraries (matching GLOB)",
	  .commands = TRACE, .parse = parse_libcalls },
	{ "string-limit", 's', "N", "show N bytes of a string (64)", .commands = TRACE | TABLES,
	  .parse = parse_string },
	{ "members", 0, "N", "show N members of a structure, or elements of an array (16)",
	  .commands = TRACE | TABLES, .parse = parse_members },
	{ "deref", 0, "N", "follow N pointers to structures, one from the other (1)",
	  .commands = TRACE | TABLES, .parse = parse_deref },
	{ "fd-paths", 'y', NULL, "say what file descriptors are", .commands = TRACE | TABLES,
	  FLAG(fd_paths) },
	{ "entry", 0, "WHERE",
	  "where a function's probe is placed: auto (behind its entry, where\n"
	  "that is proven to be the same and costs less), or exact",
	  .commands = TRACE | TABLES, .parse = parse_entry },
	{ "demangle", 0, "no",
	  "print the names of C++ and Rust functions as the symbol table has them",
	  .commands = TRACE | TABLES | LIST, .parse = parse_demangle },
	{ "return", 0, "HOW",
	  "how returns are seen: auto (a uretprobe; exit probes where that could\n"
	  "harm the program), uretprobe, insn (exit probes), or none",
	  .commands = TRACE | TABLES | LIST, .parse = parse_return },
	{ "dump", 0, "WHAT",
	  "print what would be given to the kernel, and trace nothing:\n"
	  "ir (prototypes, and what is read), bpf (a listing), tracefs\n"
	  "(uprobe_events lines)",
	  .commands = TRACE | TABLES, .parse = parse_dump },
	{ "clean", 0, NULL, "remove what killed rawtrace processes have left in tracefs",
	  .commands = DOCTOR, FLAG(clean) },
	{ "quiet", 'q', NULL,
	  "do not say what is attached, where the trace is written, what had no\n"
	  "call, or that children are not traced; -qq: nor how processes end",
	  .commands = TRACE | TABLES | REPORT, .parse = parse_quiet },
	{ "verbose", 'v', NULL, "say which mechanism is used, and why not another",
	  .commands = TRACE | TABLES, FLAG(verbose) },
	{ "help", 'h', NULL, "print this text", .commands = ALL, .parse = parse_help },
	{ "version", 'V', NULL, "print the version and what is built in", .commands = ALL,
	  .parse = parse_version },
	{ .name = NULL },
};
