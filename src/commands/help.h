/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_HELP_H
#define RT_COMMANDS_HELP_H

#include <stdio.h>

/* A name and a phrase, for the lists in --help; the last has no name. */
struct rt_choice {
	const char *name, *help;
};

void rt_help_print(FILE *file, const struct rt_choice *formats, const struct rt_choice *mechanisms,
		   const struct rt_choice *rings);
void rt_version_print(FILE *file);

#endif
