/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that call themselves. */
#include <elf.h>
#include <string.h>

#include "elfgen.h"
#include "code/code.h"
#include "elf/file.h"
#include "unit.h"
#include "safety/recursion.h"

#define BASE 0x10000000u
#define CODE (BASE + ELFGEN_CODE)

enum { SIZE = 0x20, FUNCTIONS = 4 };

struct call {
	unsigned at;		/* where in the code */
	unsigned to;		/* which function, */
	unsigned into;		/* and how far from its beginning */
	const char *how;	/* "\xe8" and the like */
};

static void put_call(uint8_t *code, const struct call *c)
{
	size_t n = strlen(c->how);
	uint32_t distance = c->to * SIZE + c->into - (c->at + (uint32_t)n + 4);

	memcpy(code + c->at, c->how, n);
	memcpy(code + c->at + n, &distance, sizeof(distance));
}

/* Does function 0 of four, of 32 bytes each, with these calls call itself, as far as `most` others are looked at? */
static bool recurses(unsigned most, const struct call *calls, size_t n)
{
	struct elfgen_sym syms[FUNCTIONS] = {
		{ "f", CODE, SIZE, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT }, { "g", CODE + SIZE, SIZE, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "h", CODE + 2 * SIZE, SIZE, STB_LOCAL, STT_FUNC, ELFGEN_TEXT }, { "i", CODE + 3 * SIZE, SIZE, STB_LOCAL, STT_FUNC, ELFGEN_TEXT },
	};
	uint8_t code[FUNCTIONS * SIZE];
	struct elfgen g = { .base = BASE, .code = code, .ncode = sizeof(code), .syms = syms, .nsyms = FUNCTIONS };
	const struct rt_symbol *v;
	struct rt_image *image;
	struct rt_code *opened;
	struct rt_error err;
	size_t i, nsyms;
	bool does;

	memset(code, 0x90, sizeof(code));
	for (i = 0; i < n; i++)
		put_call(code, &calls[i]);
	image = elfgen_open(&g);
	opened = rt_code_open(image);
	CU_ASSERT_FATAL(rt_image_symbols(image, &v, &nsyms, &err) == 0);
	does = opened && rt_code_recurses(opened, CODE, SIZE, most);
	rt_code_close(opened);
	rt_image_close(image);
	return does;
}

#define RECURSES(...) recurses(9, (const struct call[]){ __VA_ARGS__ }, sizeof((const struct call[]){ __VA_ARGS__ }) / sizeof(struct call))

static void test_recursion(void)
{
	if (rt_arch_native() != EM_X86_64)
		return;
	CU_ASSERT(RECURSES({ 4, 0, 0, "\xe8" }));						/* call f */
	CU_ASSERT(RECURSES({ 4, 0, 0, "\xe9" }));						/* jmp f */
	CU_ASSERT(RECURSES({ 4, 0, 0, "\x0f\x85" }));						/* jne f */
	CU_ASSERT(RECURSES({ 4, 1, 0, "\xe8" }, { 36, 0, 0, "\xe8" }));				/* f, g, f */
	CU_ASSERT(RECURSES({ 4, 1, 0, "\xe8" }, { 36, 2, 0, "\xe8" }, { 68, 0, 0, "\xe9" }));	/* f, g, h, f */
	CU_ASSERT(RECURSES({ 4, 0, 0, "\xe8" }, { 12, 1, 0, "\xe8" }, { 36, 1, 0, "\xe8" }));	/* g's own is another thing */
	/* No further than was asked. */
	CU_ASSERT(!recurses(0, (const struct call[]){ { 4, 1, 0, "\xe8" }, { 36, 0, 0, "\xe8" } }, 2));
	CU_ASSERT(recurses(0, (const struct call[]){ { 4, 0, 0, "\xe8" } }, 1));
	/* Trees: at two places, of f itself or of what it calls. */
	CU_ASSERT(!RECURSES({ 4, 0, 0, "\xe8" }, { 12, 0, 0, "\xe8" }));
	CU_ASSERT(!RECURSES({ 4, 1, 0, "\xe8" }, { 36, 0, 0, "\xe8" }, { 44, 0, 0, "\xe8" }));
	CU_ASSERT(!RECURSES({ 4, 1, 0, "\xe8" }, { 12, 1, 0, "\xe8" }, { 36, 0, 0, "\xe8" }));
	CU_ASSERT(!RECURSES({ 4, 1, 0, "\xe8" }, { 36, 2, 0, "\xe8" }));
	/* By way of three. */
	CU_ASSERT(!RECURSES({ 4, 1, 0, "\xe8" }, { 36, 2, 0, "\xe8" }, { 68, 3, 0, "\xe8" }, { 100, 0, 0, "\xe8" }));
	/* A loop, what is only called itself, a place in the middle of g. */
	CU_ASSERT(!RECURSES({ 12, 0, 4, "\xe9" }));
	CU_ASSERT(!RECURSES({ 36, 0, 0, "\xe8" }));
	CU_ASSERT(!RECURSES({ 4, 1, 2, "\xe8" }, { 36, 0, 0, "\xe8" }));
	/* At the end there is no room for the distance. */
	CU_ASSERT(!RECURSES({ 28, 0, 0, "\xe8" }));
}

CU_TestInfo rt_tests_recursion[] = {
	{ "functions that call themselves", test_recursion },
	CU_TEST_INFO_NULL,
};
