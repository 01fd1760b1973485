/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/tracefs_page.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "unit.h"
#include "base/clean.h"

#define COMMON \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char uretprobe[] =
	"name: fib_ret\nID: 1789\nformat:\n" COMMON
	"\tfield:unsigned long __probe_func;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long __probe_ret_ip;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 arg1;\toffset:24;\tsize:8;\tsigned:1;\n"
	"\tfield:__data_loc char[] arg2;\toffset:32;\tsize:4;\tsigned:1;\n"
	"\tfield:u8 arg3[4];\toffset:36;\tsize:4;\tsigned:0;\n"
	"\tfield:u8 grid[2][3];\toffset:40;\tsize:6;\tsigned:0;\n"
	"\tfield:const char *text;\toffset:48;\tsize:8;\tsigned:0;\n"
	"\n"
	"print fmt: \"(%lx <- %lx) arg1=%lld\", REC->__probe_func, REC->__probe_ret_ip, REC->arg1\n"
	"\tfield:this is no field at all\n";

static void expect_field(const struct rt_format *f, const char *name, unsigned offset,
			 unsigned size, bool is_signed, bool data_loc)
{
	const struct rt_field *field = rt_format_field(f, name);

	CU_ASSERT_PTR_NOT_NULL_FATAL(field);
	RT_ASSERT_TEXT(field->name, name);
	CU_ASSERT_EQUAL(field->offset, offset);
	CU_ASSERT_EQUAL(field->size, size);
	CU_ASSERT_EQUAL(field->is_signed, is_signed);
	CU_ASSERT_EQUAL(field->data_loc, data_loc);
}

static void test_format(void)
{
	struct rt_format f;

	CU_ASSERT_EQUAL_FATAL(rt_format_parse(uretprobe, "fib_ret/format", &f, NULL), 0);
	RT_ASSERT_TEXT(f.name, "fib_ret");
	CU_ASSERT_EQUAL(f.id, 1789);
	CU_ASSERT_EQUAL(f.nfields, 11);
	expect_field(&f, "common_type", 0, 2, false, false);
	expect_field(&f, "common_pid", 4, 4, true, false);
	expect_field(&f, "__probe_func", 8, 8, false, false);
	expect_field(&f, "__probe_ret_ip", 16, 8, false, false);
	expect_field(&f, "arg1", 24, 8, true, false);
	expect_field(&f, "arg2", 32, 4, true, true);
	expect_field(&f, "arg3", 36, 4, false, false);
	expect_field(&f, "grid", 40, 6, false, false);
	expect_field(&f, "text", 48, 8, false, false);
	CU_ASSERT_PTR_NULL(rt_format_field(&f, "arg4"));
	CU_ASSERT_PTR_NULL(rt_format_field(&f, ""));
	rt_format_free(&f);
	CU_ASSERT_PTR_NULL(f.fields);
	rt_format_free(&f);
}

/* More fields than the first room of the array, and a text that ends without a newline. */
static void test_many_fields(void)
{
	char text[8192], name[16];
	struct rt_format f;
	size_t n;
	unsigned i;

	n = (size_t)snprintf(text, sizeof(text), "name: many\nID: 65535\nformat:\n" COMMON);
	for (i = 0; i < 100; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "\tfield:u64 arg%u;\toffset:%u;\tsize:8;\tsigned:0;%s", i,
				      8 + 8 * i, i < 99 ? "\n" : "");
	CU_ASSERT_EQUAL_FATAL(rt_format_parse(text, "many", &f, NULL), 0);
	CU_ASSERT_EQUAL(f.id, 65535);
	CU_ASSERT_EQUAL(f.nfields, 104);
	for (i = 0; i < 100; i += 33) {
		snprintf(name, sizeof(name), "arg%u", i);
		expect_field(&f, name, 8 + 8 * i, 8, false, false);
	}
	rt_format_free(&f);
}

/* `line` in the place of a format's fourth line must be refused, by its number and its text. */
static void expect_bad_line(const char *line)
{
	char text[1024], want[1024];
	struct rt_error err = { .status = 0 };
	struct rt_format f;

	snprintf(text, sizeof(text), "name: x\nID: 5\nformat:\n\t%s\n", line);
	CU_ASSERT_EQUAL(rt_format_parse(text, "x/format", &f, &err), -EBADMSG);
	CU_ASSERT_EQUAL(err.status, RT_EXIT_FAILURE);
	CU_ASSERT_PTR_NULL(f.fields);
	snprintf(want, sizeof(want), "x/format, line 4: \"\t%.90s", line);
	rt_make_printable(want);
	err.text[strlen(want)] = '\0';
	RT_ASSERT_TEXT(err.text, want);
}

static void test_broken_lines(void)
{
	expect_bad_line("field:int a");
	expect_bad_line("field:;\toffset:0;\tsize:4;\tsigned:1;");
	expect_bad_line("field:int ];\toffset:0;\tsize:4;\tsigned:1;");
	expect_bad_line("field:int [4];\toffset:0;\tsize:4;\tsigned:1;");
	expect_bad_line("field:int a*;\toffset:0;\tsize:4;\tsigned:1;");
	expect_bad_line("field:int a;\tsize:4;\tsigned:1;");
	expect_bad_line("field:int a;\toffset:0;\tsigned:1;");
	expect_bad_line("field:int a;\toffset:-1;\tsize:4;\tsigned:1;");
	expect_bad_line("field:int a;\toffset:0x4;\tsize:4;\tsigned:1;");
	expect_bad_line("field:int a;\toffset:65536;\tsize:4;\tsigned:1;");
	expect_bad_line("field:int a;\toffset:0;\tsize:65536;\tsigned:1;");
	expect_bad_line("field:int a;\toffset:18446744073709551616;\tsize:4;\tsigned:1;");
	expect_bad_line("field:__data_loc char[] a;\toffset:8;\tsize:8;\tsigned:1;");
	expect_bad_line(
		"field:int a123456789012345678901234567890123456789012345678901234567890123;"
		"\toffset:0;\tsize:4;\tsigned:1;");
	expect_bad_line("ID: 0");
	expect_bad_line("ID: 65536");
	expect_bad_line("ID: -1");
	expect_bad_line("ID: 5x");
	expect_bad_line("name:");
}

static void expect_missing(const char *text, const char *want)
{
	struct rt_error err;
	struct rt_format f;

	CU_ASSERT_EQUAL(rt_format_parse(text, "x", &f, &err), -EBADMSG);
	err.text[strlen(want)] = '\0';
	RT_ASSERT_TEXT(err.text, want);
	CU_ASSERT_PTR_NULL(f.fields);
}

static void test_missing_parts(void)
{
	expect_missing("", "x: no name");
	expect_missing("ID: 5\nformat:\n" COMMON, "x: no name");
	expect_missing("name: a\nformat:\n" COMMON, "x: no ID");
	expect_missing("name: a\nID: 5\nformat:\nprint fmt: \"\"\n", "x: no fields");
}

static void test_layout(void)
{
	struct rt_page_layout layout;

	CU_ASSERT_EQUAL(
		rt_page_layout_parse("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				     "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				     "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
				     "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n",
				     &layout, NULL),
		0);
	CU_ASSERT_EQUAL(layout.timestamp, 0);
	CU_ASSERT_EQUAL(layout.commit, 8);
	CU_ASSERT_EQUAL(layout.commit_size, 8);
	CU_ASSERT_EQUAL(layout.data, 16);
	CU_ASSERT_EQUAL(layout.page, 4096);
	/* 32 bits; a sub-buffer of many pages (6.8) */
	CU_ASSERT_EQUAL(
		rt_page_layout_parse("\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				     "\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
				     "\tfield: char data;\toffset:12;\tsize:524276;\tsigned:1;\n",
				     &layout, NULL),
		0);
	CU_ASSERT_EQUAL(layout.commit_size, 4);
	CU_ASSERT_EQUAL(layout.data, 12);
	CU_ASSERT_EQUAL(layout.page, 524288);
}

static void expect_bad_layout(const char *stamp, const char *commit, const char *data)
{
	struct rt_page_layout layout;
	struct rt_error err = { .status = 0 };
	char text[512];

	snprintf(text, sizeof(text), "%s%s%s", stamp, commit, data);
	CU_ASSERT_EQUAL(rt_page_layout_parse(text, &layout, &err), -EBADMSG);
	CU_ASSERT_EQUAL(err.status, RT_EXIT_FAILURE);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "events/header_page"));
}

static void test_broken_layout(void)
{
	static const char stamp[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n";
	static const char commit[] = "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n";
	static const char data[] = "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

	expect_bad_layout("", "", "");
	expect_bad_layout(stamp, commit, "");
	expect_bad_layout(stamp, "", data);
	expect_bad_layout("", commit, data);
	expect_bad_layout(stamp, commit, "\tfield: char data;\toffset:16;\tsize:0;\tsigned:1;\n");
	expect_bad_layout(stamp, commit,
			  "\tfield: char data;\toffset:15;\tsize:4080;\tsigned:1;\n");
	expect_bad_layout(stamp, commit,
			  "\tfield: char data;\toffset:70000;\tsize:4080;\tsigned:1;\n");
	expect_bad_layout(stamp, "\tfield: local_t commit;\toffset:8;\tsize:2;\tsigned:1;\n", data);
	expect_bad_layout(stamp, "\tfield: local_t commit;\toffset:12;\tsize:8;\tsigned:1;\n",
			  data);
	expect_bad_layout("\tfield: u64 timestamp;\toffset:0;\tsize:4;\tsigned:0;\n", commit, data);
	expect_bad_layout("\tfield: u64 timestamp;\toffset:9;\tsize:8;\tsigned:0;\n", commit, data);
}

CU_TestInfo rt_tests_tracefs_format[] = {
	{ "a uretprobe's format", test_format },
	{ "many fields", test_many_fields },
	{ "broken lines", test_broken_lines },
	{ "missing parts", test_missing_parts },
	{ "page layout", test_layout },
	{ "broken page layout", test_broken_layout },
	CU_TEST_INFO_NULL,
};
