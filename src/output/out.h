/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_OUT_H
#define RT_OUTPUT_OUT_H

#include <stdio.h>

#include "image/function.h"
#include "stack/stack.h"

/*
 * An output format.  To add one: write its file, put its ops into the table in output/out.c.  It is told of calls by
 * rt_stack_ops, writes to `file` (fully buffered; the session flushes after each round and looks at ferror), and never
 * prints what it was not told.
 */
struct rt_out {
	const struct rt_out_ops *ops;
	FILE *file;
	const struct rt_functions *functions;
	uint64_t start;		/* time at which the trace began, ns on the trace's clock */
	const char *command;	/* what is traced, for headers and names */
	void *state;		/* the format's own */
};

struct rt_out_ops {
	const char *name;	/* --format=NAME */
	const char *help;	/* a phrase for --help */
	int (*begin)(struct rt_out *out);
	/* A remark of rawtrace's ("fib: only entries are traced: ..."), to stand in the trace itself. */
	int (*note)(struct rt_out *out, const char *text);
	struct rt_stack_ops calls;	/* ctx is the struct rt_out */
	int (*end)(struct rt_out *out);	/* after the last call was closed; the trace's last bytes */
	void (*free)(struct rt_out *out);	/* releases state; also after a failure */
};

/* The format of that name, or NULL; and the table, for --help: NULL after the last. */
const struct rt_out_ops *rt_out_find(const char *name);
const struct rt_out_ops *rt_out_at(unsigned i);

extern const struct rt_out_ops rt_out_tree, rt_out_chrome;

/*
 * The one value formatter: "4", "-1", "\"text\"" with C escapes, "\"cut\"..." for a string that was cut,
 * "<unreadable>".  For value `i` of `values`.
 */
int rt_value_print(FILE *file, const struct rt_values *values, unsigned i);

/* The same value as JSON: a number (a string past 2^53, where a double is no longer exact), "text", "cut...". */
int rt_value_json(FILE *file, const struct rt_values *values, unsigned i);

/* The one JSON escaper: writes "text" with its quotes; bytes that are not UTF-8 become U+FFFD. */
void rt_json_string(FILE *file, const char *text, size_t len);

/* The same without the quotes, for a string put together of several pieces. */
void rt_json_chars(FILE *file, const char *text, size_t len);

/* A function's name, or "?" for RT_NO_FUNCTION. */
const char *rt_out_function(const struct rt_out *out, uint32_t function);

#endif
