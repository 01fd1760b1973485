/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_DUMP_IR_H
#define RT_COMMANDS_DUMP_IR_H

#include <stdio.h>

#include "plan/sites.h"

/*
 * What is known of the traced functions, and what is read, compared and shown at each of their
 * probes.
 */
void rt_dump_ir(const struct rt_sites *sites, FILE *file);

#endif
