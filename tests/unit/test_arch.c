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

#define EMULATION(code) (const uint8_t *)(code), sizeof(code) - 1
#define NONE RT_EMULATION_ZERO

/* Words of struct pt_regs. */
enum { R10_WORD = 7, AX_WORD = 10, CX_WORD, DX_WORD, SI_WORD, DI_WORD, IP_WORD = 16, SP_WORD = 19 };

/* The returns, with what they pop; other instructions with their operands. */
static void test_emulations(void)
{
	static const struct {
		const uint8_t *code;
		size_t n;
		struct rt_emulation e;
	} rows[] = {
		{ EMULATION("\xc3"), { .op = RT_EMULATE_RETURN } },
		{ EMULATION("\xf3\xc3"), { .op = RT_EMULATE_RETURN } },
		{ EMULATION("\xf2\xc3"), { .op = RT_EMULATE_RETURN } },
		{ EMULATION("\xc2\x18\x00"), { .op = RT_EMULATE_RETURN, .offset = 24 } },
		{ EMULATION("\xc2\x00\xff"), { .op = RT_EMULATE_RETURN, .offset = 0xff00 } },
		{ EMULATION("\xf3\x0f\x1e\xfa"), { .op = RT_EMULATE_MOVE, .length = 4 } },
		/* mov %rdi,%rax; mov %r9b,%r10b; mov $-5,%r10; movabs $...,%rax */
		{ EMULATION("\x48\x89\xf8"),
		  { .op = RT_EMULATE_MOVE, .to = AX_WORD, .second = DI_WORD, .length = 3 } },
		{ EMULATION("\x45\x88\xca"),
		  { .op = RT_EMULATE_MOVE, .to = R10_WORD, .second = 8, .length = 3,
		    .unused = 56 } },
		{ EMULATION("\x49\xc7\xc2\xfb\xff\xff\xff"),
		  { .op = RT_EMULATE_MOVE, .to = R10_WORD, .second = RT_EMULATION_VALUE,
		    .value = -5, .length = 7 } },
		{ EMULATION("\x48\xb8\xef\xcd\xab\x89\x67\x45\x23\x81"),
		  { .op = RT_EMULATE_MOVE, .to = AX_WORD, .second = RT_EMULATION_VALUE,
		    .value = (int64_t)0x8123456789abcdefull, .length = 10 } },
		/* mov 8(%rsi,%rcx,4),%eax; mov 0x12345678(%rip),%rax; mov 8(%rsp),%rax */
		{ EMULATION("\x8b\x44\x8e\x08"),
		  { .op = RT_EMULATE_MOVE, .to = AX_WORD, .second = RT_EMULATION_LOADED,
		    .base = SI_WORD, .index = CX_WORD, .scale = 2, .load = 4, .offset = 8,
		    .length = 4, .unused = 32 } },
		{ EMULATION("\x48\x8b\x05\x78\x56\x34\x12"),
		  { .op = RT_EMULATE_MOVE, .to = AX_WORD, .second = RT_EMULATION_LOADED,
		    .base = IP_WORD, .load = 8, .offset = 0x12345678 + 7, .length = 7 } },
		{ EMULATION("\x48\x8b\x44\x24\x08"),
		  { .op = RT_EMULATE_MOVE, .to = AX_WORD, .second = RT_EMULATION_LOADED,
		    .base = SP_WORD, .load = 8, .offset = 8, .length = 5 } },
		/* movzbl %dil,%eax; movswq -1(%rsi),%rax */
		{ EMULATION("\x40\x0f\xb6\xc7"),
		  { .op = RT_EMULATE_MOVE, .to = AX_WORD, .second = DI_WORD, .narrow = 56,
		    .length = 4, .unused = 32 } },
		{ EMULATION("\x48\x0f\xbf\x46\xff"),
		  { .op = RT_EMULATE_MOVE, .to = AX_WORD, .second = RT_EMULATION_LOADED,
		    .narrow = 48, .sign = 1, .base = SI_WORD, .load = 2, .offset = -1,
		    .length = 5 } },
		/* lea 0(,%rcx,8),%rax; test %edi,%esi; testl $0x100,8(%rsi) */
		{ EMULATION("\x48\x8d\x04\xcd\x00\x00\x00\x00"),
		  { .op = RT_EMULATE_MOVE, .to = AX_WORD, .second = RT_EMULATION_ADDRESS,
		    .index = CX_WORD, .scale = 3, .length = 8 } },
		{ EMULATION("\x85\xfe"),
		  { .op = RT_EMULATE_AND, .first = SI_WORD, .second = DI_WORD, .length = 2,
		    .unused = 32 } },
		{ EMULATION("\xf7\x46\x08\x00\x01\x00\x00"),
		  { .op = RT_EMULATE_AND, .first = RT_EMULATION_LOADED,
		    .second = RT_EMULATION_VALUE, .value = 0x100, .base = SI_WORD, .load = 4,
		    .offset = 8, .length = 7, .unused = 32 } },
		/* cmpw $300,(%rsi); cmp 16(%r14),%rsp; xor %eax,%eax; sub %esi,%eax;
		 * add $127,%al */
		{ EMULATION("\x66\x81\x3e\x2c\x01"),
		  { .op = RT_EMULATE_SUB, .first = RT_EMULATION_LOADED,
		    .second = RT_EMULATION_VALUE, .value = 300, .base = SI_WORD, .load = 2,
		    .length = 5, .unused = 48 } },
		{ EMULATION("\x49\x3b\x66\x10"),
		  { .op = RT_EMULATE_SUB, .first = SP_WORD, .second = RT_EMULATION_LOADED,
		    .base = 1, .load = 8, .offset = 16, .length = 4 } },
		{ EMULATION("\x31\xc0"),
		  { .op = RT_EMULATE_XOR, .to = AX_WORD, .first = AX_WORD, .second = AX_WORD,
		    .length = 2, .unused = 32 } },
		{ EMULATION("\x29\xf0"),
		  { .op = RT_EMULATE_SUB, .to = AX_WORD, .first = AX_WORD, .second = SI_WORD,
		    .length = 2, .unused = 32 } },
		{ EMULATION("\x04\x7f"),
		  { .op = RT_EMULATE_ADD, .to = AX_WORD, .first = AX_WORD,
		    .second = RT_EMULATION_VALUE, .value = 127, .length = 2, .unused = 56 } },
		/* and $-16,%ax; or %edx,%r10d */
		{ EMULATION("\x66\x83\xe0\xf0"),
		  { .op = RT_EMULATE_AND, .to = AX_WORD, .first = AX_WORD,
		    .second = RT_EMULATION_VALUE, .value = -16, .length = 4, .unused = 48 } },
		{ EMULATION("\x41\x09\xd2"),
		  { .op = RT_EMULATE_OR, .to = R10_WORD, .first = R10_WORD, .second = DX_WORD,
		    .length = 3, .unused = 32 } },
	};
	size_t i;

	for (i = 0; i < RT_COUNT(rows); i++) {
		struct rt_emulation e, want = rows[i].e;

		/* Words that a row does not give are no operands; 0 is r15's, which no row has. */
		want.place = RT_EMULATION_NOWHERE;
		want.to = want.to ? want.to : NONE;
		want.first = want.first ? want.first : NONE;
		want.second = want.second ? want.second : NONE;
		want.base = want.base ? want.base : NONE;
		want.index = want.index ? want.index : NONE;
		want.narrow = want.narrow ? want.narrow : want.unused;
		CU_ASSERT(rt_x86_64_emulation(rows[i].code, rows[i].n, &e));
		CU_ASSERT_EQUAL(memcmp(&e, &want, sizeof(e)), 0);
		CU_ASSERT_FALSE(rt_x86_64_emulation(rows[i].code, rows[i].n - 1, &e));
	}
	CU_ASSERT_PTR_NULL(rt_arch_i386.emulation);
	CU_ASSERT_PTR_NULL(rt_arch_aarch64.emulation);
}

/* The kernel executes these. */
static void test_no_emulations(void)
{
	static const struct {
		const uint8_t *code;
		size_t n;
	} rows[] = {
		{ EMULATION("") },
		{ EMULATION("\xf3") },
		{ EMULATION("\xcb") },			/* lret */
		{ EMULATION("\x48\xc3") },
		{ EMULATION("\x66\xc3") },		/* may pop 2 bytes */
		{ EMULATION("\xff\xe0") },		/* jmp *%rax */
		{ EMULATION("\x48\x89\x7e\x08") },	/* mov %rdi,8(%rsi) */
		{ EMULATION("\x48\x83\xec\x08") },	/* sub $8,%rsp */
		{ EMULATION("\x48\x89\xfc") },		/* mov %rdi,%rsp */
		{ EMULATION("\x48\x8d\x65\xf8") },	/* lea -8(%rbp),%rsp */
		{ EMULATION("\x83\x06\x01") },		/* addl $1,(%rsi) */
		{ EMULATION("\x19\xc0") },		/* sbb %eax,%eax */
		{ EMULATION("\x88\xe0") },		/* mov %ah,%al */
		{ EMULATION("\x64\x48\x8b\x04\x25\x28\x00\x00\x00") },	/* mov %fs:0x28,%rax */
		{ EMULATION("\x67\x8b\x07") },		/* mov (%edi),%eax */
		{ EMULATION("\xf2\x0f\x10\x07") },	/* movsd (%rdi),%xmm0 */
		{ EMULATION("\x0f\x1f\x40\x00") },	/* a nop, which kernels emulate */
		{ EMULATION("\x48\x8d\xc0") },		/* lea of a register: no instruction */
		{ EMULATION("\xf7\xd8") },		/* neg %eax */
	};
	struct rt_emulation e;
	size_t i;

	for (i = 0; i < RT_COUNT(rows); i++) {
		CU_ASSERT_FALSE(rt_x86_64_emulation(rows[i].code, rows[i].n, &e));
		CU_ASSERT_EQUAL(e.op, RT_EMULATE_NOTHING);
		CU_ASSERT_EQUAL(e.place, RT_EMULATION_NOWHERE);
	}
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

#define BEFORE(arch, bytes) rt_arch_##arch.ends_code((const uint8_t *)bytes)
#define LANDING(arch, bytes) rt_arch_##arch.is_landing((const uint8_t *)bytes)

static void test_beginnings(void)
{
	CU_ASSERT_TRUE(BEFORE(x86_64, "\x11\x11\x11\x11\x11\x11\x11\xc3"));		/* ret */
	CU_ASSERT_TRUE(BEFORE(x86_64, "\x11\x11\x11\xe9\x11\x11\x11\x11"));		/* jmp */
	CU_ASSERT_FALSE(BEFORE(x86_64, "\xc3\x90\x11\x11\x11\x11\x11\x11"));
	CU_ASSERT_TRUE(BEFORE(aarch64, "\x11\x11\x11\x11\xc0\x03\x5f\xd6"));		/* ret */
	CU_ASSERT_TRUE(BEFORE(aarch64, "\x11\x11\x11\x11\xff\x0f\x5f\xd6"));		/* retab */
	CU_ASSERT_TRUE(BEFORE(aarch64, "\x11\x11\x11\x11\x00\x00\x00\x00"));
	CU_ASSERT_TRUE(BEFORE(aarch64, "\x11\x11\x11\x11\x01\x00\x00\x17"));		/* b */
	CU_ASSERT_FALSE(BEFORE(aarch64, "\xc0\x03\x5f\xd6\x01\x00\x00\x97")); /* ret; bl */
	CU_ASSERT_TRUE(LANDING(x86_64, "\xf3\x0f\x1e\xfa") && !LANDING(x86_64, "\xf3\x0f\x1e\xfb"));
	CU_ASSERT_TRUE(LANDING(i386, "\xf3\x0f\x1e\xfb") && !LANDING(i386, "\xf3\x0f\x1e\xfa"));
	CU_ASSERT_TRUE(LANDING(aarch64, "\x5f\x24\x03\xd5") &&
		       LANDING(aarch64, "\x3f\x23\x03\xd5"));  /* bti c, paciasp */
	CU_ASSERT_FALSE(LANDING(aarch64, "\x1f\x20\x03\xd5")); /* nop */
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

#define NOP10 "\x66\x2e\x0f\x1f\x84\0\0\0\0\0"
#define BYTES(text) text, sizeof(text) - 1

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

static const char *judge_nop(const struct rt_arch *arch, const char *bytes, size_t n,
			     enum rt_nops nops)
{
	return arch->refuses((const uint8_t *)bytes, n, nops);
}

static void test_nops(void)
{
	static const char nop5[] = "\x0f\x1f\x44\x00\x00\x55", nop4[] = "\x0f\x1f\x40\x00\x90";

	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_x86_64, nop5, 6, RT_NOPS_TRAP));
	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_x86_64, nop5, 6, RT_NOPS_CALL10));
	RT_ASSERT_TEXT(judge_nop(&rt_arch_x86_64, nop5, 6, RT_NOPS_CALL5),
		       "begins with a 5-byte nop, which this kernel replaces by a call that can "
		       "crash the program; 5 bytes further is safe");
	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_x86_64, nop4, 5, RT_NOPS_CALL5));
	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_x86_64, "\x66\x90", 2, RT_NOPS_CALL5));
	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_i386, nop5, 6, RT_NOPS_CALL5));
	RT_ASSERT_TEXT(judge_nop(&rt_arch_x86_64, NOP10, 10, RT_NOPS_TRAP),
		       "begins with a segment prefix, which the kernel cannot probe");
	CU_ASSERT_PTR_NOT_NULL(judge_nop(&rt_arch_x86_64, NOP10, 10, RT_NOPS_CALL5));
	CU_ASSERT_PTR_NULL(judge_nop(&rt_arch_x86_64, NOP10, 10, RT_NOPS_CALL10));
	CU_ASSERT_PTR_NOT_NULL(judge_nop(&rt_arch_x86_64, NOP10, 9, RT_NOPS_CALL10));
	/* LLVM's, which that kernel refuses. */
	CU_ASSERT_PTR_NOT_NULL(judge_nop(&rt_arch_x86_64, BYTES("\x2e\x66\x0f\x1f\x84\0\0\2\0\0"),
					 RT_NOPS_CALL10));
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
	{ "instructions that are not emulated", test_no_emulations },
	CU_TEST_INFO_NULL,
};
