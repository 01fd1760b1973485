/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_DUMP_H
#define RT_COMMANDS_DUMP_H

#include <stdio.h>

#include "plan/sites.h"
#include "session/options.h"

/*
 * --dump: what would be given to the kernel, to `file`: BPF listings or uprobe_events lines, as
 * mechanism --attach (the first one unless given) wants them.  Reads the program's files and asks
 * the kernel nothing.
 */
int rt_dump(const struct rt_options *options, FILE *file, struct rt_error *err);

/*
 * Print the prototypes of the traced functions, and the values that each probe reads, compares and
 * shows.
 */
void rt_dump_ir(const struct rt_sites *sites, FILE *file);

#endif
