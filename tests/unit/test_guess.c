/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfgen.h"
#include "code/guess.h"
#include "arch/use.h"
#include "unit.h"

#define BASE 0x400000u
#define CODE (BASE + ELFGEN_CODE)

static const struct elfgen_sym syms[] = {
	{ "f", CODE, 64, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "callee", CODE + 64, 16, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "nothing", CODE + 128, 1, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
};

static struct rt_image *make(const char *f, size_t n)
{
	struct elfgen g = { .machine = EM_X86_64, .base = BASE, .syms = syms, .nsyms = 3 };
	static const uint8_t callee[] = { 0x48, 0x8b, 0x06, 0xc3 };	/* mov (%rsi),%rax; ret */
	struct rt_image *image = NULL;
	const struct rt_symbol *v;
	uint8_t code[256], *bytes;
	struct rt_error err;
	char path[256];
	size_t size;

	memset(code, 0xcc, sizeof(code));
	memcpy(code, f, n);
	memcpy(code + 64, callee, sizeof(callee));
	code[128] = 0xc3;
	g.code = code;
	bytes = elfgen_build(&g, &size);
	CU_ASSERT_TRUE_FATAL(bytes && elfgen_file(bytes, size, path));
	free(bytes);
	rt_image_open(path, "program", &image, &err);
	unlink(path);
	if (image)
		rt_image_symbols(image, &v, &size, &err);
	return image;
}

/* `want`: a letter an argument: 4, 8, p (a pointer), - (not read), then a space and the result's bytes, v: none, x: no integer, ?: not known. */
static void guesses(const char *code, size_t n, const char *want)
{
	struct rt_image *image = make(code, n);
	struct rt_guesser *guesser;
	struct rt_guess g;
	char buf[32];
	unsigned i;

	if (!image)	/* an arm64 kernel runs no x86 programs */
		return;
	guesser = rt_guesser_open(image);
	if (guesser) {		/* built with capstone */
		rt_guess(guesser, CODE, n, &g);
		for (i = 0; i < g.nargs; i++)
			buf[i] = g.pointers >> i & 1 ? 'p' : g.bytes[i] ? (char)('0' + g.bytes[i]) : '-';
		snprintf(buf + i, sizeof(buf) - i, " %c", g.no_result ? 'v' : g.not_integer ? 'x' : g.result ? '0' + g.result : '?');
		if (g.variadic)
			strcat(buf, "...");
		RT_ASSERT_TEXT(g.decided ? buf : "undecided", want);
		rt_guesser_close(guesser);
	}
	rt_image_close(image);
}

#define GUESSES(code, want) guesses(code, sizeof(code) - 1, want)

static void test_registers(void)
{
	GUESSES("\x89\xf8\x01\xf0\xc3", "44 4");			/* mov %edi,%eax; add %esi,%eax; ret */
	GUESSES("\x48\x8d\x04\x37\xc3", "88 8");			/* lea (%rdi,%rsi),%rax; ret */
	GUESSES("\x8d\x04\x37\xc3", "44 4");				/* lea (%rdi,%rsi),%eax; ret */
	GUESSES("\x48\x89\x37\xc3", "p8 v");				/* mov %rsi,(%rdi); ret */
	GUESSES("\x31\xc9\x89\xc8\xc3", " 4");				/* xor %ecx,%ecx; mov %ecx,%eax; ret: nothing of the caller's */
	GUESSES("\x89\xd0\xc3", "--4 4");				/* mov %edx,%eax; ret */
	GUESSES("\x51\x59\xc3", " v");					/* push %rcx; pop %rcx; ret: room on the stack */
	GUESSES("\xc3", " v");
}

/* Of a result that is one byte nothing is said of what stands above it. */
static void test_bytes(void)
{
	/* test %edi,%edi; setg %al; ret */
	GUESSES("\x85\xff\x0f\x9f\xc0\xc3", "4 1");
	/* xor %eax,%eax; test %edi,%edi; setg %al; ret */
	GUESSES("\x31\xc0\x85\xff\x0f\x9f\xc0\xc3", "4 4");
	/* mov $0,%eax; cmp %esi,%edi; setg %al; ret */
	GUESSES("\xb8\x00\x00\x00\x00\x39\xf7\x0f\x9f\xc0\xc3", "44 4");
	/* test %edi,%edi; jle 1f; sete %al; ret; 1: xor %eax,%eax; ret */
	GUESSES("\x85\xff\x7e\x04\x0f\x94\xc0\xc3\x31\xc0\xc3", "4 1");
	/* mov (%rdi),%eax; test %eax,%eax; or $1,%ah; ret */
	GUESSES("\x8b\x07\x85\xc0\x80\xcc\x01\xc3", "p 4");
	/* mov (%rdi),%eax; test %eax,%eax; sete %al; movzbl %al,%eax; ret */
	GUESSES("\x8b\x07\x85\xc0\x0f\x94\xc0\x0f\xb6\xc0\xc3", "p 4");
}

/* A function with a result has one on all paths. */
static void test_results(void)
{
	/* test %esi,%esi; je 1f; mov %esi,%eax; mov %eax,(%rdi); 1: ret */
	GUESSES("\x85\xf6\x74\x04\x89\xf0\x89\x07\xc3", "p4 v");
	/* 1: inc %eax; cmp %edi,%eax; jne 1b; ret: nobody set what it counts with, but it has been written */
	GUESSES("\xff\xc0\x39\xf8\x75\xfa\xc3", "4 ?");
	/* test %edi,%edi; jle 2f; xor %eax,%eax; 1: inc %eax; cmp %eax,%edi; jne 1b; 2: ret */
	GUESSES("\x85\xff\x7e\x08\x31\xc0\xff\xc0\x39\xc7\x75\xfa\xc3", "4 v");
	/* addsd %xmm0,%xmm0; ret: a double, or nothing; movups (%rdi),%xmm0; movups %xmm0,(%rsi); ret; and pxor first */
	GUESSES("\xf2\x0f\x58\xc0\xc3", " x");
	GUESSES("\x0f\x10\x07\x0f\x11\x06\xc3", "pp x");
	GUESSES("\x66\x0f\xef\xc0\x0f\x11\x07\xc3", "p x");
	/* fld1; ret */
	GUESSES("\xd9\xe8\xc3", " x");
	/* test %edi,%edi; je 1f; pxor %xmm0,%xmm0; movups %xmm0,(%rsi); 1: ret: floating point as if by the way */
	GUESSES("\x85\xff\x74\x07\x66\x0f\xef\xc0\x0f\x11\x06\xc3", "4p v");
	/* ucomisd %xmm1,%xmm0; jp 1f; xorps %xmm0,%xmm0; 1: ret: it may give back its argument */
	GUESSES("\x66\x0f\x2e\xc1\x7a\x03\x0f\x57\xc0\xc3", " x");
	/* mov %edi,%eax; jmp nothing (at +128), which has no result */
	GUESSES("\x89\xf8\xe9\x79\x00\x00\x00", "4 v");
}

static void test_saved(void)
{
	/* mov %rcx,0x18(%rsp); mov %r8,0x20(%rsp); mov %r9,0x28(%rsp); mov %edi,%eax; ret: of a variadic function */
	GUESSES("\x48\x89\x4c\x24\x18\x4c\x89\x44\x24\x20\x4c\x89\x4c\x24\x28\x89\xf8\xc3", "4-- 4...");
	/* The same, the last one lowest: of any other one. */
	GUESSES("\x48\x89\x4c\x24\x28\x4c\x89\x44\x24\x20\x4c\x89\x4c\x24\x18\x89\xf8\xc3", "4--888 4");
	/* mov %r8,0x20(%rsp); mov %r9,0x28(%rsp); mov %edi,%eax; ret: only two */
	GUESSES("\x4c\x89\x44\x24\x20\x4c\x89\x4c\x24\x28\x89\xf8\xc3", "4---88 4");
	/* mov %rdi,8(%rsp); ret */
	GUESSES("\x48\x89\x7c\x24\x08\xc3", "8 v");
}

/* test %al,%al; je 1f; movaps %xmm0,0x40(%rsp); 1: what tells of a variadic function */
#define VARIADIC "\x84\xc0\x74\x05\x0f\x29\x44\x24\x40"

static void test_variadic(void)
{
	/* mov %r9,0x28(%rsp); mov %esi,%eax; ret: five are named, whether they are read or not */
	GUESSES("\x4c\x89\x4c\x24\x28" VARIADIC "\x89\xf0\xc3", "-4--- 4...");
	/* mov %rsi,8(%rsp) to mov %r9,0x28(%rsp); mov (%rdi),%rax; ret */
	GUESSES("\x48\x89\x74\x24\x08\x48\x89\x54\x24\x10\x48\x89\x4c\x24\x18\x4c\x89\x44\x24\x20\x4c\x89\x4c\x24\x28" VARIADIC
		"\x48\x8b\x07\xc3", "p 8...");
	/* The same from %rdi on: none is named. */
	GUESSES("\x48\x89\x3c\x24\x48\x89\x74\x24\x08\x48\x89\x54\x24\x10\x48\x89\x4c\x24\x18\x4c\x89\x44\x24\x20\x4c\x89\x4c\x24\x28"
		VARIADIC "\xc3", " v...");
	/* mov %edi,%eax; ret: it takes none from registers */
	GUESSES(VARIADIC "\x89\xf8\xc3", "4 4...");
}

static void test_paths(void)
{
	/* test %edi,%edi; je 1f; mov %esi,%eax; ret; 1: mov %rdx,%rax; ret */
	GUESSES("\x85\xff\x74\x03\x89\xf0\xc3\x48\x89\xd0\xc3", "448 ?");
	/* 1: dec %edi; jne 1b; mov %edi,%eax; ret */
	GUESSES("\xff\xcf\x75\xfc\x89\xf8\xc3", "4 4");
	GUESSES("\x06", "undecided");					/* no instruction */
}

static void test_calls(void)
{
	/* call callee (at +64), with what is in the registers; ret */
	GUESSES("\xe8\x3b\x00\x00\x00\xc3", "-p ?");
	/* mov %edi,%esi; call callee; ret: its argument is not ours */
	GUESSES("\x89\xfe\xe8\x39\x00\x00\x00\xc3", "4 ?");
	/* jmp callee */
	GUESSES("\xe9\x3b\x00\x00\x00", "-p ?");
	/* call; then mov %rdi,%rax: a call leaves nothing of the arguments */
	GUESSES("\xe8\x3b\x00\x00\x00\x48\x89\xf8\xc3", "-p 8");
}

static void callers_do(const char *code, size_t n, enum rt_callers_do want)
{
	struct rt_image *image = make(code, n);
	struct rt_guesser *guesser = image ? rt_guesser_open(image) : NULL;

	if (guesser)
		CU_ASSERT_EQUAL(rt_guess_callers(guesser, CODE + 64), want);
	rt_guesser_close(guesser);
	rt_image_close(image);
}

#define CALLERS(code, want) callers_do(code, sizeof(code) - 1, want)

/* Calls of what is at +64, and what is at +128 has no result. */
static void test_callers(void)
{
	CALLERS("\xe8\x3b\x00\x00\x00\x31\xc0\xc3", RT_CALLERS_IGNORE);		/* call; xor %eax,%eax; ret */
	CALLERS("\xe8\x3b\x00\x00\x00\x83\xc8\xff\xc3", RT_CALLERS_IGNORE);	/* call; or $-1,%eax; ret */
	CALLERS("\xe8\x3b\x00\x00\x00\x48\x89\xc3\xc3", RT_CALLERS_READ);		/* call; mov %rax,%rbx; ret */
	CALLERS("\xe8\x3b\x00\x00\x00\x50\xc3", RT_CALLERS_UNKNOWN);		/* call; push %rax: to make room, or not */
	/* call; xor %eax,%eax; movsd %xmm0,(%rsp); and call; xor %eax,%eax; xorps %xmm0,%xmm0; movsd %xmm0,(%rsp) */
	CALLERS("\xe8\x3b\x00\x00\x00\x31\xc0\xf2\x0f\x11\x04\x24\xc3", RT_CALLERS_REAL);
	CALLERS("\xe8\x3b\x00\x00\x00\x31\xc0\x0f\x57\xc0\xf2\x0f\x11\x04\x24\xc3", RT_CALLERS_IGNORE);
	/* call; sete %al; setne %dl; or %edx,%eax; movzbl %al,%eax; ret */
	CALLERS("\xe8\x3b\x00\x00\x00\x0f\x94\xc0\x0f\x95\xc2\x09\xd0\x0f\xb6\xc0\xc3", RT_CALLERS_IGNORE);
	/* call; call +128; add %eax,%ecx; ret: gcc knows that the second call leaves the register as it is */
	CALLERS("\xe8\x3b\x00\x00\x00\xe8\x76\x00\x00\x00\x01\xc1\xc3", RT_CALLERS_READ);
	CALLERS("\xc3", RT_CALLERS_UNKNOWN);
	/* jmp +64: the callers of this one are not all known */
	CALLERS("\xe9\x3b\x00\x00\x00", RT_CALLERS_UNKNOWN);
	/* jmp +64; call +0; mov %rax,%rbx; ret: what calls the one that jumps reads it */
	CALLERS("\xeb\x3e\xe8\xf9\xff\xff\xff\x48\x89\xc3\xc3", RT_CALLERS_READ);
}

static void is_ignored(const char *code, size_t n, bool want)
{
	struct rt_image *image = make(code, n);
	struct rt_guesser *guesser = image ? rt_guesser_open(image) : NULL;

	if (guesser) {
		CU_ASSERT_EQUAL(rt_guess_ignored(guesser, CODE + 64), want);
		CU_ASSERT_EQUAL(rt_guess_called(guesser, CODE + 64), n > 1);
		CU_ASSERT_FALSE(rt_guess_called(guesser, CODE + 65));
	}
	rt_guesser_close(guesser);
	rt_image_close(image);
}

#define IGNORED(code, want) is_ignored(code, sizeof(code) - 1, want)

/* Calls of what is at +64. */
static void test_ignored(void)
{
	/* call; mov $1,%eax; ret */
	IGNORED("\xe8\x3b\x00\x00\x00\xb8\x01\x00\x00\x00\xc3", true);
	/* call; test %eax,%eax; ret; and call; ret */
	IGNORED("\xe8\x3b\x00\x00\x00\x85\xc0\xc3", false);
	IGNORED("\xe8\x3b\x00\x00\x00\xc3", false);
	/* call; xor %eax,%eax; call; movslq %eax,%rbx; ret */
	IGNORED("\xe8\x3b\x00\x00\x00\x31\xc0\xe8\x34\x00\x00\x00\x48\x63\xd8\xc3", false);
	/* call; test %ebx,%ebx; je 1f; xor %eax,%eax; ret; 1: mov %eax,%ebx; ret; and xor there, too */
	IGNORED("\xe8\x3b\x00\x00\x00\x85\xdb\x74\x03\x31\xc0\xc3\x89\xc3\xc3", false);
	IGNORED("\xe8\x3b\x00\x00\x00\x85\xdb\x74\x03\x31\xc0\xc3\x31\xc0\xc3", true);
	/* call; 1: jmp 1b: whatever comes */
	IGNORED("\xe8\x3b\x00\x00\x00\xeb\xfe", false);
	/* call; mov $1,%al; ret */
	IGNORED("\xe8\x3b\x00\x00\x00\xb0\x01\xc3", false);
	/* call; xor %eax,%eax; jmp to it; and nobody */
	IGNORED("\xe8\x3b\x00\x00\x00\x31\xc0\xe9\x34\x00\x00\x00", false);
	IGNORED("\xc3", false);
}

/* What an aarch64 instruction does: "r" and bytes for each register that it reads, "*" where that points, "w" what it writes, then flow. */
static void uses(uint32_t word, const char *want)
{
	static const char *const flows[] = {
		[RT_USE_NEXT] = "", [RT_USE_BRANCH] = "branch", [RT_USE_JUMP] = "jump", [RT_USE_CALL] = "call", [RT_USE_RETURN] = "return",
		[RT_USE_STOP] = "stop",
	};
	struct rt_use use;
	char got[128];
	unsigned i;
	int n = 0;

	CU_ASSERT_TRUE_FATAL(rt_use_aarch64((const uint8_t *)&word, 4, 0x1000, &use));
	for (i = 0; i < RT_USE_ARGS; i++)
		if (use.reads[i])
			n += snprintf(got + n, sizeof(got) - (size_t)n, "r%u:%u%s ", i, use.reads[i], use.pointers >> i & 1 ? "*" : "");
	for (i = 0; i < RT_USE_ARGS; i++)
		if (use.writes >> i & 1)
			n += snprintf(got + n, sizeof(got) - (size_t)n, "w%u ", i);
	if (use.result_write)
		n += snprintf(got + n, sizeof(got) - (size_t)n, "=%u ", use.result_write);
	if (use.vector_read)
		n += snprintf(got + n, sizeof(got) - (size_t)n, "rv ");
	if (use.vector_write)
		n += snprintf(got + n, sizeof(got) - (size_t)n, "wv ");
	if (use.tests_vectors)
		n += snprintf(got + n, sizeof(got) - (size_t)n, "variadic ");
	snprintf(got + n, sizeof(got) - (size_t)n, "%s", flows[use.flow]);
	if (use.target)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), " %llx", (unsigned long long)use.target);
	RT_ASSERT_TEXT(got, want);
}

static void test_aarch64(void)
{
	struct rt_use use;
	uint32_t word, i;

	uses(0xf8627820, "r1:8* r2:8 w0 =8 ");		/* ldr x0, [x1, x2, lsl #3] */
	uses(0xb9000402, "r0:8* r2:4 ");		/* str w2, [x0, #4] */
	uses(0xb8804420, "r1:8* w0 w1 =8 ");		/* ldrsw x0, [x1], #4 */
	uses(0xf9800000, "r0:8* ");			/* prfm pldl1keep, [x0] */
	uses(0xf8218002, "r0:8* r1:8 w2 ");		/* swp x1, x2, [x0] */
	uses(0x29400420, "r1:8* w0 w1 =4 ");		/* ldp w0, w1, [x1] */
	uses(0xa9041fe6, "variadic ");			/* stp x6, x7, [sp, #64] */
	uses(0xf9000fe7, "variadic ");			/* str x7, [sp, #24] */
	uses(0x0b020020, "r1:4 r2:4 w0 =4 ");		/* add w0, w1, w2 */
	uses(0x93407c20, "r1:4 w0 =8 ");		/* sxtw x0, w1 */
	uses(0xd37df020, "r1:8 w0 =8 ");		/* lsl x0, x1, #3 */
	uses(0x9b020c20, "r1:8 r2:8 r3:8 w0 =8 ");	/* madd x0, x1, x2, x3 */
	uses(0x9b227c20, "r1:4 r2:4 w0 =8 ");		/* smull x0, w1, w2 */
	uses(0x8b21c020, "r1:8 w0 =8 ");		/* add x0, x1, w1, sxtw */
	uses(0x1a9f17e0, "w0 =4 ");			/* cset w0, eq */
	uses(0xf2800021, "r1:8 w1 ");			/* movk x1, #1 */
	uses(0x9e670040, "r2:8 wv ");			/* fmov d0, x2 */
	uses(0x1e780000, "w0 =4 rv ");			/* fcvtzs w0, d0 */
	uses(0x1e604008, "rv ");			/* fmov d8, d0 */
	uses(0x1e622800, "rv wv ");			/* fadd d0, d0, d2 */
	uses(0x1e602820, "rv wv ");			/* fadd d0, d1, d0 */
	uses(0x1f400041, "rv ");			/* fmadd d1, d2, d0, d0 */
	uses(0x1e602108, "");				/* fcmp d8, #0.0: register 0 stands for that */
	uses(0x1e6e1000, "wv ");			/* fmov d0, #1.0 */
	uses(0x6f00e400, "wv ");			/* movi v0.2d, #0 */
	uses(0xfd0007e0, "rv ");			/* str d0, [sp, #8] */
	uses(0xfd4007e0, "wv ");			/* ldr d0, [sp, #8] */
	uses(0x6d0107e0, "rv ");			/* stp d0, d1, [sp, #16] */
	uses(0xb4000083, "r3:8 branch 1010");		/* cbz x3, .+16 */
	uses(0x37180040, "r0:4 branch 1008");		/* tbnz w0, #3, .+8 */
	uses(0x94000002, "call 1008");			/* bl .+8 */
	uses(0x17ffffff, "jump ffc");			/* b .-4 */
	uses(0x54000040, "branch 1008");		/* b.eq .+8 */
	uses(0xd65f03c0, "return");
	uses(0xd61f0020, "r1:8 jump");			/* br x1 */
	uses(0xd63f0040, "r2:8 call");			/* blr x2 */
	uses(0xd4200020, "stop");			/* brk #1 */
	uses(0xd503201f, "");				/* nop */
	CU_ASSERT_FALSE(rt_use_aarch64((const uint8_t *)"\x1f\x20\x03", 3, 0, &use));
	/* Whatever the word is, it comes back, and goes to where a word can. */
	for (i = 0, word = 1; i < 300000; i++, word = word * 1664525 + 1013904223)
		if (rt_use_aarch64((const uint8_t *)&word, 4, 1 << 28, &use))
			CU_ASSERT_TRUE_FATAL(use.size == 4 && use.target % 4 == 0);
}

CU_TestInfo rt_tests_guess[] = {
	{ "registers", test_registers },
	{ "callers", test_callers },
	{ "results of a byte", test_bytes },
	{ "functions without a result", test_results },
	{ "registers that are saved", test_saved },
	{ "variadic functions", test_variadic },
	{ "paths", test_paths },
	{ "calls", test_calls },
	{ "results that nobody looks at", test_ignored },
	{ "aarch64 instructions", test_aarch64 },
	CU_TEST_INFO_NULL,
};
