/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "spec/spec.h"
#include "unit.h"

static void parses(const char *text, const char *lib, const char *function, bool glob, unsigned nargs)
{
	struct rt_spec spec;
	struct rt_error err;

	if (rt_spec_parse(text, &spec, &err)) {
		printf("%s: %s\n", text, err.text);
		CU_FAIL("refused");
		return;
	}
	RT_ASSERT_TEXT(spec.text, text);
	RT_ASSERT_TEXT(spec.function, function);
	CU_ASSERT_EQUAL(!spec.lib, !lib);
	if (lib)
		RT_ASSERT_TEXT(spec.lib, lib);
	CU_ASSERT_EQUAL(spec.glob, glob);
	CU_ASSERT_EQUAL(spec.nargs, nargs);
	rt_spec_free(&spec);
	CU_ASSERT_PTR_NULL(spec.function);
}

static void refuses(const char *text, const char *want)
{
	struct rt_spec spec;
	struct rt_error err = { 0 };

	CU_ASSERT_EQUAL(rt_spec_parse(text, &spec, &err), -EINVAL);
	CU_ASSERT_EQUAL(err.status, RT_EXIT_USAGE);
	RT_ASSERT_TEXT(err.text, want);
}

static void test_names(void)
{
	parses("fib", NULL, "fib", false, 1);
	parses("libm.so.6:cos", "libm.so.6", "cos", false, 1);
	parses("main.(*T).String", NULL, "main.(*T).String", true, 1);
	parses("str*", NULL, "str*", true, 1);
	parses("a?c", NULL, "a?c", true, 1);
	parses("[a-c]x", NULL, "[a-c]x", true, 1);
	parses("libc:mem*:3", "libc", "mem*", true, 3);
}

static void test_nargs(void)
{
	parses("fib:0", NULL, "fib", false, 0);
	parses("fib:2", NULL, "fib", false, 2);
	parses("fib:32", NULL, "fib", false, 32);
	parses("libm:pow:2", "libm", "pow", false, 2);
	refuses("fib:33", "'fib:33': column 5: expected the number of arguments, 0 to 32");
	refuses("fib:-1", "'fib:-1': column 5: expected the number of arguments, 0 to 32");
	refuses("fib:3x", "'fib:3x': column 5: expected the number of arguments, 0 to 32");
	refuses("fib:99999999999999999999",
		"'fib:99999999999999999999': column 5: expected the number of arguments, 0 to 32");
	refuses("libm:pow:x", "'libm:pow:x': column 10: expected the number of arguments: LIBRARY:FUNCTION:NARGS");
}

static void test_double_colon(void)
{
	parses("ns::f", NULL, "ns::f", false, 1);
	parses("ns::f:2", NULL, "ns::f", false, 2);
	parses("a::b::c", NULL, "a::b::c", false, 1);
	parses("lib.so:ns::f:2", "lib.so", "ns::f", false, 2);
	parses("lib.so:::f", "lib.so", "::f", false, 1);
}

static void test_paths(void)
{
	parses("./a b.so:f", "./a b.so", "f", false, 1);
	parses("/x:y/l.so:f:3", "/x:y/l.so", "f", false, 3);
}

static void test_empty(void)
{
	refuses("", "'': column 1: expected the name of a function");
	refuses(":f", "':f': column 1: expected the name of a library before ':'");
	refuses("f:", "'f:': column 3: expected the name of a function or the number of arguments after ':'");
	refuses(":2", "':2': column 1: expected the name of a function");
	refuses("l::2:", "'l::2:': column 6: expected the name of a function or the number of arguments after ':'");
}

CU_TestInfo rt_tests_spec[] = {
	{ "names", test_names },
	{ "number of arguments", test_nargs },
	{ "double colons", test_double_colon },
	{ "library paths", test_paths },
	{ "empty fields", test_empty },
	CU_TEST_INFO_NULL,
};
