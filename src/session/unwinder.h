/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SESSION_UNWINDER_H
#define RT_SESSION_UNWINDER_H

#include "calls/feed.h"
#include "output/resolver.h"

/*
 * Unwinds the stacks that entries copy (rt_plan_add_stack), by the call frame information of the
 * files that the process has mapped.
 */
struct rt_unwinder;

/*
 * Both must outlive it; `raw`: names as the symbols have them, not as they were written.  NULL: out
 * of memory.
 */
struct rt_unwinder *rt_unwinder_new(struct rt_feed *feed, const struct rt_program *program,
				    bool raw);
/*
 * A process mapped a file (RT_EV_MMAP with its path): open it now, as the process may have ended
 * when a stack is unwound.
 */
void rt_unwinder_mapped(struct rt_unwinder *unwinder, const struct rt_event *event);
void rt_unwinder_free(struct rt_unwinder *unwinder);

/* As rt_resolver_ops.stack. */
bool rt_unwinder_walk(struct rt_unwinder *unwinder, const struct rt_stack_top *top,
		      rt_stack_put *put, void *ctx);

#endif
