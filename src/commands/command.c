/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "base/array.h"
#include "commands/diff.h"
#include "commands/doctor.h"
#include "commands/dump.h"
#include "commands/list.h"
#include "commands/option_table.h"
#include "commands/report.h"
#include "config.h"
#include "process/tracee.h"
#include "session/session.h"

/* ---- help ---- */

/* An option's help begins in this column, the names of its values two behind it. */
enum { COLUMN = 25 };

static const char function_help[] =
	"FUNCTION is [LIBRARY:]NAME[:ARGUMENTS]: a name or a shell glob ('str*') of the\n"
	"program or of a library it is linked with (libm.so:cos); ARGUMENTS is how many of\n"
	"its arguments to print, as C ints.  Or it says what to show: a C prototype\n"
	"('int open(const char *path, int flags)'), parameters by name or number and what is\n"
	"reached from them ('f(p->next->id, arg2)'), conditions ('fib(int n > 3)',\n"
	"'read(return < 0)', 'query(time > 5ms)'), the kernel's\n"
	"words ('f s=+0(%si):string'); or where: /REGEX/, NAME@file.c, NAME+OFFSET, 0xADDRESS,\n"
	"usdt:PROVIDER:NAME; or @FILE, a file of all these.  See rawtrace(1).\n";

static const char exit_status[] =
	"The exit status is that of PROGRAM (128 + N when signal N ended it), 1 when something\n"
	"stood in the way, 2 when the command line is wrong or names a function that is not "
	"there.\n";

/* Lines of a text, each behind `first` or `others`. */
static void print_lines(FILE *file, const char *text, const char *first, const char *others)
{
	size_t n;

	for (; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		fprintf(file, "%s%.*s\n", first, (int)n, text);
		first = others;
	}
}

static void print_usage(FILE *file, enum rt_command command)
{
	unsigned i;

	if (command != RT_CMD_TRACE) {
		print_lines(file, rt_commands[command].usage, "usage: rawtrace ",
			    "       rawtrace ");
		return;
	}
	for (i = RT_CMD_TRACE; i <= RT_CMD_DOCTOR; i++)
		print_lines(file, rt_commands[i].usage,
			    i == RT_CMD_TRACE ? "usage: rawtrace " : "       rawtrace ",
			    "       rawtrace ");
}

/* "  -p, --pid=PID", "      --libcalls[=GLOB]" */
static void print_option(FILE *file, const struct rt_option *row)
{
	const char *argument = row->argument ? row->argument : "";
	bool optional = *argument == '[', none = !row->argument;
	char letter[8] = "    ", text[64], pad[COLUMN + 1];
	const char *name, *help;
	unsigned i;

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	snprintf(text, sizeof(text), "  %s--%s%s%s ", letter, row->name,
		 none ? "" : optional ? "[=" : "=", argument + optional);
	snprintf(pad, sizeof(pad), "%*s", COLUMN, "");
	fprintf(file, "%-*s", COLUMN, text);
	print_lines(file, row->help, "", pad);
	for (i = 0; row->choice; i++) {
		row->choice(i, &name, &help);
		if (!name)
			break;
		fprintf(file, "%s  %-13s %s\n", pad, name, help);
	}
}

/* The usage and the options of a command; RT_CMD_TRACE: of all commands. */
static void print_help(FILE *file, enum rt_command command)
{
	const struct rt_option *row;
	unsigned i;

	print_usage(file, command);
	fputc('\n', file);
	print_lines(file, rt_commands[command].help, "", "");
	fputc('\n', file);
	if (strstr(rt_commands[command].usage, "FUNCTION"))
		fprintf(file, "%s\n", function_help);
	for (row = rt_option_table; row->name; row++)
		if (row->commands & RT_FOR(command))
			print_option(file, row);
	fputc('\n', file);
	for (i = RT_CMD_COUNT; command == RT_CMD_TRACE && i <= RT_CMD_DOCTOR; i++) {
		fprintf(file, "rawtrace %-8s", rt_commands[i].name);
		print_lines(file, rt_commands[i].help, "", "                 ");
	}
	if (command == RT_CMD_TRACE)
		fputc('\n', file);
	fputs(exit_status, file);
}

static void print_version(FILE *file)
{
	unsigned i;

	fputs("rawtrace " PACKAGE_VERSION "\n"
	      "Libraries: libelf, libcap" RT_CAPSTONE_WORDS RT_DEMANGLE_WORDS RT_LZMA_WORDS
		      RT_ZSTD_WORDS RT_LIBDW_WORDS "\n"
	      "Architectures:", file);
	for (i = 0; rt_arch_at(i); i++)
		fprintf(file, "%s%s", i ? ", " : " ", rt_arch_at(i)->name);
	fputs("\n"
	      "License GPLv2+: GNU GPL version 2 or later.  There is no warranty.\n",
	      file);
}

/* ---- the commands ---- */

/* The program's arguments stand behind it, options first, as strace takes them. */
static void show_arguments(const struct rt_options *o, struct rt_error *err)
{
	const char *name = rt_commands[o->command].name;
	char **word;

	rt_error_add(err, "; arguments go behind --: rawtrace %s%s%.60s --", name,
		     *name ? " " : "", o->program);
	for (word = o->behind; *word; word++) {
		const char *quote = strchr(*word, '\'') ? "\""
				    : strpbrk(*word, " \"()<>|&;$*?[]{}#~`\\") ? "'" : "";

		rt_error_add(err, " %s%.60s%s", quote, *word, quote);
	}
}

/* The same with functions' names for arguments; or the function before the program. */
static void show_order(const struct rt_options *o, struct rt_error *err)
{
	int n = o->nspecs - (int)o->nevents;
	const char *name = rt_commands[o->command].name;
	struct rt_error ignored;
	char *path = NULL;

	if (!o->program || n < 1)
		return;
	if (o->command == RT_CMD_TRACE && n > 2 && strcmp(o->specs[n - 2], "by") == 0)
		rt_error_add(err, "; by caller, by path: go with rawtrace count and hist");
	else if (err->status == RT_EXIT_USAGE && o->behind)
		show_arguments(o, err);
	else if (err->status == RT_EXIT_USAGE && !o->argv[1])
		rt_error_add(err, "; arguments go behind --: rawtrace %s%s%.60s -- %.60s", name,
			     *name ? " " : "", o->program, o->specs[n - 1]);
	else if (err->status == RT_EXIT_FAILURE && !strchr(o->program, '/') &&
		 rt_tracee_find(o->specs[0], &path, &ignored) == 0 && access(path, X_OK) == 0)
		rt_error_add(err, "; the program comes first: rawtrace %s%s%.60s %.60s", name,
			     *name ? " " : "", o->specs[0], o->program);
	free(path);
}

static int run_trace(const struct rt_options *options, FILE *out, int *status,
		     struct rt_error *err)
{
	int r = options->dump != RT_DUMP_NONE ? rt_dump(options, out, err)
					      : rt_session_run(options, status, err);

	if (r == -ENOENT)
		show_order(options, err);
	else if (r == -EINVAL && *err->source && options->behind)
		show_arguments(options, err);
	return r;
}

static int run_report(const struct rt_options *options, FILE *out, int *status,
		      struct rt_error *err)
{
	(void)out;
	(void)status;
	return rt_report(options, err);
}

static int run_diff(const struct rt_options *options, FILE *out, int *status,
		    struct rt_error *err)
{
	(void)status;
	return rt_diff(options, out, err);
}

static int run_list(const struct rt_options *options, FILE *out, int *status,
		    struct rt_error *err)
{
	(void)status;
	return rt_list(options, out, err);
}

static int run_doctor(const struct rt_options *options, FILE *out, int *status,
		      struct rt_error *err)
{
	(void)status;
	return options->clean ? rt_doctor_clean(out, err) : rt_doctor_run(out, err);
}

static int run_help(const struct rt_options *options, FILE *out, int *status,
		    struct rt_error *err)
{
	(void)status;
	(void)err;
	print_help(out, options->help_of);
	return 0;
}

static int run_version(const struct rt_options *options, FILE *out, int *status,
		       struct rt_error *err)
{
	(void)options;
	(void)status;
	(void)err;
	print_version(out);
	return 0;
}

const struct rt_command_info rt_commands[] = {
	[RT_CMD_TRACE] = {
		.name = "",
		.usage = "[OPTION]... PROGRAM [FUNCTION]... [-- ARGUMENT...]\n"
			 "[OPTION]... -p PID [FUNCTION]...\n"
			 "[OPTION]... -a FILE:FUNCTION...\n"
			 "[OPTION]... -a [FILE] @SET...\n",
		.help = "Print the calls of native functions, with arguments and results, "
			"as a tree.",
		.run = run_trace,
	},
	[RT_CMD_COUNT] = {
		.name = "count",
		.usage = "count [OPTION]... PROGRAM [FUNCTION]... [by caller|path] "
			 "[-- ARGUMENT...]\n"
			 "count [OPTION]... -p PID [FUNCTION]... [by caller|path]\n",
		.help = "Print how often each function was called: counted in the kernel.",
		.refusal = "count: it makes one table, and no event leaves the kernel",
		.run = run_trace,
	},
	[RT_CMD_HIST] = {
		.name = "hist",
		.usage = "hist [OPTION]... PROGRAM [FUNCTION]... [by caller|path] "
			 "[-- ARGUMENT...]\n"
			 "hist [OPTION]... -p PID [FUNCTION]... [by caller|path]\n",
		.help = "Print how long the calls took (a histogram): measured in the kernel.",
		.refusal = "hist: it makes one table, and no event leaves the kernel",
		.run = run_trace,
	},
	[RT_CMD_TOP] = {
		.name = "top",
		.usage = "top [OPTION]... PROGRAM [FUNCTION]... [-- ARGUMENT...]\n"
			 "top [OPTION]... -p PID [FUNCTION]...\n",
		.help = "Show live which functions are called most, and take longest.",
		.refusal = "top: it makes one table, and no event leaves the kernel",
		.run = run_trace,
	},
	[RT_CMD_RECORD] = {
		.name = "record",
		.usage = "record [OPTION]... PROGRAM [FUNCTION]... [-- ARGUMENT...]\n"
			 "record [OPTION]... -p PID [FUNCTION]...\n",
		.help = "Write calls to a file (rawtrace.data without -o), for rawtrace report.",
		.refusal = "record: rawtrace report has the formats",
		.run = run_trace,
	},
	[RT_CMD_REPORT] = {
		.name = "report",
		.usage = "report [OPTION]... [FILE]... ['FUNC(CONDITION)'...]\n",
		.help = "Print recordings (rawtrace.data without FILE) in any format; of several\n"
			"FILEs the calls are in order of time.",
		.refusal = "report, which reads a recording",
		.run = run_report,
	},
	[RT_CMD_DIFF] = {
		.name = "diff",
		.usage = "diff [OPTION]... A B\n",
		.help = "Print how two recordings differ: calls and times of functions, or with\n"
			"--first the first call that is another one.",
		.refusal = "diff, which reads two recordings",
		.run = run_diff,
	},
	[RT_CMD_LIST] = {
		.name = "list",
		.usage = "list [OPTION]... PROGRAM|-p PID [FUNCTION...]\n",
		.help = "Print functions: addresses, where their names come from, prototypes, and\n"
			"why some cannot be traced; with 'usdt:*' USDT probes and their arguments.",
		.refusal = "list, which traces nothing",
		.run = run_list,
	},
	[RT_CMD_DOCTOR] = {
		.name = "doctor",
		.usage = "doctor [--clean]\n",
		.help = "Print what works on this machine; with --clean, remove what killed\n"
			"rawtrace processes have left in tracefs.",
		.refusal = "doctor, which takes only --clean",
		.run = run_doctor,
	},
	[RT_CMD_HELP] = { .name = "", .run = run_help },
	[RT_CMD_VERSION] = { .name = "", .run = run_version },
};

enum rt_command rt_command_find(const char *name)
{
	unsigned i;

	for (i = 0; i < RT_COUNT(rt_commands); i++)
		if (*rt_commands[i].name && strcmp(rt_commands[i].name, name) == 0)
			return (enum rt_command)i;
	return RT_CMD_TRACE;
}
