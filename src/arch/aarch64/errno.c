/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of __errno_location. */
#include <string.h>

#include "arch/arch.h"
#include "arch/errno_at.h"

enum { REGISTERS = 31 };

/* A shift of a move's 16 bits, or an addition's 12. */
static bool move(uint32_t insn, struct rt_sum *v)
{
	unsigned shift = (insn >> 21 & 3) * 16;
	uint64_t bits = (uint64_t)(insn >> 5 & 0xffff) << shift;
	struct rt_sum *to = &v[insn & 31];

	switch (insn >> 23) {
	case 0x1a5:	/* movz x */
		*to = rt_sum_number(bits);
		return true;
	case 0x125:	/* movn x */
		*to = rt_sum_number(~bits);
		return true;
	case 0x1e5:	/* movk x */
		if (!to->known || to->thread || to->memory)
			return false;
		to->number = (to->number & ~(UINT64_C(0xffff) << shift)) | bits;
		return true;
	}
	return false;
}

static bool arm_step(uint32_t insn, uint64_t pc, struct rt_sum *v)
{
	unsigned to = insn & 31, from = insn >> 5 & 31, with = insn >> 16 & 31;
	uint64_t imm = (uint64_t)(insn >> 10 & 0xfff) << (insn >> 22 & 1 ? 12 : 0);
	struct rt_sum a, b;

	if (insn == 0xd503245f || insn == 0xd503233f ||
	    insn == 0xd50323bf) /* bti c, paciasp, autiasp */
		return true;
	if (to == 31)
		return false;
	if ((insn & ~31u) == 0xd53bd040) {	/* mrs x, tpidr_el0 */
		v[to] = rt_sum_thread();
		return true;
	}
	if ((insn & 0x9f000000) == 0x90000000) {	/* adrp: the page's distance in 21 bits */
		int64_t pages = (int64_t)((uint64_t)(insn >> 5 & 0x7ffff) << 45) >> 43 |
				(insn >> 29 & 3);

		v[to] = rt_sum_number((pc & ~UINT64_C(0xfff)) + ((uint64_t)pages << 12));
		return true;
	}
	if (from == 31)
		return move(insn, v);
	a = v[from];
	switch (insn >> 22) {
	case 0x3e5:	/* ldr x, [x, #N] */
		if (!a.known || a.thread || a.memory)
			return false;
		v[to] = rt_sum_word(a.number + (uint64_t)(insn >> 10 & 0xfff) * 8);
		return true;
	case 0x244: case 0x245:	/* add x, x, #N */
	case 0x344: case 0x345:	/* sub x, x, #N */
		b = rt_sum_number(insn >> 30 & 1 ? -imm : imm);
		v[to] = a;
		return rt_sum_add(&v[to], &b);
	}
	if ((insn & 0xffe0fc00) == 0x8b000000 && with != 31) {	/* add x, x, x */
		b = v[with];
		if (!rt_sum_add(&a, &b))
			return false;
		v[to] = a;
		return true;
	}
	return move(insn, v);
}

bool rt_aarch64_errno_at(const uint8_t *code, size_t n, uint64_t pc, struct rt_errno_at *at)
{
	struct rt_sum v[REGISTERS];
	size_t i;

	memset(v, 0, sizeof(v));
	for (i = 0; i < RT_ERRNO_STEPS && i * 4 + 4 <= n; i++) {
		uint32_t insn = rt_arch_word(code + i * 4);

		if (insn == 0xd65f03c0)		/* ret */
			return rt_sum_errno(&v[0], at);
		if (!arm_step(insn, pc + i * 4, v))
			return false;
	}
	return false;
}
