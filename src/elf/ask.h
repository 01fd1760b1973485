/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ELF_ASK_H
#define RT_ELF_ASK_H

#include <stdbool.h>
#include <stddef.h>

/* The output of another program, and whether it is complete. */
struct rt_answer {
	char *text;			/* NUL-terminated, to be freed; may be NULL */
	size_t n;
	/* its exit status; -1: a signal ended it, or it is not known */
	int status;
	/* a phrase ("did not answer in time"), or NULL: it ended well */
	const char *failure;
	bool late;			/* it is that it did not answer */
	/* is called once with `of` where there is no answer after a second; may be NULL */
	void (*slow)(const char *of);
	const char *of;
};

/*
 * Run `argv` (argv[0] is looked up in PATH if it has no slash) without input, and take its standard
 * output.  It has no privilege (rt_caps_drop), a process group of its own, the variables `env`
 * ("NAME=VALUE", may be NULL) beside those that are set, and starts in the folder `folder` (a
 * descriptor; -1: here).  When it ends, or after `timeout_ms`, the whole group is killed.
 * 0, or a negative errno if it could not be started.  `answer` starts as { 0 } but for `slow`.
 */
int rt_ask(char *const argv[], char *const env[], int folder, unsigned timeout_ms,
	   struct rt_answer *answer);

#endif
