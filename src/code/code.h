/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_CODE_H
#define RT_CODE_CODE_H

#include "arch/flow.h"
#include "elf/image.h"

/*
 * A file's code and the tables that describe it; read on first use and cached.
 */
struct rt_code;

/* NULL: out of memory.  The image must outlive it. */
struct rt_code *rt_code_open(struct rt_image *image);
void rt_code_close(struct rt_code *code);

struct rt_image *rt_code_image(const struct rt_code *code);

/* The decoder of its instructions (arch/flow.h).  Why there is none, or NULL. */
struct rt_decoder *rt_code_decoder(const struct rt_code *code);
const char *rt_code_undecodable(const struct rt_code *code);

/* Is `addr` in one of the sections of stubs by which a program reaches its libraries? */
bool rt_code_is_stub(struct rt_code *code, uint64_t addr);

/*
 * Does the file hold an address from `first` to `last` in its data?  So it counts too where that
 * cannot be found out.
 */
bool rt_code_is_pointed(struct rt_code *code, uint64_t first, uint64_t last);

/*
 * The address that is stored at `addr`, of a pointer's size, as the loader leaves it in a file that
 * is loaded where it is linked to.
 */
bool rt_code_pointer(struct rt_code *code, uint64_t addr, uint64_t *value);

/*
 * The loader writes the address of symbol number `symbol` of .dynsym to `addr`; if `symbol` is 0,
 * the address that the IFUNC resolver at `resolver` returns.  False: neither.
 */
bool rt_code_slot(struct rt_code *code, uint64_t addr, uint32_t *symbol, uint64_t *resolver);

/*
 * Find the places in the function that holds `addr` at which an exception is caught, into
 * `v`, at most `max` of them.  Their number, or -1: there may be some that cannot be found.
 */
int rt_code_landings(struct rt_code *code, uint64_t addr, uint64_t *v, int max);

/*
 * The bytes around `addr` that the file's own description for unwinding calls one function, or one
 * piece of one.  False: none.
 */
bool rt_code_span(struct rt_code *code, uint64_t addr, uint64_t *start, uint64_t *end);

/* The code at `addr` means a return, or a jump through a register. */
enum rt_thunk { RT_THUNK_NONE, RT_THUNK_RETURN, RT_THUNK_JUMP };
enum rt_thunk rt_image_thunk(const struct rt_image *image, uint64_t addr);
enum rt_thunk rt_code_thunk(struct rt_code *code, uint64_t addr);

#endif
