/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "code.h"
#include "code/exits.h"
#include "elf/file.h"
#include "go/go.h"
#include "unit.h"

/* Code of `size` bytes at `address`, and the question about it. */
struct place {
	struct rt_code *code;
	uint64_t address;
	size_t size;
};
typedef int64_t asked(const struct place *f, struct rt_exits *exits);

static int64_t ask_exits(const struct place *f, struct rt_exits *exits)
{
	return rt_exits_find(f->code, f->address, f->size, exits);
}

/* Ask it of the case `c`, whose function has the name "f". */
static int64_t ask(const struct code *code, const struct code_part *c, asked *how,
		   struct rt_exits *exits)
{
	struct rt_image *image = code_image(code, c, "f");
	const struct place f = { rt_code_open(image), CODE_FIRST + c->at, c->size };
	int64_t r;

	CU_ASSERT_FATAL(f.code != NULL);
	memset(exits, 0, sizeof(*exits));
	r = how(&f, exits);
	rt_code_close(f.code);
	rt_image_close(image);
	return r;
}

static void check_exits(const struct code *code, const struct code_part *c)
{
	char text[256] = "", place[64];
	struct rt_exits exits;
	size_t i, at = 0;

	CU_ASSERT(ask(code, c, ask_exits, &exits) == 0);
	for (i = 0; i < exits.n && at < sizeof(text) - 64; i++) {
		code_place(code, c, exits.v[i].at.addr, place, sizeof(place));
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%c%s%s", at ? " " : "",
				       "rjc"[exits.v[i].kind], place,
				       exits.v[i].cheaper.addr ? "*" : "");
	}
	if (exits.why)
		code_check(code, c, exits.why,
			   *c->want && strncmp(exits.why, c->want, strlen(c->want)) == 0);
	else
		code_check_text(code, c, text);
	rt_exits_free(&exits);
}

static void check_reads(const struct code *code, const struct code_part *c)
{
	struct rt_exits exits;
	const char *got;

	CU_ASSERT(ask(code, c, ask_exits, &exits) == 0);
	got = exits.reads_return_address ? "reads" : "not";
	code_check_text(code, c, got);
	rt_exits_free(&exits);
}

static void test_find(void)
{
	code_each_working("exits.x86_64", check_exits);
	code_each_working("exits.i386", check_exits);
	code_each_working("exits.aarch64", check_exits);
}

/* The same, where the table of a Go program has the function: `flags` as the linker has them. */
static void free_go(struct rt_go *go)
{
	free(go);
}

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, 4);
}

static int64_t ask_go(const struct place *f, struct rt_exits *exits, uint8_t flags)
{
	enum { NAMES = 72, LIST = 80, RECORD = 92, BYTES_OF_TABLE = 140 };
	struct rt_image *image = rt_code_image(f->code);
	struct rt_go *go = calloc(1, sizeof(*go));

	CU_ASSERT_FATAL(go && (go->bytes = calloc(1, BYTES_OF_TABLE)));
	memcpy(go->bytes, "\xf1\xff\xff\xff\0\0\x01\x08\x01", 9);
	put32(go->bytes + 24, (uint32_t)f->address);
	put32(go->bytes + 32, NAMES);
	put32(go->bytes + 64, LIST);
	memcpy(go->bytes + NAMES, "main.f", 7);
	put32(go->bytes + LIST + 4, RECORD - LIST);
	put32(go->bytes + LIST + 8, (uint32_t)f->size);
	go->bytes[RECORD + 41] = flags;
	go->has_table = rt_pclntab_open(go->bytes, BYTES_OF_TABLE, &go->table) == 0;
	CU_ASSERT(go->has_table);
	image->go = go;
	image->free_go = free_go;
	image->go_read = true;
	return ask_exits(f, exits);
}

static int64_t ask_compiled(const struct place *f, struct rt_exits *exits)
{
	return ask_go(f, exits, 0);
}

static int64_t ask_assembly(const struct place *f, struct rt_exits *exits)
{
	return ask_go(f, exits, 1 << 2);
}

/* Instructions of Go's compiler are code even if nothing leads to them. */
static void check_go(const struct code *code)
{
	const struct code_part *unreached = code_part(code, "unreached");
	const struct code_part *broken = code_part(code, "unreached_broken");
	struct rt_exits exits;

	CU_ASSERT(ask(code, unreached, ask_compiled, &exits) == 0);
	CU_ASSERT(!exits.why && exits.n == 3 && exits.v[2].kind == RT_EXIT_RETURN &&
		  exits.v[2].at.addr == CODE_FIRST + unreached->at + 7);
	rt_exits_free(&exits);
	CU_ASSERT(ask(code, unreached, ask_assembly, &exits) == 0);
	CU_ASSERT(exits.why && strstr(exits.why, "not all of its code"));
	rt_exits_free(&exits);
	CU_ASSERT(ask(code, broken, ask_compiled, &exits) == 0);
	CU_ASSERT(exits.why && strstr(exits.why, "its code cannot be distinguished"));
	rt_exits_free(&exits);
}

static void test_go_unreached(void)
{
	struct code code;

	code_open(&code, "exits_go.x86_64");
	if (code.n && code_works(&code))
		check_go(&code);
	code_close(&code);
}

static void test_alone(void)
{
	struct rt_decoder *decoder = rt_flow_open(&rt_arch_x86_64);
	struct rt_exits exits;
	struct code code;

	code_open(&code, "exits.x86_64");
	if (code.n && !decoder && rt_arch_native() == EM_X86_64) {
		CU_ASSERT(ask(&code, code_part(&code, "ret"), ask_exits, &exits) == 0);
		CU_ASSERT(exits.why && strstr(exits.why, "no disassembler"));
		rt_exits_free(&exits);
	}
	code_close(&code);
	rt_decoder_close(decoder);
}

/* The address of the function by which longjmp leaves; 0: it cannot be told. */
static int64_t find_leap(const struct place *f, bool handed)
{
	uint64_t address = f->address, size = f->size;
	int r = rt_exits_find_leap(f->code, handed, &address, &size);

	CU_ASSERT(r == 0 || r == -ENOENT);
	return r == 0 ? (int64_t)address : 0;
}

static int64_t ask_leap(const struct place *f, struct rt_exits *exits)
{
	(void)exits;
	return find_leap(f, false);
}

static int64_t ask_handed(const struct place *f, struct rt_exits *exits)
{
	(void)exits;
	return find_leap(f, true);
}

static void check_leap_by(const struct code *code, const struct code_part *c, asked *how)
{
	struct rt_exits exits;
	int64_t address = ask(code, c, how, &exits);
	char place[64] = "none";

	if (address)
		code_place(code, c, (uint64_t)address, place, sizeof(place));
	code_check_text(code, c, place);
}

static void check_leap(const struct code *code, const struct code_part *c)
{
	check_leap_by(code, c, ask_leap);
}

static void test_leap(void)
{
	code_each_working("longjmp.x86_64", check_leap);
	code_each_working("longjmp.i386", check_leap);
	code_each_working("longjmp.aarch64", check_leap);
}

/* A function whose address is taken leaves, as glibc's for the cancelling of threads does. */
static void check_handed(const struct code *code, const struct code_part *c)
{
	struct rt_exits exits;

	check_leap_by(code, c, ask_handed);
	if (strcmp(c->want, "none") != 0)
		CU_ASSERT(ask(code, c, ask_leap, &exits) == 0);
}

static void test_handed(void)
{
	code_each_working("handed.x86_64", check_handed);
}

/* Reads of the return address and of its neighbours, by the stack pointer and the frame pointer. */
static void test_looks(void)
{
	code_each_working("return_address.x86_64", check_reads);
	code_each_working("return_address.i386", check_reads);
}

CU_TestInfo rt_tests_exits[] = {
	{ "a function's look at its return address", test_looks },
	{ "by which instructions a function is left", test_find },
	{ "code of Go that nothing leads to", test_go_unreached },
	{ "without a disassembler", test_alone },
	{ "where longjmp leaves", test_leap },
	{ "by what cancelled threads leave calls", test_handed },
	CU_TEST_INFO_NULL,
};
