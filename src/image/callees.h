/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_IMAGE_CALLEES_H
#define RT_IMAGE_CALLEES_H

#include "image/function.h"

/*
 * Which of the traced functions the jumps lead to that leave traced functions (tail calls).  First the exits and `how` of all functions
 * must be known.  Codes must be able to open the code of any image.
 */
struct rt_callees;

/* NULL: out of memory. */
struct rt_callees *rt_callees_new(const struct rt_functions *functions);
void rt_callees_free(struct rt_callees *callees);

/*
 * Fill in callee, middle and through of the function's exits; `code` is that of its image, or NULL where it has no exits that are jumps.
 * 0 or -ENOMEM.
 */
int rt_callees_find(struct rt_callees *callees, struct rt_code *code, struct rt_exits *exits);

#endif
