/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "arch/arch.h"
#include "arch/errno_at.h"
#include "arch/flow.h"
#include "arch/go_code.h"
#include "arch/operand.h"
#include "arch/sample.h"
#include "arch/switches.h"
#include "arch/use.h"
#include "base/array.h"

#define MACHINE 183	/* EM_AARCH64: old elf.h lack it */

/*
 * struct pt_regs begins with struct user_pt_regs: x0 to x30, sp, pc, pstate, 8 bytes each.  So are
 * their DWARF numbers ("DWARF for the Arm 64-bit Architecture"), and the first eight hold
 * arguments.
 */
static const struct rt_reg dwarf[] = {
	{ "x0", 0 },	{ "x1", 8 },	{ "x2", 16 },	{ "x3", 24 },	{ "x4", 32 },
	{ "x5", 40 },	{ "x6", 48 },	{ "x7", 56 },	{ "x8", 64 },	{ "x9", 72 },
	{ "x10", 80 },	{ "x11", 88 },	{ "x12", 96 },	{ "x13", 104 }, { "x14", 112 },
	{ "x15", 120 }, { "x16", 128 }, { "x17", 136 }, { "x18", 144 }, { "x19", 152 },
	{ "x20", 160 }, { "x21", 168 }, { "x22", 176 }, { "x23", 184 }, { "x24", 192 },
	{ "x25", 200 }, { "x26", 208 }, { "x27", 216 }, { "x28", 224 }, { "x29", 232 },
	{ "x30", 240 }, { "sp", 248 },
};

enum { ARGS = 8, GO_ARGS = 16 /* Go's src/cmd/compile/abi-internal.md, since Go 1.18 */ };

/* Rejected by arch/arm64/kernel/probes/decode-insn.c; the names are the kernel's. */
static const struct {
	uint32_t mask, value;
	const char *why;
} refused[] = {
	{ 0xff000000, 0xd4000000, "begins with brk, hlt or svc, which the kernel cannot probe" },
	{ 0x3f800000, 0x08000000,
	  "begins with an exclusive load or store, which a probe would make fail for ever" },
	{ 0xfff8f01f, 0xd500401f,
	  "begins with a write to a system register, which the kernel cannot probe" },
	{ 0xfff00000, 0xd5100000,
	  "begins with a write to a system register, which the kernel cannot probe" },
	{ 0xfffffbff, 0xd69f03e0, "begins with eret, which the kernel cannot probe" },
	{ 0xfffffbff, 0xd69f0bff, "begins with eret, which the kernel cannot probe" },
	{ 0xfedff800, 0xd61f0800,
	  "begins with a branch that authenticates, which the kernel cannot probe" },
	{ 0xfffffbe0, 0xd65f0be0,
	  "begins with a return that authenticates, which the kernel cannot probe" },
	{ 0xffffffe0, 0xd53b4220, "begins with a read of DAIF, which the kernel cannot probe" },
	/*
	 * The three of a copy or a set must stand side by side; before 6.12 the kernel steps one
	 * elsewhere, and the next one faults.
	 */
	{ 0x3b200c00, 0x19000400,
	  "begins with a memory copy or set (cpyp, setp), which a probe would make fault" },
	/*
	 * Stepped elsewhere, what is relative to pc reads or goes astray: of these the kernel knows
	 * only the older ones.
	 */
	{ 0x3b000000, 0x18000000,
	  "begins with a load from beside the code, which would read from another place" },
	{ 0xff000010, 0x54000010, "begins with a branch (bc) that would go to another place" },
	{ 0xffc00000, 0x55000000,
	  "begins with a return (retaasppc) that would go to another place" },
	{ 0xffffdbff, 0xdac183fe,
	  "begins with a signature of its own place (paciasppc), which would be another's" },
	{ 0x7e000000, 0x74000000, "begins with a branch (cb) that would go to another place" },
};

/*
 * The kernel accepts those hints that functions begin with (nop, bti, paciasp), and refuses the
 * others (yield, wfe, csdb).
 */
static bool refused_hint(uint32_t word)
{
	uint32_t hint = word >> 5 & 0x7f;

	if ((word & 0xfffff01f) != 0xd503201f)
		return false;
	switch (hint) {
	case 0: case 7: case 8: case 10:		/* nop, xpaclri, pacia1716, pacib1716 */
	case 24: case 25: case 26: case 27:		/* paciaz, paciasp, pacibz, pacibsp */
	case 32: case 34: case 36: case 38:		/* bti */
		return false;
	}
	return true;
}

static const char *aarch64_refuses(const uint8_t *insn, size_t n, enum rt_nops nops)
{
	uint32_t word;
	size_t i;

	(void)nops;
	if (n == 0)
		return "has no code in the file";
	if (n < 4)
		return "begins with an instruction that is cut off";
	/* Instructions are little-endian even where data is not. */
	word = rt_arch_word(insn);
	for (i = 0; i < RT_COUNT(refused); i++)
		if ((word & refused[i].mask) == refused[i].value)
			return refused[i].why;
	return refused_hint(word)
		       ? "begins with a hint (yield, wfe, csdb ...), which the kernel cannot probe"
		       : NULL;
}

static bool stores_link(uint32_t word)
{
	bool link = (word & 0x1f) == 30;

	if ((word >> 5 & 0x1f) != 31)
		return false;
	if ((word & 0xfe400000) == 0xa8000000)		/* stp */
		return link || (word >> 10 & 0x1f) == 30;
	/* str */
	return link && ((word & 0xffc00000) == 0xf9000000 || (word & 0xffe00000) == 0xf8000000);
}

/*
 * Go stores it where the stack pointer is moved to then: stp x29,x30,[x20,#-8] and mov sp,x20, up
 * to 1.1x str x30,[x27] and mov sp,x27.
 */
static bool makes_large_frame(uint32_t before, uint32_t word)
{
	return (before == 0xa93ffa9d && word == 0x9100029f) ||
	       (before == 0xf900037e && word == 0x9100037f);
}

/*
 * A function may move its return address to another register, and call without a frame (dav1d,
 * clang's outlined functions).  Its callees then return with the same stack pointer, which is the
 * kernel's only mark of a call.  So the kernel takes such a return for the function's own
 * (handle_trampoline()), and the rest of the function is not run.
 */
static const char *aarch64_unsafe_return(const uint8_t *code, size_t n)
{
	bool moved = false, stored = false;
	uint32_t word;
	size_t i;

	for (i = 0; i + 4 <= n; i += 4) {
		word = rt_arch_word(code + i);
		moved |= (word & 0xffffffe0) == 0xaa1e03e0;	/* mov xN, x30 */
		stored |= stores_link(word) ||
			  (i >= 4 && makes_large_frame(rt_arch_word(code + i - 4), word));
	}
	return moved && !stored ? "keeps its return address in a register" : NULL;
}

/* The 21 bits of adr and adrp. */
static uint64_t displacement(uint32_t word)
{
	uint64_t bits = (word >> 3 & 0x1ffffc) | (word >> 29 & 3);

	return bits & 0x100000 ? bits - 0x200000 : bits;
}

/* adr, or adrp and the add that completes it: compilers put a few others in between. */
static bool aarch64_loads_address(const uint8_t *insn, size_t n, uint64_t pc, bool fixed,
				  uint64_t *addr)
{
	uint32_t word, add, reg;
	size_t i;

	(void)fixed;
	if (n < 4)
		return false;
	word = rt_arch_word(insn);
	reg = word & 0x1f;
	*addr = pc + displacement(word);
	if ((word & 0x9f000000) == 0x10000000)
		return true;
	if ((word & 0x9f000000) != 0x90000000)
		return false;
	for (i = 4; i + 4 <= n && i <= 8 * 4; i += 4) {
		add = rt_arch_word(insn + i);
		if ((add & 0xffc00000) != 0x91000000 || (add >> 5 & 0x1f) != reg)
			continue;
		*addr = (pc & ~(uint64_t)0xfff) + (displacement(word) << 12) + (add >> 10 & 0xfff);
		return true;
	}
	return false;
}

static bool aarch64_ends_code(const uint8_t *code)
{
	uint32_t word = rt_arch_word(code + RT_ARCH_BEFORE - 4);

	return word == 0xd503201f || word == 0 || /* nop, udf */
	       word == 0xd65f03c0 || (word & 0xfffffbff) == 0xd65f0bff || /* ret, retaa, retab */
	       (word & 0xfc000000) == 0x14000000 || /* b */
	       (word & 0xfffffc1f) == 0xd61f0000; /* br */
}

/* b, bl */
static uint64_t direct_target(const uint8_t *insn, size_t n, uint64_t pc, uint64_t *next)
{
	uint32_t word = rt_arch_word(insn);

	(void)n;
	*next = pc + 4;
	if (pc & 3 || (word >> 26 & 0x1f) != 5)
		return 0;
	return pc + (uint64_t)((int64_t)(int32_t)(word << 6) >> 4);
}

static bool aarch64_is_landing(const uint8_t *insn)
{
	uint32_t word = rt_arch_word(insn);

	/* bti; paciasp, pacibsp */
	return (word & 0xffffff3f) == 0xd503241f || (word & 0xffffffbf) == 0xd503233f;
}

static const char *aarch64_platform(void)
{
	return "aarch64";
}

const struct rt_arch rt_arch_aarch64 = {
	.name = "aarch64",
	.machine = MACHINE,
	.kernel_machine = MACHINE,
	.cache_flags = 0xa03, /* FLAG_ELF_LIBC6 | FLAG_AARCH64_LIB64 */
	.cache_hwcap = 1 << 8,	/* HWCAP_ATOMICS: Ubuntu 20.04 has libc6-lse in atomics/ */
	.platform = aarch64_platform,
	.word = 8,
	.ip = { "pc", 256 },
	.sp = { "sp", 248 },
	.result = { "x0", 0 },
	.link = { "x30", 240 },
	.goroutine = { "x28", 224 },
	.goroutine_always = true,
	.errno_at = rt_aarch64_errno_at,
	.go_code = &rt_aarch64_go_code,
	.samples = &rt_aarch64_samples,
	.switches = &rt_aarch64_switches,
	.go = dwarf,
	.ngo = GO_ARGS,
	.result2 = { "x1", 8 },
	.args = dwarf,
	.nargs = ARGS,
	.dwarf = dwarf,
	.ndwarf = RT_COUNT(dwarf),
	.saved = 0x7ff80000,	/* x19 to x30 */
	.dwarf_float = 64,
	.float_name = "v",
	.insn_size = 4,
	.c_abi = RT_C_ABI_AAPCS64,
	.indirect = { "x8", 64 },
	.char_is_unsigned = true,
	.has_quad = true,
	.refuses_by_einval = true,
	.direct_target = direct_target,
	.flow = rt_flow_aarch64,
	.use = rt_use_aarch64,
	.operand = rt_aarch64_operand,
	.has_rela = true,
	.relative = 1027, /* R_AARCH64_RELATIVE: old elf.h lack it */
	.stack_args = 0,
	.return_pop = 0,
	.refuses = aarch64_refuses,
	.unsafe_return = aarch64_unsafe_return,
	.insn_align = 4,
	.loads_address = aarch64_loads_address,
	.ends_code = aarch64_ends_code,
	.is_landing = aarch64_is_landing,
};

/* The code of __errno_location. */

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
