/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SYMBOLS_USDT_H
#define RT_SYMBOLS_USDT_H

#include "elf/usdt.h"
#include "symbols/function.h"

/*
 * USDT probes among the functions to trace.  Each site is one of its own, as each has its own
 * arguments: a place inside a function, called PROVIDER:NAME.
 */

/* Why no end of such a place is seen. */
#define RT_USDT_NO_END "is a USDT probe, which has no end"

/*
 * The same as rt_functions_add and rt_functions_add_of, for a specification with a provider.
 * Without a library all files of the program are meant.
 */
int rt_functions_add_usdt(struct rt_functions *functions, const struct rt_program *program,
			  const struct rt_spec *spec, struct rt_error *err);
int rt_functions_add_usdt_of(struct rt_functions *functions, const struct rt_program *program,
			     struct rt_image *image, const struct rt_spec *spec,
			     struct rt_error *err);

/* Does the file have a probe that the specification, which has a provider, means? */
bool rt_image_has_usdt(const struct rt_image *image, const struct rt_spec *spec);

/* Does a file of the program have a probe of a provider that the glob matches? */
bool rt_program_has_provider(const struct rt_program *program, const char *provider);

/* LIBRARY:FUNCTION that is written as PROVIDER:NAME is; and make it that. */
bool rt_spec_may_be_usdt(const struct rt_spec *spec);
void rt_spec_make_usdt(struct rt_spec *spec);

/*
 * The short form: make PROVIDER:NAME of LIBRARY:FUNCTION where the program has no such library and
 * a file of it has such a provider.
 */
void rt_spec_take_usdt(struct rt_spec *spec, const struct rt_program *program);

/* The site of a function with `usdt` set. */
const struct rt_usdt_site *rt_function_usdt(const struct rt_function *f);

#endif
