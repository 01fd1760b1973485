/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfgen.h"
#include "symbols/function.h"
#include "elf/file.h"
#include "unit.h"
#include "process/private.h"
#include "code/stub.h"

#define BASE 0x10000000u
#define CODE (BASE + ELFGEN_CODE)

#define FUNC(name, at, bind) { name, CODE + (at), 8, bind, STT_FUNC, ELFGEN_TEXT }

static const struct elfgen_sym program_symbols[] = {
	FUNC("main", 0x00, STB_GLOBAL),
	FUNC("fib", 0x08, STB_GLOBAL),
	FUNC("__fib_alias", 0x08, STB_GLOBAL),
	FUNC("fib_internal", 0x08, STB_LOCAL),
	FUNC("fibonacci", 0x10, STB_LOCAL),
	FUNC("fib.cold", 0x18, STB_LOCAL),
	FUNC("fib.part.0", 0x20, STB_LOCAL),
	FUNC("helper", 0x28, STB_LOCAL),
	FUNC("helper", 0x30, STB_LOCAL),
	FUNC("fib_locked", 0x38, STB_GLOBAL),
	FUNC("sigsetjmp", 0x40, STB_GLOBAL),
	{ "fib_label", CODE + 0x48, 0, STB_GLOBAL, STT_NOTYPE, ELFGEN_TEXT },
	FUNC("_start", 0x50, STB_GLOBAL),
};

static const struct elfgen_sym library[] = {
	FUNC("cosine", 0, STB_GLOBAL), FUNC("sine", 8, STB_GLOBAL), FUNC("fib", 16, STB_GLOBAL),
};

static void add_image(struct rt_program *program, const struct elfgen *g, const char *name)
{
	struct rt_image *image = NULL;
	struct rt_error err = { 0 };
	char path[256];
	size_t n;
	uint8_t *bytes = elfgen_build(g, &n);

	CU_ASSERT_TRUE_FATAL(bytes && elfgen_file(bytes, n, path));
	free(bytes);
	if (name ? rt_image_open(path, name, &image, &err)
		 : rt_image_open_library(path, NULL, &image, &err))
		printf("%s\n", err.text);
	unlink(path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(image);
	CU_ASSERT_EQUAL(rt_program_take(program, image, &err), 0);
}

/* ./fib with libc.so.6 and libcosine.so.1; `code` is 256 bytes of the program's code. */
static void setup(struct rt_program *files, const uint8_t *code)
{
	const struct elfgen fib = { .base = BASE,
				    .code = code,
				    .syms = program_symbols,
				    .nsyms = sizeof(program_symbols) / sizeof(program_symbols[0]),
				    .entry = CODE + 0x50 };
	const struct elfgen libc = { .dynamic = true, .soname = "libc.so.6" };
	const struct elfgen cosine = {
		.base = BASE, .dynsyms = library, .ndynsyms = 3, .soname = "libcosine.so.1"
	};

	memset(files, 0, sizeof(*files));
	add_image(files, &fib, "./fib");
	add_image(files, &libc, NULL);
	add_image(files, &cosine, NULL);
}

/* 256 bytes of nops, but at "fib_locked" a LOCK prefix. */
static void make_code(uint8_t code[256])
{
	memset(code, 0x90, 256);
	if (rt_arch_native() == EM_X86_64)
		memcpy(code + 0x38, "\xf0\x0f\xb1\x17", 4);
	else
		memcpy(code + 0x38, "\x01\x00\x00\xd4", 4);	/* svc */
}

static int add(struct rt_functions *functions, const struct rt_program *program, const char *text,
	       struct rt_error *err)
{
	struct rt_spec spec;
	int ret;

	memset(err, 0, sizeof(*err));
	CU_ASSERT_EQUAL_FATAL(rt_spec_parse(text, &rt_arch_x86_64, NULL, &spec, err), 0);
	ret = rt_functions_add(functions, program, &spec, err);
	rt_spec_free(&spec);
	return ret;
}

/*
 * Check the functions that one spec adds, as text: "name@address" and '!' for entry only, in order.
 */
static void adds(const struct rt_program *program, const char *text, const char *want)
{
	struct rt_functions functions = { 0 };
	struct rt_error err;
	char got[1024] = "";
	size_t i;

	if (add(&functions, program, text, &err))
		snprintf(got, sizeof(got), "%s", err.text);
	for (i = 0; i < functions.n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s@%x%s", i ? " " : "",
			 functions.v[i].name, (unsigned)(functions.v[i].addr - CODE),
			 functions.v[i].entry_only ? "!" : "");
	RT_ASSERT_TEXT(got, want);
	rt_functions_free(&functions);
}

static void test_exact(void)
{
	struct rt_functions functions = { 0 };
	struct rt_program program;
	struct rt_error err;
	uint8_t code[256];
	uint64_t offset;

	make_code(code);
	setup(&program, code);
	CU_ASSERT_EQUAL_FATAL(add(&functions, &program, "fib:3", &err), 0);
	CU_ASSERT_EQUAL_FATAL(functions.n, 1);
	RT_ASSERT_TEXT(functions.v[0].name, "fib");
	CU_ASSERT_PTR_EQUAL(functions.v[0].image, program.v[0]);
	CU_ASSERT_EQUAL(functions.v[0].nargs, 3);
	CU_ASSERT_EQUAL(functions.v[0].size, 8);
	CU_ASSERT_PTR_NULL(functions.v[0].entry_only);
	CU_ASSERT_EQUAL(rt_image_offset(program.v[0], CODE + 8, &offset), 0);
	CU_ASSERT_EQUAL(functions.v[0].offset, offset);
	rt_functions_free(&functions);

	adds(&program, "__fib_alias", "__fib_alias@8");
	adds(&program, "helper", "helper@28 helper@30");
	adds(&program, "fib.cold", "fib.cold@18!");
	adds(&program, "fib.part.0", "fib.part.0@20!");
	adds(&program, "fib_label", "fib_label@48!");
	adds(&program, "sigsetjmp", "sigsetjmp@40!");
	adds(&program, "_start", "_start@50!");
	adds(&program, "libcosine:fib", "fib@10");
	adds(&program, "libcosine.so.1:sine", "sine@8");
	adds(&program, "fib:main", "main@0");
	adds(&program, "fib_locked", rt_arch_native() == EM_X86_64 ?
	     "./fib: 'fib_locked' begins with a LOCK prefix, which the kernel cannot probe" :
	     "./fib: 'fib_locked' begins with brk, hlt or svc, which the kernel cannot probe");
	rt_program_close(&program);
}

static void test_glob(void)
{
	struct rt_program program;
	uint8_t code[256];

	make_code(code);
	setup(&program, code);
	/*
	 * Aliases once, under the plainest name; no cold parts, no labels, nothing that cannot be
	 * probed.
	 */
	adds(&program, "*fib*", "fib@8 fibonacci@10 fib.part.0@20!");
	adds(&program, "fib_*", "fib_internal@8");
	adds(&program, "__fib*", "__fib_alias@8");
	adds(&program, "h*r", "helper@28 helper@30");
	adds(&program, "*ine",
	     "./fib: no function matches '*ine', but libcosine.so.1 has some: use "
	     "'libcosine.so.1:*ine'");
	adds(&program, "libcosine:*ine", "cosine@0 sine@8");
	adds(&program, "x*", "./fib: no function matches 'x*'");
	/* Functions of the C runtime: found by name, or by a glob that matches nothing else. */
	adds(&program, "*t", "_start@50!");
	adds(&program, "_*", "__fib_alias@8");
	adds(&program, "_start", "_start@50!");
	adds(&program, "*.cold", "./fib: no function that matches '*.cold' can be probed");
	rt_program_close(&program);
}

/* Linkers put "runtime.text" where a program's text begins; it has no size. */
static void test_mark(void)
{
	static const struct elfgen_sym syms[] = { { "mark", CODE, 0, STB_GLOBAL, STT_FUNC,
						    ELFGEN_TEXT },
						  FUNC("function", 0, STB_LOCAL) };
	const struct elfgen g = { .base = BASE, .syms = syms, .nsyms = 2 };
	struct rt_functions functions = { 0 };
	struct rt_program program = { 0 };
	struct rt_error err;

	add_image(&program, &g, "./x");
	adds(&program, "mark", "mark@0");
	CU_ASSERT_EQUAL_FATAL(add(&functions, &program, "*", &err), 0);
	CU_ASSERT(functions.n == 1 && functions.v[0].sized && functions.v[0].size == 8);
	RT_ASSERT_TEXT(functions.v[0].name, "function");
	rt_functions_free(&functions);
	rt_program_close(&program);
}

static void test_together(void)
{
	struct rt_functions functions = { 0 };
	struct rt_program program;
	struct rt_error err;
	uint8_t code[256];
	size_t i;

	make_code(code);
	setup(&program, code);
	CU_ASSERT_EQUAL(add(&functions, &program, "fibonacci:2", &err), 0);
	CU_ASSERT_EQUAL(add(&functions, &program, "fib*", &err), 0);
	CU_ASSERT_EQUAL(add(&functions, &program, "__fib_alias:3", &err), 0);
	CU_ASSERT_EQUAL(add(&functions, &program, "libcosine:sine", &err),
			0); /* same address, another file */
	CU_ASSERT_EQUAL_FATAL(functions.n, 4);
	RT_ASSERT_TEXT(functions.v[0].name, "fibonacci");
	CU_ASSERT_EQUAL(functions.v[0].nargs, 2);
	RT_ASSERT_TEXT(functions.v[1].name, "__fib_alias");
	CU_ASSERT_EQUAL(functions.v[1].nargs, 3);
	RT_ASSERT_TEXT(functions.v[2].name, "fib.part.0");
	RT_ASSERT_TEXT(functions.v[3].name, "sine");
	for (i = 0; i < 3; i++)
		CU_ASSERT_PTR_EQUAL(functions.v[i].image, program.v[0]);
	rt_functions_free(&functions);
	rt_program_close(&program);
}

static void test_missing(void)
{
	struct rt_program program;
	uint8_t code[256];

	make_code(code);
	setup(&program, code);
	adds(&program, "fibb", "./fib: no function 'fibb'; did you mean 'fib'?");
	adds(&program, "Main", "./fib: no function 'Main'; did you mean 'main'?");
	adds(&program, "hlep", "./fib: no function 'hlep'");
	adds(&program, "helpre", "./fib: no function 'helpre'; did you mean 'helper'?");
	adds(&program, "fibo", "./fib: no function 'fibo'; did you mean 'fib' or 'fibonacci'?");
	adds(&program, "internal", "./fib: no function 'internal'; did you mean 'fib_internal'?");
	adds(&program, "zzzzzz", "./fib: no function 'zzzzzz'");
	adds(&program, "cosine",
	     "./fib: no function 'cosine', but libcosine.so.1 has it: use 'libcosine.so.1:cosine'");
	adds(&program, "libcosine:main",
	     "libcosine.so.1: no function 'main', but ./fib has it: use 'main'");
	adds(&program, "libcosine:sin",
	     "libcosine.so.1: no function 'sin'; did you mean 'sine' or 'cosine'?");
	adds(&program, "libc:x", "libc.so.6: is stripped: no function names");
	adds(&program, "libc:sine",
	     "libc.so.6: is stripped: no function names, but libcosine.so.1 has it: use "
	     "'libcosine.so.1:sine'");
	adds(&program, "libq:x", "./fib: no library 'libq'; it has libc.so.6, libcosine.so.1");
	adds(&program, "/proc/self/exe:x",
	     "./fib: does not load '/proc/self/exe'; it has libc.so.6, libcosine.so.1");
	rt_program_incomplete(&program, "its loader %s cannot be run", "/ld");
	adds(&program, "libq:x",
	     "./fib: no library 'libq'; it has libc.so.6, libcosine.so.1 (the list is incomplete: "
	     "its loader /ld cannot be run)");
	rt_program_close(&program);
}

static void test_find(void)
{
	struct rt_program program;
	uint8_t code[256];

	make_code(code);
	setup(&program, code);
	CU_ASSERT_PTR_EQUAL(rt_program_find(&program, "libc"), program.v[1]);	/* not libcosine */
	CU_ASSERT_PTR_EQUAL(rt_program_find(&program, "libc.so"), program.v[1]);
	CU_ASSERT_PTR_EQUAL(rt_program_find(&program, "libcosine.so"), program.v[2]);
	CU_ASSERT_PTR_EQUAL(rt_program_find(&program, "./fib"), program.v[0]);
	CU_ASSERT_PTR_EQUAL(rt_program_find(&program, "fib"), program.v[0]);
	CU_ASSERT_PTR_NULL(rt_program_find(&program, "libco"));
	CU_ASSERT_PTR_NULL(rt_program_find(&program, "/nonexistent"));
	rt_program_close(&program);
}

#define LEA(disp) 0x48, 0x8d, 0x05, disp, 0, 0, 0

/*
 * A resolver that chooses between three functions by lea (0x40, a second time with %r8, and 0x80,
 * which begins with vpxor) and, as only a fixed address allows, mov $imm32 (0x60); and loads the
 * address of its own middle and of no symbol.
 */
static void make_ifunc(uint8_t code[256])
{
	static const uint8_t resolver[] = {
		LEA(0x40 - 7),	0x4c,	0x8d, 0x05, 0x40 - 14, 0,    0,	   0,	 LEA(0x80 - 21),
		LEA(0xa0 - 28), LEA(2), 0xb8, 0x60, 0x10,      0x00, 0x10, 0xc3,
	};

	memset(code, 0x90, 256);
	memcpy(code, resolver, sizeof(resolver));
	memcpy(code + 0x80, "\xc5\xf9\xef\x07", 4);	/* vpxor (%rdi),%xmm0,%xmm0 */
}

static void test_ifunc(void)
{
	static const struct elfgen_sym syms[] = {
		{ "strlen", CODE, 0x40, STB_GLOBAL, STT_GNU_IFUNC, ELFGEN_TEXT },
		FUNC("strlen_a", 0x40, STB_LOCAL), FUNC("strlen_b", 0x60, STB_LOCAL),
		FUNC("strlen_avx", 0x80, STB_LOCAL),
		{ "wcs", CODE + 7, 0x39, STB_GLOBAL, STT_GNU_IFUNC, ELFGEN_TEXT },
		{ "wcs_alias", CODE + 7, 0x39, STB_GLOBAL, STT_GNU_IFUNC, ELFGEN_TEXT },
		{ "empty", CODE + 0xb0, 8, STB_GLOBAL, STT_GNU_IFUNC, ELFGEN_TEXT },
	};
	uint8_t code[256];
	struct elfgen g = { .base = BASE, .code = code, .syms = syms, .nsyms = 7 };
	struct rt_functions functions = { 0 };
	struct rt_program program = { 0 };
	struct rt_error err;

	if (rt_arch_native() != EM_X86_64)
		return;
	make_ifunc(code);
	add_image(&program, &g, "./x");
	adds(&program, "strlen", "strlen@40 strlen@60");
	adds(&program, "str*", "strlen@40 strlen@60");
	adds(&program, "strlen_a", "strlen_a@40");
	adds(&program, "empty",
	     "./x: 'empty' is an IFUNC; its implementations were not found");
	adds(&program, "e*", "./x: no function that matches 'e*' can be probed");
	CU_ASSERT_EQUAL(add(&functions, &program, "strlen", &err), 0);
	RT_ASSERT_TEXT(functions.note, "strlen: 1 of 3 implementations cannot be probed; "
				       "their calls are not seen");
	RT_ASSERT_TEXT(functions.reason, "begins with an AVX instruction that the kernel cannot "
					 "probe");
	rt_functions_free(&functions);
	CU_ASSERT_EQUAL(add(&functions, &program, "[sw]*[ns]", &err), 0);
	RT_ASSERT_TEXT(functions.note, "strlen: 1 of 3 implementations, and some of 1 more "
				       "functions, cannot be probed; their calls are not seen");
	rt_functions_free(&functions);
	rt_program_close(&program);

	/*
	 * An instruction that changes vector registers alone is passed, if there is a disassembler.
	 */
	memcpy(code + 0x80, "\xc5\xf9\xef\xc0", 4);	/* vpxor %xmm0,%xmm0,%xmm0 */
	add_image(&program, &g, "./x");
	CU_ASSERT_EQUAL(add(&functions, &program, "strlen", &err), 0);
	CU_ASSERT_EQUAL(functions.n, functions.note ? 2 : 3);
	if (functions.n == 3) {
		CU_ASSERT(functions.v[2].behind && functions.v[2].skip == 4 &&
			  !functions.v[1].behind);
		adds(&program, "strlen_avx", "strlen_avx@80");
	}
	rt_functions_free(&functions);
	rt_program_close(&program);
	memcpy(code + 0x80, "\xc5\xf9\xef\x07", 4);

	/* Loaded anywhere, an immediate cannot be an address. */
	g.type = ET_DYN;
	add_image(&program, &g, "./x");
	adds(&program, "strlen", "strlen@40");
	rt_program_close(&program);

	/* Stripped: by how a function looks; now a0, which no symbol has, is one as well. */
	g.syms = NULL;
	g.nsyms = 0;
	g.dynsyms = syms;
	g.ndynsyms = 1;
	add_image(&program, &g, "./x");
	adds(&program, "strlen", "strlen@40 strlen@a0");
	rt_program_close(&program);
	memset(code + 0x3b, 0x11, 5);		/* no end of a function before it */
	add_image(&program, &g, "./x");
	adds(&program, "strlen", "strlen@a0");
	rt_program_close(&program);
}

static size_t implementations(struct rt_image *image, const char *name)
{
	uint64_t found[RT_MAX_IMPLEMENTATIONS];
	const struct rt_symbol *v;
	size_t i, n;

	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
	for (i = 0; i < n; i++)
		if (v[i].kind == RT_SYM_IFUNC && strcmp(v[i].name, name) == 0)
			return rt_ifunc_implementations(image, &v[i], found);
	return 0;
}

/* The C library of this very process: what its loader chose for strlen must be among what is found.
 */
static void test_libc_ifunc(void)
{
	size_t (*volatile chosen)(const char *) = strlen;
	uint64_t found[RT_MAX_IMPLEMENTATIONS], start, end, offset, at = 0;
	struct rt_program program;
	struct rt_image *libc;
	const struct rt_symbol *v;
	struct rt_error err;
	size_t i, k, n, m;
	char line[512];
	bool hit = false;
	FILE *maps;

	CU_ASSERT_EQUAL_FATAL(rt_program_of_pids(RT_PID(getpid()), &program, &err), 0);
	libc = rt_program_find(&program, "libc");
	if (!libc || !implementations(libc, "strlen"))
		goto out;	/* a C library without IFUNCs, or a static test program */
	maps = fopen("/proc/self/maps", "re");
	CU_ASSERT_PTR_NOT_NULL_FATAL(maps);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    (uintptr_t)chosen >= start && (uintptr_t)chosen < end && strstr(line, "libc"))
			at = (uintptr_t)chosen - start + offset;
	fclose(maps);
	if (!at)
		goto out;	/* strlen is somebody else's: a sanitizer's */
	rt_image_symbols(libc, &v, &n, NULL);
	for (i = 0; i < n; i++) {
		if (v[i].kind != RT_SYM_IFUNC || strcmp(v[i].name, "strlen") != 0)
			continue;
		m = rt_ifunc_implementations(libc, &v[i], found);
		for (k = 0; k < m; k++)
			hit |= rt_image_offset(libc, found[k], &offset) == 0 && offset == at;
	}
	CU_ASSERT_TRUE(hit);
out:
	rt_program_close(&program);
}

CU_TestInfo rt_tests_function[] = {
	{ "exact names", test_exact },
	{ "globs", test_glob },
	{ "a name without a size", test_mark },
	{ "several specs", test_together },
	{ "names that are not there", test_missing },
	{ "libraries by name", test_find },
	{ "IFUNC", test_ifunc },
	{ "IFUNC of the C library", test_libc_ifunc },
	CU_TEST_INFO_NULL,
};
