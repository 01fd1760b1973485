/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SYMBOLS_IMPORTS_H
#define RT_SYMBOLS_IMPORTS_H

#include "process/program.h"

/* A function that the program imports, and who has it. */
struct rt_import {
	const char *name, *version;		/* as imported; version may be NULL */
	struct rt_image *image;			/* NULL: nobody has it */
	struct rt_symbol symbol;		/* the library's, by that name and version */
};

/*
 * The functions that the executable of `program` imports, sorted by name, resolved as its loader
 * does: the first library in its order of search that has one of that name and version.  With
 * `pid`, with its libraries listed by address, that order is worked out from DT_NEEDED and the
 * process's LD_PRELOAD.  `*v` is to be freed; its names are the images'.
 */
int rt_program_imports(const struct rt_program *program, pid_t pid, struct rt_import **v, size_t *n,
		      struct rt_error *err);

#endif
