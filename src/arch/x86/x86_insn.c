/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdbool.h>
#include <string.h>

#include "arch/arch.h"
#include "base/array.h"

/*
 * Instructions that uprobe_init_insn() of arch/x86/kernel/uprobes.c refuses in 64-bit mode.  The
 * refusal comes only when a process maps the page.  Until then the probe is accepted and simply
 * never hit, so rawtrace must know these instructions beforehand.
 */

#define CANNOT ", which the kernel cannot probe"

struct range {
	uint8_t first, last;
	/* the kernel refuses it too; false: it accepts it and the traced program is killed */
	bool kernel;
	const char *why;
};

static const char unknown[] = "begins with an instruction that the kernel cannot probe";
static const char privileged[] = "begins with a privileged instruction" CANNOT;
static const char invalid[] = "begins with a byte that is no instruction in 64-bit mode";

static const struct range one_byte[] = {
	{ 0x06, 0x07, true, invalid },
	{ 0x0e, 0x0e, true, invalid },
	{ 0x16, 0x17, true, invalid },
	{ 0x1e, 0x1f, true, invalid },
	{ 0x27, 0x27, true, invalid },
	{ 0x2f, 0x2f, true, invalid },
	{ 0x37, 0x37, true, invalid },
	{ 0x3f, 0x3f, true, invalid },
	{ 0x60, 0x61, true, invalid },
	{ 0x6c, 0x6f, true, privileged }, /* ins, outs */
	{ 0x82, 0x82, true, invalid },
	{ 0x9a, 0x9a, true, invalid },
	/*
	 * Single-stepped, pushf stores our trap flag and popf drops it: SIGTRAP, or a step that
	 * never ends.
	 */
	{ 0x9c, 0x9c, false, "begins with pushf, which would see the kernel's single-stepping" },
	{ 0x9d, 0x9d, false, "begins with popf, which would undo the kernel's single-stepping" },
	{ 0xcc, 0xcc, true, "begins with a breakpoint (int3)" },
	{ 0xcd, 0xcd, true, "begins with int" CANNOT },
	{ 0xce, 0xce, true, "begins with into" CANNOT },
	{ 0xcf, 0xcf, true, "begins with iret" CANNOT },
	{ 0xd4, 0xd6, true, invalid },
	{ 0xe4, 0xe7, true, privileged }, /* in, out */
	{ 0xea, 0xea, true, invalid },
	{ 0xec, 0xef, true, privileged }, /* in, out */
	{ 0xf1, 0xf1, true, "begins with int1" CANNOT },
	{ 0xf4, 0xf4, true, "begins with hlt" CANNOT },
	{ 0xfa, 0xfb, true, privileged }, /* cli, sti */
};

static const struct range two_byte[] = {
	/* after 0f */
	{ 0x00, 0x01, true, unknown }, /* system groups; also xgetbv, rdtscp, xend */
	{ 0x05, 0x05, true, "begins with syscall" CANNOT },
	{ 0x06, 0x06, true, privileged },
	{ 0x07, 0x07, true, "begins with sysret" CANNOT },
	{ 0x08, 0x09, true, privileged },
	{ 0x0b, 0x0b, true, "begins with ud2" CANNOT },
	{ 0x30, 0x30, true, privileged },
	{ 0x34, 0x34, true, "begins with sysenter" CANNOT },
	{ 0x35, 0x35, true, "begins with sysexit" CANNOT },
	{ 0x37, 0x37, true, privileged },
	/* vmread, vmwrite; with prefixes extrq and insertq */
	{ 0x78, 0x79, true, unknown },
	{ 0xae, 0xae, true, unknown }, /* fences, ldmxcsr, xsave, rdfsbase */
};

/*
 * Kernels take the opcode of a VEX or EVEX instruction for a one-byte opcode (seen up to 6.18), so
 * they refuse vpxor (ef) as if it were out.  Worse, they accept some and emulate other
 * instructions: vpshufd and vmovd as jcc, vpor as jmp, vpsubsb as call, vcmpps as ret.  The traced
 * program would compute wrong results, or crash.
 */
static const struct range as_vex[] = {
	{ 0x70, 0x7f, false, NULL },		/* jcc */
	{ 0x90, 0x90, false, NULL },		/* nop */
	{ 0x9d, 0x9d, false, NULL },		/* popf */
	{ 0xc2, 0xc3, false, NULL }, { 0xca, 0xcb, false, NULL },	/* ret */
	{ 0xe8, 0xe9, false, NULL }, { 0xeb, 0xeb, false, NULL },	/* call, jmp */
	{ 0xff, 0xff, false, NULL },		/* call and jmp to where a register says */
};

static const struct range *find(const struct range *v, size_t n, uint8_t opcode)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (opcode >= v[i].first && opcode <= v[i].last)
			return &v[i];
	return NULL;
}

/* The length of a VEX or EVEX prefix, 0 where there is none. */
static size_t vex_size(uint8_t byte)
{
	return byte == 0xc5 ? 2 : byte == 0xc4 ? 3 : byte == 0x62 ? 4 : 0;
}

/* Step over the legacy prefixes; `*why` says what is wrong with one of them. */
static size_t legacy_prefixes(const uint8_t *insn, size_t n, const char **why)
{
	size_t i;

	for (i = 0; i < n; i++) {
		switch (insn[i]) {
		case 0xf0:
			*why = "begins with a LOCK prefix, which the kernel cannot probe";
			break;
		case 0x26: case 0x2e: case 0x36: case 0x3e:	/* 3e ff /4 is notrack jmp */
			*why = insn[i] == 0x3e && i + 1 < n && insn[i + 1] == 0xff ?
				"begins with notrack jmp, which the kernel cannot probe" :
				"begins with a segment prefix, which the kernel cannot probe";
			break;
		case 0x64: case 0x65: case 0x66: case 0x67: case 0xf2: case 0xf3:
			break;
		default:
			return i;
		}
	}
	return i;
}

const char *rt_x86_refuses(const uint8_t *insn, size_t n)
{
	const struct range *range;
	const char *why = NULL;
	size_t i, vex;
	bool escape, rex_b;

	if (n == 0)
		return "has no code in the file";
	i = legacy_prefixes(insn, n, &why);
	if (why)
		return why;
	rex_b = i < n && (insn[i] & 0xf1) == 0x41;
	if (i < n && (insn[i] & 0xf0) == 0x40)		/* REX */
		i++;
	vex = i < n ? vex_size(insn[i]) : 0;
	escape = i < n && insn[i] == 0x0f;
	i += vex + escape;
	if (i >= n)
		return "begins with an instruction that is cut off";
	if (vex) {
		range = find(one_byte, RT_COUNT(one_byte), insn[i]);
		if (find(as_vex, RT_COUNT(as_vex), insn[i]))
			return "begins with an AVX instruction that the kernel would take for "
			       "another one";
		return range && range->kernel
			       ? "begins with an AVX instruction that the kernel cannot probe"
			       : NULL;
	}
	/* AMD's XOP, of which kernels know nothing: pop has no other ModRM than /0. */
	if (!escape && insn[i] == 0x8f && i + 1 < n && (insn[i + 1] & 0x38))
		return unknown;
	/*
	 * With that bit 90 is no nop, as which kernels "emulate" it (branch_setup_xol_ops(), seen
	 * up to 6.18); Go 1.20 has such entries.
	 */
	if (!escape && rex_b && insn[i] == 0x90)
		return "begins with xchg %r8, which the kernel would take for a nop";
	if (escape)
		range = find(two_byte, RT_COUNT(two_byte), insn[i]);
	else if (insn[i] ==
		 0x8e) /* mov to %ss holds off the single-step trap (insn_masking_exception()) */
		return "begins with a load of a segment register, which the kernel cannot probe";
	else
		range = find(one_byte, RT_COUNT(one_byte), insn[i]);
	return range ? range->why : NULL;
}

size_t rt_x86_operand_size(const uint8_t *p, size_t n)
{
	size_t size = 1;
	unsigned mod, base;

	if (!n)
		return 0;
	mod = p[0] >> 6;
	base = p[0] & 7;
	if (mod == 3)
		return 1;
	if (base == 4) {
		if (n < 2)
			return 0;
		size++;
		base = p[1] & 7;
	}
	size += mod == 1 ? 1 : mod == 2 || base == 5 ? 4 : 0;
	return size <= n ? size : 0;
}

/*
 * EVEX instructions on mask registers.  capstone knows those that may write a general register, so
 * they do not count.
 */
static bool is_evex_mask(const uint8_t *p, uint8_t op)
{
	unsigned map = p[1] & 7;

	if (p[1] & 8 || !(p[2] & 4))
		return false;
	return map == 1 ? op != 0x7e && (op & 0xfe) != 0x2c && (op & 0xfe) != 0x78
			: map == 2 || (map == 3 && (op & 0xfc) != 0x14);
}

static bool is_vex_mask(unsigned map, uint8_t op)
{
	return map == 1 ? (op >= 0x41 && op <= 0x4b) || (op >= 0x90 && op <= 0x93) || op == 0x98 ||
				  op == 0x99
			: map == 3 && op >= 0x30 && op <= 0x33;
}

size_t rt_x86_mask_size(const uint8_t *p, size_t n, uint32_t *writes)
{
	size_t size, at = n ? vex_size(p[0]) : 0;
	unsigned map;
	uint8_t op;

	*writes = 0;
	if (!at || at + 2 > n)
		return 0;
	op = p[at];
	map = p[0] == 0xc5 ? 1 : p[1] & (p[0] == 0x62 ? 7 : 0x1f);
	if (!(p[0] == 0x62 ? is_evex_mask(p, op) : is_vex_mask(map, op)))
		return 0;
	if (p[0] != 0x62 && map == 1 && op == 0x93)	/* kmov to a general register */
		*writes = 1u << ((p[at + 1] >> 3 & 7) | (p[1] & 0x80 ? 0 : 8));
	at++;
	size = rt_x86_operand_size(p + at, n - at);
	at += size + (map == 3 || (map == 1 && ((op >= 0x70 && op <= 0x73) || op == 0xc2 ||
						(op >= 0xc4 && op <= 0xc6))));
	return size && at <= n ? at : 0;
}

/*
 * mov $imm32,%reg32: of any x86; what is before it in 64-bit mode makes no difference to the
 * address.
 */
bool rt_x86_loads_address(const uint8_t *insn, size_t n, uint64_t pc, bool fixed, uint64_t *addr)
{
	(void)pc;
	/*
	 * Only what is linked to a fixed address can have its functions' addresses in its
	 * instructions.
	 */
	if (!fixed || n < 5 || insn[0] < 0xb8 || insn[0] > 0xbf)
		return false;
	*addr = rt_arch_word(insn + 1);
	return true;
}

bool rt_x86_ends_code(const uint8_t *code)
{
	const uint8_t *p = code + RT_ARCH_BEFORE;

	return p[-1] == 0x90 || p[-1] == 0x00 || p[-1] == 0xcc ||
	       p[-1] == 0xc3 || /* nops, int3, ret */
	       p[-5] == 0xe9 || p[-2] == 0xeb; /* jmp */
}

uint64_t rt_x86_direct_target(const uint8_t *insn, size_t n, uint64_t pc, uint64_t *next)
{
	bool far = insn[0] == 0x0f && n >= 6 && (insn[1] & 0xf0) == 0x80; /* a conditional jump */

	*next = pc + 5 + far;
	if (n < 5 || !(far || insn[0] == 0xe8 || insn[0] == 0xe9))
		return 0;
	return *next + (uint64_t)(int64_t)(int32_t)rt_arch_word(insn + 1 + far);
}

/*
 * Nops of 64-bit code.  Linux 6.18 to 7.1 replaces every 5-byte nop that is probed by a call, not
 * only the usual 0f 1f 44 00 00.  6.18 takes 90 and 0f 1f with any prefixes [measured].
 * insn_is_nop() in arch/x86/lib/insn-eval.c, which came later, also takes mov %reg,%reg,
 * lea 0(%reg),%reg and jmp +0.
 */

enum { NOP5 = 5 };

static const uint8_t nop10[] = { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 };

static bool is_prefix(uint8_t byte)
{
	return memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf2\xf3", byte, 10) != NULL;
}

/*
 * mov and xchg of a register with itself, lea 0(%reg),%reg: the size from the opcode on; 0: none.
 */
static size_t same_register(const uint8_t *p, size_t n, uint8_t rex)
{
	size_t size = n > 1 ? rt_x86_operand_size(p + 1, n - 1) : 0, i;
	uint8_t mod, reg, rm;
	bool sib;

	if (!size)
		return 0;
	mod = p[1] >> 6;
	reg = (p[1] >> 3 & 7) | (rex & 4 ? 8 : 0);
	sib = mod != 3 && (p[1] & 7) == 4;
	rm = ((sib ? p[2] : p[1]) & 7) | (rex & 1 ? 8 : 0);
	if (reg != rm || (p[0] == 0x8d ? mod == 0 || mod == 3 : mod != 3))
		return 0;
	/* An index register, and a displacement. */
	if (sib && (((p[2] >> 3 & 7) != 4) || (rex & 2)))
		return 0;
	for (i = 2 + sib; i < 1 + size; i++)
		if (p[i])
			return 0;
	return 1 + size;
}

size_t rt_x86_64_nop_size(const uint8_t *insn, size_t n)
{
	size_t i = 0, size;
	uint8_t rex = 0;

	while (i < n && is_prefix(insn[i]))
		i++;
	if (i < n && (insn[i] & 0xf0) == 0x40)
		rex = insn[i++];
	if (i >= n)
		return 0;
	switch (insn[i]) {
	case 0x90:
		return rex & 1 ? 0 : i + 1;
	case 0x0f:
		if (i + 2 >= n || insn[i + 1] != 0x1f)
			return 0;
		size = rt_x86_operand_size(insn + i + 2, n - i - 2);
		return size ? i + 2 + size : 0;
	case 0x87: case 0x89: case 0x8b: case 0x8d:
		/* With 4 bytes they clear the upper half. */
		size = rex & 8 ? same_register(insn + i, n - i, rex) : 0;
		return size ? i + size : 0;
	case 0xe9:
		return n - i >= 5 && rt_arch_word(insn + i + 1) == 0 ? i + 5 : 0;
	}
	return 0;
}

const char *rt_x86_64_refuses(const uint8_t *insn, size_t n, enum rt_nops nops)
{
	if (nops == RT_NOPS_CALL10 && n >= sizeof(nop10) && memcmp(insn, nop10, sizeof(nop10)) == 0)
		return NULL;
	if (nops == RT_NOPS_CALL5 && rt_x86_64_nop_size(insn, n) == NOP5)
		return "begins with a 5-byte nop, which this kernel replaces by a call that can "
		       "crash the "
		       "program; 5 bytes further is safe";
	return rt_x86_refuses(insn, n);
}

struct pattern {
	uint8_t n;		/* bytes that are looked at */
	uint8_t bytes[10], mask[3];	/* mask of the first three; the others must be equal */
	enum rt_form form;
};

#define ALL { 0xff, 0xff, 0xff }

/* The first that fits. */
static const struct pattern patterns[] = {
	{ 1, { 0x50 }, { 0xf8 }, RT_FORM_PUSH },
	{ 1, { 0x90 }, { 0xff }, RT_FORM_NOP },
	{ 2, { 0x66, 0x90 }, ALL, RT_FORM_NOP16 },
	{ 1, { 0xeb }, { 0xff }, RT_FORM_JMP },
	{ 1, { 0xe9 }, { 0xff }, RT_FORM_JMP },
	{ 1, { 0x70 }, { 0xf0 }, RT_FORM_JCC },
	{ 2, { 0x0f, 0x80 }, { 0xff, 0xf0 }, RT_FORM_JCC },
	{ 1, { 0xe8 }, { 0xff }, RT_FORM_CALL },
	{ 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 }, ALL, RT_FORM_NOP5 },
	{ 3, { 0x0f, 0x1f, 0x00 }, { 0xff, 0xff, 0x38 }, RT_FORM_NOP_LONG },
	{ 2, { 0x83, 0xec }, ALL, RT_FORM_SUB_SP },
	{ 2, { 0x81, 0xec }, ALL, RT_FORM_SUB_SP },
	{ 2, { 0x89, 0xc0 }, { 0xff, 0xc0 }, RT_FORM_MOV },
	{ 2, { 0x8b, 0xc0 }, { 0xff, 0xc0 }, RT_FORM_MOV },
	{ 2, { 0x84, 0xc0 }, { 0xfe, 0xc0 }, RT_FORM_TEST },
	{ 2, { 0x31, 0xc0 }, { 0xff, 0xc0 }, RT_FORM_XOR },
	{ 2, { 0x33, 0xc0 }, { 0xff, 0xc0 }, RT_FORM_XOR },
	{ 1, { 0x8d }, { 0xff }, RT_FORM_LEA },
	{ 1, { 0xc3 }, { 0xff }, RT_FORM_RET },
	{ 1, { 0xc2 }, { 0xff }, RT_FORM_RET },
	{ 2, { 0xf3, 0xc3 }, ALL, RT_FORM_RET },
};

static const struct pattern patterns_64[] = {
	{ 2, { 0x41, 0x50 }, { 0xff, 0xf8 }, RT_FORM_PUSH_REX },
	{ 4, { 0xf3, 0x0f, 0x1e, 0xfa }, ALL, RT_FORM_ENDBR },
	{ 10, { 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 }, ALL, RT_FORM_NOP10 },
};

static const struct pattern patterns_32[] = {
	{ 4, { 0xf3, 0x0f, 0x1e, 0xfb }, ALL, RT_FORM_ENDBR },
};

static bool fits(const struct pattern *p, const uint8_t *insn, size_t n)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (i >= n || (insn[i] & (i < 3 ? p->mask[i] : 0xff)) != p->bytes[i])
			return false;
	return true;
}

static enum rt_form find_form(const struct pattern *v, size_t count, const uint8_t *insn, size_t n)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (fits(&v[i], insn, n))
			return v[i].form;
	return RT_FORM_OTHER;
}

enum rt_form rt_x86_64_form(const uint8_t *insn, size_t n)
{
	enum rt_form form = find_form(patterns_64, RT_COUNT(patterns_64), insn, n);
	bool rex = n && (insn[0] & 0xf0) == 0x40;

	if (form)
		return form;
	form = find_form(patterns, RT_COUNT(patterns), insn + rex, n - rex);
	/*
	 * A REX prefix is no part of the others: there it would be another instruction to the
	 * kernel.
	 */
	return rex && form < RT_FORM_SUB_SP ? RT_FORM_OTHER : form;
}

enum rt_form rt_i386_form(const uint8_t *insn, size_t n)
{
	enum rt_form form = find_form(patterns_32, RT_COUNT(patterns_32), insn, n);

	return form ? form : find_form(patterns, RT_COUNT(patterns), insn, n);
}
