/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single instructions: where they lead, and what they do to registers. */
#include <stdio.h>
#include <string.h>

#include "code/exits.h"
#include "arch/flow.h"
#include "unit.h"

/* Instructions of aarch64, wherever this runs. */
static void test_aarch64(void)
{
	static const struct {
		uint32_t word;
		enum rt_flow_kind kind;
		int32_t target;		/* from the instruction; 0: none */
		enum rt_flow_sp sp;
		int32_t amount;
	} v[] = {
		{ 0xd65f03c0, RT_FLOW_RETURN, 0, RT_SP_UNCHANGED, 0 },
		{ 0xd65f0bff, RT_FLOW_RETURN, 0, RT_SP_UNCHANGED, 0 },
		{ 0xd61f0200, RT_FLOW_INDIRECT, 0, RT_SP_UNCHANGED, 0 },
		{ 0xd63f0200, RT_FLOW_CALL, 0, RT_SP_UNCHANGED, 0 },
		{ 0x17ffffff, RT_FLOW_JUMP, -4, RT_SP_UNCHANGED, 0 },
		{ 0x94000004, RT_FLOW_CALL, 16, RT_SP_UNCHANGED, 0 },
		{ 0x54000048, RT_FLOW_BRANCH, 8, RT_SP_UNCHANGED, 0 },
		{ 0xb4000040, RT_FLOW_BRANCH, 8, RT_SP_UNCHANGED, 0 },
		{ 0x3607ffe0, RT_FLOW_BRANCH, -4, RT_SP_UNCHANGED, 0 },
		{ 0xd4200000, RT_FLOW_STOP, 0, RT_SP_UNCHANGED, 0 },
		{ 0, RT_FLOW_STOP, 0, RT_SP_UNCHANGED, 0 },
		{ 0xd69f03e0, RT_FLOW_STRANGE, 0, RT_SP_UNCHANGED, 0 },
		{ 0xa9be7bfd, RT_FLOW_NEXT, 0, RT_SP_ADDED, -32 },
		{ 0xa8c27bfd, RT_FLOW_NEXT, 0, RT_SP_ADDED, 32 },
		{ 0xf81f0ffe, RT_FLOW_NEXT, 0, RT_SP_ADDED, -16 },
		{ 0xf84107fe, RT_FLOW_NEXT, 0, RT_SP_ADDED, 16 },
		{ 0x6dbe27e8, RT_FLOW_NEXT, 0, RT_SP_ADDED, -32 },
		{ 0xd10083ff, RT_FLOW_NEXT, 0, RT_SP_ADDED, -32 },
		{ 0x910083ff, RT_FLOW_NEXT, 0, RT_SP_ADDED, 32 },
		{ 0x910003bf, RT_FLOW_NEXT, 0, RT_SP_OF_FRAME, 0 },
		{ 0xcb2163ff, RT_FLOW_NEXT, 0, RT_SP_LOST, 0 },
		{ 0xf9000fe0, RT_FLOW_NEXT, 0, RT_SP_UNCHANGED, 0 },
	};
	struct rt_flow f;
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++) {
		uint8_t bytes[4] = { (uint8_t)v[i].word, (uint8_t)(v[i].word >> 8), (uint8_t)(v[i].word >> 16), (uint8_t)(v[i].word >> 24) };

		if (rt_flow_decode(&rt_arch_aarch64, NULL, bytes, 4, 0x1000, &f) && f.kind == v[i].kind && f.has_target == (v[i].target != 0) &&
		    (!v[i].target || f.target == 0x1000 + (uint64_t)(int64_t)v[i].target) && f.sp == v[i].sp &&
		    (f.sp == RT_SP_LOST || f.amount == v[i].amount))
			continue;
		printf("%08x: kind %d, target %llx, sp %d by %d\n", v[i].word, (int)f.kind, (unsigned long long)f.target, (int)f.sp,
		       (int)f.amount);
		CU_FAIL("read as something else");
	}
}

/* By what x86 changes a register; and makes no more of it than there was. */
static void test_changes(void)
{
	static const struct {
		const char *bytes;
		int8_t to, other;
	} v[] = {
		{ "\x48\x01\xf4", 4, 6 }, { "\x48\x09\xf4", 4, 6 }, { "\x48\x29\xc4", 4, 0 }, { "\x48\x31\xfe", 6, 7 },
		{ "\x48\x21\xf4", 4, RT_NO_REG }, { "\x48\x39\xf4", 4, RT_NO_REG }, { "\x48\x89\xf4", 4, RT_NO_REG },
		{ "\x48\x83\xc4\x08", 4, RT_NO_REG },
	};
	struct rt_decoder *decoder = rt_flow_open(&rt_arch_x86_64);
	struct rt_flow f;
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]) && decoder; i++) {
		CU_ASSERT(rt_flow_decode(&rt_arch_x86_64, decoder, (const uint8_t *)v[i].bytes, strlen(v[i].bytes), 0x1000, &f));
		CU_ASSERT(f.other == v[i].other && (f.op == RT_OP_COMPARE || f.to == v[i].to));
	}
	rt_decoder_close(decoder);
}

/* The conditions of x86, by number: o no b ae e ne be a s ns p np l ge le g. */
static void test_conditions(void)
{
	enum { C = 1, P = 4, Z = 64, S = 128, O = 2048 };
	static const struct {
		uint8_t condition;
		uint64_t yes, no;
	} v[] = {
		{ 0, O, 0 }, { 1, 0, O }, { 2, C, 0 }, { 3, Z, C }, { 4, Z, 0 }, { 5, 0, Z }, { 6, C, S }, { 6, Z, 0 }, { 7, 0, Z | C },
		{ 8, S, 0 }, { 9, 0, S }, { 10, P, 0 }, { 11, 0, P }, { 12, S, S | O }, { 13, S | O, O }, { 14, Z, 0 }, { 14, O, S | O },
		{ 15, S | O, Z }, { 15, 0, S },
	};
	size_t i;

	for (i = 0; i < sizeof(v) / sizeof(v[0]); i++)
		CU_ASSERT(rt_exit_taken(v[i].condition, v[i].yes) && !rt_exit_taken(v[i].condition, v[i].no));
}

CU_TestInfo rt_tests_flow[] = {
	{ "instructions of aarch64", test_aarch64 },
	{ "what changes registers of x86", test_changes },
	{ "conditions", test_conditions },
	CU_TEST_INFO_NULL,
};
