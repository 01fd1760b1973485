/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_LIST_USDT_H
#define RT_COMMANDS_LIST_USDT_H

#include <stdio.h>

#include "lang/spec.h"
#include "process/program.h"

/*
 * `rawtrace list` of USDT probes: a line a probe, by file.  `rows` counts them, and `last` is the
 * file with the last heading that was printed, by earlier calls too.
 */
struct rt_usdt_list {
	const struct rt_program *program;
	FILE *file;
	bool json;
	size_t *rows;
	const char *declared;		/* the text of a set's specification; NULL: not a set's */
	const struct rt_image **last;
};

/*
 * Print the probes that the specification, which has a provider, means: of its library, else of all
 * files of the program.  0, -EIO or -ENOMEM; to find none is no error.
 */
int rt_usdt_list_print(const struct rt_usdt_list *list, const struct rt_spec *spec);

#endif
