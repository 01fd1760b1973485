/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_IFUNC_H
#define RT_CODE_IFUNC_H

#include "elf/image.h"

/*
 * ifunc.c: the functions that the resolver `symbol` chooses from, each once, at most
 * RT_MAX_IMPLEMENTATIONS.  Returns their number.
 */
#define RT_MAX_IMPLEMENTATIONS 32
size_t rt_ifunc_implementations(const struct rt_image *image, const struct rt_symbol *symbol,
				uint64_t v[RT_MAX_IMPLEMENTATIONS]);

#endif
