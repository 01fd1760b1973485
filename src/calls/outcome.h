/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_OUTCOME_H
#define RT_CALLS_OUTCOME_H

#include "calls/stack.h"

/*
 * Between the filter and the output: calls are chosen by their result and time, the tests of the
 * plan of their return (rt_frame.result).  Functions whose plan has none are always shown, but with
 * `why` only inside calls that pass their tests, and around them.
 */
struct rt_outcome;

/*
 * Calls that are shown go to `next`, when the outermost call with tests has ended.  The levels
 * there count shown calls alone.  NULL: out of memory.
 */
struct rt_outcome *rt_outcome_new(bool why, const struct rt_call_ops *next, void *ctx);
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
