/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_NET_H
#define RT_CALLS_NET_H

#include "plan/costs.h"
#include "stream/call.h"

/*
 * Before the filters and the output: take the cost of the probes off the times of calls.  Each
 * thread gets a clock of its own, from which all cost is gone: a duration is without the cost of
 * the call's own probes and of those inside it.
 */
struct rt_net;

/* `costs` of `n` functions, by number, are copied.  NULL: out of memory. */
struct rt_net *rt_net_new(const struct rt_call_cost *costs, size_t n,
			  const struct rt_call_ops *next, void *ctx);
void rt_net_free(struct rt_net *net);

/* The time that was taken off, in ns, and the number of calls. */
uint64_t rt_net_taken(const struct rt_net *net, uint64_t *calls);

/* With the rt_net as ctx. */
extern const struct rt_call_ops rt_net_ops;

#endif
