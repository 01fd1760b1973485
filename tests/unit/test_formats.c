/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats in bytes, read back without their libraries. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "out_run.h"
#include "unit.h"

static bool is_text(const uint8_t *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n && isprint(bytes[i]); i++)
		;
	return n && i == n;
}

/* A protobuf message as protoc --decode_raw prints it, on one line: 1:5 2:"text" 3{1:2}. */
static void dump(FILE *out, const uint8_t *bytes, size_t n)
{
	struct rt_reader in = { bytes, bytes + n, false };
	const char *blank = "";

	while (in.at < in.end && !in.bad) {
		uint64_t tag = rt_read_number(&in), value = rt_read_number(&in);
		const uint8_t *part;

		fprintf(out, "%s%" PRIu64, blank, tag >> 3);
		blank = " ";
		if ((tag & 7) == 0) {
			fprintf(out, ":%" PRIu64, value);
			continue;
		}
		CU_ASSERT((tag & 7) == 2);
		part = rt_read_bytes(&in, value);
		if (!part)
			break;
		if (is_text(part, value)) {
			fprintf(out, ":\"%.*s\"", (int)value, (const char *)part);
			continue;
		}
		fputc('{', out);
		dump(out, part, value);
		fputc('}', out);
	}
	CU_ASSERT(!in.bad);
}

/* Each field of the outermost message on a line; malloced. */
static char *dump_lines(const char *bytes, size_t n)
{
	struct rt_reader in = { (const uint8_t *)bytes, (const uint8_t *)bytes + n, false };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	while (in.at < in.end && !in.bad) {
		const uint8_t *begin = in.at;
		uint64_t tag = rt_read_number(&in), value = rt_read_number(&in);

		if ((tag & 7) == 2)
			rt_read_bytes(&in, value);
		if (in.bad)
			break;
		dump(out, begin, (size_t)(in.at - begin));
		fputc('\n', out);
	}
	CU_ASSERT(!in.bad);
	fclose(out);
	return text;
}

static void test_perfetto(void)
{
	struct run run;
	char *text;

	run_begin(&run, "perfetto", "./fib");
	run_comm(&run, 7, "name");
	run_call(&run, 7, 1001, 0x900, 3);
	run_call(&run, 7, 1002, 0x800, -1);
	run_ret(&run, 7, 1003, 0x800, 1);
	run_lost(&run, 1004, 3);
	run_exit(&run, 7, 1005);
	CU_ASSERT(rt_sinks_note(&run.sinks, "a remark") == 0);
	CU_ASSERT(rt_sinks_end(&run.sinks) == 0);
	run_free(&run);
	text = dump_lines(run.text, run.size);
	RT_ASSERT_TEXT(text,
		       "1{8:1001 10:1 13:3 60{1:7 3{1:7 6:\"fib\"}}}\n"
		       "1{8:1001 10:1 13:2 60{1:29360135 5:7 4{1:7 2:7 5:\"name\"}}}\n"
		       "1{8:1001 10:1 13:2 12{2{1:2 2:\"fib\"}} "
		       "11{9:1 11:29360135 10:2 4{4:3 10:\"arg0\"}}}\n"
		       "1{8:1002 10:1 13:2 "
		       "11{9:1 11:29360135 10:2 4{4:18446744073709551615 10:\"arg0\"}}}\n"
		       "1{8:1003 10:1 13:2 11{9:2 11:29360135 4{4:1 10:\"result\"}}}\n"
		       "1{8:1004 10:1 13:2 60{1:4611686018427387904 2:\"rawtrace\"}}\n"
		       "1{8:1004 10:1 13:2 11{9:3 11:4611686018427387904 23:\"3 events lost\"}}\n"
		       "1{8:1005 10:1 13:2 11{9:2 11:29360135 4{6:\"thread exited\" 10:\"end\"}}}\n"
		       "1{8:1005 10:1 13:2 11{9:3 11:4611686018427387904 23:\"a remark\"}}\n"
		       "1{8:1005 10:1 13:2 60{1:29360135 5:7 4{1:7 2:7 5:\"name\"}}}\n");
	free(text);
	free(run.text);
	rt_stack_free(run.stack);
}

/* Opening and closing events nest, also of calls without an end or a begin. */
static void test_speedscope(void)
{
	struct run run;

	run_begin(&run, "speedscope", "./fib");
	CU_ASSERT(rt_sinks_note(&run.sinks, "a \"remark\"") == 0);
	run_comm(&run, 7, "name");
	run_ret(&run, 7, 1000, 0x900, 1);
	run_call(&run, 7, 1010, 0x900, 3);
	run_call(&run, 8, 1011, 0x5000, 3);
	run_call(&run, 7, 1020, 0x800, 2);
	run_ret(&run, 7, 1030, 0x800, 1);
	run_lost(&run, 1040, 3);
	CU_ASSERT(rt_stack_end(run.stack, 1050) == 0);
	run_finish(&run,
		   "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
		   "\"exporter\":\"rawtrace; a \\\"remark\\\"\","
		   "\"name\":\"./fib *** 3 events lost ***\",\"shared\":{\"frames\":"
		   "[{\"name\":\"?\"},\n{\"name\":\"fib\"},\n{\"name\":\"a\\\"\\\\\\n\\ufffd\"}]},"
		   "\"profiles\":[\n"
		   "{\"type\":\"evented\",\"name\":\"name 7\",\"unit\":\"nanoseconds\","
		   "\"startValue\":10,\"endValue\":50,\"events\":[\n"
		   "{\"type\":\"O\",\"at\":10,\"frame\":1},\n"
		   "{\"type\":\"O\",\"at\":20,\"frame\":1},\n"
		   "{\"type\":\"C\",\"at\":30,\"frame\":1},\n"
		   "{\"type\":\"C\",\"at\":50,\"frame\":1}]},\n"
		   "{\"type\":\"evented\",\"name\":\"./fib 8\",\"unit\":\"nanoseconds\","
		   "\"startValue\":11,\"endValue\":50,\"events\":[\n"
		   "{\"type\":\"O\",\"at\":11,\"frame\":1},\n"
		   "{\"type\":\"C\",\"at\":50,\"frame\":1}]}]}\n");
}

/* fib 3 { fib 2 {} }: samples with calls and self time, the innermost function first. */
static void test_pprof(void)
{
	struct run run;
	uint32_t crc, size;
	char *text;
	size_t n;

	run_begin(&run, "pprof", "./fib");
	CU_ASSERT(rt_sinks_note(&run.sinks, "a remark") == 0);
	run_comm(&run, 7, "name");
	run_call(&run, 7, 1000, 0x900, 3);
	run_call(&run, 7, 1010, 0x800, 2);
	run_ret(&run, 7, 1030, 0x800, 1);
	run_ret(&run, 7, 1100, 0x900, 2);
	CU_ASSERT(rt_sinks_end(&run.sinks) == 0);
	run_free(&run);
	/* gzip: header of 10 bytes, one stored block with 5 bytes before it, CRC and size */
	CU_ASSERT_FATAL(run.size > 23);
	n = run.size - 23;
	memcpy(&crc, run.text + run.size - 8, 4);
	memcpy(&size, run.text + run.size - 4, 4);
	CU_ASSERT(size == n && crc == rt_crc32((const uint8_t *)run.text + 15, n));
	text = dump_lines(run.text + 15, n);
	RT_ASSERT_TEXT(text,
		       "1{1:1 2:2}\n"
		       "1{1:3 2:4}\n"
		       "14:3\n"
		       "3{1:1 5:6 7:1}\n"
		       "5{1:1 2:8}\n"
		       "4{4{1:1} 1:1 2:1}\n"
		       "2{1:1 2:1 2:80 3{1:5 2:7}}\n"
		       "2{1:1 1:1 2:1 2:20 3{1:5 2:7}}\n"
		       "13:9\n"
		       "6{}\n"
		       "6:\"calls\"\n6:\"count\"\n6:\"wall\"\n6:\"nanoseconds\"\n"
		       "6:\"thread\"\n6:\"./fib\"\n6:\"name\"\n6:\"fib\"\n6:\"a remark\"\n");
	free(text);
	free(run.text);
	rt_stack_free(run.stack);
}

/*
 * A call without calls inside is a line; other calls open and close, also where a thread's calls
 * come between.
 */
static void test_flow(void)
{
	struct run run;

	run_begin(&run, "flow", "./fib");
	CU_ASSERT(rt_sinks_note(&run.sinks, "a remark") == 0);
	run_ret(&run, 7, 1000, 0x900, 1);
	run_call(&run, 7, 2000, 0x900, 3);
	run_call(&run, 8, 2500, 0x5000, 30);
	run_call(&run, 7, 3000, 0x800, 2);
	run_call(&run, 7, 4000, 0x700, 1);
	run_ret(&run, 7, 5200, 0x700, 1);
	run_ret(&run, 8, 1002500, 0x5000, 31);
	run_ret(&run, 7, 1006500, 0x800, 1);
	run_lost(&run, 1010000, 3);
	run_call(&run, 7, 1020000, 0x800, -5);
	run_exit(&run, 7, 1030000);
	run_call(&run, 8, 1031000, 0x5000, 31);
	CU_ASSERT(rt_stack_end(run.stack, 1040000) == 0);
	run_finish(&run,
		   "rawtrace: a remark\n"
		   "# TIME       DURATION TID      FUNCTION\n"
		   "    0.000 ms          7        } = 1  fib  *** call not seen ***\n"
		   "    0.001 ms          7        fib(3) {\n"
		   "    0.002 ms          7          fib(2) {\n"
		   "    0.003 ms   1.2 us 7            fib(1) = 1\n"
		   "    0.001 ms   1.0 ms 8        fib(30) = 31\n"
		   "    1.005 ms   1.0 ms 7          } = 1  fib\n"
		   "*** 3 events lost ***\n"
		   "    1.019 ms  10.0 us 7          fib(-5) *** thread exited ***\n"
		   "    1.029 ms   1.0 ms 7        } *** thread exited ***  fib\n"
		   "    1.030 ms   9.0 us 8        fib(31) *** unfinished ***\n");
}

CU_TestInfo rt_tests_formats[] = {
	{ "flow: lines and braces", test_flow },
	{ "perfetto: packets", test_perfetto },
	{ "speedscope: events nest", test_speedscope },
	{ "pprof: samples, as gzip", test_pprof },
	CU_TEST_INFO_NULL,
};
