/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SESSION_SESSION_H
#define RT_SESSION_SESSION_H

#include "session/options.h"

/*
 * Trace as the options say, from resolving names to the last line of output.  `*status` is the exit
 * status: that of the command where one was started.  0 or a negative errno with a message, which
 * is empty where it has been printed already; the traced program is not ended by a failure.
 */
int rt_session_run(const struct rt_options *options, int *status, struct rt_error *err);

#endif
