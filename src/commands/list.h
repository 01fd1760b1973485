/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_LIST_H
#define RT_COMMANDS_LIST_H

#include <stdio.h>

#include "session/options.h"

/*
 * `rawtrace list`: the functions that could be traced, and why others cannot.  Needs no privilege.
 * 0 or a negative errno.
 */
int rt_list(const struct rt_options *options, FILE *file, struct rt_error *err);

#endif
