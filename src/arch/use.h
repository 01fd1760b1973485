/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_USE_H
#define RT_ARCH_USE_H

#include "arch/arch.h"

enum { RT_USE_ARGS = 6 };

/* The control flow behind an instruction. */
enum rt_use_flow {
	RT_USE_NEXT,
	RT_USE_BRANCH,		/* to `target` or on */
	RT_USE_JUMP,		/* to `target`, 0: elsewhere */
	RT_USE_CALL,		/* of `target`, 0: elsewhere; then on */
	RT_USE_RETURN,
	RT_USE_STOP,		/* it traps */
};

/*
 * The effects of one machine instruction on the registers in which integer arguments are passed,
 * and on the result's.
 */
struct rt_use {
	uint8_t size;
	enum rt_use_flow flow;
	uint64_t target;
	uint8_t reads[RT_USE_ARGS];	/* bytes of each that it reads; 0: none */
	/* bit i: it reads or writes memory where argument register i points to */
	uint8_t pointers;
	/*
	 * bit i: all that it does with argument register i is to store it on the stack, `saved_at`
	 * from a register
	 */
	uint8_t saves;
	int64_t saved_at;
	/* bit i: argument register i holds something else after it */
	uint8_t writes;
	uint8_t result_write;		/* bytes of the result's register that it writes; 0: none */
	uint8_t result_read;		/* bytes of it that it reads; 0: none */
	/* it pushes it, as a value or only to make room on the stack */
	bool result_push;
	/* it writes the register in which a float or a double is returned, or may, */
	bool vector_write;
	/* and reads that in which the first one is passed, which is the same */
	bool vector_read;
	/* it may write it as a side effect: div, pop that gives back room */
	bool result_aside;
	bool result_small;		/* it sets all of it to a number of one byte */
	/*
	 * it looks at the number of vector registers, or stores x7, as only a variadic function
	 * does at its entry
	 */
	bool tests_vectors;
	bool loses_vectors;		/* after it that would mean nothing */
};

/*
 * The disassembler (capstone), for x86-64.  NULL where rawtrace was built without one, or it does
 * not know `arch`.
 */
struct rt_user;
struct rt_user *rt_user_open(const struct rt_arch *arch);
void rt_user_close(struct rt_user *user);

/* The instruction in the `n` bytes at address `addr`.  False: they are none. */
bool rt_use(struct rt_user *user, const uint8_t *bytes, size_t n, uint64_t addr,
	    struct rt_use *use);

/* The same by capstone alone, which rt_use() asks about instructions that are not common. */
bool rt_use_capstone(struct rt_user *user, const uint8_t *bytes, size_t n, uint64_t addr,
		     struct rt_use *use);

/* The same for aarch64, which needs no disassembler. */
bool rt_use_aarch64(const uint8_t *bytes, size_t n, uint64_t addr, struct rt_use *use);

#endif
