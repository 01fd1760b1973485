/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "out_run.h"
#include "output/profile.h"
#include "output/timeline.h"
#include "unit.h"

/*
 * Two calls of fib at the outermost level; the first has two inner calls:
 *
 *	fib 1000..1100 { fib 1010..1030 {}  fib 1040..1080 { fib 1050..1060 } }   fib 1200..1500
 */
static void run_calls(struct run *run)
{
	run_comm(run, 7, "fib;x");
	run_call(run, 7, 1000, 0x900, 3);
	run_call(run, 7, 1010, 0x800, 2);
	run_ret(run, 7, 1030, 0x800, 1);
	run_call(run, 7, 1040, 0x800, 2);
	run_call(run, 7, 1050, 0x700, 1);
	run_ret(run, 7, 1060, 0x700, 1);
	run_ret(run, 7, 1080, 0x800, 1);
	run_ret(run, 7, 1100, 0x900, 2);
	run_call(run, 7, 1200, 0x900, 3);
	run_ret(run, 7, 1500, 0x900, 2);
}

static void check(const char *format, const char *want)
{
	struct run run;

	run_begin(&run, format, "./fib");
	CU_ASSERT(rt_sinks_note(&run.sinks, "a remark") == 0);
	run_calls(&run);
	run_lost(&run, 1600, 3);
	run_finish(&run, want);
}

/* The total has the inner calls once: 100 and 300, not 470. */
static void test_summary(void)
{
	check("summary",
	      "     CALLS      TOTAL       SELF        AVG        MIN        P50        P99"
	      "        MAX FAILED  FUNCTION\n"
	      "         5     400 ns     400 ns      94 ns      10 ns      43 ns     300 ns"
	      "     300 ns      0  fib\n"
	      "rawtrace: a remark\n"
	      "rawtrace: *** 3 events lost ***\n");
}

static void test_graph(void)
{
	check("graph",
	      "       TOTAL         SELF      CALLS  FUNCTION\n"
	      "      400 ns                          fib;x (thread)\n"
	      "      400 ns       340 ns          2    fib\n"
	      "       60 ns        50 ns          2      fib\n"
	      "       10 ns        10 ns          1        fib\n"
	      "rawtrace: a remark\n"
	      "rawtrace: *** 3 events lost ***\n");
}

/* The weights' sum is the time of the outermost calls. */
static void test_folded(void)
{
	check("folded",
	      "fib:x;fib 340\n"
	      "fib:x;fib;fib 50\n"
	      "fib:x;fib;fib;fib 10\n"
	      "*** 3 events lost *** 1\n");
}

static void test_callgrind(void)
{
	check("callgrind",
	      "# callgrind format\n"
	      "version: 1\n"
	      "creator: rawtrace\n"
	      "cmd: ./fib\n"
	      "desc: Note: a remark\n"
	      "desc: Note: *** 3 events lost ***\n"
	      "positions: line\n"
	      "events: ns\n"
	      "summary: 400\n"
	      "\n"
	      "fl=???\n"
	      "\n"
	      "fn=fib\n"
	      "0 340\n"
	      "cfn=fib'2\n"
	      "calls=2 0\n"
	      "0 60\n"
	      "\n"
	      "fn=fib'2\n"
	      "0 50\n"
	      "cfn=fib'3\n"
	      "calls=1 0\n"
	      "0 10\n"
	      "\n"
	      "fn=fib'3\n"
	      "0 10\n");
}

static void test_dot(void)
{
	check("dot",
	      "digraph calls {\n"
	      "\tnode [shape=box];\n"
	      "\tf0 [xlabel=\"5 x, 400 ns, self 400 ns\", label=\"fib\"];\n"
	      "\tf0 -> f0 [label=\"3\"];\n"
	      "}\n"
	      "// a remark\n"
	      "// *** 3 events lost ***\n");
}

static void test_ndjson(void)
{
	struct run run;

	run_begin(&run, "json", "./fib");
	CU_ASSERT(rt_sinks_note(&run.sinks, "a \"remark\"") == 0);
	run_call(&run, 7, 1000, 0x900, 3);
	run_call(&run, 7, 1010, 0x800, 2);
	run_ret(&run, 7, 1030, 0x800, 1);
	run_call(&run, 7, 1040, 0x800, 4);
	run_exit(&run, 7, 1050);
	run_lost(&run, 1060, 3);
	run_finish(&run,
		   "{\"note\":\"a \\\"remark\\\"\"}\n"
		   "{\"id\":2,\"parent\":1,\"pid\":7,\"tid\":7,\"ts\":10,\"dur\":20,"
		   "\"name\":\"fib\",\"args\":{\"arg0\":2},\"result\":1}\n"
		   "{\"id\":3,\"parent\":1,\"pid\":7,\"tid\":7,\"ts\":40,\"dur\":10,"
		   "\"name\":\"fib\",\"args\":{\"arg0\":4},\"end\":\"thread exited\"}\n"
		   "{\"id\":1,\"parent\":0,\"pid\":7,\"tid\":7,\"ts\":0,\"dur\":50,"
		   "\"name\":\"fib\",\"args\":{\"arg0\":3},\"end\":\"thread exited\"}\n"
		   "{\"lost\":3,\"ts\":60}\n");
}

/* The page's data: a name that would end the script is escaped, and no call is twice in a total. */
static void test_html(void)
{
	struct run run;

	run_begin(&run, "html", "./a</script>");
	CU_ASSERT(rt_sinks_note(&run.sinks, "a remark") == 0);
	run_calls(&run);
	CU_ASSERT(rt_sinks_end(&run.sinks) == 0);
	run_free(&run);
	CU_ASSERT(strncmp(run.text, "<!DOCTYPE html>\n", 16) == 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(run.text, "{\"command\":\"./a\\u003c/script>\""));
	CU_ASSERT_PTR_NOT_NULL(strstr(
		run.text,
		"\"tree\":[\n[\"fib;x\",0,400,0,[[0,2,400,340,[[0,2,60,50,[[0,1,10,10,[]]]]]]]]]"));
	CU_ASSERT_PTR_NOT_NULL(strstr(run.text, "\"rows\":[\n[5,400,400,94,10,43,300,300,0,0]]"));
	CU_ASSERT_PTR_NOT_NULL(strstr(
		run.text,
		"\"threads\":[\n\"fib;x 7\"],\"left_out\":0,\"spans\":[\n[0,0,0,0,100],\n"
		"[0,0,1,10,20],\n[0,0,1,40,40],\n[0,0,2,50,10],\n[0,0,0,200,300]]"));
	CU_ASSERT_PTR_NOT_NULL(strstr(run.text, "\"notes\":[\"a remark\"]}\n</script>"));
	CU_ASSERT(strcmp(run.text + strlen(run.text) - 8, "</html>\n") == 0);
	rt_stack_free(run.stack);
	free(run.text);
}

/* a { b { b } b } b: the calls, then the names of the two functions. */
static void check_view(const char *format, enum rt_sort sort, bool callers, const char *want)
{
	static struct rt_function v[] = { { .name = (char *)"one" }, { .name = (char *)"two" } };
	static const struct rt_functions functions = { .v = v, .n = 2 };
	struct run run;

	run_begin(&run, format, "./fib");
	run.sinks.trace.functions = &functions;
	run.sinks.trace.sort = sort;
	run.sinks.trace.callers = callers;
	events_rows(run.stack,
		"1000 t7 enter a sp=0x900 1\n"
		"1010 t7 enter b sp=0x800 1\n"
		"1020 t7 enter b sp=0x700 1\n"
		"1030 t7 return b sp=0x700 1\n"
		"1050 t7 return b sp=0x800 1\n"
		"1060 t7 enter b sp=0x800 1\n"
		"1065 t7 return b sp=0x800 1\n"
		"1100 t7 return a sp=0x900 1\n"
		"1200 t7 enter b sp=0x900 1\n"
		"1300 t7 return b sp=0x900 1\n"
		"1400 end\n");
	run_finish(&run, want);
}

/* Below a function its callers; b in b is folded: its time is in the total once. */
static void test_callers(void)
{
	check_view("graph", RT_SORT_SELF, true,
		   "       TOTAL         SELF      CALLS  FUNCTION, AND ITS CALLERS\n"
		   "      145 ns       145 ns          4  two\n"
		   "       45 ns        45 ns          3    one\n"
		   "      100 ns        55 ns          1  one\n");
}

#define SUMMARY_HEAD	\
	"     CALLS      TOTAL       SELF        AVG        MIN        P50        P99"	\
	"        MAX FAILED  FUNCTION\n"
#define SUMMARY_ONE	\
	"         1     100 ns      55 ns     100 ns     100 ns     100 ns     100 ns"	\
	"     100 ns      0  one\n"
#define SUMMARY_TWO	\
	"         4     145 ns     145 ns      38 ns       5 ns      10 ns     100 ns"	\
	"     100 ns      0  two\n"

static void test_sort(void)
{
	static const enum rt_sort two_first[] = { RT_SORT_TOTAL, RT_SORT_CALLS, RT_SORT_SELF,
						  RT_SORT_MAX, RT_SORT_FAILED },
		one_first[] = { RT_SORT_AVG, RT_SORT_MIN, RT_SORT_P50, RT_SORT_FUNCTION };
	size_t i;

	for (i = 0; i < sizeof(two_first) / sizeof(two_first[0]); i++)
		check_view("summary", two_first[i], false,
			   SUMMARY_HEAD SUMMARY_TWO SUMMARY_ONE);
	for (i = 0; i < sizeof(one_first) / sizeof(one_first[0]); i++)
		check_view("summary", one_first[i], false,
			   SUMMARY_HEAD SUMMARY_ONE SUMMARY_TWO);
}

/* A call that is still open has a time, and is marked; a return alone counts nothing. */
static void test_unfinished(void)
{
	struct run run;

	run_begin(&run, "summary", "./fib");
	run_ret(&run, 7, 1000, 0x900, 1);
	run_call(&run, 7, 1100, 0x900, 3);
	CU_ASSERT(rt_stack_end(run.stack, 1200) == 0);
	run_finish(&run,
		   "     CALLS      TOTAL       SELF        AVG        MIN        P50        P99"
		   "        MAX FAILED  FUNCTION\n"
		   "         1     100 ns     100 ns          -          -          -          -"
		   "          -      0  fib  *** 1 not seen to return ***\n");
}

static void test_durations(void)
{
	char buf[32];

	RT_ASSERT_TEXT(rt_duration_text(0, buf), "0 ns");
	RT_ASSERT_TEXT(rt_duration_text(999, buf), "999 ns");
	RT_ASSERT_TEXT(rt_duration_text(1000, buf), "1.000 us");
	RT_ASSERT_TEXT(rt_duration_text(1234567, buf), "1.234 ms");
	RT_ASSERT_TEXT(rt_duration_text(61000000000, buf), "61.000 s");
	RT_ASSERT_TEXT(rt_duration_text(UINT64_MAX, buf), "18446744073.709 s");
}

/* If there are too many calls, the longest are retained, in order of time. */
static void test_timeline(void)
{
	const struct rt_thread thread = { .pid = 7, .tid = 8, .comm = "worker" };
	struct rt_frame frame = { .level = 1 };
	struct rt_timeline t = { .n = 0 };
	size_t i;

	for (i = 0; i < RT_SPANS_MOST + 2; i++) {
		frame.time = 1000 + i * 100;
		CU_ASSERT(rt_timeline_add(&t, &thread, &frame,
					  frame.time + (i == 5 || i == 9 ? 1 : 50), 900) == 0);
	}
	CU_ASSERT_EQUAL(t.n, RT_SPANS_MOST);
	CU_ASSERT_EQUAL(t.left_out, 2);
	rt_timeline_sort(&t);
	CU_ASSERT_EQUAL(t.v[0].began, 100);
	for (i = 0; i < t.n; i++)
		CU_ASSERT(t.v[i].took == 50 && (!i || t.v[i].began > t.v[i - 1].began));
	CU_ASSERT(rt_span_has_thread_of(&t.v[0], &t.v[1]));
	rt_timeline_free(&t);
}

CU_TestInfo rt_tests_profile[] = {
	{ "summary: recursion is in the total once", test_summary },
	{ "summary: a call that did not end", test_unfinished },
	{ "graph", test_graph },
	{ "graph: callers", test_callers },
	{ "summary: sorted by a column", test_sort },
	{ "folded: the weights add up to the outermost calls", test_folded },
	{ "callgrind: recursion levels are functions of their own", test_callgrind },
	{ "dot", test_dot },
	{ "json: a line a call", test_ndjson },
	{ "html: the page has the tree and the table", test_html },
	{ "html: the longest calls of a time line", test_timeline },
	{ "durations with their units", test_durations },
	CU_TEST_INFO_NULL,
};
