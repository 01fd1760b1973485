/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_COSTS_H
#define RT_ATTACH_COSTS_H

#include "attach/attach.h"
#include "plan/costs.h"

/*
 * A process of ours that measures the time that a probe takes from a program.  It traces functions
 * of its own child, by the mechanism and the ring of the trace.  It takes its probes out while the
 * trace runs, as each removal waits for RCU.
 */
struct rt_costs_worker {
	pid_t pid;		/* 0: none */
	int to, from;
};

/* Start the process, before the traced command and any probe exist.  Failure: costs are unknown. */
void rt_costs_begin(struct rt_costs_worker *worker);

/*
 * Measure, for a trace that is attached by `ops` with `ring` (NULL: the mechanism's own choice),
 * with rt_attach_request.emulate.
 * Takes some 30 ms; after 2 s, or if the process fails, `costs->known` is false.
 */
void rt_costs_measure(struct rt_costs_worker *worker, const struct rt_attach_ops *ops,
		      const struct rt_ring_ops *ring, bool emulate, struct rt_probe_costs *costs);

/* Wait for the end of the process. */
void rt_costs_end(struct rt_costs_worker *worker);

#endif
