/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_REPORT_H
#define RT_COMMANDS_REPORT_H

#include "session/options.h"

/*
 * Print the recording that the options name, in a format.  0 or a negative errno: a file that is
 * damaged is an error after all that could be read was printed.
 */
int rt_report(const struct rt_options *options, struct rt_error *err);

#endif
