/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording from outside: every format takes what it gives, and it never reads past its end.  The
 * first byte of an input chooses: 'F', the rest is a whole file; else the rest are the bytes of a
 * block of files ('I') or of calls, behind a right header, so that a checksum does not end it.  Two
 * formats get the file twice, as two recordings.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/sink.h"
#include "record/calls.h"
#include "commands/condition.h"

static int note(void *ctx, const char *text)
{
	return rt_sinks_note(ctx, text);
}

static void write_recording(FILE *file, enum rt_block_kind kind, const uint8_t *data, size_t size)
{
	struct rt_bytes bytes = { .n = 0 };

	rt_blocks_begin(file);
	rt_bytes_text(&bytes, "./fib");
	rt_bytes_u8(&bytes, 0);
	rt_blocks_write(file, RT_BLOCK_TRACE, &bytes);
	bytes.n = 0;
	rt_bytes_number(&bytes, 0);
	rt_bytes_u8(&bytes, 0);
	rt_bytes_text(&bytes, "fib");
	rt_bytes_u8(&bytes, 0);
	rt_bytes_text(&bytes, "gcd");
	rt_blocks_write(file, RT_BLOCK_FUNCTIONS, &bytes);
	bytes.n = 0;
	rt_bytes_add(&bytes, data, size);
	rt_blocks_write(file, kind, &bytes);
	rt_bytes_free(&bytes);
}

static void replay(const char *path, unsigned files, const char *format)
{
	const char *const paths[] = { path, path };
	struct rt_sinks sinks = { .n = 0 };
	struct rt_sink *sink = rt_sinks_add(&sinks, rt_sink_find(format));
	const struct rt_replay_to to = { &rt_sinks_ops, &sinks, note, &sinks, NULL };
	struct rt_replay *recording = NULL;
	struct rt_error err = { .status = 0 };

	sink->file = fopen("/dev/null", "w");
	if (sink->file && rt_replay_open(paths, files, &sinks.trace, &recording, &err) == 0 &&
	    sink->ops->begin(sink) == 0) {
		rt_replay_run(recording, &sinks.trace, &to, &err);
		rt_sinks_end(&sinks);
	}
	if (sink->file) {
		sink->ops->free(sink);
		fclose(sink->file);
	}
	rt_replay_close(recording);
}

/* Conditions read the values of calls. */
static void replay_tested(const char *path, bool why)
{
	static const char *const texts[] = { "fib(arg1 > 3 && arg1 != 7, x == \"ab\", return < 0)",
					     "gcd(flags & O_RDONLY || n == 0, errno == ENOENT)" };
	struct rt_sinks sinks = { .n = 0 };
	struct rt_replay_to to = { &rt_outcome_ops, NULL, note, &sinks, NULL };
	struct rt_replay *recording = NULL;
	struct rt_conditions *conditions = NULL;
	struct rt_outcome_tests tests;
	struct rt_error err = { .status = 0 };
	size_t i;

	if (rt_replay_open(&path, 1, &sinks.trace, &recording, &err) == 0)
		conditions = rt_conditions_new(sinks.trace.functions, true);
	for (i = 0; conditions && i < 2; i++)
		rt_conditions_add(conditions, texts[i], &err);
	if (conditions) {
		tests = rt_conditions_tests(conditions);
		to.ctx = rt_outcome_new(&tests, why, &rt_sinks_ops, &sinks);
	}
	if (to.ctx)
		rt_replay_run(recording, &sinks.trace, &to, &err);
	rt_outcome_free(to.ctx);
	rt_conditions_free(conditions);
	rt_replay_close(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const formats[] = { "tree", "chrome", "json", "summary", "graph",
					       "folded", "callgrind", "dot", "html", "hist",
					       "perfetto", "speedscope", "pprof" };
	FILE *file = tmpfile();
	char path[64];
	size_t i;

	if (!file || !size)
		return 0;
	if (data[0] == 'F')
		fwrite(data + 1, 1, size - 1, file);
	else
		write_recording(file, data[0] == 'I' ? RT_BLOCK_FILES : RT_BLOCK_CALLS, data + 1,
				size - 1);
	fflush(file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(file));
	for (i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		replay(path, 1, formats[i]);
	replay(path, 2, "tree");
	replay(path, 2, "summary");
	replay_tested(path, false);
	replay_tested(path, true);
	fclose(file);
	return 0;
}
