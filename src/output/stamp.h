/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_STAMP_H
#define RT_OUTPUT_STAMP_H

#include "output/sink.h"

/*
 * The time of an event in a text, as strace has it, with a blank behind it: "14:03:22 ",
 * "14:03:22.000123 ", "1700000000.000123 " or, since `*last`, which becomes `time`,
 * "     0.000123 ".  Nothing without -t or -r.
 */
void rt_stamp_put(FILE *file, const struct rt_trace *trace, uint64_t time, uint64_t *last);

/* Its width. */
unsigned rt_stamp_width(const struct rt_trace *trace);

/* " <0.000123>": how long a call took, ns. */
void rt_stamp_put_duration(FILE *file, uint64_t ns);

#endif
