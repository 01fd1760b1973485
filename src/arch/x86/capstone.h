/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_X86_CAPSTONE_H
#define RT_ARCH_X86_CAPSTONE_H

#include <capstone/capstone.h>
#include <stdbool.h>

/* For decode_capstone.c and flow_capstone.c only. */
struct rt_decoder {
	csh handle;
	cs_insn *insn;
	bool wide;		/* 64-bit mode */
};

/*
 * The instruction in the `n` bytes at `addr`.  False: capstone does not know it; of AVX-512 `*size`
 * and `*writes` are then as in rt_x86_mask_size(), and else 0.
 */
bool rt_x86_disassemble(csh handle, cs_insn *insn, bool wide, const uint8_t *bytes, size_t n,
			uint64_t addr, uint8_t *size, uint32_t *writes);

#endif
