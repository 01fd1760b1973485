/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_DECODE_H
#define RT_ARCH_DECODE_H

#include "arch/arch.h"

#define RT_READS_MEMORY \
	"what comes first reads or writes memory, and a fault there would hide the call"

/* One machine instruction, as far as moving a probe past it goes. */
struct rt_insn {
	uint8_t size;
	bool branch;		/* it may go to `target` */
	bool indirect;		/* it jumps to a place that is not in it */
	uint64_t target;
	/*
	 * Why calls behind it may be missed, or NULL: all its effects are known, and in registers.
	 * An access to memory may fault, and then a call that was made would not be seen.  A plain
	 * one may access `nfixed` bytes at the address `fixed`, which is in the instruction; or
	 * some of the first `frame` bytes from the stack pointer on.
	 */
	const char *not_plain;
	uint64_t fixed;
	uint32_t frame;
	uint8_t nfixed;
	bool stores;		/* at the fixed address */
	int32_t sp_down;	/* the stack pointer goes down by so much */
	uint32_t writes;	/* bit i: it writes into the argument register rt_arch.args[i] */
};

/*
 * The disassembler (capstone).  NULL where rawtrace was built without one, or it does not know
 * `arch`.
 */
struct rt_decoder;
struct rt_decoder *rt_decoder_open(const struct rt_arch *arch);
void rt_decoder_close(struct rt_decoder *decoder);

/* The instruction in the `n` bytes at address `addr`.  False: they are none. */
bool rt_decode(struct rt_decoder *decoder, const uint8_t *bytes, size_t n, uint64_t addr,
	       struct rt_insn *insn);

#endif
