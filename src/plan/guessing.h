/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_GUESSING_H
#define RT_PLAN_GUESSING_H

#include <sys/types.h>

#include "plan/signature.h"

/* A child of ours that makes guesses. */
struct rt_guessing {
	pid_t pid;		/* 0: none */
	int from;		/* it writes them there at its end */
};

/*
 * Make the guesses of a large file in a child, on another CPU: `ask` asks for the signatures, in
 * the order in which they will be asked for here.  (A guess depends on those before it.)  Nothing
 * happens where there is one CPU, few functions, or debug information of most.
 */
void rt_guessing_begin(struct rt_guessing *guessing, const struct rt_functions *functions,
		       void (*ask)(void *ctx, struct rt_signatures *signatures), void *ctx);

/* Wait for the guesses.  Those that a failed child has not made are made when asked for. */
void rt_guessing_take(struct rt_guessing *guessing, struct rt_signatures *signatures);

/* Without them. */
void rt_guessing_drop(struct rt_guessing *guessing);

#endif
