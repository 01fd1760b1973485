/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SAFETY_RECURSION_H
#define RT_SAFETY_RECURSION_H

#include "code/code.h"

/*
 * recursion.c: does the function call itself, or one that calls it and so on by way of two at most,
 * and that at one place alone?  (Where there are more, as in fib, calls are a tree, and few are
 * open at once.)  Calls through pointers are not followed, nor more than `most` other functions
 * looked at, each of which takes some microseconds.
 */
bool rt_code_recurses(struct rt_code *code, uint64_t addr, uint64_t size, unsigned most);

#endif
