/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/help.h"

#include <string.h>

#include "arch/arch.h"
#include "commands/command.h"
#include "commands/option_table.h"
#include "config.h"

/* An option's help begins in this column, the names of its values two behind it. */
enum { COLUMN = 25 };

static const char function_help[] =
	"FUNCTION is [LIBRARY:]NAME[:ARGUMENTS]: a name or a shell glob ('str*') of the\n"
	"program or of a library it is linked with (libm.so:cos); ARGUMENTS is how many of\n"
	"its arguments to print, as C ints.  Or it says what to show: a C prototype\n"
	"('int open(const char *path, int flags)'), parameters by name or number and what is\n"
	"reached from them ('f(p->next->id, arg2)'), conditions ('fib(int n > 3)'), the kernel's\n"
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

void rt_help_print(FILE *file, enum rt_command command)
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

void rt_version_print(FILE *file)
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
