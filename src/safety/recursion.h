/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SAFETY_RECURSION_H
#define RT_SAFETY_RECURSION_H

#include "code/code.h"

/*
 * recursion.c: does the function call itself, directly or through at most two others?  A tree walk,
 * too, may be thousands of calls deep.  Calls through pointers are not followed, nor more than
 * `most` other functions examined, each of which takes some microseconds.
 */
bool rt_code_recurses(struct rt_code *code, uint64_t addr, uint64_t size, unsigned most);

#endif
