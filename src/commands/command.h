/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_COMMAND_H
#define RT_COMMANDS_COMMAND_H

#include "session/options.h"

/*
 * A command: the parser and --help know it by its row in the table (commands/command.c), by its
 * enum rt_command.  Its options are the rows of commands/option_table.c that name it.
 */
struct rt_command_info {
	const char *name;	/* "count"; "": the command line begins with PROGRAM */
	const char *usage;	/* lines behind "rawtrace ", each ended by a newline */
	const char *help;	/* one sentence, in lines */
	const char *refusal;	/* "-x does not go with ...": of an option that it lacks */
	/*
	 * Prints to `out`; `*status` is the exit status where it ends well.  0 or a negative
	 * errno.
	 */
	int (*run)(const struct rt_options *options, FILE *out, int *status, struct rt_error *err);
};

extern const struct rt_command_info rt_commands[];

/* A command of that name, RT_CMD_TRACE if there is none. */
enum rt_command rt_command_find(const char *name);

#endif
