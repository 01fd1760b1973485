/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls/filter.h"
#include "out_run.h"
#include "output/value_code.h"
#include "plan/costs.h"
#include "record/calls.h"
#include "unit.h"

/* A run with a text format and a recording beside it. */
struct both {
	struct run run;
	char path[64];
	FILE *file;
};

static void both_begin(struct both *both, const char *format)
{
	const char *tmp = getenv("TMPDIR");
	struct rt_sink *sink;
	int fd;

	run_begin(&both->run, format, "./fib");
	snprintf(both->path, sizeof(both->path), "%.40s/rawtrace.XXXXXX", tmp ? tmp : "/tmp");
	fd = mkstemp(both->path);
	CU_ASSERT_FATAL(fd >= 0);
	both->file = fdopen(fd, "w");
	sink = rt_sinks_add(&both->run.sinks, &rt_sink_record);
	CU_ASSERT_PTR_NOT_NULL_FATAL(sink);
	sink->file = both->file;
	CU_ASSERT(sink->ops->begin(sink) == 0);
}

static int note(void *ctx, const char *text)
{
	return rt_sinks_note(ctx, text);
}

/*
 * The output that the recordings give in `format`, malloced, and its size; the message of what is
 * wrong, or "".
 */
static char *replayed_files(const char *const *paths, unsigned n, const char *format, size_t *size,
			    struct rt_error *err)
{
	struct rt_sinks sinks = { .n = 0 };
	struct rt_sink *sink = rt_sinks_add(&sinks, rt_sink_find(format));
	const struct rt_replay_to to = { &rt_sinks_ops, &sinks, note, &sinks, NULL };
	struct rt_replay *replay = NULL;
	char *text = NULL;
	FILE *file = open_memstream(&text, size);

	err->text[0] = '\0';
	sink->file = file;
	if (rt_replay_open(paths, n, &sinks.trace, &replay, err) == 0) {
		CU_ASSERT(sink->ops->begin(sink) == 0);
		rt_replay_run(replay, &sinks.trace, &to, err);
		CU_ASSERT(rt_sinks_end(&sinks) == 0);
		rt_sinks_free(&sinks);
	}
	rt_replay_close(replay);
	fclose(file);
	return text;
}

static char *replayed_size(const struct both *both, const char *format, size_t *size,
			   struct rt_error *err)
{
	const char *path = both->path;

	return replayed_files(&path, 1, format, size, err);
}

static char *replayed(const struct both *both, const char *format, struct rt_error *err)
{
	size_t size;

	return replayed_size(both, format, &size, err);
}

/* Ends the run, and compares what it printed with what the recording gives. */
static void both_finish(struct both *both, const char *format)
{
	struct rt_error err;
	size_t size;
	char *text;

	CU_ASSERT(rt_sinks_end(&both->run.sinks) == 0);
	run_free(&both->run);
	rt_stack_free(both->run.stack);
	fclose(both->file);
	text = replayed_size(both, format, &size, &err);
	RT_ASSERT_TEXT(err.text, "");
	RT_ASSERT_TEXT(text, both->run.text);
	CU_ASSERT(size > 40);
	CU_ASSERT(size == both->run.size && memcmp(text, both->run.text, size) == 0);
	free(text);
	free(both->run.text);
	unlink(both->path);
}

static void make_calls(struct run *run)
{
	CU_ASSERT(rt_sinks_note(&run->sinks, "a remark") == 0);
	run_comm(run, 7, "fib");
	run_call(run, 7, 1000, 0x900, 3);
	run_call(run, 8, 1005, 0x5000, 30);
	run_call(run, 7, 1010, 0x800, 2);
	run_ret(run, 7, 1030, 0x800, 1);
	run_comm(run, 7, "renamed");
	run_call(run, 7, 1040, 0x800, -5);
	run_lost(run, 1045, 3);
	run_ret(run, 7, 1080, 0x800, 1);
	run_exit(run, 8, 1090);
	run_ret(run, 7, 1100, 0x900, 2);
	run_ret(run, 7, 1110, 0xa00, 2);
	run_call(run, 8, 1200, 0x5000, 31);
	CU_ASSERT(rt_stack_end(run->stack, 1300) == 0);
	CU_ASSERT(rt_sinks_note(&run->sinks, "the last remark") == 0);
}

/* Each format prints the same bytes live and from the recording. */
static void test_same(void)
{
	static const char *const formats[] = { "tree", "flow", "chrome", "json", "summary", "graph",
					       "folded", "callgrind", "dot", "html", "count",
					       "perfetto", "speedscope", "pprof" };
	struct both both;
	size_t i;

	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
		both_begin(&both, formats[i]);
		make_calls(&both.run);
		both_finish(&both, formats[i]);
	}
}

/* A recording of a call of fib in a thread, of the first of `functions`. */
static void record_call(struct both *both, int64_t wall, const struct rt_functions *functions,
			pid_t tid, uint64_t time, uint64_t ns)
{
	both_begin(both, "tree");
	both->run.sinks.trace.wall = wall;
	both->run.sinks.trace.functions = functions;
	run_call(&both->run, tid, time, 0x900, tid);
	run_ret(&both->run, tid, time + ns, 0x900, -tid);
	CU_ASSERT(rt_sinks_end(&both->run.sinks) == 0);
	run_free(&both->run);
	rt_stack_free(both->run.stack);
	fclose(both->file);
	free(both->run.text);
}

/* Two recordings of one boot have one clock; those of several have the time since 1970. */
static void test_several(void)
{
	static const int64_t second = 1000000000, now = 1700000000 * second;
	static const struct {
		int64_t wall;
		const char *text;
	} cases[] = {
		{ now, "[7] >(fib 7)\n[7 8] >(fib 8)\n[7 8] <-8\n[7] <-7\n" },
		{ now + second / 2, "[7] >(fib 7)\n[7 8] >(fib 8)\n[7 8] <-8\n[7] <-7\n" },
		{ now + 100 * second, "[7] >(fib 7)\n[7] <-7\n[7 8] >(fib 8)\n[7 8] <-8\n" },
		{ now - 100 * second, "[7 8] >(fib 8)\n[7 8] <-8\n[7] >(fib 7)\n[7] <-7\n" },
	};
	struct both one, two;
	struct rt_error err;
	const char *paths[] = { one.path, two.path };
	char *text;
	size_t i, size;

	record_call(&one, now, &run_functions, 7, 1000, 100);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		record_call(&two, cases[i].wall, &run_functions, 8, 1050, 10);
		text = replayed_files(paths, 2, "tree", &size, &err);
		RT_ASSERT_TEXT(err.text, "");
		RT_ASSERT_TEXT(text, cases[i].text);
		free(text);
		unlink(two.path);
	}
	unlink(one.path);
}

/* Functions of one name in one recording stay apart; the same in two recordings are one. */
static void test_joined_functions(void)
{
	static struct rt_function f[] = { { .name = (char *)"static" }, { .name = (char *)"g" },
					  { .name = (char *)"static" } };
	static const struct rt_functions whole = { .v = f, .n = 3 }, part = { .v = f, .n = 1 };
	struct rt_trace trace = { .functions = NULL };
	struct rt_replay *replay = NULL;
	struct rt_error err;
	struct both one, two;
	const char *paths[] = { one.path, two.path };
	size_t size;
	char *text;

	record_call(&one, 0, &part, 7, 1000, 100);
	record_call(&two, 0, &whole, 8, 1050, 10);
	CU_ASSERT_FATAL(rt_replay_open(paths, 2, &trace, &replay, &err) == 0);
	CU_ASSERT_EQUAL_FATAL(trace.functions->n, 3);
	RT_ASSERT_TEXT(trace.functions->v[0].name, "static");
	RT_ASSERT_TEXT(trace.functions->v[1].name, "g");
	rt_replay_close(replay);
	text = replayed_files(paths, 2, "count", &size, &err);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, " 2\n"));
	free(text);
	unlink(one.path);
	unlink(two.path);
}

/* The costs of probes, by function; a recording without them has none. */
static void test_costs(void)
{
	struct rt_probe_costs costs = { .stepped_entry = { 30, 70 } };
	const struct rt_call_cost *read;
	struct rt_replay *replay;
	struct rt_trace trace = { .functions = NULL };
	struct rt_error err;
	struct both both;
	const char *path = both.path;
	unsigned known;

	for (known = 0; known < 2; known++) {
		costs.known = known;
		both_begin(&both, "tree");
		both.run.sinks.trace.costs = &costs;
		make_calls(&both.run);
		CU_ASSERT(rt_sinks_end(&both.run.sinks) == 0);
		run_free(&both.run);
		rt_stack_free(both.run.stack);
		fclose(both.file);
		CU_ASSERT(rt_replay_open(&path, 1, &trace, &replay, &err) == 0);
		read = rt_replay_costs(replay, 0);
		CU_ASSERT(known ? read && read[1].entry.before == 30 && read[1].entry.after == 70
				: !read);
		rt_replay_close(replay);
		free(both.run.text);
		unlink(both.path);
	}
}

static void make_many(struct run *run)
{
	int i;

	for (i = 0; i < 30000; i++) {
		run_call(run, 7 + i % 3, 1000 + 10 * (uint64_t)i, 0x900, i);
		run_ret(run, 7 + i % 3, 1005 + 10 * (uint64_t)i, 0x900, -i);
	}
}

/* Blocks are cut by size; each reads without the others. */
static void test_many(void)
{
	struct both both;

	both_begin(&both, "tree");
	make_many(&both.run);
	both_finish(&both, "tree");
}

static unsigned count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned n = 0;

	while (tasks && readdir(tasks))
		n++;
	if (tasks)
		closedir(tasks);
	return n - 2;
}

/* Another thread writes the blocks, from the middle of the trace on. */
static void test_thread(void)
{
	unsigned threads = count_threads();
	struct both both;

	both_begin(&both, "tree");
	make_calls(&both.run);
	rt_sinks_hurry(&both.run.sinks);
	CU_ASSERT(count_threads() == threads + 1);
	make_many(&both.run);
	both_finish(&both, "tree");
	CU_ASSERT(count_threads() == threads);

	/* A trace that fails does not come to its end. */
	both_begin(&both, "tree");
	rt_sinks_hurry(&both.run.sinks);
	make_many(&both.run);
	run_free(&both.run);
	CU_ASSERT(count_threads() == threads);
	rt_stack_free(both.run.stack);
	fclose(both.file);
	free(both.run.text);
	unlink(both.path);
}

/* A call that waits to be long enough outlives the block that its arguments stand in. */
static void test_min_time(void)
{
	const struct rt_filter_want want = { .limit = { .min_time = 100000 } };
	struct rt_sinks sinks = { .n = 0 };
	struct rt_sink *sink = rt_sinks_add(&sinks, &rt_sink_tree);
	struct rt_filter *filter = rt_filter_new(&want, &rt_sinks_ops, &sinks);
	const struct rt_replay_to to = { &rt_filter_ops, filter, note, &sinks, NULL };
	struct rt_replay *replay = NULL;
	struct rt_error err = { .text = "" };
	struct both both;
	const char *path = both.path;
	char *text = NULL;
	size_t size;
	int i;

	both_begin(&both, "tree");
	run_call(&both.run, 7, 1000, 0x900, 77);
	for (i = 0; i < 30000; i++) {
		run_call(&both.run, 7, 1000 + 10 * (uint64_t)i, 0x800, i);
		run_ret(&both.run, 7, 1005 + 10 * (uint64_t)i, 0x800, -i);
	}
	run_ret(&both.run, 7, 1000 + 10 * (uint64_t)i, 0x900, 78);
	CU_ASSERT(rt_sinks_end(&both.run.sinks) == 0);
	run_free(&both.run);
	rt_stack_free(both.run.stack);
	fclose(both.file);

	sink->file = open_memstream(&text, &size);
	CU_ASSERT(rt_replay_open(&path, 1, &sinks.trace, &replay, &err) == 0);
	CU_ASSERT(sink->ops->begin(sink) == 0);
	CU_ASSERT(rt_replay_run(replay, &sinks.trace, &to, &err) == 0);
	fclose(sink->file);
	RT_ASSERT_TEXT(text, ">(fib 77)\n<78\n");
	rt_sinks_free(&sinks);
	rt_filter_free(filter);
	rt_replay_close(replay);
	free(text);
	free(both.run.text);
	unlink(both.path);
}

/* `path` in the tree's format must be `want`; the file is removed. */
static void check_file(const char *path, const char *want)
{
	struct both both;
	struct rt_error err;
	char *text;

	snprintf(both.path, sizeof(both.path), "%s", path);
	text = replayed(&both, "tree", &err);
	RT_ASSERT_TEXT(err.text, "");
	RT_ASSERT_TEXT(text, want);
	free(text);
	CU_ASSERT(unlink(path) == 0);
}

/*
 * --last=100ns --on-slow=500ns.  Each remark ends a block; the first one is too old for a file.
 */
static void test_flight(void)
{
	static const struct rt_program program = { .n = 0 };
	const char *tmp = getenv("TMPDIR");
	char path[64], second[68];
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), said = dup(STDERR_FILENO);
	struct rt_sink *sink;
	struct run run;

	dup2(null, STDERR_FILENO);	/* each file is said */
	snprintf(path, sizeof(path), "%.40s/rawtrace.%d", tmp ? tmp : "/tmp", (int)getpid());
	snprintf(second, sizeof(second), "%s.2", path);
	run_begin_ops(&run, &rt_sink_record, "./fib");
	run.sink->ops->free(run.sink);
	run.sinks.trace.keep = (struct rt_keep){ .ns = 100, .bytes = 1 << 20, .slow = 500 };
	sink = run.sink;
	sink->program = &program;
	rt_out_file_choose(&sink->to, path, -1);
	CU_ASSERT(sink->ops->begin(sink) == 0);

	run_call(&run, 7, 1000, 0x900, 1);
	run_ret(&run, 7, 1010, 0x900, 1);
	CU_ASSERT(rt_sinks_note(&run.sinks, "one") == 0);
	run_call(&run, 7, 2000, 0x900, 2);
	run_ret(&run, 7, 2010, 0x900, 2);
	CU_ASSERT(rt_sinks_note(&run.sinks, "two") == 0);
	run_call(&run, 7, 2050, 0x900, 3);
	run_ret(&run, 7, 2060, 0x900, 3);
	CU_ASSERT(rt_sinks_save(&run.sinks, "test") == 0);
	check_file(path, "rawtrace: one\nrawtrace: two\n>(fib 2)\n<2\n>(fib 3)\n<3\n");

	run_call(&run, 7, 3000, 0x900, 4);
	CU_ASSERT(access(second, F_OK) != 0);
	run_ret(&run, 7, 3500, 0x900, 4);
	check_file(second, "rawtrace: one\nrawtrace: two\n>(fib 4)\n<4\n");
	CU_ASSERT(rt_sinks_end(&run.sinks) == 0);
	CU_ASSERT(access(path, F_OK) != 0);
	dup2(said, STDERR_FILENO);
	close(said);
	close(null);
	run_free(&run);
	rt_stack_free(run.stack);
	free(run.text);
}

/* A recorder that was killed, and a damaged file: the blocks before are read, and it is said. */
static void test_damaged(void)
{
	struct rt_error err;
	struct both both;
	char *text;
	long size;

	both_begin(&both, "tree");
	make_calls(&both.run);
	CU_ASSERT(rt_sinks_end(&both.run.sinks) == 0);
	run_free(&both.run);
	rt_stack_free(both.run.stack);
	size = ftell(both.file);
	fclose(both.file);

	CU_ASSERT(truncate(both.path, size - 20) == 0);	/* without the block of the end */
	text = replayed(&both, "tree", &err);
	RT_ASSERT_TEXT(err.text, "");
	CU_ASSERT(strncmp(text, both.run.text, strlen(both.run.text)) == 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(text, "rawtrace: the recording has no end"));
	free(text);

	CU_ASSERT(truncate(both.path, size - 25) == 0);	/* in the middle of the last remark */
	text = replayed(&both, "tree", &err);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "the last block is cut; the calls before it"));
	CU_ASSERT_PTR_NOT_NULL(strstr(text, ">(fib 31)"));
	CU_ASSERT_PTR_NULL(strstr(text, "the last remark"));
	free(text);

	both.file = fopen(both.path, "r+");
	fseek(both.file, size / 2, SEEK_SET);
	fwrite("XXXX", 1, 4, both.file);
	fclose(both.file);
	free(replayed(&both, "tree", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, ": damaged at byte "));

	both.file = fopen(both.path, "w");
	fputs("something else", both.file);
	fclose(both.file);
	free(replayed(&both, "tree", &err));
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, ": not a recording of rawtrace record"));
	unlink(both.path);
	free(both.run.text);
}

static void test_numbers(void)
{
	static const uint64_t numbers[] = { 0, 1, 127, 128, 300, UINT32_MAX, UINT64_MAX };
	static const int64_t signs[] = { 0, -1, 1, -64, 64, INT64_MIN, INT64_MAX };
	struct rt_bytes bytes = { .n = 0 };
	struct rt_reader reader;
	size_t i;

	for (i = 0; i < 7; i++) {
		rt_bytes_number(&bytes, numbers[i]);
		rt_bytes_signed(&bytes, signs[i]);
	}
	rt_bytes_text(&bytes, "text");
	reader = (struct rt_reader){ bytes.v, bytes.v + bytes.n, false };
	for (i = 0; i < 7; i++) {
		CU_ASSERT(rt_read_number(&reader) == numbers[i]);
		CU_ASSERT(rt_read_signed(&reader) == signs[i]);
	}
	RT_ASSERT_TEXT(rt_read_text(&reader), "text");
	CU_ASSERT(!reader.bad && reader.at == reader.end);
	CU_ASSERT(rt_read_number(&reader) == 0 && reader.bad);
	rt_bytes_free(&bytes);
}

CU_TestInfo rt_tests_record[] = {
	{ "every format is the same live and from a recording", test_same },
	{ "several recordings: one clock", test_several },
	{ "several recordings: one table of functions", test_joined_functions },
	{ "costs of probes", test_costs },
	{ "blocks of many calls", test_many },
	{ "blocks that another thread writes", test_thread },
	{ "a long call over several blocks, with a minimum time", test_min_time },
	{ "a flight recorder", test_flight },
	{ "a recording that is cut or damaged", test_damaged },
	{ "numbers in a recording", test_numbers },
	CU_TEST_INFO_NULL,
};
