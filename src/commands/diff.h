/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_DIFF_H
#define RT_COMMANDS_DIFF_H

#include "session/options.h"

/*
 * Compare the two recordings that the options name: a table of functions with the differences, or
 * with `first` the first call at which the runs part.  0 or a negative errno.
 */
int rt_diff(const struct rt_options *options, FILE *out, struct rt_error *err);

/* Print the first difference, for rt_diff (first.c). */
int rt_diff_first(const struct rt_options *options, FILE *out, struct rt_error *err);

#endif
