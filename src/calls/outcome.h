/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_OUTCOME_H
#define RT_CALLS_OUTCOME_H

#include "calls/stack.h"

/*
 * Between the filter and the output: calls are chosen by tests of their result and time.  Functions
 * without any are always shown, but with `why` only inside calls that pass their tests, and around
 * them.
 */
struct rt_outcome;

/*
 * The tests.  Has the call's end some (`result` NULL: at its entry)?  Does its entry pass; its end,
 * which was a return, after `ns`?
 */
struct rt_outcome_tests {
	bool (*tests_end)(void *ctx, const struct rt_frame *frame, const struct rt_values *result);
	bool (*passes_entry)(void *ctx, const struct rt_frame *frame,
			     const struct rt_values *args);
	bool (*passes_end)(void *ctx, const struct rt_frame *frame,
			   const struct rt_values *result, uint64_t ns);
	void *ctx;
};

/* Those of the plan of the return (rt_frame.result); the programs have tested entries. */
extern const struct rt_outcome_tests rt_outcome_plans;

/*
 * Calls that are shown go to `next`, when the outermost call with tests has ended.  The levels
 * there count shown calls alone.  NULL: out of memory.
 */
struct rt_outcome *rt_outcome_new(const struct rt_outcome_tests *tests, bool why,
				  const struct rt_call_ops *next, void *ctx);
void rt_outcome_free(struct rt_outcome *outcome);

/* Was any call shown? */
bool rt_outcome_has_shown(const struct rt_outcome *outcome);

/*
 * The number of calls left out untested: their result was not seen, as of a tail call; and the
 * number of those with too many calls inside them.
 */
uint64_t rt_outcome_unseen(const struct rt_outcome *outcome);
uint64_t rt_outcome_too_large(const struct rt_outcome *outcome);

/* For rt_stack_new or rt_filter_new, with the outcome as its ctx. */
extern const struct rt_call_ops rt_outcome_ops;

#endif
