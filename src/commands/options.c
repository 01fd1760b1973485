/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/options.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "process/named.h"

enum {
	OPT_FORMAT = 256,
	OPT_ATTACH,
	OPT_NO_BPF,
	OPT_BUFFER,
	OPT_RING,
	OPT_DUMP,
	OPT_CLEAN,
	OPT_DEMANGLE,
	OPT_ENTRY,
	OPT_DEPTH,
	OPT_MIN_TIME,
	OPT_UNDER,
	OPT_MEMBERS,
	OPT_DEREF,
	OPT_RETURN,
	OPT_LIBCALLS
};

static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "user", required_argument, NULL, 'u' },
	{ "follow-forks", no_argument, NULL, 'f' },
	{ "output", required_argument, NULL, 'o' },
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "attach", required_argument, NULL, OPT_ATTACH },
	{ "no-bpf", no_argument, NULL, OPT_NO_BPF },
	{ "buffer", required_argument, NULL, OPT_BUFFER },
	{ "ring", required_argument, NULL, OPT_RING },
	{ "dump", required_argument, NULL, OPT_DUMP },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "min-time", required_argument, NULL, OPT_MIN_TIME },
	{ "only-under", required_argument, NULL, OPT_UNDER },
	{ "string-limit", required_argument, NULL, 's' },
	{ "members", required_argument, NULL, OPT_MEMBERS },
	{ "deref", required_argument, NULL, OPT_DEREF },
	{ "fd-paths", no_argument, NULL, 'y' },
	{ "entry", required_argument, NULL, OPT_ENTRY },
	{ "return", required_argument, NULL, OPT_RETURN },
	{ "libcalls", optional_argument, NULL, OPT_LIBCALLS },
	{ "demangle", required_argument, NULL, OPT_DEMANGLE },
	{ "clean", no_argument, NULL, OPT_CLEAN },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ 0 },
};

/* '-': words come as option 1, in order, wherever the options stand. */
static const char short_options[] = "-:p:u:fo:s:yvhV";

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
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 } };
	const char *fraction;
	uint64_t v, scale;
	unsigned i;

	/* Not by strtod, which takes "nan", hexadecimal numbers and a locale's point too. */
	if (!rt_scan_number(&text, 10, &v))
		return -EINVAL;
	fraction = text;
	if (rt_scan_text(&text, ".")) {
		fraction = text;
		text += strspn(text, "0123456789");
	}
	for (i = 0; i < RT_COUNT(units) && strcmp(text, units[i].name) != 0; i++)
		;
	if (i == RT_COUNT(units) || v > UINT64_C(1000000000000000000) / units[i].ns)
		return -EINVAL;
	v *= units[i].ns;
	for (scale = units[i].ns / 10; scale && fraction < text; scale /= 10)
		v += (uint64_t)(*fraction++ - '0') * scale;
	*ns = v + (fraction < text && *fraction >= '5');
	return *ns ? 0 : -EINVAL;
}

static int parse_depth(struct rt_options *o, const char *text, struct rt_error *err)
{
	size_t n;

	if (strspn(text, "0123456789") != strlen(text) || rt_size_parse(text, &n) < 0 || n < 1 ||
	    n > INT_MAX)
		return rt_usage(err, "--depth=%s: how many levels to show is expected, from 1 on",
				text);
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
		return rt_usage(err, "%s%s: a number is expected, %u to %u", option, text, least,
				most);
	*limit = (unsigned)n;
	return 0;
}

/* A number begins a list of ids. */
static bool is_name(const char *text)
{
	return *text == '/' || *text == '.' || *text == '_' || (*text >= 'a' && *text <= 'z') ||
	       (*text >= 'A' && *text <= 'Z') || (unsigned char)*text >= 0x80;
}

/*
 * As strace takes them: several between commas or spaces, so that -p "$(pidof nginx)" is right too.
 * Or the name of processes.
 */
static int parse_pids(struct rt_options *o, const char *text, struct rt_error *err)
{
	static const char between[] = ", \t\n";
	const char *at = text;
	uint64_t pid;

	if (is_name(text))
		return rt_named_find(text, &o->pids, err);
	do {
		at += strspn(at, between);
		if (!rt_scan_number(&at, 10, &pid) || !pid || pid > INT_MAX ||
		    (*at && !strchr(between, *at)))
			return rt_usage(err,
					"-p %s: a process id is expected, or several with commas "
					"between them, or a name",
					text);
		if (rt_pids_has(&o->pids, (pid_t)pid))
			continue;
		if (o->pids.n == RT_PIDS_MOST)
			return rt_usage(err, "-p %s: %d processes can be traced at a time", text,
					RT_PIDS_MOST);
		o->pids.v[o->pids.n++] = (pid_t)pid;
	} while (at[strspn(at, between)]);
	return 0;
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
		return rt_usage(err, "--dump=%s: what can be shown is: ir, bpf, tracefs", text);
	return 0;
}

static int parse_entry(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (strcmp(text, "exact") != 0 && strcmp(text, "auto") != 0)
		return rt_usage(err, "--entry=%s: where entry probes stand is: auto, exact", text);
	o->exact = strcmp(text, "exact") == 0;
	return 0;
}

static int parse_demangle(struct rt_options *o, const char *text, struct rt_error *err)
{
	if (strcmp(text, "no") != 0 && strcmp(text, "yes") != 0)
		return rt_usage(err, "--demangle=%s: yes or no is expected", text);
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
	return rt_usage(err, "--return=%s: how returns are seen is: auto, uretprobe, insn, none",
			text);
}

/* Options of strace, ltrace and perf, and the words to type instead. */
static const struct {
	char letter;
	const char *answer;
} answers[] = {
	{ 'c',
	  "calls are counted by: rawtrace count PROGRAM FUNCTION, and timed by: rawtrace hist" },
	{ 'e', "what is traced is named behind the program: rawtrace PROGRAM FUNCTION" },
	{ 'k', "stacks of callers are not printed; trace the callers too, the tree has them around "
	       "a call" },
	{ 'l', "functions of a library are named LIBRARY:FUNCTION; --libcalls traces what the "
	       "program imports" },
	{ 'r', "the tree has no times; use --format=chrome, or rawtrace hist" },
	{ 'S', "system calls are not traced; the C library's functions for them are: rawtrace "
	       "PROGRAM libc.so.6:write" },
	{ 't', "the tree has no times; use --format=chrome" },
	{ 'T', "the tree has no times; use --format=chrome, or rawtrace hist" },
};

static const char *answer_for(int letter)
{
	size_t i;

	for (i = 0; i < RT_COUNT(answers); i++)
		if (answers[i].letter == letter)
			return answers[i].answer;
	return "no such option; see rawtrace --help";
}

/*
 * getopt leaves in optopt a letter that is no option (of several in a word, so that argv is not yet
 * past it), or what a long one stands for.
 */
static int unknown_option(char **argv, struct rt_error *err)
{
	if (optopt > UCHAR_MAX || (optopt && strchr(short_options, optopt)))
		return rt_usage(err, "%s: no value is expected; see rawtrace --help",
				argv[optind - 1]);
	if (optopt)
		return rt_usage(err, "-%c: %s", optopt, answer_for(optopt));
	return rt_usage(err, "%s: no such option; see rawtrace --help", argv[optind - 1]);
}

/* The options that only set something; NULL: another. */
static bool *flag_of(struct rt_options *o, int c)
{
	switch (c) {
	case OPT_NO_BPF:
		return &o->no_bpf;
	case 'y':
		return &o->fd_paths;
	case 'f':
		/* -ff */
		return o->follow ? &o->separate : &o->follow;
	case OPT_CLEAN:
		return &o->clean;
	case 'v':
		return &o->verbose;
	}
	return NULL;
}

/* Those whose value is a word that later stages look at; NULL: another. */
static const char **word_of(struct rt_options *o, int c)
{
	switch (c) {
	case 'u':
		return &o->user;
	case 'o':
		return &o->output;
	case OPT_FORMAT:
		return &o->format;
	case OPT_ATTACH:
		return &o->attach;
	case OPT_RING:
		return &o->ring;
	case OPT_UNDER:
		return &o->only_under;
	case OPT_LIBCALLS:
		return &o->libcalls;
	}
	return NULL;
}

static int parse_value(struct rt_options *o, int c, const char *text, struct rt_error *err)
{
	switch (c) {
	case 'p':
		return parse_pids(o, text, err);
	case OPT_BUFFER:
		if (rt_size_parse(text, &o->buffer) < 0 || !o->buffer)
			return rt_usage(err,
					"--buffer=%s: a size a CPU is expected, such as 512K or 8M",
					text);
		return 0;
	case OPT_DUMP:
		return parse_dump(o, text, err);
	case OPT_RETURN:
		return parse_return(o, text, err);
	case OPT_ENTRY:
		return parse_entry(o, text, err);
	case OPT_DEPTH:
		return parse_depth(o, text, err);
	case OPT_MIN_TIME:
		if (rt_time_parse(text, &o->min_time) < 0)
			return rt_usage(err,
					"--min-time=%s: a time is expected, such as 300ns, 20us, "
					"1.5ms or 2s",
					text);
		return 0;
	case 's':
		return parse_limit("-s ", text, 1, RT_LIMIT_STRING_MAX, &o->limits.string, err);
	case OPT_MEMBERS:
		return parse_limit("--members=", text, 1, RT_LIMIT_MEMBERS_MAX, &o->limits.members,
				   err);
	case OPT_DEREF:
		return parse_limit("--deref=", text, 0, RT_MAX_DEREF - 1, &o->limits.deref, err);
	}
	return parse_demangle(o, text, err);
}

static int parse_option(struct rt_options *o, int c, char **argv, struct rt_error *err)
{
	const char **word = word_of(o, c);
	bool *flag = flag_of(o, c);
	unsigned i;

	if (c == ':')
		return rt_usage(err, "%s: a value is expected; see rawtrace --help",
				argv[optind - 1]);
	if (c == '?')
		return unknown_option(argv, err);
	for (i = 0; long_options[i].val != c; i++)
		;
	o->given |= 1u << i;
	if (c == 'h')
		o->command = RT_CMD_HELP;
	else if (c == 'V')
		o->command = RT_CMD_VERSION;
	else if (flag)
		*flag = true;
	else if (word)
		*word = optarg ? optarg : "*";
	else
		return parse_value(o, c, optarg, err);
	return c != 'o' || *optarg ? 0 : rt_usage(err, "-o '': the name of a file is expected");
}

/*
 * Is an option given of those in `v`, or with `others` one that is not there?  Nothing that is
 * asked for is passed over in silence: an error says that it does not go with `what`.
 */
static int check_given(const struct rt_options *o, const int *v, size_t n, bool others,
		       const char *what, struct rt_error *err)
{
	unsigned i;
	size_t k;
	int c;

	for (i = 0; long_options[i].name; i++) {
		c = long_options[i].val;
		for (k = 0; k < n && v[k] != c; k++)
			;
		if ((o->given >> i & 1) && (k < n) != others)
			return c <= UCHAR_MAX ? rt_usage(err, "-%c does not go with %s", c, what)
					      : rt_usage(err, "--%s does not go with %s",
							 long_options[i].name, what);
	}
	return 0;
}

static const char *command_name(const struct rt_options *o)
{
	return o->command == RT_CMD_LIST    ? "list "
	       : o->command == RT_CMD_COUNT ? "count "
	       : o->command == RT_CMD_HIST  ? "hist "
					    : "";
}

static int check_list(const struct rt_options *o, int nrest, struct rt_error *err)
{
	static const int taken[] = { 'p', OPT_FORMAT, OPT_RETURN, OPT_DEMANGLE };

	if (nrest)
		return rt_usage(err, "'-- %s' does not go with list, which starts no program",
				o->argv[1]);
	return check_given(o, taken, RT_COUNT(taken), true, "list, which traces nothing", err);
}

static int check_trace(const struct rt_options *o, struct rt_error *err)
{
	static const int output[] = { 'o' };
	static const int events[] = { OPT_FORMAT,   OPT_RING,  OPT_DEPTH,
				      OPT_MIN_TIME, OPT_UNDER, OPT_LIBCALLS };
	const char *what = o->command == RT_CMD_COUNT
				   ? "count: it makes one table, and no event leaves the kernel"
				   : "hist: it makes one table, and no event leaves the kernel";

	if (o->separate && (!o->output || strcmp(o->output, "-") == 0))
		return rt_usage(err,
				"-ff: a file a process is written, FILE.PID; name FILE with -o");
	if (o->separate && o->command != RT_CMD_TRACE)
		return rt_usage(err, "-ff does not go with %.5s: it makes one table; -f does",
				command_name(o));
	if (o->no_bpf && o->attach && strcmp(o->attach, "tracefs") != 0)
		return rt_usage(err, "--no-bpf and --attach=%s exclude each other", o->attach);
	if (o->dump != RT_DUMP_NONE &&
	    check_given(o, output, 1, false, "--dump, which prints to standard output", err) < 0)
		return -EINVAL;
	return o->command == RT_CMD_TRACE
		       ? 0
		       : check_given(o, events, RT_COUNT(events), false, what, err);
}

/*
 * PROGRAM FUNCTION... or, with -p, FUNCTION...; `rest` are the words after "--", for the program.
 */
static int take_words(struct rt_options *o, int n, int skip, char **rest, int nrest,
		      struct rt_error *err)
{
	char **words = o->words + skip;

	n -= skip;
	if (o->clean)
		return rt_usage(err, "--clean goes with: rawtrace doctor");
	if (!o->pids.n) {
		if (n == 0)
			return rt_usage(err,
					"what to trace? rawtrace %sPROGRAM FUNCTION..., or "
					"rawtrace %s-p PID FUNCTION...; "
					"see rawtrace --help",
					command_name(o), command_name(o));
		o->program = *words++;
		n--;
		o->argv = calloc((size_t)nrest + 2, sizeof(*o->argv));
		if (!o->argv)
			return rt_nomem(err);
		o->argv[0] = (char *)o->program;
		memcpy(o->argv + 1, rest, (size_t)nrest * sizeof(*rest));
	} else if (o->user) {
		return rt_usage(err, "-u %s: goes with a program that rawtrace starts, not with -p",
				o->user);
	} else if (nrest) {
		return rt_usage(
			err,
			"'-- %s': arguments go with a program that rawtrace starts, not with -p",
			rest[0]);
	}
	o->specs = words;
	o->nspecs = n;
	if (o->command == RT_CMD_LIST)
		return check_list(o, nrest, err);
	if (n == 0 && !o->libcalls)
		return rt_usage(err, "which functions? name some, or a glob: rawtrace %s%s 'str*'",
				command_name(o), o->pids.n ? "-p PID" : o->program);
	return check_trace(o, err);
}

/*
 * `count`, `hist` and `list` before PROGRAM, as all other words may be preceded by options; with -p
 * they must be the very first argument, for a function may be called that.
 */
static bool take_command(struct rt_options *o, const char *first)
{
	if (!o->words[0] || (o->pids.n && o->words[0] != first))
		return false;
	if (strcmp(o->words[0], "count") == 0)
		o->command = RT_CMD_COUNT;
	else if (strcmp(o->words[0], "hist") == 0)
		o->command = RT_CMD_HIST;
	else if (strcmp(o->words[0], "list") == 0)
		o->command = RT_CMD_LIST;
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

int rt_options_parse(struct rt_options *o, int argc, char **argv, struct rt_error *err)
{
	static const int clean = OPT_CLEAN;
	int end, c, r, n = 0;

	memset(o, 0, sizeof(*o));
	o->limits = (struct rt_limits){ .string = RT_LIMIT_STRING,
					.members = RT_LIMIT_MEMBERS,
					.deref = RT_LIMIT_DEREF };
	/* What follows the first "--" is the program's, options and all. */
	for (end = 1; end < argc && strcmp(argv[end], "--") != 0; end++)
		;
	o->words = calloc((size_t)argc + 1, sizeof(*o->words));
	if (!o->words)
		return rt_nomem(err);
	optind = 0;
	while ((c = getopt_long(end, argv, short_options, long_options, NULL)) != -1) {
		if (c == 1) {
			o->words[n++] = optarg;
			continue;
		}
		r = parse_option(o, c, argv, err);
		if (r < 0)
			return r;
	}
	set_record(o);
	if (o->command != RT_CMD_TRACE)
		return 0;
	if (n && (!o->pids.n || o->words[0] == argv[1]) && strcmp(o->words[0], "doctor") == 0) {
		o->command = RT_CMD_DOCTOR;
		if (n > 1 || end < argc)
			return rt_usage(err, "doctor %s: doctor takes only --clean",
					n > 1 ? o->words[1] : "--");
		return check_given(o, &clean, 1, true, "doctor, which takes only --clean", err);
	}
	return take_words(o, n, take_command(o, argv[1]), end < argc ? argv + end + 1 : argv + end,
			  end < argc ? argc - end - 1 : 0, err);
}

void rt_options_free(struct rt_options *o)
{
	free(o->argv);
	free(o->words);
	memset(o, 0, sizeof(*o));
}

enum rt_purpose rt_purpose_of(const struct rt_options *o)
{
	return o->command == RT_CMD_COUNT  ? RT_PURPOSE_COUNT
	       : o->command == RT_CMD_HIST ? RT_PURPOSE_TIME
					   : RT_PURPOSE_RECORD;
}

struct rt_wanted rt_options_wanted(const struct rt_options *o, bool everywhere)
{
	return (struct rt_wanted){
		.purpose = rt_purpose_of(o),
		.want = o->returns,
		.everywhere = everywhere,
		.children = o->follow,
		.typed = true,
		.limits = o->limits,
		.limit = { .depth = o->depth, .under = o->only_under, .min_time = o->min_time },
		.only_under = o->only_under,
	};
}
