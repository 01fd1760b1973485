/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/call_names.h"
#include "output/value_code.h"
#include "unit.h"

/* Function 0 has no pattern. */
static struct rt_function functions_v[2];
static const struct rt_functions functions = { .v = functions_v, .n = 2 };
static const struct rt_trace trace = { .functions = &functions };

static void set_pattern(const char *pattern)
{
	functions_v[1] = (struct rt_function){ .name = strdup("probe") };
	CU_ASSERT_FATAL(functions_v[1].name != NULL);
	CU_ASSERT_FATAL(rt_function_set_pattern(&functions_v[1], pattern) == 0);
}

static void put_text(struct rt_bytes *bytes, const char *name, const char *text)
{
	rt_value_encode(bytes, &(struct rt_value){ .kind = RT_VALUE_TEXT, .in = RT_VALUE_ARGS,
		.name = name, .bytes = (const uint8_t *)text, .len = strlen(text) });
}

static void put_number(struct rt_bytes *bytes, const char *name, uint64_t number, bool negative)
{
	rt_value_encode(bytes, &(struct rt_value){ .kind = RT_VALUE_NUMBER, .in = RT_VALUE_ARGS,
		.name = name, .number = number, .negative = negative });
}

/* The number of a call of function 1 with the values. */
static uint32_t find(struct rt_call_names *names, const struct rt_bytes *bytes)
{
	struct rt_values args = { .data = bytes->v, .coded = (uint32_t)bytes->n };
	uint32_t number = 0;

	CU_ASSERT(rt_call_names_find(names, &trace, 7, 1, &args, &number) == 0);
	return number;
}

/* Compare the name with `want`. */
static void check(const char *pattern, const struct rt_bytes *bytes, const char *want)
{
	struct rt_call_names names = { .n = 0 };

	set_pattern(pattern);
	CU_ASSERT(find(&names, bytes) == RT_CALL_NAME);
	if (names.n == 1)
		RT_ASSERT_TEXT(names.v[0], want);
	CU_ASSERT(names.n == 1);
	rt_call_names_free(&names);
	free(functions_v[1].name);
}

static void test_pattern(void)
{
	struct rt_bytes bytes = { .n = 0 };
	char full[2000], cut[1024];

	put_text(&bytes, "class", "java/lang/String");
	put_text(&bytes, "method", "hash\nCode");
	put_text(&bytes, "class_2", "another");
	put_number(&bytes, "n", 12, true);
	put_number(&bytes, "n", 13, false);
	check("$class.$method", &bytes, "java/lang/String.hash?Code");
	/* A name ends at what it cannot have, and is not the beginning of another. */
	check("<$class_2>$n", &bytes, "<another>-12");
	check("$clas $class_ $", &bytes, "? ? ?");
	memset(full, 'x', sizeof(full) - 1);
	full[sizeof(full) - 1] = '\0';
	put_text(&bytes, "long", full);
	memset(cut, 'x', sizeof(cut) - 1);
	cut[sizeof(cut) - 1] = '\0';
	check("$long.$class", &bytes, cut);
	rt_bytes_free(&bytes);
}

static void test_no_pattern(void)
{
	struct rt_call_names names = { .n = 0 };
	struct rt_values args = { .data = NULL };
	uint32_t number = 5;

	CU_ASSERT(rt_call_names_find(&names, &trace, 7, 0, &args, &number) == 0 && number == 0);
	CU_ASSERT(rt_call_names_find(&names, &trace, 7, RT_NO_FUNCTION, &args, &number) == 0);
	CU_ASSERT(number == RT_NO_FUNCTION);
	set_pattern("$n");
	CU_ASSERT(rt_call_names_find(&names, &trace, 7, 1, NULL, &number) == 0 && number == 1);
	CU_ASSERT(names.n == 0);
	rt_call_names_free(&names);
	free(functions_v[1].name);
}

/* The same name has the same number, also after the table of slots has grown several times. */
static void test_many(void)
{
	struct rt_call_names names = { .n = 0 };
	struct rt_bytes bytes = { .n = 0 };
	unsigned round, i, wrong = 0;

	set_pattern("m$n");
	for (round = 0; round < 2; round++)
		for (i = 0; i < 1000; i++) {
			bytes.n = 0;
			put_number(&bytes, "n", i, false);
			wrong += find(&names, &bytes) != RT_CALL_NAME + i;
		}
	CU_ASSERT(wrong == 0);
	CU_ASSERT(names.n == 1000);
	rt_call_names_free(&names);
	rt_bytes_free(&bytes);
	free(functions_v[1].name);
}

/* Numbers of one table of functions and names are all different, and small. */
static void test_mix(void)
{
	CU_ASSERT(rt_call_names_mix(RT_NO_FUNCTION) == 0);
	CU_ASSERT(rt_call_names_mix(0) == 1);
	CU_ASSERT(rt_call_names_mix(RT_CALL_NAME) == 2);
	CU_ASSERT(rt_call_names_mix(9) == 19);
	CU_ASSERT(rt_call_names_mix(RT_CALL_NAME + 9) == 20);
}

CU_TestInfo rt_tests_call_names[] = {
	{ "names of calls by their arguments", test_pattern },
	{ "calls without a pattern, or without arguments", test_no_pattern },
	{ "a thousand names", test_many },
	{ "one table of functions and names", test_mix },
	CU_TEST_INFO_NULL,
};
