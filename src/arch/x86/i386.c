/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <string.h>

#include "arch/operand.h"
#include "base/array.h"

/*
 * The shared rule is that of 64-bit mode.  Here 40..4f are inc and dec and end the instruction, the
 * opcodes below exist, and c4, c5 and 62 are VEX and EVEX only where the next byte could not be the
 * ModRM of lds, les and bound.
 */
/* Kernels make calls of nops in 64-bit code alone. */
static const char *i386_refuses(const uint8_t *insn, size_t n, enum rt_nops nops)
{
	(void)nops;
	if (n == 0)
		return rt_x86_refuses(insn, n);
	if ((insn[0] & 0xf0) == 0x40)
		return NULL;
	switch (insn[0]) {
	case 0x06: case 0x0e: case 0x16: case 0x1e:	/* push %es, %cs, %ss, %ds */
	case 0x27: case 0x2f: case 0x37: case 0x3f:	/* daa, das, aaa, aas */
	case 0x60:
	case 0x61:
	case 0x82:
	case 0x9a: /* pusha, popa, a second group 1, far call */
	case 0xd4: case 0xd5: case 0xd6: case 0xea:	/* aam, aad, salc, far jmp */
		return NULL;
	case 0x62: case 0xc4: case 0xc5:
		if (n > 1 && insn[1] < 0xc0)
			return NULL;
		break;
	}
	return rt_x86_refuses(insn, n);
}

/* push %reg, call, call *place; behind prefixes too. */
static bool i386_pushes(const uint8_t *insn, size_t n)
{
	while (n && memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3", *insn, 10)) {
		insn++;
		n--;
	}
	return n && ((*insn & 0xf8) == 0x50 || *insn == 0xe8 ||
		     (n > 1 && *insn == 0xff && (insn[1] >> 3 & 7) == 2));
}

static bool i386_is_landing(const uint8_t *insn)
{
	return memcmp(insn, "\xf3\x0f\x1e\xfb", 4) == 0;	/* endbr32 */
}

/*
 * "System V ABI, Intel386 supplement": DWARF register numbers.  The registers are those of an
 * x86-64 kernel.
 */
static const struct rt_reg dwarf[] = {
	{ "ax", 80 },  { "cx", 88 }, { "dx", 96 },  { "bx", 40 },
	{ "sp", 152 }, { "bp", 32 }, { "si", 104 }, { "di", 112 },
};

static const char *i386_platform(void)
{
	return "i686";
}

/*
 * A 32-bit program on an x86-64 kernel: the registers are the 64-bit pt_regs with their upper
 * halves clear, and all arguments are on the stack above the 4-byte return address.
 */
const struct rt_arch rt_arch_i386 = {
	.name = "i386",
	.machine = EM_386,
	.kernel_machine = EM_X86_64,
	.cache_flags = 0x3,	/* FLAG_ELF_LIBC6 */
	.platform = i386_platform,
	.word = 4,
	.ip = { "ip", 128 },
	.sp = { "sp", 152 },
	.result = { "ax", 80 },
	.flags = { "flags", 144 },
	.result2 = { "dx", 96 },
	.dwarf = dwarf,
	.ndwarf = RT_COUNT(dwarf),
	.dwarf_float = 21,
	.float_name = "xmm",
	.c_abi = RT_C_ABI_SYSV_I386,
	.has_x87 = true,
	.relative = R_386_RELATIVE,
	.stores_in_order = true,
	.stack_args = 4,
	.return_pop = 4,
	.callee_pop = 1024,	/* "ret $4" after a result in memory; more by stdcall */
	.trial = &rt_i386_trial,
	.refuses = i386_refuses,
	.pushes = i386_pushes,
	.form = rt_i386_form,
	.operand = rt_x86_operand,
	.direct_target = rt_x86_direct_target,
	.insn_align = 1,
	.loads_address = rt_x86_loads_address,
	.ends_code = rt_x86_ends_code,
	.is_landing = i386_is_landing,
};
