/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out_run.h"
#include "output/print.h"
#include "unit.h"

static const struct rt_plan no_args = { .kind = RT_KIND_ENTRY };
static const struct rt_plan no_result = { .kind = RT_KIND_RETURN };
static const struct rt_plan two_args = {
	.kind = RT_KIND_ENTRY,
	.nvalues = 2,
	.values = { { .size = 4, .is_signed = true }, { .size = 8 } },
};

/* The text that rt_args_print and rt_args_json give for one value, behind another. */
static void check_value(const struct rt_fetch *fetch, uint64_t word, const char *bytes,
			uint32_t faults, const char *print, const char *json)
{
	struct rt_plan plan = { .kind = RT_KIND_ENTRY,
				.nvalues = 2,
				.values = { { .size = 4 }, *fetch } };
	struct rt_values values = { .plan = &plan, .faults = faults };
	uint8_t *data =
		calloc(1, rt_plan_size(&plan)); /* exactly: a byte read past the end is found */
	char *text = NULL, *second;
	size_t size, len = bytes ? strlen(bytes) : 0;
	const struct rt_trace trace = { .string = 0 };
	struct rt_line line;
	bool some = false;

	memcpy(data + 4, &word, bytes ? 4 : fetch->size);
	memcpy(data + 8, bytes ? bytes : "", len < fetch->max ? len : fetch->max);
	values.data = data;
	rt_line_begin(&line, open_memstream(&text, &size));
	rt_args_print(&line, &trace, 1, 0, &values);
	rt_line_end(&line);
	fclose(line.file);
	second = strchr(text + 1, ' ');
	CU_ASSERT_PTR_NOT_NULL_FATAL(second);
	RT_ASSERT_TEXT(second + 1, print);
	free(text);
	rt_line_begin(&line, open_memstream(&text, &size));
	rt_args_json(&line, &trace, 1, 0, &values, &some);
	CU_ASSERT(some);
	rt_line_end(&line);
	fclose(line.file);
	second = strstr(text, "\"arg1\":");
	CU_ASSERT_PTR_NOT_NULL_FATAL(second);
	RT_ASSERT_TEXT(second + 7, json);
	free(text);
	free(data);
}

static void test_value_int(void)
{
	static const struct rt_fetch i4 = { .size = 4, .is_signed = true },
				     i8 = { .size = 8, .is_signed = true };
	static const struct rt_fetch u8 = { .size = 8 };

	check_value(&i4, 0, NULL, 0, "0", "0");
	check_value(&i4, 4, NULL, 1, "4", "4");		/* the fault is another value's */
	check_value(&i4, (uint64_t)-1, NULL, 0, "-1", "-1");
	check_value(&i4, 4, NULL, 2, "<unreadable>", "\"<unreadable>\"");
	check_value(&u8, UINT64_MAX, NULL, 0, "18446744073709551615", "\"18446744073709551615\"");
	check_value(&i8, UINT64_C(1) << 63, NULL, 0, "-9223372036854775808",
		    "\"-9223372036854775808\"");
	check_value(&i8, INT64_MAX, NULL, 0, "9223372036854775807", "\"9223372036854775807\"");
	check_value(&u8, UINT64_C(1) << 53, NULL, 0, "9007199254740992", "9007199254740992");
	check_value(&i8, -(UINT64_C(1) << 53), NULL, 0, "-9007199254740992", "-9007199254740992");
	check_value(&i8, -(UINT64_C(1) << 53) - 1, NULL, 0, "-9007199254740993",
		    "\"-9007199254740993\"");
}

static void test_value_string(void)
{
	static const struct rt_fetch s = { .type = RT_TYPE_STRING, .max = 16 };

	check_value(&s, 5, "text", 0, "\"text\"", "\"text\"");
	check_value(&s, 1, "", 0, "\"\"", "\"\"");
	check_value(&s, 0, "garbage", 0, "\"\"", "\"\"");
	check_value(&s, 4, "textmore", 0, "\"text\"", "\"text\""); /* no NUL: the length ends it */
	check_value(&s, 15, "0123456789abcd", 0, "\"0123456789abcd\"", "\"0123456789abcd\"");
	check_value(&s, 16, "0123456789abcde", 0, "\"0123456789abcde\"...",
		    "\"0123456789abcde...\"");
	check_value(&s, 16, "0123456789abcdefgh", 0, "\"0123456789abcdef\"...",
		    "\"0123456789abcdef...\"");
	check_value(&s, 1000, "0123456789abcde", 0, "\"0123456789abcde\"...",
		    "\"0123456789abcde...\"");
	check_value(&s, (uint64_t)-14, "text", 0, "<unreadable>", "\"<unreadable>\"");
	check_value(&s, 1, "", 2, "<unreadable>", "\"<unreadable>\"");
	check_value(&s, 5, "text", 2, "\"text\"...",
		    "\"text...\""); /* its next page could not be read */
	check_value(&s, 9, "text\0abc", 2, "\"text\"", "\"text\"");	/* it ends before that */
}

static void test_value_escapes(void)
{
	static const struct rt_fetch s = { .type = RT_TYPE_STRING, .max = 32 };

	check_value(&s, 9, "\n\t\"\\\001\033\177" "7", 0, "\"\\n\\t\\\"\\\\\\001\\033\\1777\"",
		    "\"\\n\\t\\\"\\\\\\u0001\\u001b\\u007f7\"");
	check_value(&s, 4, "a\r\n1", 0, "\"a\\r\\n1\"", "\"a\\r\\n1\"");
	check_value(&s, 7, "\xc3\xa9\xe2\x82\xac!", 0, "\"\xc3\xa9\xe2\x82\xac!\"",
		    "\"\xc3\xa9\xe2\x82\xac!\"");
	check_value(&s, 4, "\xe2\x82!", 0, "\"\\342\\202!\"", "\"\\ufffd\\ufffd!\"");
	check_value(&s, 3, "\xc2\x9b", 0, "\"\\302\\233\"", "\"\\u009b\"");	/* CSI */
	check_value(&s, 4, "\xe2\x80\xae", 0, "\"\\342\\200\\256\"",
		    "\"\\u202e\""); /* text runs to the left */
	check_value(&s, 4, "\xe2\x82\xac", 0, "\"\xe2\x82\xac\"", "\"\xe2\x82\xac\"");
}

/* Pieces that fill the line, go one past it, and are longer than it. */
static void test_line(void)
{
	enum { ROOM = sizeof(((struct rt_line *)NULL)->v) };
	char long_one[ROOM + 2], want[4 * ROOM], *got = NULL, *p = want;
	struct rt_line line;
	size_t size;
	int i;

	rt_line_begin(&line, open_memstream(&got, &size));
	for (i = 0; i < ROOM + 1; i++, *p++ = 'a')
		rt_line_char(&line, 'a');
	p += sprintf(p, "-9223372036854775808 18446744073709551615 0 9 10");
	rt_line_i64(&line, INT64_MIN);
	rt_line_char(&line, ' ');
	rt_line_u64(&line, UINT64_MAX);
	rt_line_text(&line, " 0 9 ");
	rt_line_i64(&line, 10);
	memset(long_one, 'b', ROOM + 1);
	long_one[ROOM + 1] = '\0';
	rt_line_text(&line, long_one);
	rt_line_bytes(&line, long_one, ROOM);
	rt_line_char(&line, 'c');
	rt_line_end(&line);
	fclose(line.file);
	memset(p, 'b', 2 * ROOM + 1);
	strcpy(p + 2 * ROOM + 1, "c");
	RT_ASSERT_TEXT(got, want);
	free(got);
}

/* Each number of digits, and of decimals. */
static void test_numbers(void)
{
	char want[2048], *got = NULL, *p = want;
	struct rt_line line;
	uint64_t v;
	size_t size;
	int i;

	rt_line_begin(&line, open_memstream(&got, &size));
	for (i = 0, v = 1; i < 20; i++, v *= 10) {
		p += sprintf(p, "%" PRIu64 " %" PRIu64 " %" PRIu64 ".%03u ", v - 1, v,
			     (v - 1) / 1000, (unsigned)((v - 1) % 1000));
		rt_line_u64(&line, v - 1);
		rt_line_char(&line, ' ');
		rt_line_u64(&line, v);
		rt_line_char(&line, ' ');
		rt_line_us(&line, v - 1);
		rt_line_char(&line, ' ');
	}
	rt_line_end(&line);
	fclose(line.file);
	RT_ASSERT_TEXT(got, want);
	free(got);
}

static void check_json(const char *text, size_t len, const char *want)
{
	char *got = NULL;
	size_t size;
	FILE *file = open_memstream(&got, &size);

	rt_json_string(file, text, len);
	fclose(file);
	RT_ASSERT_TEXT(got, want);
	free(got);
}

static void test_json(void)
{
	check_json("", 0, "\"\"");
	check_json("a\0b", 3, "\"a\\u0000b\"");
	check_json("\r\n\t\b\"\\/", 7, "\"\\r\\n\\t\\u0008\\\"\\\\/\"");
	check_json("\xf0\x9f\x98\x80", 4, "\"\xf0\x9f\x98\x80\"");
	check_json("\xf0\x9f\x98\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"");	/* ends in the middle */
	check_json("\xc0\x80", 2, "\"\\ufffd\\ufffd\"");		/* overlong */
	check_json("\xe0\x9f\xbf\xf0\x8f\xbf\xbf", 7,
		   "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"");
	check_json("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"");	/* a surrogate */
	check_json("\xed\x9f\xbf\xef\xbf\xbf", 6, "\"\xed\x9f\xbf\xef\xbf\xbf\"");
	check_json("\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");	/* past U+10FFFF */
	check_json("\xf4\x8f\xbf\xbf", 4, "\"\xf4\x8f\xbf\xbf\"");
	check_json("\xc3(", 2, "\"\\ufffd(\"");
	check_json("\xc2\x80\xc2\x9f\xc2\xa0", 6, "\"\\u0080\\u009f\xc2\xa0\"");
	check_json("\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8\xe2\x81\xa9", 11,
		   "\"\\u061c\\u200f\\u2028\\u2069\"");
}

static void test_find(void)
{
	struct rt_trace trace = { .functions = &run_functions };
	struct rt_sink out = { .trace = &trace };
	unsigned i;

	CU_ASSERT(rt_format_find("tree") == &rt_sink_tree);
	CU_ASSERT(rt_format_find("chrome") == &rt_sink_chrome);
	CU_ASSERT(rt_format_find("tre") == NULL);
	CU_ASSERT(rt_format_find("") == NULL);
	for (i = 0; rt_format_at(i); i++) {
		CU_ASSERT(rt_sink_find(rt_format_at(i)->name) == rt_format_at(i));
		CU_ASSERT(rt_format_at(i)->help != NULL);
	}
	CU_ASSERT(i == 13);
	CU_ASSERT(rt_sink_find("hist") == &rt_sink_hist);
	CU_ASSERT(rt_format_find("hist") == NULL);
	RT_ASSERT_TEXT(rt_sink_function(&out, 0), "fib");
	RT_ASSERT_TEXT(rt_sink_function(&out, 2), "?");
	RT_ASSERT_TEXT(rt_sink_function(&out, RT_NO_FUNCTION), "?");
	trace.functions = NULL;
	RT_ASSERT_TEXT(rt_sink_function(&out, 0), "?");
}

/* As racket/trace prints them. */
static void test_tree_levels(void)
{
	static const char want[] =
		">(fib 0)\n"
		"> (fib 1)\n"
		"> >(fib 2)\n"
		"> > (fib 3)\n"
		"> > >(fib 4)\n"
		"> > > (fib 5)\n"
		"> > > >(fib 6)\n"
		"> > > > (fib 7)\n"
		"> > > > >(fib 8)\n"
		"> > > > > (fib 9)\n"
		"> > > >[10] (fib 10)\n"
		"> > > >[11] (fib 11)\n"
		"> > > >[12] (fib 12)\n"
		"> > > >[13] (fib 13)\n"
		"> > > >[14] (fib 14)\n"
		"> > > >[15] (fib 15)\n"
		"> > > >[16] (fib 16)\n"
		"> > > >[17] (fib 17)\n"
		"> > > >[18] (fib 18)\n"
		"> > > >[19] (fib 19)\n"
		"> > > >[20] (fib 20)\n"
		"> > > >[21] (fib 21)\n"
		"> > > >[22] (fib 22)\n"
		"> > > >[23] (fib 23)\n"
		"> > > >[24] (fib 24)\n"
		"> > > >[25] (fib 25)\n"
		"< < < <[25] 25\n"
		"< < < <[24] 24\n"
		"< < < <[23] 23\n"
		"< < < <[22] 22\n"
		"< < < <[21] 21\n"
		"< < < <[20] 20\n"
		"< < < <[19] 19\n"
		"< < < <[18] 18\n"
		"< < < <[17] 17\n"
		"< < < <[16] 16\n"
		"< < < <[15] 15\n"
		"< < < <[14] 14\n"
		"< < < <[13] 13\n"
		"< < < <[12] 12\n"
		"< < < <[11] 11\n"
		"< < < <[10] 10\n"
		"< < < < < 9\n"
		"< < < < <8\n"
		"< < < < 7\n"
		"< < < <6\n"
		"< < < 5\n"
		"< < <4\n"
		"< < 3\n"
		"< <2\n"
		"< 1\n"
		"<0\n";
	struct run run;
	int i;

	run_begin(&run, "tree", NULL);
	for (i = 0; i <= 25; i++)
		run_call(&run, 1, 2000, 9000 - 100 * (uint64_t)i, i);
	for (i = 25; i >= 0; i--)
		run_ret(&run, 1, 3000, 9000 - 100 * (uint64_t)i, i);
	run_finish(&run, want);
}

static void test_tree_values(void)
{
	static const int64_t two[] = { -4, -1 };
	struct run run;

	run_begin(&run, "tree", NULL);
	run_hit(&run, &two_args, 1, 0, 2000, 900, true, two);
	run_hit(&run, &no_args, 1, 0, 2100, 800, true, two);
	run_hit(&run, &no_result, 1, 0, 2200, 800, true, two);
	run_hit(&run, &two_args, 1, 7, 2300, 800, false, two);
	run_ret(&run, 1, 2400, 900, 3);
	run_finish(&run, ">(fib -4 18446744073709551615)\n"
		     "> (fib)\n"
		     "< #<void>\n"
		     "> (? -4 18446744073709551615)\n"
		     "<3\n");
}

static void test_tree_marks(void)
{
	struct run run;

	run_begin(&run, "tree", NULL);
	run_ret(&run, 1, 2000, 950, 2);
	run_call(&run, 1, 2000, 900, 1);
	run_ret(&run, 1, 2000, 850, 5);
	run_call(&run, 1, 2000, 800, 2);
	run_call(&run, 1, 2000, 700, 3);
	run_lost(&run, 2000, 12);
	run_call(&run, 1, 2000, 750, 4);
	run_lost(&run, 2000, 1);
	run_lost(&run, 2000, 0);
	run_exit(&run, 1, 2000);
	CU_ASSERT(rt_sinks_note(&run.sinks, "fib: a remark") == 0);
	run_call(&run, 1, 2000, 900, 5);
	run_call(&run, 1, 2000, 800, 6);
	run_hit(&run, &no_result, 1, RT_NO_FUNCTION, 2000, 700, true, NULL);
	CU_ASSERT(rt_stack_end(run.stack, 3000) == 0);
	run_finish(&run, "<2  *** call of fib not seen ***\n"
		     ">(fib 1)\n"
		     "< 5  *** call of fib not seen ***\n"
		     "> (fib 2)\n"
		     "> >(fib 3)\n"
		     "*** 12 events lost ***\n"
		     "< <*** return not seen ***\n"
		     "> >(fib 4)\n"
		     "*** 1 event lost ***\n"
		     "*** events lost ***\n"
		     "< <*** thread exited ***\n"
		     "< *** thread exited ***\n"
		     "<*** thread exited ***\n"
		     "rawtrace: fib: a remark\n"
		     ">(fib 5)\n"
		     "> (fib 6)\n"
		     "< <#<void>  *** call of ? not seen ***\n"
		     "< *** unfinished ***\n"
		     "<*** unfinished ***\n");
}

static void test_tree_threads(void)
{
	struct run run;

	run_begin(&run, "tree", NULL);
	run_call(&run, 1234, 2000, 900, 4);
	run_comm(&run, 99, "quiet");	/* a thread without calls is no reason for the column */
	run_call(&run, 1234, 2000, 800, 3);
	run_call(&run, 1235, 2000, 900, 9);
	run_ret(&run, 1234, 2000, 800, 2);
	run_lost(&run, 2000, 3);
	CU_ASSERT(rt_sinks_note(&run.sinks, "a remark") == 0);
	run_ret(&run, 1235, 2000, 900, 8);
	run_ret(&run, 1234, 2000, 900, 3);
	run_finish(&run, ">(fib 4)\n"
		     "> (fib 3)\n"
		     "[1235] >(fib 9)\n"
		     "[1234] < 2\n"
		     "*** 3 events lost ***\n"
		     "rawtrace: a remark\n"
		     "[1235] <8\n"
		     "[1234] <3\n");
}

static void test_chrome_empty(void)
{
	struct run run;

	run_begin(&run, "chrome", NULL);
	run_finish(&run, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
		     "],\"otherData\":{\"producer\":\"rawtrace\",\"lost\":0,\"notes\":[]}}\n");
}

#define HEAD "{\"displayTimeUnit\":\"ns\",\"traceEvents\":["

static void test_chrome_calls(void)
{
	static const int64_t two[] = { -4, -1 };
	struct run run;

	run_begin(&run, "chrome", "./fib \"4\"");
	run_hit(&run, &two_args, 8, 0, 1001, 900, true, two);
	run_call(&run, 8, 2345678, 800, 3);
	run_ret(&run, 8, 2345690, 800, 2);
	run_hit(&run, &no_args, 8, 1, 2400000, 800, false, two);
	run_ret(&run, 8, 3000000, 900, 5);
	CU_ASSERT(rt_sinks_note(&run.sinks, "one\n") == 0);
	CU_ASSERT(rt_sinks_note(&run.sinks, "two") == 0);
	run_finish(
		&run, HEAD
		"\n{\"ph\":\"X\",\"pid\":7,\"tid\":8,\"ts\":2344.678,\"dur\":0.012,\"name\":"
		"\"fib\","
		"\"args\":{\"arg0\":3,\"result\":2}},\n"
		"{\"ph\":\"i\",\"pid\":7,\"tid\":8,\"ts\":2399.000,\"s\":\"t\","
		"\"name\":\"a\\\"\\\\\\n\\ufffd\",\"args\":{}},\n"
		"{\"ph\":\"X\",\"pid\":7,\"tid\":8,\"ts\":0.001,\"dur\":2998.999,\"name\":\"fib\","
		"\"args\":{\"arg0\":-4,\"arg1\":\"18446744073709551615\",\"result\":5}},\n"
		"{\"ph\":\"M\",\"pid\":7,\"tid\":8,\"name\":\"process_name\",\"args\":{\"name\":\"."
		"/fib \\\"4\\\"\"}},\n"
		"{\"ph\":\"M\",\"pid\":7,\"tid\":8,\"name\":\"thread_name\",\"args\":{\"name\":\"./"
		"fib \\\"4\\\"\"}}\n"
		"],\"otherData\":{\"producer\":\"rawtrace\",\"command\":\"./fib "
		"\\\"4\\\"\",\"lost\":0,"
		"\"notes\":[\"one\\n\",\"two\"]}}\n");
}

/* A string of a call that is left long after, when others have been entered and left in between. */
static void test_chrome_keeps_args(void)
{
	static const struct rt_plan plan = {
		.kind = RT_KIND_ENTRY,
		.nvalues = 2,
		.values = { { .type = RT_TYPE_STRING, .max = 8 },
			    { .size = 4, .is_signed = true } },
	};
	int64_t values[3] = { 4, 0, -9 };
	struct run run;
	char want[96];
	int i;

	run_begin(&run, "chrome", NULL);
	for (i = 0; i < 100; i++) {
		snprintf((char *)&values[1], 8, "%03d", i);
		run_hit(&run, &plan, 7, 0, 2000, 9000 - 10 * (uint64_t)i, true, values);
		run_call(&run, 7, 2000, 5, i);
		run_ret(&run, 7, 2000, 5, i);
	}
	CU_ASSERT(rt_stack_end(run.stack, 3000) == 0);
	fflush(run.sink->file);
	for (i = 0; i < 100; i++) {
		snprintf(want, sizeof(want),
			 "{\"arg0\":\"%03d\",\"arg1\":-9,\"unfinished\":\"unfinished\"}", i);
		CU_ASSERT(strstr(run.text, want) != NULL);
		snprintf(want, sizeof(want), "{\"arg0\":%d,\"result\":%d}", i, i);
		CU_ASSERT(strstr(run.text, want) != NULL);
	}
	run_free(&run);
	rt_stack_free(run.stack);
	free(run.text);
}

static void test_chrome_marks(void)
{
	struct run run;

	run_begin(&run, "chrome", NULL);
	run_comm(&run, 7, "comm");
	run_lost(&run, 500, 1);		/* before the trace began */
	run_ret(&run, 7, 2000, 900, 2);
	run_call(&run, 7, 3000, 900, 1);
	run_call(&run, 7, 4000, 800, 2);
	run_call(&run, 7, 5000, 850, 3);
	run_lost(&run, 5500, 12);
	run_exit(&run, 7, 6000);
	run_call(&run, 7, 7000, 900, 4);
	CU_ASSERT(rt_stack_end(run.stack, 8000) == 0);
	run_finish(&run, HEAD
		   "\n{\"ph\":\"i\",\"pid\":0,\"tid\":0,\"ts\":0.000,\"s\":\"g\",\"name\":\"1 "
		   "event lost\",\"args\":{}},\n"
		   "{\"ph\":\"i\",\"pid\":7,\"tid\":7,\"ts\":1.000,\"s\":\"t\",\"name\":\"fib\","
		   "\"args\":{\"result\":2,\"unseen\":\"call\"}},\n"
		   "{\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":3.000,\"dur\":1.000,\"name\":\"fib\","
		   "\"args\":{\"arg0\":2,\"unfinished\":\"return not seen\"}},\n"
		   "{\"ph\":\"i\",\"pid\":7,\"tid\":7,\"ts\":4.500,\"s\":\"g\",\"name\":\"12 "
		   "events lost\",\"args\":{}},\n"
		   "{\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":4.000,\"dur\":1.000,\"name\":\"fib\","
		   "\"args\":{\"arg0\":3,\"unfinished\":\"thread exited\"}},\n"
		   "{\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":2.000,\"dur\":3.000,\"name\":\"fib\","
		   "\"args\":{\"arg0\":1,\"unfinished\":\"thread exited\"}},\n"
		   "{\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":6.000,\"dur\":1.000,\"name\":\"fib\","
		   "\"args\":{\"arg0\":4,\"unfinished\":\"unfinished\"}},\n"
		   "{\"ph\":\"M\",\"pid\":7,\"tid\":7,\"name\":\"process_name\",\"args\":{\"name\":"
		   "\"comm\"}},\n"
		   "{\"ph\":\"M\",\"pid\":7,\"tid\":7,\"name\":\"thread_name\",\"args\":{\"name\":"
		   "\"comm\"}}\n"
		   "],\"otherData\":{\"producer\":\"rawtrace\",\"lost\":13,\"notes\":[]}}\n");
}

/*
 * A clock that steps back must not make a call end before it began, or stick out of the one around
 * it.
 */
static void test_chrome_clock(void)
{
	struct run run;

	run_begin(&run, "chrome", NULL);
	run_call(&run, 7, 5000, 900, 1);
	run_call(&run, 7, 4000, 800, 2);
	run_ret(&run, 7, 6000, 800, 3);
	run_ret(&run, 7, 3000, 900, 4);
	run_finish(
		&run, HEAD
		"\n{\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":4.000,\"dur\":1.000,\"name\":\"fib\","
		"\"args\":{\"arg0\":2,\"result\":3}},\n"
		"{\"ph\":\"X\",\"pid\":7,\"tid\":7,\"ts\":4.000,\"dur\":1.000,\"name\":\"fib\","
		"\"args\":{\"arg0\":1,\"result\":4}},\n"
		"{\"ph\":\"M\",\"pid\":7,\"tid\":7,\"name\":\"process_name\",\"args\":{\"name\":\"?"
		"\"}},\n"
		"{\"ph\":\"M\",\"pid\":7,\"tid\":7,\"name\":\"thread_name\",\"args\":{\"name\":\"?"
		"\"}}\n"
		"],\"otherData\":{\"producer\":\"rawtrace\",\"lost\":0,\"notes\":[]}}\n");
}

/*
 * The names are those that the threads have at the end; a process's is the traced command's, or
 * that of its leader.
 */
static void test_chrome_names(void)
{
	struct rt_event forked = { .type = RT_EV_FORK, .time = 2000, .pid = 7, .tid = 7 };
	struct run run;

	run_begin(&run, "chrome", "./fib");
	run_hit(&run, &no_args, 9, 0, 2000, 900, false, NULL);
	run_hit(&run, &no_args, 7, 0, 2000, 900, false, NULL);
	run_comm(&run, 7, "fib");
	run_hit(&run, &no_args, 7, 0, 2000, 900, false, NULL);
	forked.fork.pid = 20;
	forked.fork.tid = 20;
	CU_ASSERT(rt_stack_event(run.stack, &forked) == 0);
	CU_ASSERT(rt_stack_thread(run.stack, 20, 20) != NULL);
	run.sink->ops->enter(run.sink, rt_stack_thread(run.stack, 20, 20),
			     &(struct rt_frame){ .time = 2000 },
			     &(struct rt_values){ .plan = NULL });
	run_finish(&run, HEAD "\n{\"ph\":\"i\",\"pid\":7,\"tid\":9,\"ts\":1.000,\"s\":\"t\","
			      "\"name\":\"fib\",\"args\":{}},\n"
			      "{\"ph\":\"i\",\"pid\":7,\"tid\":7,\"ts\":1.000,\"s\":\"t\",\"name\":"
			      "\"fib\",\"args\":{}},\n"
			      "{\"ph\":\"i\",\"pid\":7,\"tid\":7,\"ts\":1.000,\"s\":\"t\",\"name\":"
			      "\"fib\",\"args\":{}},\n"
			      "{\"ph\":\"i\",\"pid\":20,\"tid\":20,\"ts\":1.000,\"s\":\"t\","
			      "\"name\":\"fib\",\"args\":{}},\n"
			      "{\"ph\":\"M\",\"pid\":7,\"tid\":7,\"name\":\"process_name\","
			      "\"args\":{\"name\":\"./fib\"}},\n"
			      "{\"ph\":\"M\",\"pid\":7,\"tid\":7,\"name\":\"thread_name\",\"args\":"
			      "{\"name\":\"fib\"}},\n"
			      "{\"ph\":\"M\",\"pid\":7,\"tid\":9,\"name\":\"thread_name\",\"args\":"
			      "{\"name\":\"./fib\"}},\n"
			      "{\"ph\":\"M\",\"pid\":20,\"tid\":20,\"name\":\"process_name\","
			      "\"args\":{\"name\":\"fib\"}},\n"
			      "{\"ph\":\"M\",\"pid\":20,\"tid\":20,\"name\":\"thread_name\","
			      "\"args\":{\"name\":\"fib\"}}\n"
			      "],\"otherData\":{\"producer\":\"rawtrace\",\"command\":\"./"
			      "fib\",\"lost\":0,\"notes\":[]}}\n");
}

CU_TestInfo rt_tests_output[] = {
	{ "integers", test_value_int },
	{ "strings", test_value_string },
	{ "escapes in strings", test_value_escapes },
	{ "JSON strings", test_json },
	{ "lines of pieces", test_line },
	{ "numbers in lines", test_numbers },
	{ "formats and functions by name", test_find },
	{ "tree: levels", test_tree_levels },
	{ "tree: values", test_tree_values },
	{ "tree: marks", test_tree_marks },
	{ "tree: threads", test_tree_threads },
	{ "chrome: nothing traced", test_chrome_empty },
	{ "chrome: calls", test_chrome_calls },
	{ "chrome: arguments kept until the end", test_chrome_keeps_args },
	{ "chrome: marks", test_chrome_marks },
	{ "chrome: a clock that steps back", test_chrome_clock },
	{ "chrome: names", test_chrome_names },
	CU_TEST_INFO_NULL,
};
