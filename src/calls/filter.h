/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_FILTER_H
#define RT_CALLS_FILTER_H

#include "base/pids.h"
#include "calls/stack.h"
#include "emit/cells.h"

/*
 * Between the stack and the output: which calls are shown.  The levels that the output gets
 * count shown calls alone.  With a minimum time a call is shown when it is known to have lasted
 * that long, with those around it before it; one whose end was not seen, or that is still open,
 * counts up to then.  A call that has no end (entries only) has no time, and one whose entry was
 * not seen cannot be judged: they are left out.
 */
struct rt_filter_want {
	struct rt_limit limit;
	const bool *roots;	/* with limit.under: by function */
	bool inside_only;	/* not what rt_frame.outside says of itself */
	const bool *excluded;	/* by function; NULL: none is */
	const struct rt_pids *tids;	/* only these threads; NULL: all of them */
	/* only calls that begin at `from` or later and before `to`, if not 0: ns since *start */
	uint64_t from, to;
	const uint64_t *start;
};

/* Is any call left out? */
bool rt_filter_wants_any(const struct rt_filter_want *want);

struct rt_filter;

/*
 * Calls that are shown go to `next`.  `want` is copied; the roots must outlive the filter.  NULL:
 * out of memory.
 */
struct rt_filter *rt_filter_new(const struct rt_filter_want *want, const struct rt_call_ops *next,
				void *ctx);
/* There are more functions: the roots by now. */
void rt_filter_roots(struct rt_filter *filter, const bool *roots);
void rt_filter_free(struct rt_filter *filter);

/* Was any call shown? */
bool rt_filter_has_shown(const struct rt_filter *filter);

/* For rt_stack_new, with the filter as its ctx. */
extern const struct rt_call_ops rt_filter_ops;

#endif
