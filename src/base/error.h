/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_ERROR_H
#define RT_BASE_ERROR_H

#include <stddef.h>

/*
 * The problem in words for the user: object, problem, remedy.  Library code fills it and returns a
 * negative errno; only main prints it (as "rawtrace: TEXT") and exits with `status`.
 */
struct rt_error {
	int status;		/* exit status: RT_EXIT_FAILURE or RT_EXIT_USAGE */
	char text[1024];	/* one line, no newline at the end */
	char source[256];	/* what a caret is to point into, "": nothing */
	unsigned caret;		/* the byte in it */
};

#define RT_EXIT_FAILURE 1	/* the machine, a file or the program stood in the way */
#define RT_EXIT_USAGE	2	/* the command line asked for something that is not there */

#define RT_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))

/*
 * Fill `err` (may be NULL) with the message and RT_EXIT_FAILURE.  Returns `code`, a negative errno.
 */
int rt_fail(struct rt_error *err, int code, const char *fmt, ...) RT_PRINTF(3, 4);

/* The same with RT_EXIT_USAGE; always returns -EINVAL. */
int rt_usage(struct rt_error *err, const char *fmt, ...) RT_PRINTF(2, 3);

/* Add to the message. */
void rt_error_add(struct rt_error *err, const char *fmt, ...) RT_PRINTF(2, 3);

/*
 * "--OPTION=TEXT: no such OPTION; there are: ...": the words that `word` gives, from 0 until NULL.
 */
int rt_usage_words(struct rt_error *err, const char *option, const char *thing, const char *text,
		   const char *(*word)(unsigned i));

/*
 * Show where in `source` the mistake is: the byte `at`.  After the message, as each message forgets
 * what the last one pointed at.
 */
void rt_error_point(struct rt_error *err, const char *source, size_t at);

/* Out of memory: fills `err` and returns -ENOMEM. */
int rt_nomem(struct rt_error *err);

#endif
