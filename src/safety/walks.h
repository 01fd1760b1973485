/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SAFETY_WALKS_H
#define RT_SAFETY_WALKS_H

#include "code/code.h"

/*
 * walks.c: the function that holds `addr`, by its symbol or else by the above, and its name, "": it
 * has none.
 */
bool rt_code_function(struct rt_code *code, uint64_t addr, uint64_t *start, uint64_t *end,
		      const char **name);

#endif
