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

/* Decoders that have seen nothing, against these, which have seen most opcodes. */
struct seen {
	struct rt_decoder *decoder;
	struct rt_user *user;
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

static void check_seen(struct seen *seen, const uint8_t *bytes, uint64_t addr)
{
	const struct rt_arch *arch = &rt_arch_x86_64;
	struct rt_decoder *decoder = rt_flow_open(arch);
	struct rt_user *user = rt_user_open(arch);
	struct rt_flow flow, flow2;
	struct rt_use use, use2;
	bool known = rt_flow_decode(arch, decoder, bytes, 15, addr, &flow);

	CU_ASSERT_EQUAL(rt_flow_decode(arch, seen->decoder, bytes, 15, addr, &flow2), known);
	CU_ASSERT(!known || same_flow(&flow, &flow2));
	known = rt_use(user, bytes, 15, addr, &use);
	CU_ASSERT_EQUAL(rt_use(seen->user, bytes, 15, addr, &use2), known);
	CU_ASSERT(!known || memcmp(&use, &use2, sizeof(use)) == 0);
	rt_decoder_close(decoder);
	rt_user_close(user);
}

/* The same bytes at another address, and another distance: a decoder remembers instructions. */
static void test_remembered(void)
{
	static const uint8_t before[][3] = {
		{ 0, 0, 0 }, { 1, 0x48, 0 }, { 1, 0x66, 0 }, { 1, 0x0f, 0 }, { 2, 0x41, 0x0f },
	};
	struct seen seen = { rt_flow_open(&rt_arch_x86_64), rt_user_open(&rt_arch_x86_64) };
	unsigned random = 1, i, k, n;
	uint8_t bytes[15];

	for (i = 0; i < 256 * 5 && seen.decoder && seen.user; i++) {
		for (k = 0; k < sizeof(bytes); k++)
			bytes[k] = (uint8_t)((random = random * 1103515245 + 12345) >> 16);
		n = before[i % 5][0];
		memcpy(bytes, before[i % 5] + 1, n);
		bytes[n] = (uint8_t)(i / 5);
		if (random >> 20 & 1)	/* more operands relative to %rip than by chance */
			bytes[n + 1] &= 0x3d;
		check_seen(&seen, bytes, 0x1000);
		check_seen(&seen, bytes, 0x7f0000002000);
		bytes[n + 2] ^= 0x55;
		check_seen(&seen, bytes, 0x3000);
	}
	rt_decoder_close(seen.decoder);
	rt_user_close(seen.user);
}

CU_TestInfo rt_tests_flow[] = {
	{ "instructions of aarch64", test_aarch64 },
	{ "what changes registers of x86", test_changes },
	{ "what is behind a call of x86", test_behind_call },
	{ "conditions", test_conditions },
	{ "instructions that were decoded before", test_remembered },
	CU_TEST_INFO_NULL,
};
