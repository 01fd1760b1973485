/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that call themselves. */
#include <elf.h>
#include <string.h>

#include "code.h"
#include "code/code.h"
#include "elf/file.h"
#include "elfgen.h"
#include "safety/recursion.h"
#include "unit.h"

/* Does f of the case call itself, if at most `most` other functions are decoded? */
static bool recurses(const struct code_part *c, unsigned most)
{
	enum { SIZE = 0x20, FUNCTIONS = 4 };
	static const char *const names[FUNCTIONS] = { "f", "g", "h", "i" };
	struct elfgen_sym syms[FUNCTIONS];
	const struct elfgen g = {
		.base = CODE_BASE, .code = c->bytes, .ncode = c->size,
		.syms = syms, .nsyms = FUNCTIONS,
	};
	const struct rt_symbol *v;
	struct rt_image *image;
	struct rt_code *opened;
	size_t i, n;
	bool does;

	for (i = 0; i < FUNCTIONS; i++)
		syms[i] = (struct elfgen_sym){
			names[i], CODE_FIRST + i * SIZE, SIZE, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT,
		};
	image = elfgen_open(&g);
	CU_ASSERT_FATAL(rt_image_symbols(image, &v, &n, NULL) == 0);
	opened = rt_code_open(image);
	does = opened && rt_code_recurses(opened, CODE_FIRST, SIZE, most);
	rt_code_close(opened);
	rt_image_close(image);
	return does;
}

static void check_recursion(const struct code *code, const struct code_part *c)
{
	code_check_text(code, c, recurses(c, 9) ? "yes" : "no");
}

static void test_recursion(void)
{
	struct code code;

	if (rt_arch_native() != EM_X86_64)
		return;
	code_each("recursion.x86_64", check_recursion);
	code_open(&code, "recursion.x86_64");
	if (code.n) {
		CU_ASSERT(!recurses(code_part(&code, "by_g"), 0));
		CU_ASSERT(recurses(code_part(&code, "call_f"), 0));
	}
	code_close(&code);
}

CU_TestInfo rt_tests_recursion[] = {
	{ "functions that call themselves", test_recursion },
	CU_TEST_INFO_NULL,
};
