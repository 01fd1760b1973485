/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_PRINT_H
#define RT_OUTPUT_PRINT_H

#include "output/line.h"
#include "output/sink.h"

struct rt_value;

/*
 * The arguments of a call of `function`, a blank before each, and its result: `4`, `"text"` with
 * C's escapes, `"cut"...`, `{.fd=3, .flags=O_RDWR}`, `NULL`, `<unreadable>`, `0x55d0<unreadable>`,
 * `#<void>`.  By type where that is known.
 */
void rt_args_print(struct rt_line *line, const struct rt_trace *trace, pid_t pid, uint32_t function,
		   const struct rt_values *args);
void rt_result_print(struct rt_line *line, const struct rt_trace *trace, pid_t pid,
		     uint32_t function, const struct rt_values *result);

/*
 * The same as C has them: commas between the arguments, and nothing for the result of a void
 * function.  `failed`: set to whether the result is a failure.  0 or a negative errno.
 */
int rt_args_print_c(const struct rt_sink *sink, FILE *file, pid_t pid, uint32_t function,
		    const struct rt_values *args);
int rt_result_print_c(const struct rt_sink *sink, FILE *file, pid_t pid, uint32_t function,
		      const struct rt_values *result, bool *failed);

/* One value as rt_args_print prints it: take all of a call, in their order.  `file`: a FILE. */
void rt_value_print(void *file, const struct rt_value *value);

/*
 * The same as members of a JSON object: "NAME":VALUE ("arg0" where there is no name),
 * "result":VALUE.  A number past 2^53, where a double is no longer exact, is a string.  `some`: one
 * is there already; set where any was written.
 */
void rt_args_json(struct rt_line *line, const struct rt_trace *trace, pid_t pid, uint32_t function,
		  const struct rt_values *args, bool *some);
void rt_result_json(struct rt_line *line, const struct rt_trace *trace, pid_t pid,
		    uint32_t function, const struct rt_values *result, bool *some);

/* The one JSON escaper: writes "text" with its quotes; bytes that are not UTF-8 become U+FFFD. */
void rt_json_string(FILE *file, const char *text, size_t len);

/* The same without the quotes, for a string put together of several pieces. */
void rt_json_chars(FILE *file, const char *text, size_t len);

#endif
