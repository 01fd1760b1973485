/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_EMULATION_H
#define RT_ARCH_EMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Effects of probed instructions that a BPF program can have (emit/emulation.h). */
enum rt_emulation_op {
	RT_EMULATE_NOTHING,
	RT_EMULATE_RETURN,	/* ip = the word at sp; sp += the word and `offset` bytes */
	RT_EMULATE_MOVE,	/* `to` = the second operand */
	/* `to` = the first operand and the second one; the flags by the result */
	RT_EMULATE_ADD,
	RT_EMULATE_SUB,
	RT_EMULATE_AND,
	RT_EMULATE_OR,
	RT_EMULATE_XOR,
	RT_EMULATE_ELSEWHERE,	/* ip += `offset`, where another return is */
	RT_EMULATE_JUMP,	/* ip = the word at ip + `offset` */
};

enum { RT_RETURN_BYTE = 0xc3 };		/* the plain return of x86 */

/*
 * Operands: a word of struct pt_regs by its number, or one of these.  As what is written,
 * RT_EMULATION_ZERO is nothing.
 */
enum {
	RT_EMULATION_WORDS = 20,	/* up to sp (x86-64) */
	RT_EMULATION_ZERO = RT_EMULATION_WORDS,
	RT_EMULATION_VALUE,		/* `value` */
	RT_EMULATION_LOADED,		/* what is at the address */
	RT_EMULATION_ADDRESS,		/* base + (index << scale) + offset */
	RT_EMULATION_OPERANDS
};

/*
 * The emulation of one instruction, and the value of RT_MAP_EMULATIONS.  The program and the
 * reader of the instruction agree on it.
 */
struct rt_emulation {
	/*
	 * the lowest bits of its address (RT_EMULATION_PLACE), which are those of its file offset;
	 * RT_EMULATION_NOWHERE: the kernel executes it
	 */
	uint16_t place;
	uint8_t op;		/* enum rt_emulation_op */
	uint8_t length;		/* of the instruction, in bytes */
	uint8_t to, first, second;
	uint8_t unused;		/* bits of a word that the operation does not have */
	uint8_t narrow;		/* bits that the second operand does not have */
	uint8_t sign;		/* these become copies of its highest bit, else 0 */
	uint8_t base, index, scale;
	uint8_t load;		/* bytes that are read at the address; 0: none */
	uint8_t padding[2];
	int64_t offset, value;
};

enum { RT_EMULATION_PLACE = 0xfff, RT_EMULATION_PLACES, RT_EMULATION_NOWHERE = 0xffff };

/*
 * The emulation of the instruction in the `n` bytes at `insn`; false: it has none.  Instructions
 * that write memory have none, nor those that write sp, but returns.
 */
bool rt_x86_64_emulation(const uint8_t *insn, size_t n, struct rt_emulation *emulation);

#endif
