/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_DUMP_IR_H
#define RT_COMMANDS_DUMP_IR_H

#include <stdio.h>

#include "plan/sites.h"

/*
 * Print the prototypes of the traced functions, and the values that each probe reads, compares and
 * shows.
 */
void rt_dump_ir(const struct rt_sites *sites, FILE *file);

#endif
