/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single instructions: where they lead, and what they do to registers. */
#include <stdio.h>
#include <string.h>

#include "code.h"
#include "code/exits.h"
#include "code/stub.h"
#include "arch/flow.h"
#include "arch/use.h"
#include "unit.h"

/* Instructions of aarch64 are decoded wherever this runs. */
static void check_flow(const struct code *code, const struct code_part *c)
{
	static const char *const kinds[] = {
		[RT_FLOW_NEXT] = "next", [RT_FLOW_CALL] = "call", [RT_FLOW_JUMP] = "jump",
		[RT_FLOW_BRANCH] = "branch", [RT_FLOW_INDIRECT] = "indirect",
		[RT_FLOW_RETURN] = "return", [RT_FLOW_STOP] = "stop", [RT_FLOW_STRANGE] = "strange",
	};
	char got[64], target[32] = "", sp[32] = "";
	struct rt_flow f;

	CU_ASSERT_FATAL(rt_flow_decode(code->arch, NULL, c->bytes, c->size, 0x1000, &f));
	if (f.has_target)
		snprintf(target, sizeof(target), " %+d", (int)(f.target - 0x1000));
	if (f.sp == RT_SP_ADDED)
		snprintf(sp, sizeof(sp), " sp%+d", (int)f.amount);
	else if (f.sp != RT_SP_UNCHANGED)
		snprintf(sp, sizeof(sp), " sp %s", f.sp == RT_SP_OF_FRAME ? "frame" : "lost");
	snprintf(got, sizeof(got), "%s%s%s", kinds[f.kind], target, sp);
	code_check_text(code, c, got);
}

static void test_aarch64(void)
{
	code_each("flow.aarch64", check_flow);
}

static void check_change(const struct code *code, const struct code_part *c)
{
	struct rt_decoder *decoder = rt_flow_open(code->arch);
	char got[32], other[8] = "-";
	struct rt_flow f;

	if (!decoder)
		return;
	CU_ASSERT(rt_flow_decode(code->arch, decoder, c->bytes, c->size, 0x1000, &f));
	if (f.other != RT_NO_REG)
		snprintf(other, sizeof(other), "%d", f.other);
	snprintf(got, sizeof(got), "%d %s", f.to, other);
	code_check_text(code, c, got);
	rt_decoder_close(decoder);
}

static void test_changes(void)
{
	code_each("changes.x86_64", check_change);
}

static void check_behind_call(const struct code *code, const struct code_part *c)
{
	struct rt_decoder *decoder = rt_flow_open(code->arch);
	struct rt_image *image = code_image(code, c, "f");

	if (decoder)
		code_check_text(code, c,
				rt_code_follows_call(image, decoder,
						     CODE_FIRST + c->at + c->size) ? "yes" : "no");
	rt_image_close(image);
	rt_decoder_close(decoder);
}

static void test_behind_call(void)
{
	code_each("behind_call.x86_64", check_behind_call);
}

/* The conditions of x86, by number: o no b ae e ne be a s ns p np l ge le g. */
static void test_conditions(void)
{
	enum { C = 1, P = 4, Z = 64, S = 128, O = 2048 };
	static const struct {
		uint8_t condition;
		uint64_t yes, no;
	} v[] = {
		{ 0, O, 0 },	  { 1, 0, O },	    { 2, C, 0 },      { 3, Z, C },
		{ 4, Z, 0 },	  { 5, 0, Z },	    { 6, C, S },      { 6, Z, 0 },
		{ 7, 0, Z | C },  { 8, S, 0 },	    { 9, 0, S },      { 10, P, 0 },
		{ 11, 0, P },	  { 12, S, S | O }, { 13, S | O, O }, { 14, Z, 0 },
		{ 14, O, S | O }, { 15, S | O, Z }, { 15, 0, S },
	};
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		CU_ASSERT(rt_exit_taken(v[i].condition, v[i].yes) &&
			  !rt_exit_taken(v[i].condition, v[i].no));
}

/* Common instructions have a decoder of rawtrace's own. */
struct decoders {
	struct rt_decoder *flow;
	struct rt_user *use;
};

/* Padding is not compared: it may have anything. */
static bool same_mem(const struct rt_flow_mem *a, const struct rt_flow_mem *b)
{
	return a->base == b->base && a->index == b->index && a->fixed == b->fixed &&
	       a->scale == b->scale && a->disp == b->disp;
}

static bool same_flow(const struct rt_flow *a, const struct rt_flow *b)
{
	struct rt_flow x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	memset(&x.mem, 0, sizeof(x.mem));
	memset(&y.mem, 0, sizeof(y.mem));
	memset(&x.used, 0, sizeof(x.used));
	memset(&y.used, 0, sizeof(y.used));
	return same_mem(&a->mem, &b->mem) && same_mem(&a->used, &b->used) &&
	       memcmp(&x, &y, sizeof(x)) == 0;
}

/* Returns the instruction's size, or 1. */
static size_t check_common(const struct decoders *d, const uint8_t *bytes, size_t n)
{
	const struct rt_arch *arch = &rt_arch_x86_64;
	struct rt_use use, want_use = { 0 };
	struct rt_flow flow, want;
	bool known;
	char text[64];
	size_t i;

	/* with what rt_flow_decode() sets before */
	rt_flow_decode(arch, NULL, bytes, 0, 0, &want);
	known = rt_flow_capstone(d->flow, bytes, n, 0x400000, &want);
	for (i = 0; i < n && i < 15; i++)
		snprintf(text + 3 * i, 4, "%02x ", bytes[i]);
	if (rt_flow_decode(arch, d->flow, bytes, n, 0x400000, &flow) != known ||
	    (known && !same_flow(&flow, &want)))
		RT_ASSERT_TEXT(text, "control flow as capstone has it");
	known = rt_use_capstone(d->use, bytes, n, 0x400000, &want_use);
	if (rt_use(d->use, bytes, n, 0x400000, &use) != known ||
	    (known && memcmp(&use, &want_use, sizeof(use)) != 0))
		RT_ASSERT_TEXT(text, "use of registers as capstone has it");
	return known && use.size ? use.size : 1;
}

/* Each opcode, behind the prefixes that change it, with operands at random. */
static void check_opcodes(const struct decoders *d)
{
	static const uint8_t before[][3] = {
		{ 0 }, { 1, 0x48 }, { 1, 0x66 }, { 1, 0x0f }, { 2, 0x41, 0x0f }, { 2, 0xf3, 0x0f },
		{ 2, 0xf2, 0x0f }, { 2, 0x66, 0x0f }, { 2, 0x64, 0x48 }, { 1, 0x45 },
	};
	unsigned random = 1, i, k, n;
	uint8_t bytes[15];

	for (i = 0; i < 256 * 10 * 4; i++) {
		for (k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)((random = random * 1103515245 + 12345) >> 16);
		n = before[i % 10][0];
		memcpy(bytes, before[i % 10] + 1, n);
		bytes[n] = (uint8_t)(i / 10);
		if (random >> 20 & 1)	/* more operands relative to %rip than by chance */
			bytes[n + 1] &= 0x3d;
		check_common(d, bytes, random >> 22 & 7 ? sizeof(bytes) : 1 + (random >> 25) % 9);
	}
}

static void test_common(void)
{
	struct decoders d = { rt_flow_open(&rt_arch_x86_64), rt_user_open(&rt_arch_x86_64) };
	static uint8_t code[1 << 17];
	FILE *self = fopen("/proc/self/exe", "r");
	size_t n, i;

	CU_ASSERT_PTR_NOT_NULL_FATAL(self);
	fseek(self, 1 << 16, SEEK_SET);
	n = fread(code, 1, sizeof(code), self);
	fclose(self);
	if (d.flow && d.use) {
		check_opcodes(&d);
		for (i = 0; i < n; i += check_common(&d, code + i, n - i))
			;
	}
	rt_decoder_close(d.flow);
	rt_user_close(d.use);
}

CU_TestInfo rt_tests_flow[] = {
	{ "instructions of aarch64", test_aarch64 },
	{ "what changes registers of x86", test_changes },
	{ "what is behind a call of x86", test_behind_call },
	{ "conditions", test_conditions },
	{ "common instructions, against capstone", test_common },
	CU_TEST_INFO_NULL,
};
