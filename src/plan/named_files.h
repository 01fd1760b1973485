/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_NAMED_FILES_H
#define RT_PLAN_NAMED_FILES_H

#include "plan/traced.h"

/*
 * Open the files of `specs`, FILE:FUNCTION, FILE or @SET, for traced->program.  The first FILE
 * comes first.  0 or a negative errno.
 */
int rt_open_named_files(struct rt_traced *traced, char *const *specs, int n, struct rt_error *err);

/* Is `spec`, one of `specs`, a file without a function, for the functions of a @SET? */
bool rt_is_file_for_sets(const char *spec, char *const *specs, int n);

#endif
