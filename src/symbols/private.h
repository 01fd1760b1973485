/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SYMBOLS_PRIVATE_H
#define RT_SYMBOLS_PRIVATE_H

#include "elf/file.h"
#include "symbols/function.h"

/*
 * function.c: add those of the `n` symbols of `image` that `spec` means, as calls from the program.
 * The caller may free the symbols.  `*named` grows by the number of names that `spec` meant.
 */
int rt_functions_add_libcalls(struct rt_functions *functions, struct rt_image *image,
			      const struct rt_symbol *symbols, size_t n, const struct rt_spec *spec,
			      size_t *named, struct rt_error *err);
/* missing.c: the names nearest to `want`, best first.  Returns their number. */
#define RT_MAX_NEAREST 3
size_t rt_nearest(const char *want, const struct rt_symbol *v, size_t n,
		  const char *nearest[RT_MAX_NEAREST]);
/* The same of Go alone: those that differ in package or receiver only. */
size_t rt_nearest_go(const char *want, const struct rt_symbol *v, size_t n,
		     const char *nearest[RT_MAX_NEAREST]);

/*
 * missing.c: fill `err` for a spec: its library or function is missing.  -EINVAL, or -ENOENT if
 * nothing has a name like that.
 */
int rt_no_library(const struct rt_program *program, const char *lib, struct rt_error *err);
int rt_no_function(const struct rt_program *program, struct rt_image *image,
		   const struct rt_spec *spec, struct rt_error *err);

#endif
