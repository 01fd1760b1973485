/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_DOCTOR_H
#define RT_COMMANDS_DOCTOR_H

#include <stdio.h>

#include "base/error.h"

/*
 * `rawtrace doctor`: try each thing that tracing needs, for real, on a child of our own, and print
 * a table to `file`.  0, or -EOPNOTSUPP where nothing works.
 */
int rt_doctor_run(FILE *file, struct rt_error *err);

/*
 * `rawtrace doctor --clean`: remove what dead rawtrace processes left in tracefs, and say how much
 * that was.
 */
int rt_doctor_clean(FILE *file, struct rt_error *err);

#endif
