/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_HIST_H
#define RT_OUTPUT_HIST_H

#include "output/tally.h"

struct rt_open;

/* The cells of calls that are measured one by one, for hist.c and top.c. */
struct rt_hist {
	struct rt_tally tally;	/* first: tally.c knows no more of the state */
	struct rt_open *threads;
};

/* As in rt_sink_ops.  The sink's state is an rt_hist, or begins with one. */
int rt_hist_enter(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		  const struct rt_values *args);
int rt_hist_leave(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		  enum rt_end end, uint64_t time, const struct rt_values *result);
void rt_hist_gone(struct rt_sink *sink, struct rt_thread *thread);
void rt_hist_free(struct rt_sink *sink);

#endif
