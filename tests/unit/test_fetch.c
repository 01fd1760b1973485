/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "fetch/fetch.h"
#include "unit.h"
#include "fetch/record.h"

static const struct rt_reg args[] = { { "%one", 8 }, { "%two", 16 } };

static const struct rt_arch two_registers = {
	.word = 8,
	.result = { "%res", 80 },
	.args = args,
	.nargs = 2,
	.stack_args = 8,
	.return_pop = 8,
};

/* As i386: everything on the stack. */
static const struct rt_arch no_registers = {
	.word = 4, .result = { "%ax", 24 }, .stack_args = 4, .return_pop = 4
};

static void check_int(const struct rt_fetch *fetch)
{
	CU_ASSERT(fetch->type == RT_TYPE_INT);
	CU_ASSERT(fetch->size == 4);
	CU_ASSERT(fetch->is_signed);
	CU_ASSERT(fetch->nderef == 0);
}

static void test_entry(void)
{
	struct rt_plan plan;
	unsigned i;

	memset(&plan, 0xff, sizeof(plan));
	CU_ASSERT(rt_plan_c_entry(&two_registers, 4, &plan) == 0);
	CU_ASSERT(plan.kind == RT_KIND_ENTRY);
	CU_ASSERT(plan.arch == &two_registers);
	CU_ASSERT(plan.nvalues == 4);
	for (i = 0; i < 4; i++)
		check_int(&plan.values[i]);
	CU_ASSERT(plan.values[0].base == RT_BASE_REG && plan.values[0].reg.pt_regs == 8);
	CU_ASSERT(plan.values[1].base == RT_BASE_REG && plan.values[1].reg.pt_regs == 16);
	RT_ASSERT_TEXT(plan.values[1].reg.tracefs, "%two");
	CU_ASSERT(plan.values[2].base == RT_BASE_STACK && plan.values[2].offset == 8);
	CU_ASSERT(plan.values[3].base == RT_BASE_STACK && plan.values[3].offset == 16);
}

static void test_entry_stack(void)
{
	struct rt_plan plan;

	CU_ASSERT(rt_plan_c_entry(&no_registers, 3, &plan) == 0);
	CU_ASSERT(plan.values[0].base == RT_BASE_STACK && plan.values[0].offset == 4);
	CU_ASSERT(plan.values[1].base == RT_BASE_STACK && plan.values[1].offset == 8);
	CU_ASSERT(plan.values[2].base == RT_BASE_STACK && plan.values[2].offset == 12);
}

static void test_entry_limits(void)
{
	struct rt_plan plan;

	CU_ASSERT(rt_plan_c_entry(&two_registers, 0, &plan) == 0);
	CU_ASSERT(plan.nvalues == 0);
	CU_ASSERT(rt_plan_size(&plan) == 0);
	CU_ASSERT(rt_plan_c_entry(&two_registers, RT_MAX_VALUES, &plan) == 0);
	CU_ASSERT(plan.values[RT_MAX_VALUES - 1].offset == 8 + 8 * (RT_MAX_VALUES - 3));
	CU_ASSERT(rt_plan_c_entry(&two_registers, RT_MAX_VALUES + 1, &plan) == -E2BIG);
}

static void test_return(void)
{
	struct rt_plan plan;

	memset(&plan, 0xff, sizeof(plan));
	rt_plan_c_return(&two_registers, &plan);
	CU_ASSERT(plan.kind == RT_KIND_RETURN);
	CU_ASSERT(plan.arch == &two_registers);
	CU_ASSERT(plan.nvalues == 1);
	check_int(&plan.values[0]);
	CU_ASSERT(plan.values[0].base == RT_BASE_REG && plan.values[0].reg.pt_regs == 80);
}

static void test_layout(void)
{
	struct rt_plan plan;

	CU_ASSERT(rt_plan_c_entry(&two_registers, 4, &plan) == 0);
	plan.values[1].type = RT_TYPE_STRING;
	plan.values[1].max = 64;
	plan.values[3].type = RT_TYPE_STRING;
	plan.values[3].max = 8;
	plan.values[0].size = 1;
	plan.values[2].size = 8;
	CU_ASSERT(rt_plan_offset(&plan, 0) == 0);
	CU_ASSERT(rt_plan_offset(&plan, 1) == 4);
	CU_ASSERT(rt_plan_offset(&plan, 2) == 76); /* 96 in the record: 20 + 4 + 4 + 64, aligned */
	CU_ASSERT(rt_plan_offset(&plan, 3) == 84);
	CU_ASSERT(rt_plan_size(&plan) == 96);
}

/* Fields behind the values, at offsets from the record's beginning. */
static void test_tail(void)
{
	struct rt_plan plan;
	struct rt_tail tail;

	CU_ASSERT(rt_plan_c_entry(&two_registers, 1, &plan) == 0);
	rt_plan_tail(&plan, (struct rt_layout){ .key = RT_KEY_ID }, &tail);
	CU_ASSERT(tail.data == 4 && tail.size == 24 && !tail.faults && !tail.ra && !tail.ip);
	rt_plan_tail(&plan, (struct rt_layout){ .key = RT_KEY_IP }, &tail);
	CU_ASSERT(tail.ip == 24 && tail.size == 32);
	plan.return_address = true;
	plan.values[0].nderef = 1;
	plan.values[0].size = 2;
	rt_plan_tail(&plan, (struct rt_layout){ .key = RT_KEY_IP }, &tail);
	CU_ASSERT(tail.data == 2 && tail.faults == 24 && tail.ra == 32 && tail.ip == 40 &&
		  tail.size == 48);
	plan.nvalues = 0;
	plan.return_address = false;
	rt_plan_tail(&plan, (struct rt_layout){ .key = RT_KEY_ID }, &tail);
	CU_ASSERT(tail.data == 0 && tail.size == 20 && !tail.faults && !tail.tgid);
	plan.nvalues = 1;
	rt_plan_tail(&plan, (struct rt_layout){ .key = RT_KEY_IP, .tgid = true }, &tail);
	CU_ASSERT(tail.data == 2 && tail.tgid == 24 && tail.faults == 28 && tail.ip == 32);
}

/* An integer of each size, with and without a sign, out of bytes that stand next to others. */
static void test_int(void)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8 };
	uint8_t data[16];
	struct rt_plan plan;
	unsigned i;

	memset(data, 0xfe, sizeof(data));
	CU_ASSERT(rt_plan_c_entry(&two_registers, 1, &plan) == 0);
	for (i = 0; i < 4; i++) {
		plan.values[0].size = sizes[i];
		plan.values[0].is_signed = false;
		CU_ASSERT(rt_plan_int(&plan, 0, data) ==
			  UINT64_C(0xfefefefefefefefe) >> (64 - 8 * sizes[i]));
		plan.values[0].is_signed = true;
		CU_ASSERT((int64_t)rt_plan_int(&plan, 0, data) < 0 &&
			  (int64_t)rt_plan_int(&plan, 0, data) ==
				  (int64_t)UINT64_C(0xfefefefefefefefe) >> (64 - 8 * sizes[i]));
	}
}

static bool passes(enum rt_test_op op, bool is_signed, uint64_t constant, uint64_t value,
		   unsigned size, bool value_signed)
{
	const struct rt_plan plan = {
		.nvalues = 2,
		.values = { { .size = 1 }, { .size = (uint8_t)size, .is_signed = value_signed } },
		.ntests = 1,
		.tests = { { .value = 1, .op = op, .is_signed = is_signed, .constant = constant } },
	};
	uint8_t data[16] = { 0 };

	memcpy(data + rt_plan_offset(&plan, 1), &value, size);
	return rt_plan_passes(&plan, data, 0);
}

static void test_tests(void)
{
	struct rt_plan plan = { .nvalues = 1, .values = { { .size = 4 } }, .ntests = 2 };
	const uint32_t data = 5;

	CU_ASSERT(passes(RT_TEST_EQ, false, 7, 7, 4, false) &&
		  !passes(RT_TEST_EQ, false, 7, 8, 4, false));
	CU_ASSERT(passes(RT_TEST_NE, false, 7, 8, 4, false) &&
		  !passes(RT_TEST_NE, false, 7, 7, 4, false));
	CU_ASSERT(passes(RT_TEST_LT, true, 0, (uint64_t)-1, 4, true) &&
		  !passes(RT_TEST_LT, true, 0, (uint64_t)-1, 4, false));
	CU_ASSERT(!passes(RT_TEST_LT, false, 5, (uint64_t)-1, 8, true) &&
		  passes(RT_TEST_GT, false, 5, (uint64_t)-1, 8, true));
	CU_ASSERT(passes(RT_TEST_LE, true, 3, 3, 2, true) &&
		  !passes(RT_TEST_LE, true, 3, 4, 2, true));
	CU_ASSERT(passes(RT_TEST_GE, true, (uint64_t)-3, (uint64_t)-3, 1, true) &&
		  !passes(RT_TEST_GE, true, (uint64_t)-3, (uint64_t)-4, 1, true));
	/* All must hold, and what was not read holds for nothing. */
	plan.tests[0] = (struct rt_test){ .op = RT_TEST_GT, .constant = 4 };
	plan.tests[1] = (struct rt_test){ .op = RT_TEST_LT, .constant = 6 };
	CU_ASSERT(rt_plan_passes(&plan, (const uint8_t *)&data, 0));
	CU_ASSERT(!rt_plan_passes(&plan, (const uint8_t *)&data, 1) &&
		  !rt_plan_passes(&plan, NULL, 0));
	plan.tests[1].constant = 5;
	CU_ASSERT(!rt_plan_passes(&plan, (const uint8_t *)&data, 0));
	plan.tests[1].value = 1;
	CU_ASSERT(!rt_plan_passes(&plan, (const uint8_t *)&data, 0));
	plan.ntests = 0;
	CU_ASSERT(rt_plan_passes(&plan, NULL, UINT32_MAX));
	/* A time needs no value. */
	plan.ntests = 1;
	plan.tests[0] = (struct rt_test){ .op = RT_TEST_GT, .of_time = true, .constant = 100 };
	CU_ASSERT(rt_plan_passes_end(&plan, NULL, UINT32_MAX, 101));
	CU_ASSERT(!rt_plan_passes_end(&plan, NULL, 0, 100) && !rt_plan_passes(&plan, NULL, 0));
}

/* A register of unknown width has an int, where its upper half is 0. */
static bool is_negative(uint64_t word)
{
	const struct rt_plan plan = {
		.nvalues = 1,
		.values = { { .size = 8, .is_signed = true } },
		.ntests = 1,
		.tests = { { .op = RT_TEST_LT, .of_register = true, .is_signed = true } },
	};
	uint8_t data[16] = { 0 };

	memcpy(data + rt_plan_offset(&plan, 0), &word, sizeof(word));
	return rt_plan_passes(&plan, data, 0);
}

static void test_registers(void)
{
	CU_ASSERT(is_negative(UINT32_MAX) && is_negative(UINT64_MAX));
	CU_ASSERT(!is_negative(5) && !is_negative(UINT64_C(0x1ffffffff)));
}

/* "a && b || c, d || e": every combination of what holds. */
static void test_joins(void)
{
	static const enum rt_test_join joins[] = { RT_TEST_ALSO, RT_TEST_WITH, RT_TEST_ELSE,
						   RT_TEST_ALSO, RT_TEST_ELSE };
	struct rt_plan plan = { .nvalues = 1, .values = { { .size = 1 } }, .ntests = 5 };
	unsigned i, holds[5];
	uint8_t data;

	for (i = 0; i < 5; i++)
		plan.tests[i] = (struct rt_test){ .op = RT_TEST_EQ,
						  .join = joins[i],
						  .bit = (uint8_t)i,
						  .bits = 1,
						  .constant = 1 };
	for (data = 0; data < 32; data++) {
		for (i = 0; i < 5; i++)
			holds[i] = data >> i & 1;
		CU_ASSERT_EQUAL(rt_plan_passes(&plan, &data, 0),
				((holds[0] && holds[1]) || holds[2]) && (holds[3] || holds[4]));
	}
	plan.values[0].is_signed = true;
	plan.ntests = 1;
	plan.tests[0] = (struct rt_test){
		.op = RT_TEST_EQ, .bit = 2, .bits = 3, .constant = (uint64_t)-2, .is_signed = true
	};
	data = 0xfb;	/* ...110.. */
	CU_ASSERT(rt_plan_passes(&plan, &data, 0));
}

/* A fault at a string means that it ends at its length, if there is no NUL before. */
static void test_passes_string(void)
{
	struct rt_plan plan = { .nvalues = 1,
				.values = { { .type = RT_TYPE_STRING, .max = 16 } },
				.ntests = 1 };
	struct {
		int32_t length;
		char text[20];
	} data = { 9, "text" };

	plan.tests[0] = (struct rt_test){ .op = RT_TEST_EQ, .string = "text", .length = 4 };
	CU_ASSERT(rt_plan_passes(&plan, (const uint8_t *)&data, 0));
	CU_ASSERT(rt_plan_passes(&plan, (const uint8_t *)&data, 1));
	data.length = 5;
	CU_ASSERT(!rt_plan_passes(&plan, (const uint8_t *)&data, 1));
	data.length = 1;
	CU_ASSERT(!rt_plan_passes(&plan, (const uint8_t *)&data, 1));
}

/* The copy of the stack, the instruction pointer and each preserved register are not shown. */
static void test_stack(void)
{
	const struct rt_arch *arch = &rt_arch_x86_64;
	struct rt_plan plan, other;

	CU_ASSERT(rt_plan_c_entry(arch, 2, &plan) == 0);
	other = plan;
	CU_ASSERT(rt_plan_add_stack(&plan, RT_STACK_BYTES) == 0);
	CU_ASSERT_EQUAL(plan.nvalues, 2 + 2 + 6);
	CU_ASSERT_EQUAL(rt_plan_shown(&plan), 2);
	CU_ASSERT_EQUAL(rt_plan_offset(&plan, 2), 8);
	CU_ASSERT_EQUAL(rt_plan_offset(&plan, 3), 16 + RT_STACK_BYTES - 4);
	RT_ASSERT_TEXT(plan.values[3].reg.tracefs, "ip");
	RT_ASSERT_TEXT(plan.values[4].reg.tracefs, "bx");
	CU_ASSERT(!rt_plan_same(&plan, &other));
	CU_ASSERT(rt_plan_c_entry(arch, RT_MAX_VALUES - 7, &plan) == 0);
	CU_ASSERT(rt_plan_add_stack(&plan, RT_STACK_BYTES) == -E2BIG);
	CU_ASSERT_EQUAL(rt_plan_shown(&plan), RT_MAX_VALUES - 7);
}

CU_TestInfo rt_tests_fetch[] = {
	{ "the stack for -k", test_stack },
	{ "conditions on strings", test_passes_string },
	{ "conditions on registers of unknown width", test_registers },
	{ "C arguments in registers, then on the stack", test_entry },
	{ "C arguments all on the stack", test_entry_stack },
	{ "no, the most and too many arguments", test_entry_limits },
	{ "C result", test_return },
	{ "layout of the values in a record", test_layout },
	{ "layout of what follows the values", test_tail },
	{ "integers of all sizes", test_int },
	{ "tests", test_tests },
	{ "comparisons joined", test_joins },
	CU_TEST_INFO_NULL,
};
