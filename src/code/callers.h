/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_CALLERS_H
#define RT_CODE_CALLERS_H

#include "code/guess.h"
#include "elf/image.h"
#include "arch/use.h"

/*
 * The direct calls in a file's code, by what they call.  They tell of a function of the file
 * whether anybody reads its result.  A compiler that sees that nobody does leaves the result away,
 * whatever debug information says.
 */
struct rt_callers;

/*
 * Decodes an instruction; guesses what the function at an address takes and returns.  False: not
 * known.
 */
struct rt_callers_ops {
	bool (*use)(void *ctx, const uint8_t *bytes, size_t n, uint64_t addr, struct rt_use *use);
	bool (*guess)(void *ctx, uint64_t addr, struct rt_guess *guess);
};

/*
 * Reads all code.  `image` must outlive it.  `ops` are for rt_callers_do.  NULL: out of memory, or
 * there is too much code.
 */
struct rt_callers *rt_callers_open(struct rt_image *image, const struct rt_callers_ops *ops,
				   void *ctx);
void rt_callers_close(struct rt_callers *callers);

enum rt_callers_do rt_callers_do(struct rt_callers *callers, uint64_t addr);

/*
 * The addresses behind its calls in the same file, into `v`; 0 where there are more than `max`.
 * Data in the code may look like a call: see rt_code_reaches.
 */
size_t rt_callers_sites(const struct rt_callers *callers, uint64_t addr, uint64_t *v, size_t max);

/* So many functions begin in the code: by symbols, and by the description for unwinding. */
size_t rt_callers_functions(const struct rt_callers *callers);

/* Is it called, or jumped to, at all? */
bool rt_callers_any(const struct rt_callers *callers, uint64_t addr);

#endif
