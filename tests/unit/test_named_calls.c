/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats and tables show the names of calls by their arguments. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fetch/lower.h"
#include "out_run.h"
#include "output/top.h"
#include "typegen.h"
#include "unit.h"

/* A function whose calls are named, with a text and a number, and one whose calls are not. */
struct named {
	struct rt_types *types;
	struct rt_plan plan;
	struct rt_shows shows[2];
	struct rt_function v[2];
	struct rt_functions functions;
};

static void begin(struct named *c, const char *pattern)
{
	static const struct rt_limits limits = {
		.string = 16, .members = RT_LIMIT_MEMBERS, .record = RT_LIMIT_RECORD,
	};
	struct rt_param params[] = { { .name = "class", .type = &t_string },
				     { .name = "n", .type = &t_int } };
	const struct rt_prototype prototype = {
		.result = &t_void, .params = params, .nparams = 2,
	};

	memset(c, 0, sizeof(*c));
	c->types = rt_types_new();
	CU_ASSERT_FATAL(rt_lower_entry(&prototype, NULL, &rt_arch_x86_64, &limits, c->types,
				       &c->plan, &c->shows[0].entry, NULL) == 0);
	CU_ASSERT_FATAL(c->plan.nvalues == 3 && rt_plan_size(&c->plan) <= 64);
	c->shows[0].entry.plan = &c->plan;
	c->v[0].name = strdup("method");
	c->v[1].name = strdup("plain");
	c->functions = (struct rt_functions){ .v = c->v, .n = 2 };
	CU_ASSERT_FATAL(rt_function_set_pattern(&c->v[0], pattern) == 0);
}

static void finish(struct named *c)
{
	free(c->v[0].name);
	free(c->v[1].name);
	rt_types_free(c->types);
}

/* The words of a hit: the text's address, the number, the text's length and the text. */
static void set_words(int64_t *words, const char *class, int64_t n)
{
	size_t length = strlen(class) + 1;

	words[0] = 0x1000;
	words[1] = n;
	words[2] = (int64_t)length;
	memset(&words[3], 0, 16);
	memcpy(&words[3], class, length);
}

/* method(List, 1) { method(Map, 2) plain() }, method(List, 1) */
static void make_calls(struct run *run, struct named *c)
{
	static const struct rt_plan no_result = { .kind = RT_KIND_RETURN };
	static const struct rt_plan no_args = { .kind = RT_KIND_ENTRY };
	int64_t words[5];

	run->sinks.trace.functions = &c->functions;
	run->sinks.trace.shows = c->shows;
	set_words(words, "List", 1);
	run_hit(run, &c->plan, 7, 0, 1000, 0x900, true, words);
	set_words(words, "Map", 2);
	run_hit(run, &c->plan, 7, 0, 1010, 0x800, true, words);
	run_hit(run, &no_result, 7, 0, 1020, 0x800, true, NULL);
	run_hit(run, &no_args, 7, 1, 1030, 0x800, false, NULL);
	run_hit(run, &no_result, 7, 0, 1040, 0x900, true, NULL);
	set_words(words, "List", 1);
	run_hit(run, &c->plan, 7, 0, 1050, 0x900, true, words);
	run_hit(run, &no_result, 7, 0, 1060, 0x900, true, NULL);
}

/* These calls in a format.  The text is to be freed. */
static void run_named(struct run *run, const char *format)
{
	struct named c;

	begin(&c, "$class.$n");
	run_begin(run, format, "./fib");
	make_calls(run, &c);
	CU_ASSERT(rt_sinks_end(&run->sinks) == 0);
	run_free(run);
	rt_stack_free(run->stack);
	finish(&c);
}

/* Count `word` in a text that may have NULs. */
static unsigned count_word(const struct run *run, const char *word)
{
	const char *at = run->text, *end = run->text + run->size;
	unsigned n = 0;

	for (; (at = memmem(at, (size_t)(end - at), word, strlen(word))) != NULL; at++)
		n++;
	return n;
}

static void test_chrome(void)
{
	struct run run;

	run_named(&run, "chrome");
	CU_ASSERT(count_word(&run, "\"ts\":0.000,\"dur\":0.040,\"name\":\"List.1\"") == 1);
	CU_ASSERT(count_word(&run, "\"ts\":0.010,\"dur\":0.010,\"name\":\"Map.2\"") == 1);
	CU_ASSERT(count_word(&run, "\"name\":\"List.1\"") == 2);
	CU_ASSERT(count_word(&run, "\"name\":\"plain\"") == 1);
	CU_ASSERT(count_word(&run, "\"name\":\"method\"") == 0);
	free(run.text);
}

static void test_perfetto(void)
{
	struct run run;

	run_named(&run, "perfetto");
	/* Each is interned once. */
	CU_ASSERT(count_word(&run, "List.1") == 1 && count_word(&run, "Map.2") == 1);
	CU_ASSERT(count_word(&run, "plain") == 1 && count_word(&run, "method") == 0);
	free(run.text);
}

static void test_speedscope(void)
{
	struct run run;

	run_named(&run, "speedscope");
	CU_ASSERT(count_word(&run,
			     "[{\"name\":\"?\"},\n{\"name\":\"method\"},\n{\"name\":\"plain\"},\n"
			     "{\"name\":\"List.1\"},\n{\"name\":\"Map.2\"}]") == 1);
	CU_ASSERT(count_word(&run,
			     "{\"type\":\"O\",\"at\":0,\"frame\":3},\n"
			     "{\"type\":\"O\",\"at\":10,\"frame\":4},\n"
			     "{\"type\":\"C\",\"at\":20,\"frame\":4},\n"
			     "{\"type\":\"O\",\"at\":30,\"frame\":2},\n"
			     "{\"type\":\"C\",\"at\":30,\"frame\":2},\n"
			     "{\"type\":\"C\",\"at\":40,\"frame\":3},\n"
			     "{\"type\":\"O\",\"at\":50,\"frame\":3},\n"
			     "{\"type\":\"C\",\"at\":60,\"frame\":3}]") == 1);
	free(run.text);
}

/* A round has its own calls alone, also of a name that an earlier round had. */
static void test_top(void)
{
	struct named c;
	struct run run;

	begin(&c, "$class.$n");
	run_begin_ops(&run, &rt_sink_top, "./fib");
	make_calls(&run, &c);
	CU_ASSERT(rt_top_take(run.sink, 1000000000) == 0);
	CU_ASSERT(rt_top_print(run.sink, run.sink->file, RT_SORT_CALLS, 0, 0) == 0);
	make_calls(&run, &c);
	make_calls(&run, &c);
	CU_ASSERT(rt_top_take(run.sink, 1000000000) == 0);
	CU_ASSERT(rt_top_print(run.sink, run.sink->file, RT_SORT_SELF, 3, 0) == 0);
	CU_ASSERT(rt_sinks_end(&run.sinks) == 0);
	run_free(&run);
	RT_ASSERT_TEXT(run.text,
		       "     CALLS/S        AVG        P99     SELF/S  FUNCTION\n"
		       "           2      25 ns      64 ns      40 ns  List.1\n"
		       "           1          -          -          -  plain\n"
		       "           1      10 ns      16 ns      10 ns  Map.2\n"
		       "     CALLS/S        AVG        P99     SELF/S  FUNCTION\n"
		       "           4      25 ns      64 ns      80 ns  List.1\n"
		       "           2      10 ns      16 ns      20 ns  Map.2\n");
	free(run.text);
	rt_stack_free(run.stack);
	finish(&c);
}

CU_TestInfo rt_tests_named_calls[] = {
	{ "chrome", test_chrome },
	{ "perfetto", test_perfetto },
	{ "speedscope", test_speedscope },
	{ "top", test_top },
	CU_TEST_INFO_NULL,
};
