/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_OUT_H
#define RT_OUTPUT_OUT_H

#include <stdio.h>

#include "fetch/show.h"
#include "symbols/function.h"
#include "calls/stack.h"

/*
 * An output format.  To add one: write its file, put its ops into the table in output/out.c.  It is told of calls by
 * rt_stack_ops, writes to `file` (fully buffered; the session flushes after each round and looks at ferror), and never
 * prints what it was not told.
 */
struct rt_out {
	const struct rt_out_ops *ops;
	FILE *file;
	const struct rt_functions *functions;
	const struct rt_shows *shows;	/* by function; NULL: the values are printed as they are */
	/*
	 * The function at an address of process `pid`, in memory of ctx up to the next call; NULL: none begins there.
	 * NULL itself: function pointers are numbers.
	 */
	const char *(*symbol)(void *ctx, pid_t pid, uint64_t addr);
	/* How far an image is in process `pid` from where it is linked to; false: not known.  NULL: none is moved. */
	bool (*moved)(void *ctx, pid_t pid, const struct rt_image *image, uint64_t *by);
	/*
	 * What could not be read, at an address of process `pid`: up to `size` bytes that can only be the same in its file.  Returns how
	 * many.  NULL: nothing is looked for there.
	 */
	size_t (*constant)(void *ctx, pid_t pid, uint64_t addr, void *buf, size_t size);
	void *symbol_ctx;	/* of these three */
	unsigned string;	/* bytes of a string that are printed; 0: as many as were read */
	unsigned members;	/* of a structure or an array; 0: RT_LIMIT_MEMBERS */
	bool fd_paths;			/* file descriptors with what they are now (-y) */
	uint64_t start;		/* time at which the trace began, ns on the trace's clock */
	const struct rt_program *program;	/* of which those in Go know Go's types; NULL: not known */
	bool processes;			/* there are several */
	const char *command;	/* what is traced, for headers and names */
	void *state;		/* the format's own */
};

struct rt_out_ops {
	const char *name;	/* --format=NAME */
	const char *help;	/* a phrase for --help */
	const char *file;	/* where it goes without -o; NULL: to standard error */
	int (*begin)(struct rt_out *out);
	/* A remark of rawtrace's ("fib: only entries are traced: ..."), to stand in the trace itself. */
	int (*note)(struct rt_out *out, const char *text);
	struct rt_stack_ops calls;	/* ctx is the struct rt_out */
	const char *tail;	/* what would make the file whole as it stands after a call, or NULL; shorter than what end writes */
	int (*end)(struct rt_out *out);	/* after the last call was closed; the trace's last bytes */
	void (*free)(struct rt_out *out);	/* releases state; also after a failure */
};

/* The format of that name, or NULL; and the table, for --help: NULL after the last. */
const struct rt_out_ops *rt_out_find(const char *name);
const char *rt_out_name(unsigned i);		/* NULL: past the last */
const struct rt_out_ops *rt_out_at(unsigned i);

extern const struct rt_out_ops rt_out_tree, rt_out_chrome;

/*
 * The one formatter of values.  The arguments of a call of `function`, a blank before each, and its result: `4`, `"text"` with C's escapes,
 * `"cut"...`, `{.fd=3, .flags=O_RDWR}`, `NULL`, `<unreadable>`, `0x55d0<unreadable>`, `#<void>`.  By type where that is known.  0 or a
 * negative errno.
 */
int rt_args_print(const struct rt_out *out, pid_t pid, uint32_t function, const struct rt_values *args);
int rt_result_print(const struct rt_out *out, pid_t pid, uint32_t function, const struct rt_values *result);

/*
 * The same as members of a JSON object: "NAME":VALUE ("arg0" where there is no name), "result":VALUE.  A number past 2^53, where a double
 * is no longer exact, is a string.  `some`: one stands there already; set where any was written.
 */
int rt_args_json(const struct rt_out *out, pid_t pid, uint32_t function, const struct rt_values *args, bool *some);
int rt_result_json(const struct rt_out *out, pid_t pid, uint32_t function, const struct rt_values *result, bool *some);

/* The one JSON escaper: writes "text" with its quotes; bytes that are not UTF-8 become U+FFFD. */
void rt_json_string(FILE *file, const char *text, size_t len);

/* The same without the quotes, for a string put together of several pieces. */
void rt_json_chars(FILE *file, const char *text, size_t len);

/* A function's name, or "?" for RT_NO_FUNCTION. */
const char *rt_out_function(const struct rt_out *out, uint32_t function);

#endif
