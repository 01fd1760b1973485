/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>

#include "arch/arch.h"
#include "arch/emulation.h"
#include "base/array.h"
#include "code.h"
#include "process/nops.h"
#include "unit.h"

static void test_tables(void)
{
	const struct rt_arch *a = rt_arch_of(EM_X86_64);

	CU_ASSERT_PTR_EQUAL(a, &rt_arch_x86_64);
	CU_ASSERT_PTR_EQUAL(rt_arch_of(EM_386), &rt_arch_i386);
	CU_ASSERT_PTR_EQUAL(rt_arch_of(183), &rt_arch_aarch64);
	CU_ASSERT_PTR_NULL(rt_arch_of(EM_NONE));
	CU_ASSERT_PTR_NULL(rt_arch_of(EM_PPC64));
	CU_ASSERT_EQUAL(a->nargs, 6);
	RT_ASSERT_TEXT(a->args[3].tracefs, "cx");
	CU_ASSERT_PTR_NULL(a->link.tracefs);
	CU_ASSERT_EQUAL(rt_arch_i386.nargs, 0);
	CU_ASSERT_EQUAL(rt_arch_i386.kernel_machine, EM_X86_64);
	CU_ASSERT_EQUAL(rt_arch_i386.stack_args, 4);
	CU_ASSERT_EQUAL(rt_arch_i386.return_pop, 4);
	CU_ASSERT_EQUAL(rt_arch_aarch64.nargs, 8);
	CU_ASSERT_EQUAL(rt_arch_aarch64.args[7].pt_regs, 56);
	RT_ASSERT_TEXT(rt_arch_aarch64.link.tracefs, "x30");
	CU_ASSERT_EQUAL(rt_arch_aarch64.link.pt_regs, 240);
	CU_ASSERT_EQUAL(rt_arch_aarch64.return_pop, 0);
}

/* The program's functions stand where the table says, with the entries that are to be tried. */
static void test_trial(void)
{
	const struct rt_arch_trial *t = rt_arch_i386.trial;

	CU_ASSERT_PTR_NULL(rt_arch_x86_64.trial);
	CU_ASSERT_PTR_NULL(rt_arch_aarch64.trial);
	CU_ASSERT_FATAL(t != NULL);
	CU_ASSERT(t->size <= 512 && t->functions[0] < t->size && t->functions[1] < t->size);
	CU_ASSERT_EQUAL(t->code[t->functions[0]], 0x55);	/* push %ebp */
	CU_ASSERT_EQUAL(t->code[t->functions[1]], 0xe8);	/* call */
	CU_ASSERT_EQUAL(t->code[t->functions[0] - 2],
			0xcd); /* the end of what stands before them */
	CU_ASSERT_EQUAL(t->code[t->functions[1] - 1], 0xc3);
	CU_ASSERT_EQUAL(t->code[t->size - 1], 0xc3);
}

static const char *const emulation_ops[] = {
	"none", "return", "move", "add", "sub", "and", "or", "xor",
};

/* Words of struct pt_regs (x86-64), then what else may be an operand. */
static const char *const emulation_operands[] = {
	"r15", "r14", "r13", "r12", "bp", "bx", "r11", "r10", "r9", "r8", "ax", "cx", "dx", "si",
	"di", "?", "ip", "cs", "flags", "sp", "-", "value", "loaded", "address",
};

static void describe(const struct rt_emulation *e, char *text, size_t size)
{
	const char *const *of = emulation_operands;
	char narrow[64] = "", address[128] = "", value[32] = "";

	if (e->narrow != e->unused)
		snprintf(narrow, sizeof(narrow), " of %d%s", 64 - e->narrow,
			 e->sign ? " with its sign" : "");
	if (e->load || e->second == RT_EMULATION_ADDRESS)
		snprintf(address, sizeof(address), "; %u at %s + (%s << %u) + %lld", e->load,
			 of[e->base], of[e->index], e->scale, (long long)e->offset);
	if (e->second == RT_EMULATION_VALUE)
		snprintf(value, sizeof(value), "; %lld", (long long)e->value);
	if (e->op == RT_EMULATE_NOTHING)
		snprintf(text, size, "none");
	else if (e->op == RT_EMULATE_RETURN)
		snprintf(text, size, "return + %lld", (long long)e->offset);
	else if (e->op == RT_EMULATE_JUMP)
		snprintf(text, size, "jump by the word at ip + %lld", (long long)e->offset);
	else
		snprintf(text, size, "%s %d, %u bytes: %s = %s, %s%s%s%s", emulation_ops[e->op],
			 64 - e->unused, e->length, of[e->to], of[e->first], of[e->second], narrow,
			 address, value);
}

static void check_emulation(const struct code *code, const struct code_part *c)
{
	struct rt_emulation e;
	char got[256];
	bool has = rt_x86_64_emulation(c->bytes, c->size, &e);

	describe(&e, got, sizeof(got));
	code_check_text(code, c, got);
	CU_ASSERT_EQUAL(has, e.op != RT_EMULATE_NOTHING);
	CU_ASSERT_EQUAL(e.place, RT_EMULATION_NOWHERE);
}

static void test_emulations(void)
{
	struct rt_emulation e;

	code_each("emulation.x86_64", check_emulation);
	CU_ASSERT_FALSE(rt_x86_64_emulation((const uint8_t *)"", 0, &e));
	CU_ASSERT_PTR_NULL(rt_arch_i386.emulation);
	CU_ASSERT_PTR_NULL(rt_arch_aarch64.emulation);
}

/* The kernel's struct pt_regs and ptrace's struct are laid out alike on x86-64. */
static void test_offsets(void)
{
#if defined(__x86_64__)
	const struct rt_arch *a = &rt_arch_x86_64;

	CU_ASSERT_EQUAL(a->args[0].pt_regs, offsetof(struct user_regs_struct, rdi));
	CU_ASSERT_EQUAL(a->args[1].pt_regs, offsetof(struct user_regs_struct, rsi));
	CU_ASSERT_EQUAL(a->args[2].pt_regs, offsetof(struct user_regs_struct, rdx));
	CU_ASSERT_EQUAL(a->args[3].pt_regs, offsetof(struct user_regs_struct, rcx));
	CU_ASSERT_EQUAL(a->args[4].pt_regs, offsetof(struct user_regs_struct, r8));
	CU_ASSERT_EQUAL(a->args[5].pt_regs, offsetof(struct user_regs_struct, r9));
	CU_ASSERT_EQUAL(a->result.pt_regs, offsetof(struct user_regs_struct, rax));
	CU_ASSERT_EQUAL(a->ip.pt_regs, offsetof(struct user_regs_struct, rip));
	CU_ASSERT_EQUAL(a->sp.pt_regs, offsetof(struct user_regs_struct, rsp));
	CU_ASSERT_EQUAL(rt_arch_native(), EM_X86_64);
#endif
	CU_ASSERT_EQUAL(rt_arch_i386.sp.pt_regs, rt_arch_x86_64.sp.pt_regs);
	CU_ASSERT_EQUAL(rt_arch_aarch64.sp.pt_regs, 31 * 8);
	CU_ASSERT_EQUAL(rt_arch_aarch64.ip.pt_regs, 32 * 8);
}

static void test_names(void)
{
	char buf[32];

	RT_ASSERT_TEXT(rt_arch_name(EM_X86_64, buf, sizeof(buf)), "x86-64");
	RT_ASSERT_TEXT(rt_arch_name(183, buf, sizeof(buf)), "aarch64");
	RT_ASSERT_TEXT(rt_arch_name(60000, buf, sizeof(buf)), "machine 60000");
}

static void check_refused(const struct code *code, const struct code_part *c)
{
	const char *why = code->arch->refuses(c->bytes, c->size, RT_NOPS_TRAP),
		   *got = why ? why : "no";
	bool any = strcmp(c->want, "any") == 0;

	code_check(code, c, got, any ? why != NULL : strncmp(got, c->want, strlen(c->want)) == 0);
}

static void test_x86(void)
{
	code_each("refused.x86_64", check_refused);
	RT_ASSERT_TEXT(rt_arch_x86_64.refuses(NULL, 0, RT_NOPS_TRAP), "has no code in the file");
}

static void test_i386(void)
{
	code_each("refused.i386", check_refused);
	CU_ASSERT_PTR_NOT_NULL(rt_arch_i386.refuses(NULL, 0, RT_NOPS_TRAP));
}

static void test_aarch64(void)
{
	code_each("refused.aarch64", check_refused);
	CU_ASSERT_PTR_NOT_NULL(rt_arch_aarch64.refuses(NULL, 0, RT_NOPS_TRAP));
}

/* Some kernels emulate these as in a 64-bit program. */
static void check_pushes(const struct code *code, const struct code_part *c)
{
	code_check_text(code, c, code->arch->pushes(c->bytes, c->size) ? "yes" : "no");
}

static void test_i386_pushes(void)
{
	code_each("pushes.i386", check_pushes);
	CU_ASSERT(!rt_arch_i386.pushes(NULL, 0));
	CU_ASSERT_PTR_NULL(rt_arch_x86_64.pushes);
}

static void check_mask(const struct code *code, const struct code_part *c)
{
	uint32_t writes = 99;
	size_t size = rt_x86_mask_size(c->bytes, c->size, &writes);
	char got[32], reg[8] = "-";
	unsigned i;

	for (i = 0; i < 32; i++)
		if (writes == 1u << i)
			snprintf(reg, sizeof(reg), "%u", i);
	snprintf(got, sizeof(got), "%zu %s", size, reg);
	code_check(code, c, got, strcmp(got, c->want) == 0 && (reg[0] != '-' || !writes));
}

static void test_mask_size(void)
{
	uint32_t writes;

	code_each("masks.x86_64", check_mask);
	CU_ASSERT_EQUAL(rt_x86_mask_size(NULL, 0, &writes), 0);
}

static void check_address(const struct code *code, const struct code_part *c)
{
	bool fixed = strncmp(c->want, "fixed ", 6) == 0;
	char got[64] = "none";
	uint64_t addr;

	if (code->arch->loads_address(c->bytes, c->size, 0x401000, fixed, &addr))
		snprintf(got, sizeof(got), "0x%llx", (unsigned long long)addr);
	code_check(code, c, got, strcmp(got, c->want + (fixed ? 6 : 0)) == 0);
}

static void test_loads_address(void)
{
	code_each("addresses.x86_64", check_address);
	code_each("addresses.i386", check_address);
	code_each("addresses.aarch64", check_address);
}

static void check_beginning(const struct code *code, const struct code_part *c)
{
	bool before = strncmp(c->want, "before: ", 8) == 0;
	bool yes = before ? code->arch->ends_code(c->bytes) : code->arch->is_landing(c->bytes);

	code_check(code, c, yes ? "yes" : "no",
		   strcmp(yes ? "yes" : "no", c->want + (before ? 8 : 0)) == 0);
}

static void test_beginnings(void)
{
	code_each("beginnings.x86_64", check_beginning);
	code_each("beginnings.i386", check_beginning);
	code_each("beginnings.aarch64", check_beginning);
}

static void check_link(const struct code *code, const struct code_part *c)
{
	const char *why = code->arch->unsafe_return(c->bytes, c->size);

	code_check_text(code, c, why ? "keeps" : "no");
	if (why)
		RT_ASSERT_TEXT(why, "keeps its return address in a register");
}

static void test_unsafe_return(void)
{
	code_each("link_register.aarch64", check_link);
	CU_ASSERT_PTR_NULL(rt_arch_x86_64.unsafe_return);
}

/* ---- nops that a kernel makes calls of ---- */

/* The bytes behind it are not taken for the nop's. */
static void check_nop(const struct code *code, const struct code_part *c)
{
	uint8_t insn[16];
	char got[16];
	size_t size, k;

	memset(insn, 0xc3, sizeof(insn));
	memcpy(insn, c->bytes, c->size);
	size = rt_x86_64_nop_size(insn, sizeof(insn));
	snprintf(got, sizeof(got), "%zu", size);
	code_check_text(code, c, got);
	/* Cut off. */
	for (k = 0; size && k < c->size; k++)
		CU_ASSERT_EQUAL(rt_x86_64_nop_size(c->bytes, k), 0);
}

static void test_nop_size(void)
{
	code_each("nops.x86_64", check_nop);
}

static void check_refused_nop(const struct code *code, const struct code_part *c)
{
	static const enum rt_nops kernels[] = { RT_NOPS_TRAP, RT_NOPS_CALL5, RT_NOPS_CALL10 };
	char got[32] = "";
	size_t i;

	for (i = 0; i < RT_COUNT(kernels); i++) {
		const char *why = code->arch->refuses(c->bytes, c->size, kernels[i]);

		strcat(got, i ? ", " : "");
		strcat(got, why ? "yes" : "no");
	}
	code_check_text(code, c, got);
}

static void test_nops(void)
{
	const struct code_part *nop5, *nop10;
	struct code code;

	code_each("nops_refused.x86_64", check_refused_nop);
	code_each("nops_refused.i386", check_refused_nop);
	code_open(&code, "nops_refused.x86_64");
	if (code.n) {
		nop5 = code_part(&code, "nop5");
		nop10 = code_part(&code, "nop10");
		RT_ASSERT_TEXT(code.arch->refuses(nop5->bytes, nop5->size, RT_NOPS_CALL5),
			       "begins with a 5-byte nop, which this kernel replaces by a call "
			       "that can crash the program; 5 bytes further is safe");
		RT_ASSERT_TEXT(code.arch->refuses(nop10->bytes, nop10->size, RT_NOPS_TRAP),
			       "begins with a segment prefix, which the kernel cannot probe");
	}
	code_close(&code);
}

static void test_nops_asked(void)
{
	CU_ASSERT_EQUAL(rt_nops_of(ENOSYS, false), RT_NOPS_TRAP);
	CU_ASSERT_EQUAL(rt_nops_of(ENXIO, false), RT_NOPS_CALL5);
	CU_ASSERT_EQUAL(rt_nops_of(EPROTO, false), RT_NOPS_CALL10);
	CU_ASSERT_EQUAL(rt_nops_of(EPROTO, true), RT_NOPS_CALL10);
	/* A filter's answer, a process that it has ended, and what no kernel says. */
	CU_ASSERT_EQUAL(rt_nops_of(ENOSYS, true), RT_NOPS_CALL5);
	CU_ASSERT_EQUAL(rt_nops_of(EPERM, true), RT_NOPS_CALL5);
	CU_ASSERT_EQUAL(rt_nops_of(0, true), RT_NOPS_CALL5);
	CU_ASSERT_EQUAL(rt_nops_of(0, false), RT_NOPS_CALL5);
	if (rt_arch_native() != EM_X86_64)
		CU_ASSERT_EQUAL(rt_nops_ask(), RT_NOPS_TRAP);
}

/* Every architecture has all that is asked of one. */
static void test_complete(void)
{
	const struct rt_arch *a;
	unsigned i;

	for (i = 0; (a = rt_arch_at(i)) != NULL; i++) {
		CU_ASSERT_PTR_EQUAL(rt_arch_of(a->machine), a);
		CU_ASSERT(a->word == 4 || a->word == 8);
		CU_ASSERT(a->insn_align > 0);
		CU_ASSERT(a->refuses && a->loads_address && a->ends_code && a->is_landing);
		CU_ASSERT(a->ip.tracefs && a->sp.tracefs && a->result.tracefs);
		CU_ASSERT_PTR_NOT_NULL(a->refuses(NULL, 0, RT_NOPS_TRAP));
	}
	CU_ASSERT(i > 2);
}

CU_TestInfo rt_tests_arch[] = {
	{ "complete", test_complete },
	{ "tables", test_tables },
	{ "a program to try uretprobes on", test_trial },
	{ "pt_regs offsets", test_offsets },
	{ "machine names", test_names },
	{ "x86 instructions", test_x86 },
	{ "instructions of mask registers", test_mask_size },
	{ "nops", test_nop_size },
	{ "nops that a kernel makes calls of", test_nops },
	{ "what the kernel makes of nops", test_nops_asked },
	{ "i386 instructions", test_i386 },
	{ "i386: what pushes", test_i386_pushes },
	{ "aarch64 instructions", test_aarch64 },
	{ "addresses that resolvers load", test_loads_address },
	{ "beginnings of functions", test_beginnings },
	{ "functions without a frame that call", test_unsafe_return },
	{ "emulated instructions", test_emulations },
	CU_TEST_INFO_NULL,
};
