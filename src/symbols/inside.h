/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SYMBOLS_INSIDE_H
#define RT_SYMBOLS_INSIDE_H

#include "elf/image.h"

/*
 * Places that are no function's entry: FUNC+OFFSET and 0xADDRESS.  A breakpoint in the midst of an
 * instruction would change what the program does, so each has to be shown to be the beginning of
 * one.
 */

/*
 * Why `addr` is not known to be the beginning of an instruction of the function at `from`, as a
 * phrase; NULL: it is one.
 */
const char *rt_inside(const struct rt_image *image, uint64_t from, uint64_t addr);

/* The same for an address that no symbol's function holds: it has to be where code begins. */
const char *rt_inside_nothing(const struct rt_image *image, uint64_t addr);

/*
 * Is `path` (a compiler's name for a source file) the `file` that the user means: its end, whole
 * names?
 */
bool rt_same_file(const char *path, const char *file);

#endif
