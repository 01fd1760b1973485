/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "out_run.h"
#include "output/files.h"
#include "output/out_file.h"
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

/* The text of NAME.PID, which is removed.  Malloced. */
static char *take_file(const char *name, int pid)
{
	char path[200], *text = calloc(1, 4096);
	FILE *file;

	snprintf(path, sizeof(path), "%s.%d", name, pid);
	file = fopen(path, "re");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	CU_ASSERT(fread(text, 1, 4095, file) > 0);
	fclose(file);
	remove(path);
	return text;
}

static int call_in(struct rt_stack *stack, pid_t pid, pid_t tid, uint64_t time)
{
	static const struct rt_plan plan = { .kind = RT_KIND_ENTRY };
	const struct rt_event event = {
		.type = RT_EV_HIT, .time = time, .pid = pid, .tid = tid, .hit = { .sp = 0x900 },
	};
	const struct rt_hit hit = { .function = 0, .returns = true, .plan = &plan };

	return rt_stack_hit(stack, &event, &hit);
}

/*
 * -ff: the exit event of thread 70 was lost, and a thread of another process has its id.  That has
 * nothing of what chrome keeps of the first one, which is freed with the first file.
 */
static void test_files(const char *format, const char *first, const char *second)
{
	char name[] = "/tmp/rawtrace-files-XXXXXX";
	struct rt_sinks sinks = { .n = 0 };
	const struct rt_program program = { .n = 0 };
	struct rt_sink *sink = rt_sinks_add(&sinks, rt_sink_find(format));
	struct rt_stack *stack = rt_stack_new(&rt_sinks_ops, &sinks);
	struct rt_error err;
	int fd = mkstemp(name);
	char *text;

	CU_ASSERT_FATAL(fd >= 0 && sink && stack);
	close(fd);
	sinks.trace.functions = &run_functions;
	rt_out_file_choose(&sink->to, name, -1);
	CU_ASSERT(rt_files_init(sink, sink->ops) == 0);
	CU_ASSERT(rt_sinks_open(&sinks, &program, &err) == 0);
	CU_ASSERT(rt_sinks_note(&sinks, "a remark") == 0);
	CU_ASSERT(call_in(stack, 7, 70, 1000) == 0);
	CU_ASSERT(call_in(stack, 8, 70, 1001) == 0);
	CU_ASSERT(rt_stack_process_end(stack, 7, 1001) == 0);
	CU_ASSERT(rt_sinks_exited(&sinks, 7, 0) == 0);
	CU_ASSERT(rt_stack_process_end(stack, 8, 1002) == 0);
	CU_ASSERT(rt_sinks_exited(&sinks, 8, 11) == 0);
	CU_ASSERT(rt_sinks_end(&sinks) == 0 && rt_sinks_flush(&sinks, &err) == 0);
	rt_stack_free(stack);
	rt_sinks_free(&sinks);
	text = take_file(name, 7);
	CU_ASSERT(strstr(text, first) && strstr(text, "a remark"));
	free(text);
	text = take_file(name, 8);
	CU_ASSERT(strstr(text, second) && strstr(text, "a remark"));
	free(text);
	remove(name);
}

static void test_files_tree(void)
{
	test_files("tree",
		   "rawtrace: a remark\n>(fib)\n<*** thread exited ***\n+++ 7 exited with 0 +++\n",
		   "+++ 8 killed by SIGSEGV +++\n");
}

static void test_files_chrome(void)
{
	test_files("chrome", "\"otherData\"", "\"pid\":8,\"tid\":70,\"ts\":1.001");
}

/* A command has no copy of a descriptor that we close: it would be the last to close a probe. */
static void test_command(void)
{
	struct rt_out_file file;
	struct rt_error err;
	struct pollfd end = { .events = POLLIN };
	int p[2], i;

	for (i = 0; i < 20; i++) {
		CU_ASSERT_FATAL(pipe(p) == 0);
		rt_out_file_choose(&file, "|cat >/dev/null", 1);
		CU_ASSERT_FATAL(rt_out_file_open(&file, NULL, &err) == 0);
		close(p[1]);
		end.fd = p[0];
		CU_ASSERT(poll(&end, 1, 0) == 1 && end.revents & POLLHUP);
		close(p[0]);
		rt_out_file_close(&file);
	}
}

/* ---- a thread writes ---- */

enum { BLOCK = 1 << 16 };

static void put_blocks(struct rt_out_file *file, unsigned from, unsigned to)
{
	char block[BLOCK];

	for (; from < to; from++) {
		memset(block, (int)from, sizeof(block));
		fwrite(block, 1, sizeof(block), file->stream);
	}
}

static bool has_block(FILE *in, unsigned i)
{
	char block[BLOCK], want[BLOCK];

	memset(want, (int)i, sizeof(want));
	return fread(block, 1, sizeof(block), in) == BLOCK && memcmp(block, want, BLOCK) == 0;
}

/* The other end of the pipe. */
static FILE *open_pipe(struct rt_out_file *file)
{
	struct rt_error err;
	int p[2];

	CU_ASSERT_FATAL(pipe(p) == 0);
	rt_out_file_choose(file, NULL, p[1]);
	CU_ASSERT_FATAL(rt_out_file_open(file, NULL, &err) == 0);
	close(p[1]);
	rt_out_file_write_beside(file);
	return fdopen(p[0], "r");
}

/* Until the reader begins, a pipe takes 64 KB. */
static void test_slow_reader(void)
{
	enum { SOME = 20, MANY = 600 };
	struct rt_out_file file;
	FILE *in = open_pipe(&file);
	struct rt_error err;
	unsigned i;

	fwrite("ab", 1, 2, file.stream);
	CU_ASSERT(rt_out_file_push(&file, &err) == 0);
	put_blocks(&file, 0, SOME);
	CU_ASSERT(rt_out_file_push(&file, &err) == 0 && !rt_out_file_is_behind(&file));
	put_blocks(&file, SOME, MANY);
	CU_ASSERT(rt_out_file_push(&file, &err) == 0 && rt_out_file_is_behind(&file));
	CU_ASSERT(getc(in) == 'a' && getc(in) == 'b');
	for (i = 0; i < MANY && has_block(in, i); i++)
		;
	CU_ASSERT(i == MANY);
	CU_ASSERT(rt_out_file_flush(&file, &err) == 0 && !rt_out_file_is_behind(&file));
	rt_out_file_close(&file);
	CU_ASSERT(getc(in) == EOF);
	fclose(in);
}

static void test_closed_reader(void)
{
	void (*before)(int) = signal(SIGPIPE, SIG_IGN);
	struct rt_out_file file;
	FILE *in = open_pipe(&file);
	struct rt_error err;

	put_blocks(&file, 0, 20);
	CU_ASSERT(rt_out_file_push(&file, &err) == 0);
	fclose(in);
	CU_ASSERT(rt_out_file_flush(&file, &err) == -EPIPE);
	CU_ASSERT_STRING_EQUAL(err.text, "standard error: Broken pipe");
	CU_ASSERT(rt_out_file_push(&file, &err) == -EPIPE);
	put_blocks(&file, 0, 2);
	CU_ASSERT(rt_out_file_push(&file, &err) == -EPIPE);
	CU_ASSERT_STRING_EQUAL(err.text, "standard error: Broken pipe");
	rt_out_file_close(&file);
	signal(SIGPIPE, before);
}

/* A tail is behind the blocks, and the next ones overwrite it. */
static void test_tails(void)
{
	char name[] = "/tmp/rawtrace-tails-XXXXXX", *tail = "the end";
	struct rt_out_file file;
	struct rt_error err;
	struct stat st;
	FILE *in;
	unsigned i;

	close(mkstemp(name));
	rt_out_file_choose(&file, name, -1);
	CU_ASSERT_FATAL(rt_out_file_open(&file, NULL, &err) == 0);
	rt_out_file_write_beside(&file);
	for (i = 0; i < 4; i++) {
		put_blocks(&file, 2 * i, 2 * i + 2);
		CU_ASSERT(rt_out_file_push(&file, &err) == 0);
		rt_out_file_put_tail(&file, tail);
	}
	/* The thread ends with it. */
	rt_out_file_close(&file);
	CU_ASSERT(stat(name, &st) == 0 && st.st_size == 8 * BLOCK + (off_t)strlen(tail));
	in = fopen(name, "r");
	for (i = 0; i < 8 && has_block(in, i); i++)
		;
	CU_ASSERT(i == 8 && getc(in) == 't');
	fclose(in);
	remove(name);
}

CU_TestInfo rt_tests_sinks[] = {
	{ "a command has no copies of descriptors", test_command },
	{ "a file a process, trees", test_files_tree },
	{ "a file a process, for Perfetto", test_files_chrome },
	{ "a slow reader of a pipe: nobody waits", test_slow_reader },
	{ "a reader that is gone", test_closed_reader },
	{ "tails behind what a thread writes", test_tails },
	{ "several sinks, each with its own text", test_several },
	CU_TEST_INFO_NULL,
};
