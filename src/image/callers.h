/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_IMAGE_CALLERS_H
#define RT_IMAGE_CALLERS_H

#include "image/image.h"
#include "image/use.h"

/*
 * The direct calls in a file's code, of x86-64, by what they call.  They tell of a function of the file's own whether anybody looks at
 * its result: a compiler that sees that nobody does leaves it away, whatever debug information says.
 */
struct rt_callers;

/* Reads all of the code.  `user` and `image` must outlive it.  NULL: out of memory, or there is too much code. */
struct rt_callers *rt_callers_open(struct rt_image *image, struct rt_user *user);
void rt_callers_close(struct rt_callers *callers);

/*
 * Is the function at `addr` called, and behind each call the result's register written before it is read, or returned by a local function of
 * which the same holds?  False also where that is not certain.
 */
bool rt_callers_ignore(const struct rt_callers *callers, uint64_t addr);

/* Is it called, or jumped to, at all? */
bool rt_callers_any(const struct rt_callers *callers, uint64_t addr);

#endif
