/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_IMAGE_ASK_H
#define RT_IMAGE_ASK_H

#include <stdbool.h>
#include <stddef.h>

/* What another program said, and whether it can be believed to be all. */
struct rt_answer {
	char *text;			/* NUL-terminated, to be freed; may be NULL */
	size_t n;
	int status;			/* its exit status; -1: a signal ended it, or it is not known */
	const char *failure;		/* a phrase ("did not answer in time"), or NULL: it ended well */
	bool late;			/* it is that it did not answer */
	void (*slow)(const char *of);	/* is called once with `of` where there is no answer after a second; may be NULL */
	const char *of;
};

/*
 * Run `argv` (argv[0] is looked up in PATH where it has no slash) without input, and take what it writes to its standard output.
 * It is killed after `timeout_ms`.  0, or a negative errno where it could not be started.  `answer` starts as { 0 } but for `slow`.
 */
int rt_ask(char *const argv[], unsigned timeout_ms, struct rt_answer *answer);

#endif
