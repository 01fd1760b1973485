/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/flow.h"
#include "code.h"
#include "elfgen.h"
#include "process/program.h"
#include "elf/file.h"
#include "safety/switches_walk.h"
#include "unit.h"

#define BASE 0x10000000u
#define CODE (BASE + ELFGEN_CODE)

static void unwinds(const struct elfgen *g, const char *want)
{
	struct rt_image *image = elfgen_open(g);
	const char *why = rt_image_unwinds(image);

	if (want) {
		RT_ASSERT_TEXT(why, want);
	} else {
		CU_ASSERT_PTR_NULL(why);
	}
	rt_image_close(image);
}

static void imports(const char *name, const char *soname, const char *want)
{
	const struct elfgen_sym dynsyms[] = { { name, 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF } };
	static const char *const needed[] = { "libc.so.6", NULL };
	const struct elfgen g = {
		.base = BASE, .dynsyms = dynsyms, .ndynsyms = 1, .needed = needed, .soname = soname
	};

	unwinds(&g, want);
}

static void test_unwind_imports(void)
{
	static const char *const needed[] = { "libgcc_s.so.1", "libstdc++.so.6", NULL };
	struct elfgen g = { .base = BASE, .needed = needed };

	imports("puts", NULL, NULL);
	imports("_Unwind_Resume", NULL, "imports _Unwind_Resume");
	imports("_Unwind_Backtrace", "libx.so", "imports _Unwind_Backtrace");
	imports("__cxa_throw", NULL, "is C++: imports __cxa_throw");
	imports("pthread_cancel", NULL, "imports pthread_cancel");
	imports("swapcontext", NULL, "imports swapcontext");
	imports("sigaltstack", NULL, "imports sigaltstack");
	imports("backtrace", NULL, "imports backtrace");
	imports("mcount", NULL, "imports mcount");
	imports("seccomp_load", NULL, "imports seccomp_load");
	imports("pthread_cancel", "libc.so.6", NULL);
	imports("_Unwind_Find_FDE", "libgcc_s.so.1", NULL);
	imports("puts", "libstdc++.so.6", "is the C++ library");
	unwinds(&g, "is C++: needs libstdc++.so.6");
	g.needed = needed + 2;
	unwinds(&g, NULL);
}

static void test_unwind_contains(void)
{
	struct elfgen_sym syms[] = { { "main", CODE, 0, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT } };
	struct elfgen g = { .base = BASE, .syms = syms, .nsyms = 1 };

	unwinds(&g, NULL);
	syms[0].name = "_Unwind_Resume";	/* the static C library has it always */
	unwinds(&g, NULL);
	syms[0].name = "pthread_exit";
	unwinds(&g, "contains pthread_exit");
	syms[0].name = "__cxa_throw";
	unwinds(&g, "is C++: contains __cxa_throw");
	syms[0].name = "_RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind";
	unwinds(&g, "contains _RNvCsfLfy6EI15iL_7___rustc17rust_begin_unwind");
	syms[0].name = "main";
	g.section = ".gcc_except_table";
	unwinds(&g, NULL);
	g.interp = "/lib/ld.so";
	unwinds(&g, "has exception handlers");
	g.section = ".go.buildinfo";
	unwinds(&g, "is a Go program");
	g.section = ".data.rel.ro.gopclntab";
	unwinds(&g, "is a Go program");
	g.section = NULL;
	g.no_sections = true;
	g.go_note = true;
	unwinds(&g, "is a Go program");
}

/* Is `phrase` said of the case by the name "f", if it wants "yes"?  Not by the name `exempt`. */
static void check_said(const struct code *code, const struct code_part *c, const char *phrase,
		       const char *exempt)
{
	struct rt_image *image = code_image(code, c, "f");
	const char *why = rt_image_unwinds(image);
	bool yes = strcmp(c->want, "yes") == 0;

	code_check(code, c, why ? why : "no", yes ? why && strcmp(why, phrase) == 0 : !why);
	rt_image_close(image);
	if (!exempt)
		return;
	image = code_image(code, c, exempt);
	CU_ASSERT_PTR_NULL(rt_image_unwinds(image));
	rt_image_close(image);
}

static void check_switches(const struct code *code, const struct code_part *c)
{
	if (code->arch->machine == rt_arch_native())
		check_said(code, c, "switches stacks in f", "__longjmp");
}

static void test_switches(void)
{
	code_each_working("switches.x86_64", check_switches);
}

static void test_switches_aarch64(void)
{
	code_each_working("switches.aarch64", check_switches);
}

/* Single instructions, wherever this runs. */
static void check_load(const struct code *code, const struct code_part *c)
{
	static const char *const loads[] = {
		[RT_LOAD_NOT] = "not", [RT_LOAD_OF_COMPILERS] = "compilers",
		[RT_LOAD_OF_SIZE] = "size", [RT_LOAD_OF_SUM] = "sum", [RT_LOAD_STRANGE] = "strange",
	};
	static const char *const ops[] = {
		[RT_OP_OTHER] = "other", [RT_OP_PLUS] = "plus", [RT_OP_COPY] = "copy",
		[RT_OP_LOAD] = "load", [RT_OP_STORE] = "store", [RT_OP_MASK] = "mask",
	};
	char got[64], to[8] = "-", from[8] = "-";
	struct rt_flow f = { .op = RT_OP_OTHER };

	CU_ASSERT(!rt_aarch64_switches.decode(c->bytes, 3, &f) &&
		  rt_aarch64_switches.decode(c->bytes, 4, &f));
	if (f.to != RT_NO_REG)
		snprintf(to, sizeof(to), "%d", f.to);
	if (f.from != RT_NO_REG)
		snprintf(from, sizeof(from), "%d", f.from);
	snprintf(got, sizeof(got), "%s %s %s %s",
		 loads[rt_aarch64_switches.load(rt_arch_word(c->bytes))], ops[f.op], to, from);
	code_check_text(code, c, got);
}

static void test_loads_aarch64(void)
{
	code_each("loads.aarch64", check_load);
}

static void check_walks(const struct code *code, const struct code_part *c)
{
	check_said(code, c, "follows frame pointers in f", "_Unwind_Resume");
}

static void test_walks(void)
{
	code_each_working("walks.x86_64", check_walks);
}

static void check_copies(const struct code *code, const struct code_part *c)
{
	check_said(code, c, "may put back a copy of its stack in f", NULL);
}

static void check_turns(const struct code *code, const struct code_part *c)
{
	check_said(code, c, "has coroutines of setjmp and longjmp in f", NULL);
}

static void test_copies(void)
{
	code_each_working("copies.x86_64", check_copies);
	code_each_working("turns.x86_64", check_turns);
}

/*
 * Code that may be loaded later: library calls of a program that can become another one are traced
 * at their entries only.
 */
static void test_becomes(void)
{
	static const char *const needed[] = { "libc.so.6", NULL };
	struct elfgen_sym import = { "puts", 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF };
	struct elfgen g = { .base = BASE, .dynsyms = &import, .ndynsyms = 1, .needed = needed };
	static const struct {
		const char *name, *soname;
		bool becomes, unwinds, jumps, filters;
	} cases[] = {
		{ "prctl", NULL, false, false, false, true },
		{ "prctl", "libx.so", false, false, false, true },
		{ "prctl", "libc.so.6", false, false, false, false },
		{ "puts", NULL, false, false, false, false },
		{ "execvp", NULL, true, false, false, false },
		{ "execve", "libx.so", true, false, false, false },
		{ "execve", "libc.so.6", false, false, false, false },
		{ "dlopen", NULL, true, true, true, false },		/* a program with plugins */
		{ "longjmp", NULL, false, false, true, false },
		{ "__longjmp_chk", "libx.so", false, false, true, false },
		{ "siglongjmp", "libc.so.6", false, false, false, false },
	};
	struct rt_image *image;
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		import.name = cases[i].name;
		g.soname = cases[i].soname;
		image = elfgen_open(&g);
		CU_ASSERT_EQUAL(rt_image_becomes(image) != NULL, cases[i].becomes);
		CU_ASSERT_EQUAL(rt_image_unwinds(image) != NULL, cases[i].unwinds);
		CU_ASSERT_EQUAL(rt_image_jumps(image) != NULL, cases[i].jumps);
		CU_ASSERT_EQUAL(rt_image_filters(image) != NULL, cases[i].filters);
		rt_image_close(image);
	}
}

static void test_unsafe_returns(void)
{
	static const struct elfgen_sym syms[] = {
		{ "_start", CODE, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "plain", CODE + 8, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "_setjmp", CODE + 16, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "my_setjmp", CODE + 16, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "begin", CODE + 24, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	};
	const struct elfgen g = { .base = BASE, .entry = CODE + 24, .syms = syms, .nsyms = 5 };
	const struct rt_symbol *v;
	struct rt_image *image = elfgen_open(&g);
	size_t n;

	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
#define WHY(name, at) rt_image_unsafe_return(image, name, CODE + (at))
	RT_ASSERT_TEXT(WHY("_start", 0), "is the program's entry: there is no return address");
	RT_ASSERT_TEXT(WHY("begin", 24), "is the program's entry: there is no return address");
	RT_ASSERT_TEXT(WHY("my_setjmp", 16), "returns twice");	/* by its alias */
	CU_ASSERT_PTR_NULL(WHY("plain", 8));
	CU_ASSERT_PTR_NULL(WHY("setjmp_helper", 8));
	CU_ASSERT_PTR_NULL(WHY("partition", 8));
	CU_ASSERT_PTR_NULL(WHY("f.constprop.0", 8));
	RT_ASSERT_TEXT(WHY("__sigsetjmp", 8), "returns twice");
	RT_ASSERT_TEXT(WHY("vfork", 8), "returns twice, first in a child");
	RT_ASSERT_TEXT(WHY("swapcontext", 8), "switches stacks");
	RT_ASSERT_TEXT(WHY("dlsym", 8), "looks at its return address to know its caller");
	RT_ASSERT_TEXT(WHY("_dl_runtime_resolve_xsavec", 8),
		       "its stack top is not a return address");
	RT_ASSERT_TEXT(WHY("__x86.get_pc_thunk.bx", 8), "uses its own return address");
	RT_ASSERT_TEXT(WHY("__restore_rt", 8), "is entered by a signal's return");
	RT_ASSERT_TEXT(WHY("f.cold", 8), "is the cold part of a function, entered by a jump");
	RT_ASSERT_TEXT(WHY("f.cold.3", 8), "is the cold part of a function, entered by a jump");
	RT_ASSERT_TEXT(WHY("f.part.0", 8),
		       "is a part of a function, which may be entered by a jump");
#undef WHY
	rt_image_close(image);
}

/* clone() of the C library, and a program's own function of that name. */
static void check_clone(const struct code *code, const struct code_part *c)
{
	struct rt_image *image = code_image(code, c, "clone");
	uint64_t vfork = CODE_FIRST + code_part(code, "vfork")->at;
	uint64_t setjmp = CODE_FIRST + code_part(code, "setjmp")->at;
	bool yes = rt_image_unsafe_exits(image, "clone", CODE_FIRST + c->at) != NULL;

	code_check_text(code, c, yes ? "yes" : "no");
	CU_ASSERT_PTR_NULL(rt_image_unsafe_exits(image, "vfork", vfork));
	RT_ASSERT_TEXT(rt_image_unsafe_exits(image, "setjmp", setjmp), "returns twice");
	RT_ASSERT_TEXT(rt_image_unsafe_return(image, "clone", CODE_FIRST + c->at),
		       "returns once more, in a child");
	rt_image_close(image);
}

static void test_clones(void)
{
	if (rt_arch_native() == EM_X86_64)
		code_each("clone.x86_64", check_clone);
}

CU_TestInfo rt_tests_unwind[] = {
	{ "unwinding imports", test_unwind_imports },
	{ "unwinding contents", test_unwind_contains },
	{ "code that switches stacks", test_switches },
	{ "code of aarch64 that switches stacks", test_switches_aarch64 },
	{ "loads of aarch64's stack pointer", test_loads_aarch64 },
	{ "code that follows frame pointers", test_walks },
	{ "code that puts back a copy of the stack", test_copies },
	{ "what a program may become", test_becomes },
	{ "unsafe returns", test_unsafe_returns },
	{ "functions named clone", test_clones },
	CU_TEST_INFO_NULL,
};
