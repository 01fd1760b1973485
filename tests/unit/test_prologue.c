/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code.h"
#include "elfgen.h"
#include "calls/feed.h"
#include "elf/file.h"
#include "arch/flow.h"
#include "code/prologue.h"
#include "code/spare_return.h"
#include "unit.h"
#include "base/array.h"

static struct rt_decoder *decoder;

/* ---- the walk ---- */

/* A program of the case's bytes. */
static struct rt_image *make_image_of(const struct code_part *c, const struct elfgen_sym *syms,
				      size_t nsyms)
{
	const struct elfgen g = {
		.machine = EM_X86_64, .base = CODE_BASE, .code = c->bytes, .ncode = c->size,
		.syms = syms, .nsyms = nsyms,
	};
	struct rt_image *image = elfgen_open(&g);
	const struct rt_symbol *v;
	size_t n;

	CU_ASSERT_EQUAL(rt_image_symbols(image, &v, &n, NULL), 0);
	return image;
}

/* Read the needs, up to the colon in the WANT of a case. */
static struct rt_prologue_want read_needs(const char *needs, const struct rt_image *image)
{
	struct rt_prologue_want want = { .emulated = RT_FORMS_ASSUMED, .nops = RT_NOPS_TRAP };
	char copy[128], *rest, *word;

	snprintf(copy, sizeof(copy), "%.*s", (int)strcspn(needs, ":"), needs);
	for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (strcmp(word, "returns") == 0)
			want.returns = true;
		else if (strcmp(word, "stack") == 0)
			want.stack = true;
		else if (strcmp(word, "mark") == 0)
			want.mark_only = true;
		else if (strcmp(word, "programs") == 0)
			want.programs = true;
		else if (strcmp(word, "memory") == 0)
			want.memory = true;
		else if (strcmp(word, "not-entry") == 0)
			want.not_entry = true;
		else if (strcmp(word, "call5") == 0)
			want.nops = RT_NOPS_CALL5;
		else if (strcmp(word, "data") == 0)
			want.image = image;
		else
			want.arguments = (uint32_t)strtoul(word, NULL, 16);
	}
	return want;
}

static void check_walk(const struct code *code, const struct code_part *c, struct rt_decoder *with)
{
	struct rt_image *image = make_image_of(c, NULL, 0);
	const struct rt_prologue_want want = read_needs(c->want, image);
	struct rt_prologue p;
	char place[32], got[256];
	int n;

	rt_prologue_walk(code->arch, with, c->bytes, c->size, CODE_FIRST, &want, &p);
	n = snprintf(place, sizeof(place), "+%u", (unsigned)p.skip);
	if (p.sp_down)
		snprintf(place + n, sizeof(place) - (size_t)n, " down %d", (int)p.sp_down);
	snprintf(got, sizeof(got), "%s, %s", place, p.why);
	n = (int)strlen(place);
	code_check(code, c, got, strncmp(strchr(c->want, ':') + 2, place, (size_t)n) == 0 &&
		   strstr(p.why, strstr(c->want, ", ") + 2));
	rt_image_close(image);
}

static void check_walk_decoded(const struct code *code, const struct code_part *c)
{
	check_walk(code, c, decoder);
}

static void test_walk(void)
{
	if (decoder)
		code_each("prologue.x86_64", check_walk_decoded);
}

static void check_walk_alone(const struct code *code, const struct code_part *c)
{
	check_walk(code, c, NULL);
}

static void test_walk_alone(void)
{
	code_each("prologue_alone.x86_64", check_walk_alone);
}

static void check_walk_old(const struct code *code, const struct code_part *c)
{
	const struct rt_prologue_want want = {
		.emulated = RT_FORM_BIT(RT_FORM_JCC), .returns = true,
	};
	struct rt_prologue p;
	char got[32];

	rt_prologue_walk(code->arch, decoder, c->bytes, c->size, CODE_FIRST, &want, &p);
	snprintf(got, sizeof(got), "+%u", (unsigned)p.skip);
	code_check_text(code, c, got);
	CU_ASSERT(!p.skip || p.form == RT_FORM_JCC);
}

static void test_walk_old(void)
{
	if (decoder)
		code_each("prologue_old.x86_64", check_walk_old);
}

/* ---- a return that nobody probes ---- */

static void check_spare_return(const struct code *code, const struct code_part *c)
{
	const struct elfgen_sym f = { "f", CODE_FIRST, c->size, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT };
	struct rt_image *image = make_image_of(c, &f, 1);
	uint64_t found = rt_spare_return(image);
	char got[32] = "none";

	if (found)
		snprintf(got, sizeof(got), "+%u", (unsigned)(found - CODE_FIRST));
	code_check_text(code, c, got);
	rt_image_close(image);
}

static void test_spare_return(void)
{
	if (decoder)
		code_each("spare_return.x86_64", check_spare_return);
}

/* ---- forms ---- */

static void check_form(const struct code *code, const struct code_part *c)
{
	char got[64];

	snprintf(got, sizeof(got), "%s, %s", rt_form_name(rt_x86_64_form(c->bytes, c->size)),
		 rt_form_name(rt_i386_form(c->bytes, c->size)));
	code_check_text(code, c, got);
}

static void test_forms(void)
{
	code_each("forms.x86_64", check_form);
	CU_ASSERT_EQUAL(rt_x86_64_form(NULL, 0), RT_FORM_OTHER);
}

/* ---- who else gets there ---- */

/* The function: endbr64, push, from 0x40 to 0x60; before it another, from 0 on. */
enum { F = 0x40, F_SIZE = 0x20 };

static const struct elfgen_sym symbols[] = {
	{ "before", CODE_FIRST, 0x40, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "f", CODE_FIRST + F, F_SIZE, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	{ "second", CODE_FIRST + F + 2, 2, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
};

/* One with f and a return. */
static struct rt_image *make_image(size_t nsyms)
{
	struct rt_image *image;
	struct code code;

	code_open(&code, "branches.x86_64");
	CU_ASSERT_FATAL(code.n != 0);
	image = make_image_of(code_part(&code, "ret"), symbols, nsyms);
	code_close(&code);
	return image;
}

static bool is_entered(const struct rt_image *image)
{
	struct rt_window v[] = {
		{ .first = CODE_FIRST + F + 1, .last = CODE_FIRST + F + 4 },
		{ .first = CODE_FIRST + 0x171, .last = CODE_FIRST + 0x174 },
	};
	struct rt_targets targets = { .n = 0 };

	CU_ASSERT_EQUAL(rt_branches_find(image, v, 2, &targets), 0);
	rt_branches_enter(&targets, v, 2);
	free(targets.v);
	CU_ASSERT_FALSE(v[1].entered);
	return v[0].entered;
}

static void check_branches(const struct code *code, const struct code_part *c)
{
	struct rt_image *image = make_image_of(c, symbols, 2);
	const struct rt_extent f = {
		.image = image, .addr = CODE_FIRST + F, .size = F_SIZE, .sized = true,
	};
	bool with = rt_branches_near(&f, decoder, 4), alone = rt_branches_near(&f, NULL, 4);
	bool far = is_entered(image);
	const char *got = far ? "far" : with ? "near" : alone && decoder ? "refuted" : "no";

	/* Without a disassembler nothing is refuted. */
	if (!decoder && strcmp(c->want, "refuted") == 0)
		got = with && !far ? "refuted" : "no";
	code_check(code, c, got, strcmp(got, c->want) == 0 && (far ? !alone : !with || alone));
	rt_image_close(image);
}

static void test_branches(void)
{
	if (rt_arch_native() == EM_X86_64)
		code_each("branches.x86_64", check_branches);
}

/* Decoding begins before the first branch, and at each function. */
static void check_near(const struct code *code, const struct code_part *c,
		       const struct elfgen_sym *syms, size_t nsyms, uint64_t at)
{
	struct rt_image *image = make_image_of(c, syms, nsyms);
	const struct rt_extent f = {
		.image = image, .addr = CODE_FIRST + at, .size = 0x60 - at, .sized = true,
	};

	code_check_text(code, c, rt_branches_near(&f, decoder, 4) ? "near" : "refuted");
	rt_image_close(image);
}

/* glibc's mempcpy jumps into memcpy over two others. */
static void check_branches_before(const struct code *code, const struct code_part *c)
{
	static const struct elfgen_sym between[] = {
		{ "before", CODE_FIRST, 0x20, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "jumps", CODE_FIRST + 0x20, 0x10, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "between", CODE_FIRST + 0x30, 0x10, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "f", CODE_FIRST + F, F_SIZE, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
		{ "behind", CODE_FIRST + 0x68, 0x10, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	};

	check_near(code, c, between, 5, F);
}

/* From the first bytes of the segment. */
static void check_branches_first(const struct code *code, const struct code_part *c)
{
	check_near(code, c, symbols, 1, 0x50);
}

static void test_branches_before(void)
{
	if (rt_arch_native() != EM_X86_64 || !decoder)
		return;
	code_each("branches_before.x86_64", check_branches_before);
	code_each("branches_first.x86_64", check_branches_first);
}

/* Bytes that look like a branch into a nop are no branch, in data either. */
static void check_branches_inner(const struct code *code, const struct code_part *c)
{
	static const struct elfgen_sym alone[] = {
		{ "f", CODE_FIRST + F, F_SIZE, STB_GLOBAL, STT_FUNC, ELFGEN_TEXT },
	};
	struct rt_image *image = make_image_of(c, alone, 1);
	const struct rt_extent f = {
		.image = image, .addr = CODE_FIRST + F, .size = F_SIZE, .sized = true,
	};

	code_check_text(code, c, rt_branches_near(&f, decoder, 10) ? "yes" : "no");
	rt_image_close(image);
}

static void test_branches_inner(void)
{
	if (rt_arch_native() == EM_X86_64)
		code_each("branches_inner.x86_64", check_branches_inner);
}

static uint32_t find(struct rt_image *image, bool sized, uint64_t size)
{
	const struct rt_prologue_want want = {
		.emulated = RT_FORMS_ASSUMED, .returns = true, .arguments = 1,
	};
	const struct rt_extent f = {
		.image = image, .addr = CODE_FIRST + F, .size = size, .sized = sized,
	};
	struct rt_prologue p;

	rt_prologue_find(&f, decoder, &want, &p);
	return p.skip;
}

/* Was the code of f assembled, and can this kernel run it? */
static bool has_f(void)
{
	struct code code;
	bool has;

	code_open(&code, "branches.x86_64");
	has = code.n && rt_arch_native() == EM_X86_64;
	code_close(&code);
	return has;
}

static void test_symbols(void)
{
	struct rt_image *image;

	if (!has_f())
		return;
	image = make_image(2);
	CU_ASSERT_EQUAL(find(image, true, F_SIZE), 4);
	CU_ASSERT_EQUAL(find(image, false, F_SIZE), 0);		/* nobody says where it ends */
	CU_ASSERT_EQUAL(find(image, true, 5), 4);
	CU_ASSERT_EQUAL(find(image, true, 4), 0);		/* shorter than to the place */
	CU_ASSERT_EQUAL(find(image, true, 1), 0);
	rt_image_close(image);
	image = make_image(3);
	CU_ASSERT_EQUAL(find(image, true, F_SIZE), 0);		/* a second function begins in it */
	rt_image_close(image);
}

/* ---- the stack pointer is that of the entry again ---- */

static int keep_sp(void *ctx, struct rt_thread *thread, const struct rt_frame *frame,
		   const struct rt_values *args)
{
	(void)thread;
	(void)args;
	*(uint64_t *)ctx = frame->sp;
	return 0;
}

static uint64_t entry_sp(enum rt_key key, int32_t sp_down)
{
	static const struct rt_call_ops ops = { .enter = keep_sp };
	struct rt_function f = {
		.name = (char *)"f", .image = make_image(2), .addr = CODE_FIRST + F,
		.skip = 4, .sp_down = sp_down,
	};
	struct rt_plan plan = { .kind = RT_KIND_ENTRY, .arch = &rt_arch_x86_64 };
	struct rt_site probe = { .function = 0 };
	bool returns = false;
	const struct rt_traced traced = { 0 };
	const struct rt_sites sites = {
		.functions = { .v = &f, .n = 1 }, .returns = &returns,
		.plans = &plan, .nplans = 1, .v = &probe, .n = 1,
	};
	struct rt_event mapped = {
		.type = RT_EV_MMAP, .pid = 7, .tid = 7,
		.mmap = { .start = 0x7000, .len = 0x2000 },
	};
	struct rt_event hit = { .type = RT_EV_HIT, .pid = 7, .tid = 7, .hit = { .sp = 0x1000 } };
	struct rt_stack *stack;
	struct rt_feed *feed;
	uint64_t sp = 0;

	rt_image_offset(f.image, f.addr, &f.offset);
	mapped.mmap.ino = rt_image_ino(f.image);
	hit.hit.key = key == RT_KEY_IP ? 0x7000 + f.offset + 4 : 0;
	stack = rt_stack_new(&ops, &sp);
	feed = rt_feed_new(&traced, &sites, key, RT_PID(7), NULL, stack);
	CU_ASSERT_PTR_NOT_NULL_FATAL(feed);
	CU_ASSERT_EQUAL(rt_feed_event(feed, &mapped), 0);
	CU_ASSERT_EQUAL(rt_feed_event(feed, &hit), 0);
	rt_feed_free(feed);
	rt_stack_free(stack);
	rt_image_close(f.image);
	return sp;
}

static void test_stack_pointer(void)
{
	if (!has_f())
		return;
	CU_ASSERT_EQUAL(entry_sp(RT_KEY_ID, 24), 0x1018);
	CU_ASSERT_EQUAL(entry_sp(RT_KEY_ID, -8), 0xff8);
	CU_ASSERT_EQUAL(entry_sp(RT_KEY_IP, 0), 0x1000);
	CU_ASSERT_EQUAL(entry_sp(RT_KEY_IP, 24), 0x1018);
}

static void test_begin(void)
{
	decoder = rt_decoder_open(&rt_arch_x86_64);
	CU_ASSERT_PTR_NULL(rt_decoder_open(&rt_arch_aarch64));
}

static void test_end(void)
{
	rt_decoder_close(decoder);
	decoder = NULL;
	rt_decoder_close(NULL);
}

CU_TestInfo rt_tests_prologue[] = {
	{ "begin", test_begin },
	{ "forms", test_forms },
	{ "walk", test_walk },
	{ "walk without a disassembler", test_walk_alone },
	{ "walk on an old kernel", test_walk_old },
	{ "a return inside another instruction", test_spare_return },
	{ "branches", test_branches },
	{ "branches from functions before and behind", test_branches_before },
	{ "what looks like a branch into a nop", test_branches_inner },
	{ "symbols", test_symbols },
	{ "stack pointer", test_stack_pointer },
	{ "end", test_end },
	CU_TEST_INFO_NULL,
};
