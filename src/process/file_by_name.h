/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_FILE_BY_NAME_H
#define RT_PROCESS_FILE_BY_NAME_H

#include "base/error.h"
#include "process/program.h"

/*
 * Add the file that `name` means to a program that is no process's: a path, a library of
 * ld.so.cache ("libssl.so.3"), or a program in PATH.  It is then found by that name.  0, also if it
 * is there already, or a negative errno with a message.
 */
int rt_program_add_file(struct rt_program *program, const char *name, struct rt_error *err);

#endif
