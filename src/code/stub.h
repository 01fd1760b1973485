/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_STUB_H
#define RT_CODE_STUB_H

#include "code/code.h"
#include "elf/image.h"

/*
 * The function of a library that the call which returns to `addr` goes to, by the name that
 * is imported; the image's.  NULL: it calls something else, or who knows what.
 */
const char *rt_code_called(struct rt_code *code, uint64_t addr);

/* Is a call before `addr`, so that `addr` begins an instruction?  `decoder`: rt_flow_open's. */
bool rt_code_follows_call(const struct rt_image *image, struct rt_decoder *decoder, uint64_t addr);

/*
 * Do the instructions of a function, read one after the other, come to `addr`?  They are read from
 * `*from` on, if that is in the same function: another answer, or 0.
 */
bool rt_code_reaches(struct rt_code *code, uint64_t addr, uint64_t *from);

/*
 * Find the functions that the resolver `symbol` chooses from, each once, at most
 * RT_MAX_IMPLEMENTATIONS.  Returns their number.
 */
#define RT_MAX_IMPLEMENTATIONS 32
size_t rt_ifunc_implementations(const struct rt_image *image, const struct rt_symbol *symbol,
				uint64_t v[RT_MAX_IMPLEMENTATIONS]);

#endif
