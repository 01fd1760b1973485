/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_SEARCH_H
#define RT_PROCESS_SEARCH_H

#include "process/program.h"

/*
 * Search folders for the file `name` of NAME:FUNCTION, which is in neither PATH nor ld.so.cache.
 * Each library so called becomes part of `program`, as by rt_program_add_path; `name` may be a
 * glob.  With `children`, programs with that file name do too, as by rt_program_add_program: cc1
 * for gcc.  Returns how many programs there are, or a negative errno.  Without any file, `*near` is
 * the name of a program that may have been meant, malloced; else NULL.  `*bound`: why not all
 * folders were searched, or NULL.
 */
int rt_program_search(struct rt_program *program, const char *name, bool children, char **near,
		      const char **bound, struct rt_error *err);

/* Remove all files behind the first `n`; no function is of them. */
void rt_program_cut(struct rt_program *program, size_t n);

#endif
