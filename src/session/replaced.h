/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SESSION_REPLACED_H
#define RT_SESSION_REPLACED_H

#include "plan/sites.h"

/*
 * Are the files still those that the probes were made for?  A package upgrade or a rebuild may come
 * between.  To be asked when the probes are in and the command has not begun.  0, or -ESTALE with a
 * message.  Processes that run already keep the files that they have mapped: of them only the
 * program can be another one, by exec.
 */
int rt_replaced_check(const struct rt_traced *traced, struct rt_error *err);

#endif
