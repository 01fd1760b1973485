/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_TOP_H
#define RT_OUTPUT_TOP_H

#include "output/sink.h"

/*
 * The sink of rawtrace top: a table of the functions that were called in the last round.  The
 * session says when a round is over and prints it; the sink itself writes nothing.
 */
extern const struct rt_sink_ops rt_sink_top;

/* A round of `ns` is over: what was counted since the round before is its table.  0 or -ENOMEM. */
int rt_top_take(struct rt_sink *sink, uint64_t ns);

/*
 * Print the table of the last round, sorted by calls, avg, p99 or else self.  At most `lines` lines
 * of at most `columns` characters; 0: any number.  0 or -ENOMEM.
 */
int rt_top_print(const struct rt_sink *sink, FILE *file, enum rt_sort sort, unsigned lines,
		 unsigned columns);

#endif
