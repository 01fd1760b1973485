/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_STUB_H
#define RT_CODE_STUB_H

#include "code/code.h"

/*
 * stub.c: the function of a library that the call which returns to `addr` goes to, by the name that
 * is imported; the image's.  NULL: it calls something else, or who knows what.
 */
const char *rt_code_called(struct rt_code *code, uint64_t addr);

#endif
