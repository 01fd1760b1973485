/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_LIBEXEC_H
#define RT_PROCESS_LIBEXEC_H

#include "process/program.h"

/*
 * Programs that only other programs run, so that they are not in PATH: cc1 for gcc.  Each that has
 * the file name `name` below /usr/lib, /usr/libexec, /usr/local and /opt becomes part of `program`,
 * as by rt_program_add_program.  Takes some 50 ms.  Returns how many there are, or a negative
 * errno.  If there is none, `*near` is the name of a program that may have been meant, malloced;
 * else NULL.
 */
int rt_program_add_libexec(struct rt_program *program, const char *name, char **near,
			   struct rt_error *err);

#endif
