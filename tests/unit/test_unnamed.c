/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elfgen.h"
#include "code/code.h"
#include "arch/decode.h"
#include "symbols/function.h"
#include "symbols/listing.h"
#include "elf/file.h"
#include "symbols/unnamed.h"
#include "unit.h"
#include "process/private.h"

#define BASE 0x10000000u
#define CODE (BASE + ELFGEN_CODE)

/* 512 bytes of nops; behind them the index of .eh_frame at INDEX and .eh_frame at FRAMES. */
enum { INDEX = 0x200, FRAMES = 0x220, SIZE = 0x400 };

struct frames {
	uint8_t code[SIZE];
	size_t at, cie;
};

static void put(struct frames *f, uint64_t v, size_t bytes)
{
	while (bytes-- && f->at < SIZE) {
		f->code[f->at++] = (uint8_t)v;
		v >>= 8;
	}
}

static void put_text(struct frames *f, const char *text, size_t n)
{
	while (n--)
		put(f, (uint8_t)*text++, 1);
}

static void put_cie(struct frames *f, const char *letters)
{
	size_t start = f->at;

	f->cie = start;
	put(f, 0, 4);
	put(f, 0, 4);
	put(f, 1, 1);
	put_text(f, letters, strlen(letters) + 1);
	put(f, 1, 1);
	put(f, 0x78, 1);
	put(f, 16, 1);
	put(f, strchr(letters, 'L') ? 2 : 1, 1);
	put(f, 0x1b, 1);		/* addresses: 4 bytes, from where they stand */
	if (strchr(letters, 'L'))
		put(f, 0x1b, 1);
	put_text(f, "\x0c\x07\x08\x90\x01", 5);
	f->code[start] = (uint8_t)(f->at - start - 4);
}

/* `state`: what the description begins with. */
static void put_fde(struct frames *f, uint32_t from, uint32_t length, const char *state, size_t n)
{
	size_t start = f->at;

	put(f, 0, 4);
	put(f, f->at - f->cie, 4);
	put(f, from - f->at, 4);
	put(f, length, 4);
	put(f, 0, 1);
	put_text(f, state, n);
	f->code[start] = (uint8_t)(f->at - start - 4);
}

static void make(struct frames *f)
{
	memset(f, 0, sizeof(*f));
	memset(f->code, 0x90, INDEX);
	f->code[0x10] = f->code[0x20] = f->code[0x50] = 0xc3;
	f->at = INDEX;
	put(f, 1, 1);
	put(f, 0x1b, 1);
	put(f, 0xff, 1);
	put(f, 0xff, 1);
	put(f, FRAMES - f->at, 4);
	f->at = FRAMES;
	put_cie(f, "zR");
	put_fde(f, 0x40, 0x11, "\x41\x0e\x10", 3);		/* pushes after a byte */
	put_fde(f, 0x00, 0x11, "\x0a\x00", 2);
	put_fde(f, 0x20, 0x10, "\x0e\x20\x41",
		3); /* entered with 0x20 bytes on the stack: a .cold part */
	put_fde(f, 0x60, 0x10, "", 0);				/* has a symbol */
	put_fde(f, 0x64, 0x4, "", 0);				/* in the midst of that */
	put_fde(f, 0x10000, 0x10, "", 0);			/* no code */
	put_fde(f, 0x70, 0, "", 0);
	put_cie(f, "zRS");
	put_fde(f, 0x80, 0x10, "", 0);				/* what a signal returns to */
	put(f, 0, 4);
}

static const struct elfgen_sym symbols[] = { { "exported", CODE + 0x60, 0x10, STB_GLOBAL, STT_FUNC,
					       ELFGEN_TEXT } };

static struct rt_image *open_frames(struct frames *f, bool named)
{
	const struct elfgen g = { .base = BASE,
				  .code = f->code,
				  .ncode = SIZE,
				  .dynsyms = symbols,
				  .ndynsyms = named,
				  .dynamic = true,
				  .frames = INDEX };

	return elfgen_open(&g);
}

static void test_unnamed(void)
{
	const struct rt_symbol *v;
	struct rt_image *image;
	struct frames f;
	size_t n;

	make(&f);
	image = open_frames(&f, true);
	CU_ASSERT_EQUAL(rt_image_all_symbols(image, &v, &n, NULL), 0);
	CU_ASSERT_EQUAL(n, 1);
	CU_ASSERT_EQUAL(rt_image_unnamed(image, &v, &n), 0);
	CU_ASSERT_EQUAL_FATAL(n, 2);
	RT_ASSERT_TEXT(v[0].name, "fn_10001000");
	CU_ASSERT_EQUAL(v[0].addr, CODE);
	CU_ASSERT_EQUAL(v[0].size, 0x11);
	CU_ASSERT_TRUE(v[0].sized);
	RT_ASSERT_TEXT(v[1].name, "fn_10001040");
	RT_ASSERT_TEXT(rt_symbol_source_name(v[1].source), ".eh_frame");
	CU_ASSERT_PTR_EQUAL(rt_unnamed_at(image, CODE + 0x10), &v[0]);
	CU_ASSERT_PTR_NULL(rt_unnamed_at(image, CODE + 0x11));
	CU_ASSERT_PTR_NULL(rt_unnamed_at(image, CODE + 0x20));
	CU_ASSERT_PTR_NULL(rt_unnamed_at(image, CODE - 1));
	rt_image_close(image);
}

/*
 * The tables' contents are not trusted: whatever byte is changed, functions have their code in the
 * file, in order.
 */
static void test_damaged(void)
{
	const struct rt_symbol *v, *symbols_of;
	struct rt_image *image;
	struct frames f, changed;
	size_t at, n, i;
	int k;

	make(&f);
	for (at = INDEX; at < f.at; at++) {
		for (k = 0; k < 3; k++) {
			changed = f;
			changed.code[at] = k == 0   ? 0xff
					   : k == 1 ? 0x80
						    : (uint8_t)(f.code[at] + 1);
			image = open_frames(&changed, true);
			CU_ASSERT_EQUAL(rt_image_all_symbols(image, &symbols_of, &n, NULL), 0);
			CU_ASSERT_EQUAL(rt_image_unnamed(image, &v, &n), 0);
			for (i = 0; i < n; i++) {
				CU_ASSERT_TRUE(rt_image_is_code(image, v[i].addr) &&
					       rt_image_is_code(image, v[i].addr + v[i].size - 1));
				CU_ASSERT_TRUE(!i || v[i].addr > v[i - 1].addr);
			}
			rt_image_close(image);
		}
	}
}

/* The names of what the specification means, with what keeps uretprobes away, or the error. */
static void means(bool named, const char *text, const char *want)
{
	struct rt_functions functions = { 0 };
	struct rt_program program = { 0 };
	struct rt_error err = { 0 };
	struct rt_spec spec;
	struct frames f;
	char got[512] = "";
	size_t i;

	make(&f);
	CU_ASSERT_EQUAL_FATAL(rt_program_take(&program, open_frames(&f, named), &err), 0);
	CU_ASSERT_EQUAL_FATAL(rt_spec_parse(text, rt_image_arch(program.v[0]), NULL, &spec, &err),
			      0);
	if (rt_functions_add(&functions, &program, &spec, &err) < 0)
		snprintf(got, sizeof(got), "%.500s", err.text);
	for (i = 0; i < functions.n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s%s", i ? " " : "",
			 functions.v[i].name, functions.v[i].entry_only ? "!" : "");
	RT_ASSERT_TEXT(got, want);
	rt_functions_free(&functions);
	rt_spec_free(&spec);
	rt_program_close(&program);
}

/* Places that are no entry are told by a decoder alone. */
static bool with_decoder(void)
{
	struct rt_decoder *decoder = rt_decoder_open(&rt_arch_x86_64);
	bool there = decoder;

	rt_decoder_close(decoder);
	return there;
}

static void test_meant(void)
{
	means(true, "fn_10001040", "fn_10001040!");
	means(true, "fn_*", "fn_10001000! fn_10001040!");
	means(true, "/^fn_1000104/", "fn_10001040!");
	means(true, "*", "exported");
	means(true, "f*",
	      "./x: no function matches 'f*'; it is stripped and names only its exports");
	means(false, "*", "fn_10001000! fn_10001040! fn_10001060! fn_10001064!");
	means(true, "0x10001040", "fn_10001040!");
	if (with_decoder()) {
		means(true, "0x10001044", "fn_10001040+0x4!");
		means(true, "fn_10001000+4", "fn_10001000+0x4!");
	}
	means(true, "fn_10001020", "./x: no function 'fn_10001020'");
	means(false, "main",
	      "./x: is stripped: no function names; 'fn_*' are its 4 unnamed functions, such as "
	      "fn_10001000");
}

static int count(void *ctx, const struct rt_listing *listing)
{
	char *text = ctx;

	strcat(text, listing->symbol->name);
	strcat(text, listing->entry_only ? "! " : " ");
	return 0;
}

static void test_listed(void)
{
	struct rt_program program = { 0 };
	struct rt_error err;
	struct rt_spec spec;
	struct frames f;
	char text[256] = "";

	make(&f);
	CU_ASSERT_EQUAL_FATAL(rt_program_take(&program, open_frames(&f, true), &err), 0);
	CU_ASSERT_EQUAL_FATAL(rt_spec_parse("fn_*", rt_image_arch(program.v[0]), NULL, &spec, &err),
			      0);
	CU_ASSERT_EQUAL(rt_listing_each(&program, &spec, count, text, &err), 0);
	RT_ASSERT_TEXT(text, "fn_10001000! fn_10001040! ");
	rt_spec_free(&spec);
	rt_program_close(&program);
}

/*
 * GCC's -static writes .eh_frame and no index of it: an index is made.  `version`: of the CIE that
 * all functions with landing pads use.
 */
static struct rt_image *open_unindexed(struct frames *f, uint8_t version)
{
	struct elfgen g = { .base = BASE, .code = f->code, .ncode = SIZE };
	struct rt_image *image;

	make(f);
	f->at -= 4;
	put_cie(f, "zRL");
	put(f, 0x1c - 4, 4);
	put(f, f->at - f->cie, 4);
	put(f, 0x90 - f->at, 4);
	put(f, 0x20, 4);
	put(f, 4, 1);
	put(f, 8 + 4 + 3, 4);		/* its table stands behind the end, from here */
	put_text(f, "\x41\x0e\x10", 3);
	put(f, 0, 4);			/* nops */
	put(f, 0, 4);			/* the end */
	put_text(f, "\xff\xff\x01\x08" "\x00\x04\x00\x00" "\x04\x04\x18\x01", 12);
	f->code[f->cie + 8] = version;
	image = elfgen_open(&g);
	image->eh_frame = (struct rt_range){ .addr = CODE + FRAMES, .size = f->at - FRAMES };
	image->has_except_table = true;
	snprintf(image->unwinds, sizeof(image->unwinds), "is C++");
	image->unwinds_known = true;
	return image;
}

static void test_unindexed(void)
{
	uint64_t v[4], start = 0, end = 0;
	struct rt_image *image;
	struct rt_code *code;
	struct frames f;

	image = open_unindexed(&f, 1);
	code = rt_code_open(image);
	CU_ASSERT_TRUE(rt_code_span(code, CODE + 0x45, &start, &end));
	CU_ASSERT_EQUAL(start, CODE + 0x40);
	CU_ASSERT_EQUAL(end, CODE + 0x51);
	CU_ASSERT_FALSE(rt_code_span(code, CODE + 0x51, &start, &end));
	CU_ASSERT_EQUAL(rt_code_landings(code, CODE + 0x40, v, 4), 0);
	CU_ASSERT_EQUAL_FATAL(rt_code_landings(code, CODE + 0x95, v, 4), 1);
	CU_ASSERT_EQUAL(v[0], CODE + 0x90 + 0x18);
	rt_code_close(code);
	rt_image_close(image);
	image = open_unindexed(&f, 9);
	code = rt_code_open(image);
	CU_ASSERT_EQUAL(rt_code_landings(code, CODE + 0x40, v, 4), -1);
	rt_code_close(code);
	rt_image_close(image);
}

CU_TestInfo rt_tests_unnamed[] = {
	{ ".eh_frame without an index", test_unindexed },
	{ "functions by .eh_frame", test_unnamed },
	{ "damaged .eh_frame", test_damaged },
	{ "specifications", test_meant },
	{ "listed", test_listed },
	CU_TEST_INFO_NULL,
};
