/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elfgen.h"
#include "symbols/function.h"
#include "symbols/imports.h"
#include "elf/file.h"
#include "unit.h"
#include "process/private.h"

#define CODE (0x10000000u + ELFGEN_CODE)
#define HAS(name, at) { name, CODE + (at), 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT }
#define WANTS(name) { name, 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF }

static const struct elfgen_sym wants[] = {
	WANTS("sine"), WANTS("cosine"), WANTS("nobody"), WANTS("__libc_start_main"), HAS("main", 0),
};
static const struct elfgen_sym first[] = { HAS("sine", 0),
					   HAS("__libc_start_main", 8),
					   { "hidden", CODE + 16, 8, STB_LOCAL, STT_FUNC,
					     ELFGEN_TEXT } };
static const struct elfgen_sym second[] = { HAS("cosine", 0), HAS("sine", 8),
					    HAS("cosine_alias", 0) };

static void add_image(struct rt_program *program, const struct elfgen *g, const char *name)
{
	struct rt_image *image = NULL;
	struct rt_error err;
	char path[256];
	size_t n;
	uint8_t *bytes = elfgen_build(g, &n);

	CU_ASSERT_TRUE_FATAL(bytes && elfgen_file(bytes, n, path));
	free(bytes);
	CU_ASSERT_EQUAL_FATAL(name ? rt_image_open(path, name, &image, &err)
				   : rt_image_open_library(path, NULL, &image, &err),
			      0);
	unlink(path);
	CU_ASSERT_EQUAL(rt_program_take(program, image, &err), 0);
}

/* The program needs libfirst before libsecond; they are mapped the other way round. */
static void setup(struct rt_program *files)
{
	static const char *const needed[] = { "libfirst.so", "libsecond.so", NULL };
	const struct elfgen program = {
		.base = 0x10000000u, .dynsyms = wants, .ndynsyms = 5, .needed = needed
	};
	const struct elfgen a = {
		.base = 0x10000000u, .dynsyms = first, .ndynsyms = 3, .soname = "libfirst.so"
	};
	const struct elfgen b = {
		.base = 0x10000000u, .dynsyms = second, .ndynsyms = 3, .soname = "libsecond.so"
	};

	memset(files, 0, sizeof(*files));
	add_image(files, &program, "./program");
	add_image(files, &b, NULL);
	add_image(files, &a, NULL);
}

static const char *who_has(const struct rt_program *program, pid_t pid, const char *name)
{
	const char *who = "(not imported)";
	struct rt_import *v;
	struct rt_error err;
	size_t i, n;

	CU_ASSERT_EQUAL_FATAL(rt_program_imports(program, pid, &v, &n, &err), 0);
	CU_ASSERT_EQUAL(n, 4);
	for (i = 0; i < n; i++)
		if (strcmp(v[i].name, name) == 0)
			who = v[i].image ? rt_image_name(v[i].image) : "(nobody)";
	free(v);
	return who;
}

static void test_order(void)
{
	struct rt_program program;

	setup(&program);
	RT_ASSERT_TEXT(who_has(&program, 0, "sine"), "libsecond.so");
	RT_ASSERT_TEXT(who_has(&program, getpid(), "sine"), "libfirst.so");
	RT_ASSERT_TEXT(who_has(&program, 0, "cosine"), "libsecond.so");
	RT_ASSERT_TEXT(who_has(&program, 0, "nobody"), "(nobody)");
	RT_ASSERT_TEXT(who_has(&program, 0, "main"), "(not imported)");
	rt_program_close(&program);
}

static void adds(const struct rt_program *program, const char *text, const char *want)
{
	struct rt_functions functions = { 0 };
	struct rt_spec spec;
	struct rt_error err = { 0 };
	char got[1024] = "";
	size_t i;

	CU_ASSERT_EQUAL_FATAL(rt_spec_parse(text, rt_image_arch(program->v[0]), NULL, &spec, &err),
			      0);
	if (rt_functions_add_imports(&functions, program, 0, &spec, &err))
		snprintf(got, sizeof(got), "%s", err.text);
	for (i = 0; i < functions.n; i++) {
		const struct rt_function *f = &functions.v[i];

		CU_ASSERT_TRUE(f->libcall);
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s:%s@%x", i ? " " : "",
			 rt_image_name(f->image), f->name, (unsigned)(f->addr - CODE));
	}
	RT_ASSERT_TEXT(got, want);
	rt_functions_free(&functions);
	rt_spec_free(&spec);
}

static void test_functions(void)
{
	struct rt_program program;

	setup(&program);
	adds(&program, "*", "libsecond.so:cosine@0 libsecond.so:sine@8");
	adds(&program, "cos*", "libsecond.so:cosine@0");
	adds(&program, "__libc_start_main", "libfirst.so:__libc_start_main@8");
	adds(&program, "libfirst.so:*", "./program: no import '*'");
	adds(&program, "nobody", "./program: no import 'nobody'");
	adds(&program, "hidden", "./program: no import 'hidden'");
	rt_program_close(&program);
}

CU_TestInfo rt_tests_imports[] = {
	{ "the order of search", test_order },
	{ "functions of libraries", test_functions },
	CU_TEST_INFO_NULL,
};
