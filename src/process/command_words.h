/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_COMMAND_WORDS_H
#define RT_PROCESS_COMMAND_WORDS_H

#include "process/program.h"

/*
 * The programs that the arguments of a command name (`argv`, which NULL ends, without its first):
 * `sh -c 'cd /tmp; python3 t.py'`.  A script means its interpreter.  A program and its
 * libraries become files of `program`, as by rt_program_add_program, if `fits` says so of one of
 * them.  0 or a negative errno.
 */
int rt_program_add_words(struct rt_program *program, char *const *argv,
			 bool (*fits)(const void *ctx, const struct rt_image *image),
			 const void *ctx, struct rt_error *err);

#endif
