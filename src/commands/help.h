/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_HELP_H
#define RT_COMMANDS_HELP_H

#include <stdio.h>

#include "session/options.h"

/* The usage and the options of a command, by the tables; RT_CMD_TRACE: of all commands. */
void rt_help_print(FILE *file, enum rt_command command);
void rt_version_print(FILE *file);

#endif
