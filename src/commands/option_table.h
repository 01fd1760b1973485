/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_OPTION_TABLE_H
#define RT_COMMANDS_OPTION_TABLE_H

#include "session/options.h"

/*
 * An option: the parser, --help and the completion know it by its row in the table
 * (commands/option_table.c).  To add one, add a row, the function that parses its value, its entry
 * in contrib/man and a line in NEWS.
 */
struct rt_option {
	const char *name;	/* long, without "--" */
	char letter;		/* 0: none */
	const char *argument;	/* "FILE"; "[GLOB]": may be left out; NULL: it takes none */
	const char *help;	/* lines of --help, ended by newlines but for the last */
	/* the values that it takes, or NULL; a NULL name: past the last */
	void (*choice)(unsigned i, const char **name, const char **help);
	unsigned commands;	/* those that have it: RT_FOR(RT_CMD_TRACE) | ... */
	/* offset in struct rt_options of a bool, or of a string, that is set to the value; or 0 */
	size_t flag, word;
	/* else: sets `value`, NULL without one.  0, or a usage error. */
	int (*parse)(struct rt_options *options, const char *value, struct rt_error *err);
};

#define RT_FOR(command) (1u << (command))

/* In the order of --help; a NULL name is behind the last. */
extern const struct rt_option rt_option_table[];

#endif
