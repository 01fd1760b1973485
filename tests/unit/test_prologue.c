/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfgen.h"
#include "calls/feed.h"
#include "elf/file.h"
#include "arch/flow.h"
#include "code/prologue.h"
#include "unit.h"
#include "base/array.h"

#define BASE 0x10000000u
#define CODE (BASE + ELFGEN_CODE)

enum { RETURNS = 1, STACK = 2, MARK_ONLY = 4, NOT_ENTRY = 8, CALL5 = 16 };

static struct rt_decoder *decoder;

/* ---- the walk ---- */

#define BYTES(text) text, sizeof(text) - 1
#define ENDBR "\xf3\x0f\x1e\xfa"
#define NOP5 "\x0f\x1f\x44\x00\x00"
#define SUB8 "\x48\x83\xec\x08"
#define TEST_DI "\x85\xff"
#define JE "\x74\x10"

static const struct walk_case {
	const char *code;
	size_t n;
	unsigned flags;		/* what the plan needs */
	uint32_t arguments;
	uint32_t skip;
	int32_t sp_down;
	const char *why;
} walks[] = {
	/* Nothing to gain. */
	{ BYTES("\x55"), RETURNS, 1, 0, 0, "kernels need not" },
	{ BYTES("\x41\x57"), RETURNS, 1, 0, 0, "kernels need not" },
	{ BYTES("\x0f\x1f\x44\x00\x00\x55"), RETURNS, 1, 0, 0, "kernels need not" },
	{ BYTES("\xe8\x00\x00\x00\x00"), RETURNS, 1, 0, 0, "kernels need not" },
	/* The mark of -fcf-protection, and what compilers put behind it. */
	{ BYTES(ENDBR "\x55"), RETURNS, 1, 4, 0, "past what" },
	{ BYTES(ENDBR "\x55"), RETURNS | MARK_ONLY, 1, 4, 0, "past what" },
	{ BYTES(ENDBR "\x90\x90\x55"), RETURNS, 1, 4, 0, "past what" },
	{ BYTES(ENDBR "\xe8\x00\x00\x00\x00"), RETURNS, 1, 4, 0, "past what" },
	{ BYTES(ENDBR), RETURNS, 1, 0, 0, "it ends" },
	{ BYTES(ENDBR "\xc3"), RETURNS, 1, 0, 0, "not a plain" },
	{ BYTES(ENDBR TEST_DI JE), RETURNS, 1, 6, 0, "past what" },
	{ BYTES(ENDBR TEST_DI JE), RETURNS | MARK_ONLY, 1, 0, 0, "not measured" },
	/* The stack pointer. */
	{ BYTES(SUB8 TEST_DI JE), RETURNS, 1, 0, 0, "from the return address" },
	{ BYTES(SUB8 TEST_DI JE), 0, 1, 6, 8, "past what" },
	{ BYTES(SUB8 TEST_DI JE), STACK, 1, 0, 0, "values are read" },
	{ BYTES("\x48\x83\xc4\x08" TEST_DI JE), 0, 1, 6, -8, "past what" },
	{ BYTES("\x48\x81\xec\x00\x10\x00\x00" TEST_DI JE), 0, 1, 9, 4096, "past what" },
	{ BYTES("\x48\x89\xfc\x55"), 0, 0, 0, 0, "cannot be known" },		/* mov %rdi,%rsp */
	{ BYTES("\x48\x8d\x64\x24\xf8\x55"), 0, 0, 0, 0, "cannot be known" },	/* lea -8(%rsp),%rsp */
	{ BYTES("\x48\x83\xe4\xf0\x55"), 0, 0, 0, 0, "cannot be known" },		/* and $-16,%rsp */
	{ BYTES("\x83\xec\x08\x55"), 0, 0, 0, 0, "not a plain" },			/* sub $8,%esp */
	{ BYTES("\x48\x89\xe5\x55"), RETURNS, 1, 3, 0, "past what" },		/* mov %rsp,%rbp */
	{ BYTES("\x58\x55"), 0, 0, 0, 0, "not a plain" },				/* pop %rax */
	/* Arguments. */
	{ BYTES("\x89\xc7\x55"), RETURNS, 1, 0, 0, "overwrites an argument" },	/* mov %eax,%edi */
	{ BYTES("\x89\xc7\x55"), RETURNS, 2, 2, 0, "past what" },
	{ BYTES("\x40\xb7\x05\x55"), RETURNS, 1, 0, 0, "overwrites an argument" },	/* mov $5,%dil */
	{ BYTES("\xb6\x05\x55"), RETURNS, 4, 0, 0, "overwrites an argument" },	/* mov $5,%dh */
	{ BYTES("\x31\xf6\x55"), RETURNS, 2, 0, 0, "overwrites an argument" },	/* xor %esi,%esi */
	{ BYTES("\x31\xf6\x55"), RETURNS, 1, 2, 0, "past what" },
	{ BYTES("\xff\xc7\x55"), RETURNS, 1, 0, 0, "overwrites an argument" },	/* inc %edi */
	{ BYTES("\x0f\x44\xfe\x55"), RETURNS, 1, 0, 0, "overwrites an argument" },	/* cmove %esi,%edi */
	{ BYTES("\x45\x31\xc9\x55"), RETURNS, 32, 0, 0, "overwrites an argument" },	/* xor %r9d,%r9d */
	{ BYTES("\x39\xf7\x0f\x94\xc0\x55"), RETURNS, 3, 5, 0, "past what" },	/* cmp %esi,%edi; sete %al */
	{ BYTES("\x66\x0f\xef\xc0\x55"), RETURNS, 1, 4, 0, "past what" },		/* pxor %xmm0,%xmm0 */
	{ BYTES("\x48\x8d\x05\x10\x00\x00\x00\x55"), RETURNS, 1, 7, 0, "past what" },	/* lea 16(%rip),%rax */
	/* Memory: a fault would hide the call. */
	{ BYTES("\x8b\x07\x55"), 0, 0, 0, 0, "memory" },
	{ BYTES("\x48\x89\x7c\x24\xf8\x55"), 0, 0, 0, 0, "memory" },			/* mov %rdi,-8(%rsp) */
	{ BYTES("\x80\x3d\x00\x10\x00\x00\x00\x74\x10"), 0, 0, 0, 0, "memory" },	/* cmpb $0,4096(%rip) */
	{ BYTES("\x64\x48\x8b\x04\x25\x28\x00\x00\x00\x55"), 0, 0, 0, 0, "" },	/* mov %fs:40,%rax */
	/* What may trap, or do more than its operands say. */
	{ BYTES("\xf7\xf7\x55"), 0, 0, 0, 0, "not a plain" },				/* div %edi */
	{ BYTES("\xf7\xef\x55"), 0, 0, 0, 0, "not a plain" },				/* imul %edi, into %edx */
	{ BYTES("\x99\x55"), 0, 0, 0, 0, "not a plain" },				/* cltd, into %edx */
	{ BYTES("\x48\x87\xfe\x55"), 0, 0, 0, 0, "not a plain" },			/* xchg %rdi,%rsi */
	{ BYTES("\xf3\xa4\x55"), 0, 0, 0, 0, "not a plain" },				/* rep movsb */
	{ BYTES("\x0f\x05\x55"), 0, 0, 0, 0, "not a plain" },				/* syscall */
	{ BYTES("\x8e\xd8\x55"), 0, 0, 0, 0, "not a plain" },				/* mov %eax,%ds */
	{ BYTES("\x0f\x20\xc0\x55"), 0, 0, 0, 0, "not a plain" },			/* mov %cr0,%rax */
	{ BYTES("\xff\xe0\x55"), 0, 0, 0, 0, "branches" },				/* jmp *%rax */
	{ BYTES("\x06\x55"), 0, 0, 0, 0, "not known" },				/* no instruction */
	{ BYTES("\x89\xc0"), 0, 0, 0, 0, "it ends" },
	{ BYTES("\x89\xc0\x89"), 0, 0, 0, 0, "not known" },				/* cut off */
	/* An entry that cannot be probed: vpbroadcastb %esi,%zmm16; vmovd %esi,%xmm0; vpxor (%rdi),%xmm0,%xmm0; then mov %rdi,%rax. */
	{ BYTES("\x62\xe2\x7d\x48\x7a\xc6\x48\x89\xf8"), NOT_ENTRY | RETURNS | STACK, ~0u, 6, 0, "past what must not be probed" },
	{ BYTES("\xc5\xf9\x6e\xc6\x48\x89\xf8"), NOT_ENTRY | RETURNS | STACK, ~0u, 4, 0, "past what must not be probed" },
	/* Nops that this kernel makes calls of are passed by, as first instruction and behind one that is single-stepped. */
	{ BYTES(NOP5 "\x48\x89\xf8"), CALL5 | NOT_ENTRY | RETURNS | STACK, ~0u, 5, 0, "past what must not be probed" },
	{ BYTES(NOP5 "\x48\x89\xf8\x55"), CALL5 | RETURNS, 2, 8, 0, "past what the kernel single-steps" },
	{ BYTES("\x89\xc0" NOP5 "\x55"), CALL5 | RETURNS, 1, 7, 0, "past what the kernel single-steps" },
	{ BYTES("\x89\xc0" NOP5 "\x55"), RETURNS, 1, 2, 0, "past what the kernel single-steps" },
	{ BYTES(ENDBR NOP5 "\x55"), CALL5 | MARK_ONLY, 1, 9, 0, "past what the kernel single-steps" },
	{ BYTES(ENDBR NOP5 "\x89\xc0\x55"), CALL5 | MARK_ONLY, 1, 0, 0, "was not measured" },
	{ BYTES(ENDBR NOP5), CALL5, 1, 0, 0, "it ends" },
	{ BYTES("\xc5\xf9\xef\x07\x48\x89\xf8"), NOT_ENTRY | RETURNS | STACK, ~0u, 0, 0, "memory" },
	{ BYTES("\xc5\xf9\x6e\xc6"), NOT_ENTRY, ~0u, 0, 0, "it ends" },
	{ BYTES("\xc5\xf9\x6e\xc6\xc5\xfb\x93\xc0\xc3"), 0, 0, 0, 0, "not a plain" },	/* kmovd %k0,%eax */
};

static void check_walk(const struct walk_case *c, struct rt_decoder *with)
{
	const struct rt_prologue_want want = {
		.emulated = RT_FORMS_ASSUMED, .mark_only = c->flags & MARK_ONLY, .returns = c->flags & RETURNS,
		.not_entry = c->flags & NOT_ENTRY, .stack = c->flags & STACK, .arguments = c->arguments,
		.nops = c->flags & CALL5 ? RT_NOPS_CALL5 : RT_NOPS_TRAP,
	};
	struct rt_prologue p;

	rt_prologue_walk(&rt_arch_x86_64, with, (const uint8_t *)c->code, c->n, CODE, &want, &p);
	if (p.skip != c->skip || p.sp_down != c->sp_down || !strstr(p.why, c->why)) {
		printf("case %d: at +%u, %d down: %s\n", (int)(c - walks), (unsigned)p.skip, (int)p.sp_down, p.why);
		CU_FAIL("another place");
	}
}

static void test_walk(void)
{
	size_t i;

	for (i = 0; i < sizeof(walks) / sizeof(walks[0]) && decoder; i++)
		check_walk(&walks[i], decoder);
}

/* The mark and nops are known by their bytes; nothing else is moved past. */
static void test_walk_alone(void)
{
	const struct walk_case v[] = {
		{ BYTES(ENDBR "\x55"), RETURNS, 1, 4, 0, "past what" },
		{ BYTES(ENDBR TEST_DI JE), RETURNS, 1, 0, 0, "no disassembler" },
		{ BYTES(TEST_DI JE), RETURNS, 1, 0, 0, "no disassembler" },
		{ BYTES(NOP5 "\x55"), CALL5 | RETURNS, 1, 5, 0, "past what" },
	};
	size_t i;

	for (i = 0; i < 4; i++)
		check_walk(&v[i], NULL);
}

/* Where push is single-stepped too (before 4.17), it is not stepped over. */
static void test_walk_old(void)
{
	const struct rt_prologue_want want = { .emulated = RT_FORM_BIT(RT_FORM_JCC), .returns = true };
	struct rt_prologue p;

	rt_prologue_walk(&rt_arch_x86_64, decoder, (const uint8_t *)"\x55\x85\xff\x74\x10", 5, CODE, &want, &p);
	CU_ASSERT_EQUAL(p.skip, 0);
	rt_prologue_walk(&rt_arch_x86_64, decoder, (const uint8_t *)"\x85\xff\x74\x10\x55", 5, CODE, &want, &p);
	CU_ASSERT_EQUAL(p.skip, decoder ? 2 : 0);
	CU_ASSERT_EQUAL(p.form, decoder ? RT_FORM_JCC : RT_FORM_TEST);
}

static void test_forms(void)
{
	static const struct {
		const char *code;
		size_t n;
		enum rt_form form, form_32;
	} v[] = {
		{ BYTES("\x53"), RT_FORM_PUSH, RT_FORM_PUSH }, { BYTES("\x41\x54"), RT_FORM_PUSH_REX, RT_FORM_OTHER },
		{ BYTES("\x48\x55"), RT_FORM_OTHER, RT_FORM_OTHER }, { BYTES("\x90"), RT_FORM_NOP, RT_FORM_NOP },
		{ BYTES("\x0f\x1f\x40\x00"), RT_FORM_NOP_LONG, RT_FORM_NOP_LONG },
		{ BYTES("\x0f\x85\x01\x02\x03\x04"), RT_FORM_JCC, RT_FORM_JCC },
		{ BYTES("\xf3\x0f\x1e\xfa"), RT_FORM_ENDBR, RT_FORM_OTHER },
		{ BYTES("\xf3\x0f\x1e\xfb"), RT_FORM_OTHER, RT_FORM_ENDBR },
		{ BYTES("\xf3\x0f\x1e"), RT_FORM_OTHER, RT_FORM_OTHER },
		{ BYTES("\x48\x83\xec\x08"), RT_FORM_SUB_SP, RT_FORM_OTHER },
		{ BYTES("\x48\x83\xe8\x08"), RT_FORM_OTHER, RT_FORM_OTHER }, { BYTES("\x0f"), RT_FORM_OTHER, RT_FORM_OTHER },
		{ BYTES("\x66\x90"), RT_FORM_NOP16, RT_FORM_NOP16 }, { BYTES("\xff\xe0"), RT_FORM_OTHER, RT_FORM_OTHER },
	};
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		CU_ASSERT_EQUAL(rt_x86_64_form((const uint8_t *)v[i].code, v[i].n), v[i].form);
		CU_ASSERT_EQUAL(rt_i386_form((const uint8_t *)v[i].code, v[i].n), v[i].form_32);
	}
	CU_ASSERT_EQUAL(rt_x86_64_form(NULL, 0), RT_FORM_OTHER);
}

/* ---- who else gets there ---- */

/* The function: endbr64, push, from 0x40 to 0x60; before it another, from 0 on. */
enum { F = 0x40, F_SIZE = 0x20 };

static const struct elfgen_sym symbols[] = {
	{ "before", CODE, 0x40, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "f", CODE + F, F_SIZE, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "second", CODE + F + 2, 2, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
};

static const struct branch_case {
	unsigned at;		/* where `code` stands; all else is nops */
	const char *code;
	size_t n;
	bool near, far;		/* something gets to f + 1 ... f + 4 */
	bool refuted;		/* near is so without a disassembler alone */
} branches[] = {
	{ 0x50, BYTES("\xc3"), false, false, false },
	{ 0x50, BYTES("\xeb\xee"), false, false, false },			/* jmp f */
	{ 0x50, BYTES("\xeb\xf2"), true, false, false },			/* jmp f+4 */
	{ 0x50, BYTES("\x75\xf2"), true, false, false },			/* jne f+4 */
	{ 0x50, BYTES("\xe2\xf2"), true, false, false },			/* loop f+4 */
	{ 0x50, BYTES("\xe3\xf2"), true, false, false },			/* jrcxz f+4 */
	{ 0x50, BYTES("\x75\xef"), true, false, false },			/* jne f+1, into endbr64 */
	{ 0x50, BYTES("\x75\xf3"), false, false, false },			/* jne f+5 */
	{ 0x50, BYTES("\xb8\xeb\xf1\x00\x00"), true, false, true },		/* mov $0xf1eb,%eax */
	{ 0x50, BYTES("\xe9\xef\xff\xff\xff"), false, true, false },		/* jmp f+4, the long way */
	{ 0x80, BYTES("\xe9\xbf\xff\xff\xff"), false, true, false },		/* jmp f+4 */
	{ 0x80, BYTES("\xe8\xbf\xff\xff\xff"), false, true, false },		/* call f+4 */
	{ 0x80, BYTES("\x0f\x84\xbe\xff\xff\xff"), false, true, false },	/* je f+4 */
	{ 0x80, BYTES("\xc7\xf8\xbe\xff\xff\xff"), false, true, false },	/* xbegin f+4 */
	{ 0x80, BYTES("\x48\x8d\x05\xbd\xff\xff\xff"), false, true, false },	/* lea f+4(%rip),%rax */
	{ 0x80, BYTES("\xe9\xbb\xff\xff\xff"), false, false, false },		/* jmp f */
	{ 0x80, BYTES("\xbf\x44\x10\x00\x10"), false, true, false },		/* mov $f+4,%edi */
	{ 0x80, BYTES("\x44\x10\x00\x10\x00\x00\x00\x00"), false, true, false },	/* .quad f+4 */
	{ 0x80, BYTES("\x40\x10\x00\x10\x00\x00\x00\x00"), false, false, false },	/* .quad f */
	{ 0x20, BYTES("\xeb\x22"), true, false, false },			/* jmp f+4, from before */
	{ 0x20, BYTES("\xb8\xeb\x21\x00\x00"), true, false, true },
	{ 0x68, BYTES("\xeb\xda"), true, false, false },			/* jmp f+4, from behind */
	{ 0x68, BYTES("\xb8\xeb\xd9\x00\x00"), true, false, false },		/* the same in no function: it may be data before a jump */
	{ 0x50, BYTES("\xff\xe0"), true, false, false },			/* jmp *%rax */
	{ 0x50, BYTES("\x3e\xff\xe2"), true, false, false },			/* notrack jmp *%rdx */
	{ 0x50, BYTES("\xff\x24\xc5\x00\x00\x00\x10"), true, false, false },	/* jmp *table(,%rax,8) */
	{ 0x50, BYTES("\xff\x25\x00\x10\x00\x00"), false, false, false },	/* jmp *slot(%rip) */
	{ 0x50, BYTES("\xff\x15\x00\x10\x00\x00"), false, false, false },	/* call *slot(%rip) */
	{ 0x50, BYTES("\xff\xd0"), false, false, false },			/* call *%rax */
	{ 0x50, BYTES("\xb8\xff\xe0\x00\x00"), true, false, true },		/* mov $0xe0ff,%eax */
	{ 0x70, BYTES("\xff\xe0"), false, false, false },			/* of another function */
	/* A jump into an instruction, behind which the decoder would see no jump to f+4. */
	{ 0x48, BYTES("\xeb\x01\xb8\xff\xe0\x00\x00"), true, false, false },
	{ 0x50, BYTES("\xb8\xff\xe0\x06\x00\x06"), true, false, false },		/* 06 is no instruction */
};

static struct rt_image *make_image_of(const struct branch_case *c, const struct elfgen_sym *syms, size_t nsymbols)
{
	const struct elfgen g = { .machine = EM_X86_64, .base = BASE, .syms = syms, .nsyms = nsymbols, .code = NULL };
	struct elfgen with = g;
	struct rt_image *image = NULL;
	uint8_t code[256], *bytes;
	const struct rt_symbol *v;
	char path[256];
	size_t n;

	memset(code, 0x90, sizeof(code));
	memcpy(code + F, ENDBR "\x55", 5);
	if (c)
		memcpy(code + c->at, c->code, c->n);
	with.code = code;
	bytes = elfgen_build(&with, &n);
	CU_ASSERT_TRUE_FATAL(bytes && elfgen_file(bytes, n, path));
	free(bytes);
	rt_image_open(path, "made", &image, NULL);
	unlink(path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(image);
	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
	return image;
}

static struct rt_image *make_image(const struct branch_case *c, size_t nsymbols)
{
	return make_image_of(c, symbols, nsymbols);
}

static bool is_entered(const struct rt_image *image)
{
	struct rt_window v[] = { { .first = CODE + F + 1, .last = CODE + F + 4 }, { .first = CODE + 0xf1, .last = CODE + 0xf4 } };

	CU_ASSERT_EQUAL(rt_branches_far(image, v, 2), 0);
	CU_ASSERT_FALSE(v[1].entered);
	return v[0].entered;
}

static void test_branches(void)
{
	size_t i;

	if (rt_arch_native() != EM_X86_64)
		return;
	for (i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
		const struct branch_case *c = &branches[i];
		struct rt_image *image = make_image(c, 2);
		struct rt_extent f = { .image = image, .addr = CODE + F, .size = F_SIZE, .sized = true };
		const char *with = rt_branches_near(&f, decoder, 4), *without = rt_branches_near(&f, NULL, 4);
		bool far = is_entered(image);

		if ((without != NULL) != c->near || (decoder && (with != NULL) != (c->near && !c->refuted)) || far != c->far) {
			printf("case %u: with: %s, without: %s, far: %d\n", (unsigned)i, with ? with : "-",
			       without ? without : "-", far);
			CU_FAIL("another verdict");
		}
		rt_image_close(image);
	}
}

/* Decoding begins before the first branch, and anew where a function does: glibc's mempcpy jumps into memcpy over two others. */
static void test_branches_before(void)
{
	static const struct elfgen_sym between[] = {
		{ "before", CODE, 0x20, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "jumps", CODE + 0x20, 0x10, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "between", CODE + 0x30, 0x10, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "f", CODE + F, F_SIZE, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "behind", CODE + 0x68, 0x10, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	};
	static const struct branch_case v[] = {
		{ 0x20, BYTES("\xeb\x22"), true, false, false },	/* jmp f+4 */
		/* mov $0x31eb,%eax, which is no jump; data that would take the jump for its own */
		{ 0x10, BYTES("\xb8\xeb\x31\x00\x00\x90\x90\x90\x90\x90\x90\x90\x90\x90\xb8\x90\xeb\x22"), true, false, false },
		{ 0x66, BYTES("\xb8\x90\xeb\xda"), true, false, false },	/* the same behind it */
		{ 0x10, BYTES("\xb8\xeb\x31\x00\x00"), true, false, true },
	};
	size_t i;

	if (rt_arch_native() != EM_X86_64 || !decoder)
		return;
	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct rt_image *image = make_image_of(&v[i], between, 5);
		struct rt_extent f = { .image = image, .addr = CODE + F, .size = F_SIZE, .sized = true };

		CU_ASSERT_EQUAL(rt_branches_near(&f, decoder, 4) != NULL, !v[i].refuted);
		rt_image_close(image);
	}
	/* From the first bytes of the segment. */
	{
		static const struct branch_case first = { 4, BYTES("\xeb\x4e"), true, false, false };	/* jmp f+4, where f is at 0x50 */
		struct rt_image *image = make_image_of(&first, symbols, 1);
		struct rt_extent f = { .image = image, .addr = CODE + 0x50, .size = 0x10, .sized = true };

		CU_ASSERT_PTR_NOT_NULL(rt_branches_near(&f, decoder, 4));
		rt_image_close(image);
	}
}

/* Bytes that look like a branch into a nop are no branch, in data either. */
static void test_branches_inner(void)
{
	static const struct elfgen_sym alone[] = { { "f", CODE + F, F_SIZE, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT } };
	static const struct {
		struct branch_case branch;
		bool found;
	} v[] = {
		{ { F - 2, BYTES("\xeb\x03\x2e\x66\x0f\x1f\x84\0\0\2\0\0\x55"), false, false, false }, false },
		{ { F - 2, BYTES("\xeb\x09" ENDBR "\x66\x0f\x1f\x44\0\0\x55"), false, false, false }, false },
		{ { F - 2, BYTES("\xeb\x0a\x2e\x66\x0f\x1f\x84\0\0\2\0\0\x55"), false, false, false }, true },	/* behind it */
		{ { F - 2, BYTES("\xeb\x04" ENDBR "\x66\x0f\x1f\x44\0\0\x55"), false, false, false }, true },	/* to its beginning */
		{ { F - 2, BYTES("\xeb\x03\xb8\0\0\0\0\x89\xc0\x89\xc0\x90\x55"), false, false, false }, true },	/* no nop: a mov */
	};
	size_t i;

	if (rt_arch_native() != EM_X86_64)
		return;
	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		struct rt_image *image = make_image_of(&v[i].branch, alone, 1);
		struct rt_extent f = { .image = image, .addr = CODE + F, .size = F_SIZE, .sized = true };

		if ((rt_branches_near(&f, decoder, 10) != NULL) != v[i].found) {
			printf("case %u\n", (unsigned)i);
			CU_FAIL("another verdict");
		}
		rt_image_close(image);
	}
}

static uint32_t find(struct rt_image *image, bool sized, uint64_t size)
{
	const struct rt_prologue_want want = { .emulated = RT_FORMS_ASSUMED, .returns = true, .arguments = 1 };
	const struct rt_extent f = { .image = image, .addr = CODE + F, .size = size, .sized = sized };
	struct rt_prologue p;

	rt_prologue_find(&f, decoder, &want, &p);
	return p.skip;
}

static void test_symbols(void)
{
	struct rt_image *image;

	if (rt_arch_native() != EM_X86_64)
		return;
	image = make_image(NULL, 2);
	CU_ASSERT_EQUAL(find(image, true, F_SIZE), 4);
	CU_ASSERT_EQUAL(find(image, false, F_SIZE), 0);		/* nobody says where it ends */
	CU_ASSERT_EQUAL(find(image, true, 5), 4);
	CU_ASSERT_EQUAL(find(image, true, 4), 0);		/* shorter than to the place */
	CU_ASSERT_EQUAL(find(image, true, 1), 0);
	rt_image_close(image);
	image = make_image(NULL, 3);
	CU_ASSERT_EQUAL(find(image, true, F_SIZE), 0);		/* a second function begins in it */
	rt_image_close(image);
}

/* ---- the stack pointer is that of the entry again ---- */

static int keep_sp(void *ctx, struct rt_thread *thread, const struct rt_frame *frame, const struct rt_values *args)
{
	(void)thread;
	(void)args;
	*(uint64_t *)ctx = frame->sp;
	return 0;
}

static uint64_t entry_sp(enum rt_key key, int32_t sp_down)
{
	static const struct rt_call_ops ops = { .enter = keep_sp };
	struct rt_function f = {
		.name = (char *)"f", .image = make_image(NULL, 2), .addr = CODE + F, .skip = 4, .sp_down = sp_down,
	};
	struct rt_plan plan = { .kind = RT_KIND_ENTRY, .arch = &rt_arch_x86_64 };
	struct rt_site probe = { .function = 0 };
	bool returns = false;
	const struct rt_traced traced = { 0 };
	const struct rt_sites sites = {
		.functions = { .v = &f, .n = 1 }, .returns = &returns, .plans = &plan, .nplans = 1, .v = &probe, .n = 1,
	};
	struct rt_event mapped = { .type = RT_EV_MMAP, .pid = 7, .tid = 7, .mmap = { .start = 0x7000, .len = 0x2000 } };
	struct rt_event hit = { .type = RT_EV_HIT, .pid = 7, .tid = 7, .hit = { .sp = 0x1000 } };
	struct rt_stack *stack;
	struct rt_feed *feed;
	uint64_t sp = 0;

	rt_image_offset(f.image, f.addr, &f.offset);
	mapped.mmap.ino = rt_image_ino(f.image);
	hit.hit.key = key == RT_KEY_IP ? 0x7000 + f.offset + 4 : 0;
	stack = rt_stack_new(&ops, &sp);
	feed = rt_feed_new(&traced, &sites, key, RT_PID(7), NULL, stack);
	CU_ASSERT_PTR_NOT_NULL_FATAL(feed);
	CU_ASSERT_EQUAL(rt_feed_event(feed, &mapped), 0);
	CU_ASSERT_EQUAL(rt_feed_event(feed, &hit), 0);
	rt_feed_free(feed);
	rt_stack_free(stack);
	rt_image_close(f.image);
	return sp;
}

static void test_stack_pointer(void)
{
	if (rt_arch_native() != EM_X86_64)
		return;
	CU_ASSERT_EQUAL(entry_sp(RT_KEY_ID, 24), 0x1018);
	CU_ASSERT_EQUAL(entry_sp(RT_KEY_ID, -8), 0xff8);
	CU_ASSERT_EQUAL(entry_sp(RT_KEY_IP, 0), 0x1000);
	CU_ASSERT_EQUAL(entry_sp(RT_KEY_IP, 24), 0x1018);
}

static void test_begin(void)
{
	decoder = rt_decoder_open(&rt_arch_x86_64);
	CU_ASSERT_PTR_NULL(rt_decoder_open(&rt_arch_aarch64));
}

static void test_end(void)
{
	rt_decoder_close(decoder);
	decoder = NULL;
	rt_decoder_close(NULL);
}

/* How a function goes on, on aarch64, where that is read without a disassembler; functions that sign their return addresses too. */
static void test_flow_aarch64(void)
{
	static const struct {
		uint32_t word;
		enum rt_flow_kind kind;
	} v[] = {
		{ 0xd503233f, RT_FLOW_NEXT }, { 0xd50323bf, RT_FLOW_NEXT },	/* paciasp, autiasp */
		{ 0xd503245f, RT_FLOW_NEXT }, { 0xd503201f, RT_FLOW_NEXT },	/* bti c, nop */
		{ 0xd53bd041, RT_FLOW_NEXT },					/* mrs x1, tpidr_el0 */
		{ 0xd65f03c0, RT_FLOW_RETURN }, { 0xd65f0bff, RT_FLOW_RETURN },	/* ret, retaa */
		{ 0x54000041, RT_FLOW_BRANCH }, { 0x14000002, RT_FLOW_JUMP },	/* b.ne, b */
		{ 0x94000002, RT_FLOW_CALL }, { 0xd61f0200, RT_FLOW_INDIRECT },	/* bl, br x16 */
		{ 0xd69f03e0, RT_FLOW_STRANGE },				/* eret */
	};
	struct rt_flow f;
	size_t i;

	for (i = 0; i < RT_COUNT(v); i++) {
		const uint8_t bytes[4] = { (uint8_t)v[i].word, (uint8_t)(v[i].word >> 8), (uint8_t)(v[i].word >> 16), (uint8_t)(v[i].word >> 24) };

		CU_ASSERT(rt_flow_decode(&rt_arch_aarch64, NULL, bytes, sizeof(bytes), 0x1000, &f) && f.kind == v[i].kind);
	}
}

CU_TestInfo rt_tests_prologue[] = {
	{ "begin", test_begin },
	{ "forms", test_forms },
	{ "walk", test_walk },
	{ "walk without a disassembler", test_walk_alone },
	{ "walk on an old kernel", test_walk_old },
	{ "branches", test_branches },
	{ "branches from functions before and behind", test_branches_before },
	{ "what looks like a branch into a nop", test_branches_inner },
	{ "symbols", test_symbols },
	{ "stack pointer", test_stack_pointer },
	{ "end", test_end },
	{ "aarch64: how a function goes on", test_flow_aarch64 },
	CU_TEST_INFO_NULL,
};
