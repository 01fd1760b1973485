/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elfgen.h"
#include "process/program.h"
#include "elf/file.h"
#include "unit.h"

#define BASE 0x10000000u
#define CODE (BASE + ELFGEN_CODE)

/* Open bytes as "./x". */
static int open_bytes(const void *bytes, size_t n, struct rt_image **image, struct rt_error *err)
{
	char path[256];
	int ret = -EIO;

	memset(err, 0, sizeof(*err));
	if (elfgen_file(bytes, n, path))
		ret = rt_image_open(path, "./x", image, err);
	unlink(path);
	return ret;
}

static void refuses(const void *bytes, size_t n, int code, const char *want)
{
	struct rt_image *image;
	struct rt_error err;

	CU_ASSERT_EQUAL(open_bytes(bytes, n, &image, &err), code);
	CU_ASSERT_PTR_NULL(image);
	CU_ASSERT_EQUAL(err.status, RT_EXIT_FAILURE);
	RT_ASSERT_TEXT(err.text, want);
}

#define REFUSES(text, code, want) refuses(text, sizeof(text) - 1, code, want)

static void test_not_elf(void)
{
	REFUSES("", -ENOEXEC, "./x: is an empty file");
	REFUSES("hello", -ENOEXEC, "./x: is not an ELF file");
	REFUSES("\177EL", -ENOEXEC, "./x: is not an ELF file");
	REFUSES("\177ELF\2\1\1", -EBADMSG, "./x: damaged ELF file: it is shorter than its header");
	REFUSES("#!/bin/sh\necho\n", -ENOEXEC,
		"./x: is a script for /bin/sh; trace its interpreter: rawtrace /bin/sh FUNCTION -- "
		"./x");
	REFUSES("#! /bin/ba\033sh -e", -ENOEXEC,
		"./x: is a script for /bin/ba?sh; trace its interpreter: rawtrace /bin/ba?sh "
		"FUNCTION -- ./x");
	REFUSES("#!/usr/bin/env -S python3 -u\n", -ENOEXEC,
		"./x: is a script for python3; trace its interpreter: rawtrace python3 FUNCTION -- "
		"./x");
	REFUSES("#!\n", -ENOEXEC, "./x: is a script without an interpreter");
}

/* A file's name is made safe for a terminal; the name to open it by is not changed. */
static void test_name(void)
{
	struct elfgen g = { .bits = 64, .base = BASE, .soname = "lib\033x.so" };
	struct rt_image *image;
	struct rt_error err;
	char path[256];
	size_t n;
	uint8_t *bytes = elfgen_build(&g, &n);

	CU_ASSERT_FATAL(bytes && elfgen_file(bytes, n, path));
	free(bytes);
	CU_ASSERT_EQUAL_FATAL(rt_image_open(path, "./\033[31m\nx", &image, &err), 0);
	RT_ASSERT_TEXT(rt_image_name(image), "./?[31m?x");
	rt_image_close(image);
	CU_ASSERT_EQUAL_FATAL(rt_image_open_library(path, "/lib\n/y\nz", &image, &err), 0);
	RT_ASSERT_TEXT(rt_image_name(image), "lib?x.so");
	rt_image_close(image);
	unlink(path);
}

static void test_not_a_file(void)
{
	struct rt_image *image;
	struct rt_error err;
	char dir[] = "/tmp/rawtrace-test-XXXXXX", path[64];

	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(dir));
	CU_ASSERT_EQUAL(rt_image_open(dir, "d", &image, &err), -EISDIR);
	RT_ASSERT_TEXT(err.text, "d: is a directory");
	snprintf(path, sizeof(path), "%s/fifo", dir);
	CU_ASSERT_EQUAL(rt_image_open(path, "f", &image, &err), -ENOENT);
	RT_ASSERT_TEXT(err.text, "f: No such file or directory");
	CU_ASSERT_EQUAL_FATAL(mkfifo(path, 0600), 0);
	CU_ASSERT_EQUAL(rt_image_open(path, "f", &image, &err), -ENOEXEC);
	RT_ASSERT_TEXT(err.text, "f: is not a regular file");
	CU_ASSERT_EQUAL(rt_image_open("/dev/zero", NULL, &image, &err), -ENOEXEC);
	RT_ASSERT_TEXT(err.text, "/dev/zero: is not a regular file");
	unlink(path);
	rmdir(dir);
}

/* Build, change one byte, and try. */
static void refuses_changed(size_t at, uint8_t value, int code, const char *want)
{
	const struct elfgen g = { .base = BASE };
	size_t n;
	uint8_t *bytes = elfgen_build(&g, &n);

	CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
	bytes[at] = value;
	refuses(bytes, n, code, want);
	free(bytes);
}

static void test_header(void)
{
	const struct elfgen riscv = { .machine = 243 };
	char want[128], ours[32];
	size_t n;
	uint8_t *bytes = elfgen_build(&riscv, &n);

	CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
	snprintf(want, sizeof(want), "./x: is an ELF file for riscv, this kernel runs %s",
		 rt_arch_name(rt_arch_native(), ours, sizeof(ours)));
	refuses(bytes, n, -ENOEXEC, want);
	bytes[EI_DATA] = ELFDATA2MSB;
	bytes[18] = 0;
	bytes[19] = 21;
	snprintf(want, sizeof(want),
		 "./x: is a big-endian ELF file for powerpc64, this kernel runs %s",
		 rt_arch_name(rt_arch_native(), ours, sizeof(ours)));
	refuses(bytes, n, -ENOEXEC, want);
	free(bytes);
	refuses_changed(16, ET_REL, -ENOEXEC,
			"./x: is an object file, not a program: link it first");
	refuses_changed(16, ET_CORE, -ENOEXEC, "./x: is a core dump, not a program");
	refuses_changed(16, 77, -ENOEXEC, "./x: is neither a program nor a shared library");
	refuses_changed(
		EI_CLASS, 9, -EBADMSG,
		"./x: damaged ELF file: its header is of an unknown class, byte order or version");
	refuses_changed(56, 0, -EBADMSG, "./x: damaged ELF file: it has no segment to load");
	refuses_changed(57, 0x10, -EBADMSG,
			"./x: damaged ELF file: program headers reach past its end");
	refuses_changed(34, 0x7f, -EBADMSG,
			"./x: damaged ELF file: program headers reach past its end");
	refuses_changed(54, 7, -EBADMSG,
			"./x: damaged ELF file: its program headers have an unknown size");
	refuses_changed(64 + 32 + 2, 0x7f, -EBADMSG,
			"./x: damaged ELF file: a segment reaches past its end");
	refuses_changed(64 + 41, 0, -EBADMSG,
			"./x: damaged ELF file: a segment's sizes do not fit together");
}

static void test_x32_and_i386(void)
{
	struct elfgen g = { .bits = 32, .machine = EM_X86_64 };
	const struct elfgen_sym syms[] = { { "f", CODE + 4, 8, STB_GLOBAL, STT_FUNC,
					     ELFGEN_TEXT } };
	const struct rt_symbol *v;
	struct rt_image *image;
	size_t n;
	uint8_t *bytes;

	if (rt_arch_native() != EM_X86_64)
		return;
	bytes = elfgen_build(&g, &n);
	CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
	refuses(bytes, n, -ENOEXEC,
		"./x: is an x32 program (32-bit pointers in 64-bit mode), which rawtrace cannot "
		"trace");
	free(bytes);
	g.bits = 64;
	g.machine = EM_386;
	bytes = elfgen_build(&g, &n);
	CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
	refuses(bytes, n, -EBADMSG, "./x: damaged ELF file: its class does not fit its machine");
	free(bytes);

	g = (struct elfgen){ .bits = 32,
			     .machine = EM_386,
			     .base = BASE,
			     .entry = CODE,
			     .syms = syms,
			     .nsyms = 1,
			     .interp = "/lib/ld-linux.so.2",
			     .dynsyms = syms,
			     .ndynsyms = 1,
			     .soname = "liby.so" };
	image = elfgen_open(&g);
	CU_ASSERT_PTR_EQUAL(rt_image_arch(image), &rt_arch_i386);
	RT_ASSERT_TEXT(rt_image_interp(image), "/lib/ld-linux.so.2");
	RT_ASSERT_TEXT(rt_image_soname(image), "liby.so");
	CU_ASSERT_EQUAL(rt_image_entry(image), CODE);
	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(n, 1);
	CU_ASSERT_EQUAL(v[0].addr, CODE + 4);
	CU_ASSERT_EQUAL(v[0].size, 8);
	rt_image_close(image);
}

static void test_offsets(void)
{
	const uint8_t code[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct elfgen g = { .base = BASE, .code = code, .ncode = sizeof(code) };
	struct rt_image *image = elfgen_open(&g);
	uint64_t offset = 0, by = 0;
	uint8_t buf[16], byte = 0;

	CU_ASSERT_EQUAL(rt_image_offset(image, CODE + 3, &offset), 0);
	CU_ASSERT_NOT_EQUAL(offset, ELFGEN_CODE + 3);	/* the file has it elsewhere than memory */
	CU_ASSERT_EQUAL(pread(rt_image_fd(image), &byte, 1, (off_t)offset), 1);
	CU_ASSERT_EQUAL(byte, 4);
	/* Mapped elsewhere, from the beginning of the page on: the same byte of the file. */
	CU_ASSERT_TRUE(rt_image_moved(image, 0x7f0000000000, offset & ~UINT64_C(4095), &by));
	CU_ASSERT_EQUAL(CODE + 3 + by, 0x7f0000000000 + (offset & 4095));
	CU_ASSERT_FALSE(rt_image_moved(image, 0x7f0000000000, UINT64_C(1) << 40, &by));
	CU_ASSERT_EQUAL(rt_image_offset(image, CODE + 7, &offset), 0);
	CU_ASSERT_EQUAL(rt_image_offset(image, CODE + 8, &offset), -ENOENT);
	CU_ASSERT_EQUAL(rt_image_offset(image, CODE - 1, &offset), -ENOENT);
	CU_ASSERT_EQUAL(rt_image_offset(image, UINT64_MAX, &offset), -ENOENT);
	CU_ASSERT_EQUAL(rt_image_offset(image, BASE + 0x10000, &offset), 0);
	CU_ASSERT_TRUE(rt_image_is_code(image, CODE));
	CU_ASSERT_FALSE(rt_image_is_code(image, BASE + 0x10000));
	CU_ASSERT_EQUAL(rt_image_read(image, CODE + 2, buf, 3), 3);
	CU_ASSERT_EQUAL(memcmp(buf, code + 2, 3), 0);
	CU_ASSERT_EQUAL(rt_image_read(image, CODE + 5, buf, sizeof(buf)), 3);
	CU_ASSERT_EQUAL(rt_image_read(image, CODE + 8, buf, sizeof(buf)), 0);
	CU_ASSERT_EQUAL(rt_image_read_constant(image, CODE + 2, buf, 3), 3);
	CU_ASSERT_EQUAL(memcmp(buf, code + 2, 3), 0);
	CU_ASSERT_EQUAL(rt_image_read_constant(image, CODE + 6, buf, sizeof(buf)), 2);
	CU_ASSERT_EQUAL(rt_image_read_constant(image, CODE + 8, buf, sizeof(buf)), 0);
	CU_ASSERT_EQUAL(rt_image_read(image, BASE + 0x10000, buf, 1), 1);	/* written to */
	CU_ASSERT_EQUAL(rt_image_read_constant(image, BASE + 0x10000, buf, 1), 0);
	CU_ASSERT_PTR_NULL(rt_image_interp(image));
	CU_ASSERT_PTR_NULL(rt_image_soname(image));
	RT_ASSERT_TEXT(rt_image_name(image), "./x");
	CU_ASSERT_TRUE(fcntl(rt_image_fd(image), F_GETFD) & FD_CLOEXEC);
	rt_image_close(image);
}

/* Reads that end with, cross, begin with, and are longer than a window. */
static void test_windows(void)
{
	static uint8_t code[4 * RT_FILE_WINDOW], buf[sizeof(code)];
	const struct elfgen g = { .base = BASE, .code = code, .ncode = sizeof(code) };
	const size_t sizes[] = { 1, 8, RT_FILE_WINDOW, RT_FILE_WINDOW + 1 };
	struct rt_image *image;
	size_t i, at, n;

	for (i = 0; i < sizeof(code); i++)
		code[i] = (uint8_t)(i * 31 + i / 256);
	image = elfgen_open(&g);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		for (at = RT_FILE_WINDOW - 600; at < 2 * RT_FILE_WINDOW + 3; at++) {
			n = rt_image_read(image, CODE + at, buf, sizes[i]);
			if (n != sizes[i] || memcmp(buf, code + at, n) != 0)
				CU_FAIL("other bytes than the file's");
		}
	CU_ASSERT_EQUAL(rt_image_read(image, CODE + sizeof(code) - 5, buf, 16), 5);
	rt_image_close(image);
}

static const struct elfgen_sym many[] = {
	{ "zeta", CODE + 0x40, 0, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "beta", CODE + 0x10, 0x10, STB_LOCAL, STT_FUNC, ELFGEN_TEXT },
	{ "alpha", CODE + 0x10, 0x10, STB_WEAK, STT_FUNC, ELFGEN_TEXT },
	{ "memcpy@GLIBC_2.2.5", CODE + 0x20, 4, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "memcpy@@GLIBC_2.14", CODE + 0x28, 4, STB_GLOBAL, STT_GNU_IFUNC, ELFGEN_TEXT },
	{ "label", CODE + 0x30, 0, STB_GLOBAL, STT_NOTYPE, ELFGEN_TEXT },
	{ "local_label", CODE + 0x34, 0, STB_LOCAL, STT_NOTYPE, ELFGEN_TEXT },
	{ "last", CODE + 0xf0, 0, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "huge", CODE + 0xf8, UINT32_MAX, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "object", CODE + 0x50, 4, STB_GLOBAL, STT_OBJECT, ELFGEN_TEXT },
	{ "tls", CODE + 0x50, 4, STB_GLOBAL, STT_TLS, ELFGEN_TEXT },
	{ "absolute", CODE + 0x50, 4, STB_GLOBAL, STT_FUNC, SHN_ABS },
	{ "undefined", CODE + 0x50, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF },
	{ "in_data", BASE + 0x10000, 4, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "nowhere", 0x50, 4, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "zeta", CODE + 0x40, 0, STB_LOCAL, STT_FUNC, ELFGEN_TEXT },
};

static void is_symbol(const struct rt_symbol *s, const char *name, uint64_t addr, uint64_t size,
		      enum rt_symbol_kind kind, bool global)
{
	RT_ASSERT_TEXT(s->name, name);
	CU_ASSERT_EQUAL(s->addr, addr);
	CU_ASSERT_EQUAL(s->size, size);
	CU_ASSERT_EQUAL(s->kind, kind);
	CU_ASSERT_EQUAL(s->global, global);
}

static void test_symbols(void)
{
	const struct elfgen g = {
		.base = BASE, .syms = many, .nsyms = sizeof(many) / sizeof(many[0]),
		.dynsyms = many, .ndynsyms = 3,		/* twice the same: once in the list */
	};
	struct rt_image *image = elfgen_open(&g);
	const struct rt_symbol *v, *again;
	size_t n, k;

	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(n, 8);
	is_symbol(&v[0], "alpha", CODE + 0x10, 0x10, RT_SYM_FUNC, true);
	is_symbol(&v[1], "beta", CODE + 0x10, 0x10, RT_SYM_FUNC, false);
	CU_ASSERT(v[0].dynamic && v[1].dynamic && !v[2].dynamic);
	is_symbol(&v[2], "memcpy", CODE + 0x20, 4, RT_SYM_FUNC, true);
	is_symbol(&v[3], "memcpy", CODE + 0x28, 4, RT_SYM_IFUNC, true);
	is_symbol(&v[4], "label", CODE + 0x30, 0x10, RT_SYM_NOTYPE, true);
	is_symbol(&v[5], "zeta", CODE + 0x40, 0xb0, RT_SYM_FUNC, true);
	is_symbol(&v[6], "last", CODE + 0xf0, 8, RT_SYM_FUNC, true);
	is_symbol(&v[7], "huge", CODE + 0xf8, 8, RT_SYM_FUNC, true);
	CU_ASSERT_EQUAL(rt_image_symbols(image, &again, &n, NULL), 0);
	CU_ASSERT_PTR_EQUAL(v, again);
	CU_ASSERT_PTR_EQUAL(rt_symbols_at(image, CODE + 0x10, &k), v);
	CU_ASSERT_EQUAL(k, 2);
	CU_ASSERT_PTR_NULL(rt_symbols_at(image, CODE + 0x11, &k));
	CU_ASSERT_EQUAL(k, 0);
	rt_image_close(image);
}

/* A function without a size ends where the next section begins, before the stubs there. */
static void test_unsized(void)
{
	static const struct elfgen_sym syms[] = {
		{ "_init", CODE + 0x10, 0, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "label", CODE + 0x24, 0, STB_GLOBAL, STT_NOTYPE, ELFGEN_TEXT },
		{ "main", CODE + 0x40, 0, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	};
	struct elfgen g = {
		.base = BASE, .syms = syms, .nsyms = 1, .section = ".plt", .section_at = CODE + 0x20
	};
	struct rt_image *image = elfgen_open(&g);
	const struct rt_symbol *v;
	size_t n;

	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(n, 1);
	is_symbol(&v[0], "_init", CODE + 0x10, 0x10, RT_SYM_FUNC, true);
	rt_image_close(image);

	g.nsyms = 3;
	g.section_at = CODE + 0x50;
	image = elfgen_open(&g);
	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(n, 3);
	is_symbol(&v[0], "_init", CODE + 0x10, 0x14, RT_SYM_FUNC, true);
	is_symbol(&v[1], "label", CODE + 0x24, 0x1c, RT_SYM_NOTYPE, true);
	is_symbol(&v[2], "main", CODE + 0x40, 0x10, RT_SYM_FUNC, true);
	rt_image_close(image);
}

/* A name may not write to the terminal, or forge a line. */
static void test_controls(void)
{
	static const struct elfgen_sym syms[] = {
		{ "f\n< 3\x1b[2J@V1", CODE + 0x10, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "g\r", CODE + 0x20, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	};
	const struct elfgen g = { .base = BASE,
				  .syms = syms,
				  .nsyms = 2,
				  .dynsyms = syms,
				  .ndynsyms = 0,
				  .soname = "lib\nx.so" };
	struct rt_image *image = elfgen_open(&g);
	const struct rt_symbol *v;
	size_t n;

	RT_ASSERT_TEXT(rt_image_soname(image), "lib?x.so");
	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
	CU_ASSERT_EQUAL_FATAL(n, 2);
	RT_ASSERT_TEXT(v[0].name, "f?< 3?[2J");
	RT_ASSERT_TEXT(v[0].version, "V1");
	RT_ASSERT_TEXT(v[1].name, "g?");
	rt_image_close(image);
}

static void test_no_symbols(void)
{
	const struct elfgen g = { .base = BASE };
	struct rt_image *image = elfgen_open(&g);
	const struct rt_symbol *v;
	size_t n = 7;

	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
	CU_ASSERT_EQUAL(n, 0);
	CU_ASSERT_FALSE(rt_image_imports(image, "puts"));
	rt_image_close(image);
}

/* Without section headers, by DT_HASH and by DT_GNU_HASH with relocations. */
static void test_sstrip(void)
{
	static const struct elfgen_sym dynsyms[] = {
		{ "exported", CODE + 8, 8, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "puts", 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF },
		{ "pthread_exit", 0, 0, STB_GLOBAL, STT_FUNC, SHN_UNDEF },
	};
	struct elfgen g = { .base = BASE, .dynsyms = dynsyms, .ndynsyms = 3, .no_sections = true };
	const struct rt_symbol *v;
	struct rt_image *image;
	int i;
	size_t n;

	for (i = 0; i < 2; i++) {
		g.gnu_hash = i == 1;
		image = elfgen_open(&g);
		CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
		CU_ASSERT_EQUAL(n, 1);
		if (n == 1)
			is_symbol(&v[0], "exported", CODE + 8, 8, RT_SYM_FUNC, true);
		CU_ASSERT_TRUE(rt_image_imports(image, "puts"));
		CU_ASSERT_TRUE(rt_image_imports(image, "pthread_exit"));
		CU_ASSERT_FALSE(rt_image_imports(image, "exported"));
		RT_ASSERT_TEXT(rt_image_unwinds(image), "imports pthread_exit");
		rt_image_close(image);
	}
}

/*
 * Every shorter file is refused, or opens and says what is wrong when asked for symbols; never more
 * than that.
 */
static void test_truncated(void)
{
	const struct elfgen g = {
		.base = BASE,
		.syms = many,
		.nsyms = sizeof(many) / sizeof(many[0]),
		.dynsyms = many,
		.ndynsyms = 16,
		.soname = "libx.so",
	};
	const struct rt_symbol *v;
	struct rt_image *image;
	struct rt_error err;
	size_t n, k, got, opened = 0;
	uint8_t *bytes = elfgen_build(&g, &n);

	CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
	for (k = 4; k < n; k++) {
		if (open_bytes(bytes, k, &image, &err)) {
			CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "damaged"));
			continue;
		}
		opened++;
		CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &got, &err), -EBADMSG);
		RT_ASSERT_TEXT(err.text,
			       "./x: damaged ELF file: section headers reach past its end");
		RT_ASSERT_TEXT(rt_image_unwinds(image), "has a damaged symbol table");
		rt_image_close(image);
	}
	CU_ASSERT_TRUE(opened > 0);
	free(bytes);
}

static void test_bad_name(void)
{
	const struct elfgen g = { .base = BASE, .syms = many, .nsyms = 1 };
	const struct rt_symbol *v;
	struct rt_image *image;
	struct rt_error err;
	size_t n, i;
	uint8_t *bytes = elfgen_build(&g, &n), *sym = NULL;

	CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
	for (i = 0; i + 24 < n; i++)
		if (memcmp(bytes + i, "\0zeta", 6) == 0)
			sym = bytes + (i + 6 + 7) / 8 * 8 + 24;
	CU_ASSERT_PTR_NOT_NULL_FATAL(sym);
	CU_ASSERT_EQUAL(sym[0], 1);
	sym[2] = 0x7f;
	CU_ASSERT_EQUAL_FATAL(open_bytes(bytes, n, &image, &err), 0);
	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, &err), -EBADMSG);
	RT_ASSERT_TEXT(err.text,
		       "./x: damaged ELF file: a symbol's name lies outside its string table");
	rt_image_close(image);
	free(bytes);
}

CU_TestInfo rt_tests_image[] = {
	{ "files that are not ELF", test_not_elf },
	{ "names that a terminal is shown", test_name },
	{ "what is not a file", test_not_a_file },
	{ "ELF headers", test_header },
	{ "x32 and i386", test_x32_and_i386 },
	{ "file offsets", test_offsets },
	{ "bytes of several windows", test_windows },
	{ "symbols", test_symbols },
	{ "functions without a size", test_unsized },
	{ "control characters in names", test_controls },
	{ "no symbols", test_no_symbols },
	{ "symbols without section headers", test_sstrip },
	{ "truncated files", test_truncated },
	{ "a symbol's name out of bounds", test_bad_name },
	CU_TEST_INFO_NULL,
};
