/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfgen.h"
#include "image/guess.h"
#include "unit.h"

#define BASE 0x400000u
#define CODE (BASE + ELFGEN_CODE)

static const struct elfgen_sym syms[] = {
	{ "f", CODE, 64, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "callee", CODE + 64, 16, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
};

static struct rt_image *make(const char *f, size_t n)
{
	struct elfgen g = { .machine = EM_X86_64, .base = BASE, .syms = syms, .nsyms = 2 };
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

/* `want`: a letter an argument: 4, 8, p (a pointer), - (not read), then a space and the result's bytes, v: none, ?: not known. */
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
		snprintf(buf + i, sizeof(buf) - i, " %c", g.no_result ? 'v' : g.result ? '0' + g.result : '?');
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

static void test_paths(void)
{
	/* test %edi,%edi; je 1f; mov %esi,%eax; ret; 1: mov %rdx,%rax; ret */
	GUESSES("\x85\xff\x74\x03\x89\xf0\xc3\x48\x89\xd0\xc3", "448 ?");
	/* 1: dec %edi; jne 1b; mov %edi,%eax; ret */
	GUESSES("\xff\xcf\x75\xfc\x89\xf8\xc3", "4 4");
	/* test %al,%al; je +1; ret; ret: a variadic function */
	GUESSES("\x84\xc0\x74\x01\xc3\xc3", "undecided");
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

CU_TestInfo rt_tests_guess[] = {
	{ "registers", test_registers },
	{ "paths", test_paths },
	{ "calls", test_calls },
	CU_TEST_INFO_NULL,
};
