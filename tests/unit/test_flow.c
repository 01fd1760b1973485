/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single instructions: where they lead, and what they do to registers. */
#include <stdio.h>
#include <string.h>

#include "code.h"
#include "code/exits.h"
#include "arch/flow.h"
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

CU_TestInfo rt_tests_flow[] = {
	{ "instructions of aarch64", test_aarch64 },
	{ "what changes registers of x86", test_changes },
	{ "conditions", test_conditions },
	CU_TEST_INFO_NULL,
};
