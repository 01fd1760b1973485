/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <string.h>

#include "arch/arch.h"
#include "arch/emulation.h"
#include "arch/errno_at.h"
#include "arch/go_code.h"
#include "arch/operand.h"
#include "arch/sample.h"
#include "base/array.h"

/* Offsets in struct pt_regs: arch/x86/include/uapi/asm/ptrace.h, unchanged since x86-64 exists. */
static const struct rt_reg args[] = {
	{ "di", 112 }, { "si", 104 }, { "dx", 96 }, { "cx", 88 }, { "r8", 72 }, { "r9", 64 },
};

/* "System V ABI, AMD64 supplement", figure 3.36: DWARF register number mapping. */
static const struct rt_reg dwarf[] = {
	{ "ax", 80 },  { "dx", 96 },  { "cx", 88 }, { "bx", 40 }, { "si", 104 }, { "di", 112 },
	{ "bp", 32 },  { "sp", 152 }, { "r8", 72 }, { "r9", 64 }, { "r10", 56 }, { "r11", 48 },
	{ "r12", 24 }, { "r13", 16 }, { "r14", 8 }, { "r15", 0 },
};

/* The order of instructions is ax, cx, dx, bx, sp, bp, si, di. */
static const uint8_t numbers[] = { 0, 2, 1, 3, 7, 6, 4, 5 };

/* Go's src/cmd/compile/abi-internal.md, since Go 1.17. */
static const struct rt_reg go[] = {
	{ "ax", 80 }, { "bx", 40 }, { "cx", 88 },  { "di", 112 }, { "si", 104 },
	{ "r8", 72 }, { "r9", 64 }, { "r10", 56 }, { "r11", 48 },
};

static bool x86_64_loads_address(const uint8_t *insn, size_t n, uint64_t pc, bool fixed,
				 uint64_t *addr)
{
	/* lea disp32(%rip),%reg64 */
	if (n >= 7 && (insn[0] == 0x48 || insn[0] == 0x4c) && insn[1] == 0x8d &&
	    (insn[2] & 0xc7) == 0x05) {
		*addr = pc + 7 + (uint64_t)(int64_t)(int32_t)rt_arch_word(insn + 3);
		return true;
	}
	/* mov $imm32,%reg64 */
	if (fixed && n >= 7 && insn[0] == 0x48 && insn[1] == 0xc7 && insn[2] >= 0xc0 &&
	    insn[2] <= 0xc7) {
		*addr = (uint64_t)(int64_t)(int32_t)rt_arch_word(insn + 3);
		return true;
	}
	return rt_x86_loads_address(insn, n, pc, fixed, addr);
}

/* call or jmp *DISTANCE(%rip), of -fno-plt */
static uint64_t target_slot(const uint8_t *insn, size_t n, uint64_t pc, uint64_t *next)
{
	*next = pc + 6;
	if (n < 6 || insn[0] != 0xff || (insn[1] != 0x15 && insn[1] != 0x25))
		return 0;
	return *next + (uint64_t)(int64_t)(int32_t)rt_arch_word(insn + 2);
}

static bool x86_64_is_landing(const uint8_t *insn)
{
	return memcmp(insn, "\xf3\x0f\x1e\xfa", 4) == 0;	/* endbr64 */
}

const struct rt_arch rt_arch_x86_64 = {
	.name = "x86-64",
	.machine = EM_X86_64,
	.kernel_machine = EM_X86_64,
	.cache_flags = 0x303,	/* FLAG_ELF_LIBC6 | FLAG_X8664_LIB64 */
	.platform = rt_x86_64_platform,
	.hwcaps = rt_x86_64_hwcaps,
	.word = 8,
	.ip = { "ip", 128 },
	.sp = { "sp", 152 },
	.result = { "ax", 80 },
	.flags = { "flags", 144 },
	.goroutine = { "r14", 8 },
	.errno_at = rt_x86_64_errno_at,
	.go_code = &rt_x86_64_go_code,
	.samples = &rt_x86_64_samples,
	.go = go,
	.ngo = RT_COUNT(go),
	.result2 = { "dx", 96 },
	.args = args,
	.nargs = RT_COUNT(args),
	.dwarf = dwarf,
	.ndwarf = RT_COUNT(dwarf),
	.saved = 0xf048,	/* bx, bp, r12 to r15 */
	.dwarf_float = 17,
	.float_name = "xmm",
	.c_abi = RT_C_ABI_SYSV_X86_64,
	.has_x87 = true,
	.aligns_structs = true,
	.clang_int128 = 18,
	.other_class =
		"is an x32 program (32-bit pointers in 64-bit mode), which rawtrace cannot trace",
	.system_call = "\x0f\x05",
	.has_uretprobe_call = true,
	.has_stack_walks = true,
	.numbers = numbers,
	.nnumbers = RT_COUNT(numbers),
	.has_rela = true,
	.relative = R_X86_64_RELATIVE,
	.stores_in_order = true,
	.stack_args = 8,
	.return_pop = 8,
	.refuses = rt_x86_64_refuses,
	.nop_size = rt_x86_64_nop_size,
	.form = rt_x86_64_form,
	.emulation = rt_x86_64_emulation,
	.operand = rt_x86_operand,
	.direct_target = rt_x86_direct_target,
	.target_slot = target_slot,
	.insn_align = 1,
	.loads_address = x86_64_loads_address,
	.ends_code = rt_x86_ends_code,
	.is_landing = x86_64_is_landing,
};

/* The code of __errno_location, where everything is in rax. */

static int64_t signed_word(const uint8_t *p)
{
	return (int32_t)rt_arch_word(p);
}

/*
 * `mov` or `add` of the word at %fs:0, and others: the bytes that the instruction takes, 0: not
 * understood.
 */
static size_t x86_step(const uint8_t *p, size_t n, uint64_t pc, struct rt_sum *rax)
{
	static const uint8_t fs0[] = { 0x04, 0x25, 0, 0, 0, 0 };
	const struct rt_sum thread = rt_sum_thread();
	struct rt_sum what;

	if (n >= 4 && memcmp(p, "\xf3\x0f\x1e\xfa", 4) == 0)	/* endbr64 */
		return 4;
	if (n >= 9 && p[0] == 0x64 && p[1] == 0x48 && memcmp(p + 3, fs0, sizeof(fs0)) == 0) {
		if (p[2] == 0x8b)		/* mov %fs:0,%rax */
			*rax = rt_sum_thread();
		else if (p[2] != 0x03 || !rt_sum_add(rax, &thread))	/* add %fs:0,%rax */
			return 0;
		return 9;
	}
	if (n < 4 || p[0] != 0x48)
		return 0;
	if (p[1] == 0x83 && p[2] == 0xc0) {	/* add $N,%rax */
		what = rt_sum_number((uint64_t)(int64_t)(int8_t)p[3]);
		return rt_sum_add(rax, &what) ? 4 : 0;
	}
	if (p[1] == 0x8d && p[2] == 0x40) {	/* lea N(%rax),%rax */
		what = rt_sum_number((uint64_t)(int64_t)(int8_t)p[3]);
		return rt_sum_add(rax, &what) ? 4 : 0;
	}
	if (n >= 6 && p[1] == 0x05) {		/* add $N,%rax */
		what = rt_sum_number((uint64_t)signed_word(p + 2));
		return rt_sum_add(rax, &what) ? 6 : 0;
	}
	if (n < 7)
		return 0;
	what = rt_sum_number((uint64_t)signed_word(p + 3));
	if (p[1] == 0xc7 && p[2] == 0xc0) {	/* mov $N,%rax */
		*rax = what;
		return 7;
	}
	if (p[1] == 0x8d && p[2] == 0x80)	/* lea N(%rax),%rax */
		return rt_sum_add(rax, &what) ? 7 : 0;
	what = rt_sum_word(pc + 7 + (uint64_t)signed_word(p + 3));
	if (p[1] == 0x8b && p[2] == 0x05) {	/* mov N(%rip),%rax */
		*rax = what;
		return 7;
	}
	/* add N(%rip),%rax */
	return p[1] == 0x03 && p[2] == 0x05 && rt_sum_add(rax, &what) ? 7 : 0;
}

bool rt_x86_64_errno_at(const uint8_t *code, size_t n, uint64_t pc, struct rt_errno_at *at)
{
	struct rt_sum rax = { .known = false };
	size_t i = 0, step, k;

	for (k = 0; k < RT_ERRNO_STEPS && i < n; k++) {
		if (code[i] == 0xc3)		/* ret */
			return rt_sum_errno(&rax, at);
		step = x86_step(code + i, n - i, pc + i, &rax);
		if (!step)
			return false;
		i += step;
	}
	return false;
}
