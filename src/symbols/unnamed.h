/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SYMBOLS_UNNAMED_H
#define RT_SYMBOLS_UNNAMED_H

#include "elf/image.h"
#include "lang/spec.h"

/*
 * Functions of a stripped file that no symbol names.  Unwind tables (.eh_frame) have the beginning
 * and end of each.  Its name is fn_ and its address in hexadecimal: fn_401136.  Parts that GCC
 * splits off (.cold), stubs and signal trampolines are excluded: a function begins only with its
 * return address on top of the stack, or in its register.
 */

#define RT_UNNAMED_PREFIX "fn_"

/*
 * Those of `image`, by address, read at the first call; its symbols (rt_image_all_symbols) must
 * have been read.  0 or -ENOMEM.
 */
int rt_image_unnamed(struct rt_image *image, const struct rt_symbol **v, size_t *n);

/* The one that `addr` is in, or NULL. */
const struct rt_symbol *rt_unnamed_at(struct rt_image *image, uint64_t addr);

/*
 * Does `spec`, which means `matched` of the image's `named` functions, mean those without a name
 * too?  Globs do by "fn_", or where no function has a name.
 */
bool rt_unnamed_meant(const struct rt_spec *spec, size_t named, size_t matched);

/* Why the return of such a function must not be probed with a uretprobe. */
#define RT_UNNAMED_RETURN                                                                          \
	"has no name, by which functions that return twice or switch stacks would be known"

#endif
