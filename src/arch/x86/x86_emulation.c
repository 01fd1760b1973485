/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that kernels single-step at a probe (arch/x86/kernel/uprobes.c has no emulation of
 * them), and that are nothing but changes of registers.  Those that write memory are not here: a
 * program's helper for that, bpf_probe_write_user, warns in the kernel's log.
 */
#include "arch/emulation.h"

#include "arch/arch.h"

enum { REP = 0xf3, BND = 0xf2, RET = 0xc3, RET_IMM16 = 0xc2 };

bool rt_x86_64_emulation(const uint8_t *insn, size_t n, struct rt_emulation *emulation)
{
	/* repz ret of old AMD code, bnd ret of MPX: the prefixes do nothing. */
	size_t at = n && (insn[0] == REP || insn[0] == BND);

	*emulation = (struct rt_emulation){ .place = RT_EMULATION_NOWHERE };
	if (at < n && insn[at] == RET) {
		emulation->op = RT_EMULATE_RETURN;
		emulation->size = (uint8_t)(at + 1);
		return true;
	}
	if (at + 2 < n && insn[at] == RET_IMM16) {
		emulation->op = RT_EMULATE_RETURN;
		emulation->size = (uint8_t)(at + 3);
		emulation->value = insn[at + 1] | insn[at + 2] << 8;
		return true;
	}
	return false;
}
