/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_EMULATION_H
#define RT_ARCH_EMULATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Effects of probed instructions that a BPF program can have (emit/emulation.h). */
enum rt_emulation_op {
	RT_EMULATE_NOTHING,
	/* ip = the word at sp; sp += the word and `value` bytes */
	RT_EMULATE_RETURN,
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
	uint16_t op;		/* enum rt_emulation_op */
	int32_t value;
};

enum { RT_EMULATION_PLACE = 0xfff, RT_EMULATION_NOWHERE = 0xffff };

/* The emulation of the instruction in the `n` bytes at `insn`; false: it has none. */
bool rt_x86_64_emulation(const uint8_t *insn, size_t n, struct rt_emulation *emulation);

#endif
