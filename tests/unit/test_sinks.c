/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out_run.h"
#include "unit.h"

/* A run with the other sinks besides: chrome and hist each keep their own state of a thread. */
static void test_several(void)
{
	static const char *const names[RT_SINKS_MAX] = { "hist", "tree", "chrome", "count" };
	static const char *const wants[RT_SINKS_MAX] = {
		"Function = fib\n",
		"rawtrace: a remark\n>(fib 1)\n> (fib 2)\n< 20\n<10\n*** 3 events lost ***\n",
		"\"name\":\"fib\",\"args\":{\"arg0\":2,\"result\":20}}",
		"fib                                             2\n",
	};
	char *text[RT_SINKS_MAX];
	size_t size[RT_SINKS_MAX];
	FILE *files[RT_SINKS_MAX];
	struct run run;
	unsigned i;

	run_begin(&run, "hist", "./fib");
	for (i = 1; i < RT_SINKS_MAX; i++) {
		struct rt_sink *sink = rt_sinks_add(&run.sinks, rt_sink_find(names[i]));

		CU_ASSERT_PTR_NOT_NULL_FATAL(sink);
		sink->file = files[i] = open_memstream(&text[i], &size[i]);
		CU_ASSERT(sink->ops->begin(sink) == 0);
	}
	CU_ASSERT(rt_sinks_add(&run.sinks, &rt_sink_tree) == NULL);
	CU_ASSERT(rt_sinks_table(&run.sinks) == run.sink);
	CU_ASSERT(rt_sinks_note(&run.sinks, "a remark") == 0);
	run_call(&run, 7, 1000, 0x900, 1);
	run_call(&run, 7, 1001, 0x800, 2);
	run_ret(&run, 7, 1005, 0x800, 20);
	run_ret(&run, 7, 1010, 0x900, 10);
	run_lost(&run, 1011, 3);
	run_exit(&run, 7, 1012);
	CU_ASSERT(rt_sinks_end(&run.sinks) == 0);
	run_free(&run);
	rt_stack_free(run.stack);
	text[0] = run.text;
	for (i = 0; i < RT_SINKS_MAX; i++) {
		if (i)
			fclose(files[i]);
		if (!strstr(text[i], wants[i]))
			CU_FAIL("a sink misses calls");
		free(text[i]);
	}
}

CU_TestInfo rt_tests_sinks[] = {
	{ "several sinks, each with its own text", test_several },
	CU_TEST_INFO_NULL,
};
