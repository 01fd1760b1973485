/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SAFETY_SWITCHES_H
#define RT_SAFETY_SWITCHES_H

#include "elf/image.h"

enum rt_switches {
	RT_SWITCHES_NOT,
	/* a static program without symbols: it may be the C library's longjmp */
	RT_SWITCHES_OR_LONGJMP,
	RT_SWITCHES,
};

/*
 * Has the file code of its own that switches stacks?  `name`: the function's, "" where it has none;
 * the image's.  Its symbols must have been read.  So it counts too where memory is short.
 */
enum rt_switches rt_image_switches(struct rt_image *image, const char **name);

/*
 * walks.c: the same for code that follows frame pointers, and so reaches the return addresses of
 * its callers.  Only for x86-64, with a disassembler.
 */
bool rt_image_walks(struct rt_image *image, const char **name);

/*
 * copies.c: the same for code that copies memory of any size and continues by longjmp: it may have
 * restored a copy of the stack.  With `turns` it is code that continues by longjmp behind setjmp,
 * as coroutines do.
 */
bool rt_image_copies(struct rt_image *image, const char **name, bool *turns);

/*
 * unwind.c: is it longjmp's name, or a relative's?  Does the file import such a function, or, being
 * static, contain one?
 */
bool rt_name_jumps(const char *name);
bool rt_image_has_jumps(struct rt_image *image);

#endif
