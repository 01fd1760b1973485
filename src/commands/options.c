/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/scan.h"
#include "commands/command.h"
#include "commands/option_table.h"
#include "output/out_file.h"

int rt_size_parse(const char *text, size_t *size)
{
	unsigned shift = 0;
	unsigned long v;
	char *end;

	errno = 0;
	v = strtoul(text, &end, 10);
	if (end == text || *text == '-' || errno)
		return -EINVAL;
	if (*end == 'K' || *end == 'k')
		shift = 10;
	else if (*end == 'M' || *end == 'm')
		shift = 20;
	else if (*end == 'G' || *end == 'g')
		shift = 30;
	if (end[shift != 0] != '\0' || v > (SIZE_MAX >> shift))
		return -EINVAL;
	*size = (size_t)v << shift;
	return 0;
}

int rt_time_parse(const char *text, uint64_t *ns)
{
	return rt_scan_time(&text, ns) && !*text && *ns ? 0 : -EINVAL;
}

/* Options of strace, ltrace and perf, and the words to type instead. */
static const struct {
	char letter;
	const char *name; /* strace's long one; NULL: not answered */
	const char *answer;
} answers[] = {
	{ 'b', "detach-on", "programs that exec runs are traced with -f alone" },
	{ 'C', "summary", "rawtrace record keeps the calls; rawtrace report -c prints a table of "
			  "them" },
	{ 'd', "debug", "-v says how the program is traced" },
	{ 'D', NULL, "--depth=N shows N levels of calls" },
	{ 'E', "env", "type: env NAME=VALUE rawtrace PROGRAM" },
	{ 'g', NULL, "rawtrace record keeps who called whom; rawtrace report -F graph shows it" },
	{ 'i', "instruction-pointer", "-k prints the callers and their addresses" },
	{ 'l', NULL, "functions of a library are named LIBRARY:FUNCTION; --libcalls traces what "
		     "the program imports" },
	{ 'n', "syscall-number", "functions are traced, not system calls; for these: strace -n" },
	{ 'N', NULL, "-x FUNC does not trace FUNC" },
	{ 'O', "summary-syscall-overhead", "rawtrace doctor prints the cost of a probe" },
	{ 'P', "trace-path", "a condition chooses calls by their arguments: 'f(int fd == 3)'" },
	{ 'R', NULL, "results are shown without an option" },
	{ 'U', "summary-columns", "-c prints all columns; -S COLUMN sorts by one" },
	{ 'w', "summary-wall-clock", "all times are from entry to return" },
	{ 'z', "successful-only", "a condition chooses calls by their result: "
				  "'read(return >= 0)'" },
	{ 0, "decode-fds", "type -y" },
	{ 0, "failed-only", "type -Z" },
	{ 0, "output-separately", "type -ff -o FILE" },
	{ 0, "stack-traces", "type -k" },
	{ 0, "summary-only", "type -c" },
	{ 0, "syscall-times", "type -T" },
	{ 0, "trace", "type -e FUNCTION,..." },
};

/* `word` is --NAME or --NAME=VALUE, if `letter` is 0. */
static const char *answer_for(int letter, const char *word)
{
	const char *name;
	size_t i, n;

	for (i = 0; i < RT_COUNT(answers); i++) {
		name = answers[i].name;
		n = name ? strlen(name) : 0;
		if (letter ? answers[i].letter == letter
			   : n && strncmp(word + 2, name, n) == 0 &&
				     (word[2 + n] == '\0' || word[2 + n] == '='))
			return answers[i].answer;
	}
	return "no such option; see rawtrace --help";
}

/* ---- getopt by the table ---- */

/* The value that getopt_long returns for row i: its letter, or LONG + i. */
enum { ROWS = 64, LONG = 256 };

struct getopt_tables {
	struct option longs[ROWS];
	char letters[2 + 2 * ROWS + 1];
};

/* '-': words come as option 1, in order, wherever the options stand; ':': so do missing values. */
static void fill_tables(struct getopt_tables *t)
{
	const struct rt_option *row = rt_option_table;
	char *letter = t->letters;
	unsigned i, n = 0;

	memset(t, 0, sizeof(*t));
	*letter++ = '-';
	*letter++ = ':';
	for (i = 0; row[i].name && n < ROWS - 1; i++) {
		/* Commands may describe an option each in their own way. */
		if (i && strcmp(row[i].name, row[i - 1].name) == 0)
			continue;
		t->longs[n++] = (struct option){
			.name = row[i].name,
			.has_arg = !row[i].argument	   ? no_argument
				   : *row[i].argument == '[' ? optional_argument
							     : required_argument,
			.val = row[i].letter ? row[i].letter : (int)(LONG + i),
		};
		if (!row[i].letter)
			continue;
		*letter++ = row[i].letter;
		if (row[i].argument)
			*letter++ = ':';
	}
}

static unsigned row_of(int c)
{
	unsigned i;

	for (i = 0; c < LONG && rt_option_table[i].letter != c; i++)
		;
	return c < LONG ? i : (unsigned)c - LONG;
}

/*
 * getopt leaves in optopt a letter that is no option (of several in a word, so that argv is not yet
 * past it), or what a long one means.  Behind PROGRAM it may be meant for that.
 */
static int unknown_option(const struct rt_options *o, const char *letters, char **argv,
			  struct rt_error *err)
{
	bool command = o->words[0] && rt_command_find(o->words[0]) != RT_CMD_TRACE;
	const char *word = argv[optind - 1], *program = o->words[command];
	char option[] = { '-', (char)optopt, '\0' };

	if (optopt > UCHAR_MAX || (optopt && strchr(letters, optopt)))
		return rt_usage(err, "%s: takes no value; see rawtrace --help", word);
	if (optopt && (word[0] != '-' || word[1] == '-' ||
		       word[strlen(word) - 1] != optopt))
		word = argv[optind];
	rt_usage(err, "%s: %s", optopt ? option : word, answer_for(optopt, word));
	if (program && !o->pids.n && !o->all)
		rt_error_add(err, "; an option of %.40s goes behind --: rawtrace %.40s -- %.40s",
			     program, program, word);
	return -EINVAL;
}

static int take_option(struct rt_options *o, int c, const char *letters, char **argv,
		       struct rt_error *err)
{
	const struct rt_option *row;
	unsigned i;

	if (c == ':')
		return rt_usage(err, "%s: needs a value; see rawtrace --help",
				argv[optind - 1]);
	if (c == '?')
		return unknown_option(o, letters, argv, err);
	i = row_of(c);
	row = &rt_option_table[i];
	o->given |= UINT64_C(1) << i;
	if (row->flag)
		*(bool *)((char *)o + row->flag) = true;
	else if (row->word)
		*(const char **)((char *)o + row->word) = optarg;
	else
		return row->parse(o, optarg, err);
	return 0;
}

/* ---- which go together ---- */

static int refuse(const struct rt_option *row, const char *what, struct rt_error *err)
{
	return row->letter ? rt_usage(err, "-%c: not allowed with %s", row->letter, what)
			   : rt_usage(err, "--%s: not allowed with %s", row->name, what);
}

/* Has the command that option?  Of several rows for an option the first one counts as given. */
static bool has_option(enum rt_command command, const struct rt_option *row)
{
	const char *name = row->name;

	for (; row->name && strcmp(row->name, name) == 0; row++)
		if (row->commands & RT_FOR(command))
			return true;
	return false;
}

/* Nothing that is asked for is passed over in silence. */
static int check_given(const struct rt_options *o, struct rt_error *err)
{
	const char *refusal = rt_commands[o->command].refusal;
	const struct rt_option *row;
	unsigned command = 0;

	for (row = rt_option_table; row->name; row++) {
		if (!(o->given >> (row - rt_option_table) & 1) || has_option(o->command, row))
			continue;
		if (refusal)
			return refuse(row, refusal, err);
		while (!(row->commands & RT_FOR(command)))
			command++;
		return rt_usage(err, "--%s goes with: rawtrace %s", row->name,
				rt_commands[command].name);
	}
	return 0;
}

static bool has_format(const struct rt_options *o, const char *name)
{
	return strcmp(o->format ? o->format : "tree", name) == 0;
}

/* -t, -r, -T, --color and --width belong to the texts of calls. */
static int check_text(const struct rt_options *o, struct rt_error *err)
{
	bool flow = has_format(o, "flow");

	if ((o->stamp || o->durations) && !flow && !has_format(o, "tree"))
		return rt_usage(err, "-t, -r, -T: go with --format=tree and flow");
	if ((o->color != RT_COLOR_AUTO || o->width) && !flow)
		return rt_usage(err, "--color, --width: go with --format=flow");
	return 0;
}

/* -k needs return addresses as calls left them, and room for a copy of the stack. */
static int check_stacks(const struct rt_options *o, struct rt_error *err)
{
	const char *what = rt_options_stacks(o);

	if (o->stack_size && !o->stacks && o->by < 2)
		return rt_usage(err, "--stack-size: goes with -k and by path");
	if (!o->stacks && !o->by)
		return 0;
	if (o->stacks && !has_format(o, "tree") && !has_format(o, "flow") && !has_format(o, "json"))
		return rt_usage(err, "-k: goes with --format=tree, flow and json");
	if (o->returns == RT_WANT_URETPROBE)
		return rt_usage(err, "%s: not allowed with --return=uretprobe: it replaces "
				     "return addresses", what);
	if (o->no_bpf || (o->attach && strcmp(o->attach, "tracefs") == 0))
		return rt_usage(err, "%s: only BPF programs copy stacks; try without %s", what,
				o->no_bpf ? "--no-bpf" : "--attach=tracefs");
	if (o->ring && strcmp(o->ring, "perf") == 0)
		return rt_usage(err, "%s: a perf ring has no room for stacks; try without "
				     "--ring=perf", what);
	if (o->min_time)
		return rt_usage(err, "-k: not allowed with --min-time");
	return 0;
}

/* Options that belong to a format. */
static int check_view(const struct rt_options *o, struct rt_error *err)
{
	bool graph = has_format(o, "graph"), summary = has_format(o, "summary");

	if (check_text(o, err) < 0 || check_stacks(o, err) < 0)
		return -EINVAL;
	if (o->command == RT_CMD_TOP) {
		if (!o->sort)
			return 0;
		return o->sort == RT_SORT_CALLS || o->sort == RT_SORT_AVG ||
				       o->sort == RT_SORT_P99 || o->sort == RT_SORT_SELF
			       ? 0
			       : rt_usage(err, "--sort=%s: top sorts by calls, avg, p99 or self",
					  rt_sort_name(o->sort));
	}
	if (o->callers && !graph)
		return rt_usage(err, "--callers: goes with --format=graph");
	if (o->sort == RT_SORT_TOTAL || summary ||
	    (graph && (o->sort == RT_SORT_CALLS || o->sort == RT_SORT_SELF)))
		return 0;
	return rt_usage(err, "--sort=%s: goes with --format=summary", rt_sort_name(o->sort));
}

/* -o and -A. */
static int check_output(const struct rt_options *o, struct rt_error *err)
{
	bool command = rt_out_file_is_command(o->output);
	const struct rt_sink_ops *ops;

	if (command && (o->separate || rt_keep_any(&o->keep)))
		return rt_usage(err, "-o '%s': %s writes files, not to a command", o->output,
				o->separate ? "-ff" : "--last");
	if (!o->append)
		return 0;
	if (!o->output || command || strcmp(o->output, "-") == 0)
		return rt_usage(err, "-A: goes with -o FILE");
	ops = o->format ? rt_sink_find(o->format) : NULL;
	return ops && ops->path && ops != &rt_sink_ndjson
		       ? rt_usage(err, "-A: --format=%s is one whole file", o->format)
		       : 0;
}

static int check_trace(const struct rt_options *o, struct rt_error *err)
{
	if (o->separate && (!o->output || strcmp(o->output, "-") == 0))
		return rt_usage(err,
				"-ff: a file a process is written, FILE.PID; name FILE with -o");
	if (check_view(o, err) < 0 || check_output(o, err) < 0)
		return -EINVAL;
	if ((o->keep.slow || o->keep.failed) && !rt_keep_any(&o->keep))
		return rt_usage(err, "--on-slow, --on-fail: go with --last, such as --last=10s");
	if (rt_keep_any(&o->keep) && o->output && strcmp(o->output, "-") == 0)
		return rt_usage(err, "--last: writes files; name one with -o");
	if (o->separate && o->command != RT_CMD_TRACE)
		return rt_usage(err, "-ff: not allowed with %s, which writes one file; try -f",
				rt_commands[o->command].name);
	if (o->no_bpf && o->attach && strcmp(o->attach, "tracefs") != 0)
		return rt_usage(err, "--no-bpf: not allowed with --attach=%s", o->attach);
	if (o->dump != RT_DUMP_NONE && o->output)
		return rt_usage(err,
				"-o: not allowed with --dump, which prints to standard output");
	return 0;
}

/* -a FILE:FUNCTION...: what is for one program or process alone is an error. */
static int check_all(const struct rt_options *o, int n, char **rest, int nrest,
		     struct rt_error *err)
{
	static const char *const others[] = { "pid", "user", "follow-forks", "no-bpf", "libcalls",
					      "dump" };
	const struct rt_option *row;
	unsigned i;

	for (row = rt_option_table; row->name; row++)
		for (i = 0; i < RT_COUNT(others); i++)
			if ((o->given >> (row - rt_option_table) & 1) &&
			    strcmp(row->name, others[i]) == 0)
				return refuse(row, "-a, which traces every process", err);
	if (o->cgroup && o->unit)
		return rt_usage(err, "--cgroup and --unit exclude each other");
	if (nrest)
		return rt_usage(err, "'-- %s': arguments go with a program, not with -a", rest[0]);
	if (o->returns == RT_WANT_URETPROBE)
		return rt_usage(err,
				"--return=uretprobe: not allowed with -a: it could harm others");
	if (check_given(o, err) < 0)
		return -EINVAL;
	if (!n)
		return rt_usage(err, "-a: no function given; try: rawtrace -a ./prog:main");
	return check_trace(o, err);
}

/* '!FUNC' is --exclude=FUNC.  The number of the words that are left, or a usage error. */
static int take_exclusions(struct rt_options *o, char **words, int n, struct rt_error *err)
{
	int i, left = 0;

	for (i = 0; i < n; i++) {
		if (words[i][0] != '!') {
			words[left++] = words[i];
			continue;
		}
		if (o->command == RT_CMD_LIST)
			return rt_usage(err, "%s: list excludes nothing", words[i]);
		if (o->nexcluded == RT_GLOBS_MOST)
			return rt_usage(err, "%s: too many; at most %d are excluded", words[i],
					RT_GLOBS_MOST);
		o->excluded[o->nexcluded++] = words[i] + 1;
	}
	return left;
}

/* Put the functions of -e behind the `n` words, which have room for them.  How many there are. */
static int add_events(const struct rt_options *o, char **words, int n)
{
	unsigned i;

	for (i = 0; i < o->nevents; i++)
		words[n++] = o->events[i];
	return n;
}

/* The last two words of count and hist may be "by caller" or "by path". */
static int take_by(struct rt_options *o, char **words, int n)
{
	if ((o->command != RT_CMD_COUNT && o->command != RT_CMD_HIST) || n < 2 ||
	    strcmp(words[n - 2], "by") != 0)
		return n;
	o->by = strcmp(words[n - 1], "caller") == 0 ? 1
		: strcmp(words[n - 1], "path") == 0 ? UINT_MAX
						    : 0;
	return o->by ? n - 2 : n;
}

/*
 * PROGRAM FUNCTION... or, with -p, FUNCTION...; `rest` are the words after "--", for the program.
 */
static int take_words(struct rt_options *o, int n, int skip, char **rest, int nrest,
		      struct rt_error *err)
{
	char **words = o->words + skip, name[16] = "";

	n = take_by(o, words, n - skip);
	if (*rt_commands[o->command].name)
		snprintf(name, sizeof(name), "%s ", rt_commands[o->command].name);
	if (o->command == RT_CMD_TRACE && check_given(o, err) < 0)
		return -EINVAL;
	if (o->budget && !o->all)
		return rt_usage(err, "--budget: goes with -a, which traces every process");
	if (o->all) {
		n = take_exclusions(o, words, add_events(o, words, n), err);
		if (n < 0)
			return n;
		o->specs = words;
		o->nspecs = n;
		return check_all(o, n, rest, nrest, err);
	}
	if (!o->pids.n) {
		if (n == 0)
			return rt_usage(err,
					"no program given; try: rawtrace %sPROGRAM [FUNCTION]..., "
					"or rawtrace %s-p PID [FUNCTION]...",
					name, name);
		o->program = *words++;
		n--;
		o->argv = calloc((size_t)nrest + 2, sizeof(*o->argv));
		if (!o->argv)
			return rt_nomem(err);
		o->argv[0] = (char *)o->program;
		memcpy(o->argv + 1, rest, (size_t)nrest * sizeof(*rest));
	} else if (o->user) {
		return rt_usage(err, "-u %s: only for a program that rawtrace starts, not for -p",
				o->user);
	} else if (nrest) {
		return rt_usage(
			err,
			"'-- %s': arguments are for a program that rawtrace starts, not for -p",
			rest[0]);
	}
	n = take_exclusions(o, words, add_events(o, words, n), err);
	if (n < 0)
		return n;
	o->specs = words;
	o->nspecs = n;
	if (o->command == RT_CMD_LIST && nrest)
		return rt_usage(err, "'-- %s': list starts no program",
				o->argv[1]);
	if (check_given(o, err) < 0)
		return -EINVAL;
	if (o->command == RT_CMD_LIST)
		return 0;
	return check_trace(o, err);
}

/* The arguments of report: [FILE ...] ['FUNC(CONDITION, ...)' ...]. */
static int take_files(struct rt_options *o, int n, bool rest, struct rt_error *err)
{
	int i, files = 0;

	if (rest)
		return rt_usage(err, "report --: it starts no program; see rawtrace report "
				     "--help");
	/* The files come first, whatever the order was. */
	for (i = 0; i < n; i++) {
		char *word = o->words[1 + i];

		if (strchr(word, '(') && access(word, F_OK) != 0)
			continue;
		memmove(&o->words[2 + files], &o->words[1 + files],
			(size_t)(i - files) * sizeof(word));
		o->words[1 + files++] = word;
	}
	o->files = o->words + 1;
	o->nfiles = (unsigned)files;
	o->specs = o->words + 1 + files;
	o->nspecs = n - files;
	if (o->to && o->to <= o->from)
		return rt_usage(err, "--to: before --from");
	if (check_given(o, err) < 0 || check_view(o, err) < 0)
		return -EINVAL;
	return check_output(o, err);
}

/* diff takes A B. */
static int take_two_files(struct rt_options *o, int n, bool rest, struct rt_error *err)
{
	if (n != 2 || rest)
		return rt_usage(err, "diff: expected two recordings; see rawtrace diff --help");
	o->specs = o->words + 1;
	o->nspecs = n;
	if (o->to && o->to <= o->from)
		return rt_usage(err, "--to: before --from");
	if (o->sort > RT_SORT_SELF)
		return rt_usage(err, "--sort=%s: diff sorts by total, calls or self",
				rt_sort_name(o->sort));
	return check_given(o, err);
}

/*
 * A command before PROGRAM, as all other words may be preceded by options; with -p
 * they must be the very first argument, for a function may be called that.
 */
static bool take_command(struct rt_options *o, const char *first)
{
	if (!o->words[0] || ((o->pids.n || o->all) && o->words[0] != first))
		return false;
	o->command = rt_command_find(o->words[0]);
	return o->command != RT_CMD_TRACE;
}

/* Every kernel has room for what is read without being asked for more. */
static void set_record(struct rt_options *o)
{
	const struct rt_limits *l = &o->limits;
	bool large = l->string > RT_LIMIT_STRING || l->members > RT_LIMIT_MEMBERS ||
		     l->deref > RT_LIMIT_DEREF;

	o->limits.record = large ? RT_LIMIT_RECORD_LARGE : RT_LIMIT_RECORD;
}

/* Options that stand right behind the program may be meant for it. */
static char **options_behind(char **argv, const char *program)
{
	while (*argv != program)
		argv++;
	return argv[1] && argv[1][0] == '-' ? argv + 1 : NULL;
}

int rt_options_parse(struct rt_options *o, int argc, char **argv, struct rt_error *err)
{
	struct getopt_tables tables;
	int end, c, r, n = 0;
	char **words;
	bool took;

	memset(o, 0, sizeof(*o));
	o->limits = (struct rt_limits){ .string = RT_LIMIT_STRING,
					.members = RT_LIMIT_MEMBERS,
					.deref = RT_LIMIT_DEREF };
	/* Words behind the first "--" are the program's, options and all. */
	for (end = 1; end < argc && strcmp(argv[end], "--") != 0; end++)
		;
	o->words = calloc((size_t)argc + 1, sizeof(*o->words));
	if (!o->words)
		return rt_nomem(err);
	fill_tables(&tables);
	optind = 0;
	while ((c = getopt_long(end, argv, tables.letters, tables.longs, NULL)) != -1) {
		if (c == 1) {
			o->words[n++] = optarg;
			continue;
		}
		r = take_option(o, c, tables.letters, argv, err);
		if (r < 0)
			return r;
	}
	words = realloc(o->words, ((size_t)argc + 1 + o->nevents) * sizeof(*words));
	if (!words)
		return rt_nomem(err);
	o->words = words;
	set_record(o);
	if (o->command != RT_CMD_TRACE) {
		o->help_of = n ? rt_command_find(o->words[0]) : RT_CMD_TRACE;
		return 0;
	}
	took = take_command(o, argv[1]);
	if (o->command == RT_CMD_DOCTOR) {
		if (n > 1 || end < argc)
			return rt_usage(err, "doctor %s: only --clean is allowed",
					n > 1 ? o->words[1] : "--");
		return check_given(o, err);
	}
	if (o->command == RT_CMD_DIFF)
		return take_two_files(o, n - took, end < argc, err);
	if (o->command == RT_CMD_REPORT)
		return take_files(o, n - took, end < argc, err);
	r = take_words(o, n, took, end < argc ? argv + end + 1 : argv + end,
		       end < argc ? argc - end - 1 : 0, err);
	if (o->program && end == argc)
		o->behind = options_behind(argv, o->program);
	return r;
}

void rt_options_free(struct rt_options *o)
{
	while (o->nevents)
		free(o->events[--o->nevents]);
	free(o->events);
	free(o->argv);
	free(o->words);
	memset(o, 0, sizeof(*o));
}
