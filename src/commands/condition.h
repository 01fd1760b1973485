/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_COMMANDS_CONDITION_H
#define RT_COMMANDS_CONDITION_H

#include "calls/outcome.h"
#include "lang/spec.h"
#include "symbols/function.h"

/*
 * The conditions of specifications on the calls of a recording.  They compare arguments by name or
 * argN, the result, errno and the time; what is reached from an argument is not in a recording.
 */
struct rt_conditions;

/*
 * `failed`: a call of a function that no specification names must have failed.  NULL: out of
 * memory.
 */
struct rt_conditions *rt_conditions_new(const struct rt_functions *functions, bool failed);
void rt_conditions_free(struct rt_conditions *conditions);

/*
 * Add `text`: "NAME(CONDITION, ...)", NAME a glob of functions of the recording.  0 or a usage
 * error.
 */
int rt_conditions_add(struct rt_conditions *conditions, const char *text, struct rt_error *err);

/* Is there a condition that a call's end decides?  Does a specification name the function? */
bool rt_conditions_test_end(const struct rt_conditions *conditions);
bool rt_conditions_name(const struct rt_conditions *conditions, uint32_t function);

/* For rt_outcome_new, while the conditions live. */
struct rt_outcome_tests rt_conditions_tests(struct rt_conditions *conditions);

/* The number of comparisons with a value that the recording has not. */
uint64_t rt_conditions_unknown(const struct rt_conditions *conditions);

#endif
