/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/command.h"

#include <string.h>

#include "base/array.h"
#include "commands/diff.h"
#include "commands/doctor.h"
#include "commands/dump.h"
#include "commands/help.h"
#include "commands/list.h"
#include "commands/report.h"
#include "session/session.h"

static int run_trace(const struct rt_options *options, FILE *out, int *status,
		     struct rt_error *err)
{
	return options->dump != RT_DUMP_NONE ? rt_dump(options, out, err)
					     : rt_session_run(options, status, err);
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
	rt_help_print(out, options->help_of);
	return 0;
}

static int run_version(const struct rt_options *options, FILE *out, int *status,
		       struct rt_error *err)
{
	(void)options;
	(void)status;
	(void)err;
	rt_version_print(out);
	return 0;
}

const struct rt_command_info rt_commands[] = {
	[RT_CMD_TRACE] = {
		.name = "",
		.usage = "[OPTION]... PROGRAM [FUNCTION]... [-- ARGUMENT...]\n"
			 "[OPTION]... -p PID [FUNCTION]...\n"
			 "[OPTION]... -a FILE:FUNCTION...\n",
		.help = "Print the calls of native functions, with arguments and results, "
			"as a tree.",
		.run = run_trace,
	},
	[RT_CMD_COUNT] = {
		.name = "count",
		.usage = "count [OPTION]... PROGRAM [FUNCTION]... [-- ARGUMENT...]\n"
			 "count [OPTION]... -p PID [FUNCTION]...\n",
		.help = "Print how often each function was called: counted in the kernel.",
		.refusal = "count: it makes one table, and no event leaves the kernel",
		.run = run_trace,
	},
	[RT_CMD_HIST] = {
		.name = "hist",
		.usage = "hist [OPTION]... PROGRAM [FUNCTION]... [-- ARGUMENT...]\n"
			 "hist [OPTION]... -p PID [FUNCTION]...\n",
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
		.usage = "report [OPTION]... [FILE]\n",
		.help = "Print a recording (rawtrace.data without FILE) in any format.",
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
