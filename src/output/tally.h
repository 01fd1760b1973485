/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_TALLY_H
#define RT_OUTPUT_TALLY_H

#include "emit/cells.h"
#include "output/out.h"

/*
 * The outputs of `rawtrace count` and `rawtrace hist`: one table at the end.  What the kernel's maps hold comes through
 * rt_tally_add; where it counts nothing (tracefs alone) the calls come one by one, as to every output.
 */
extern const struct rt_out_ops rt_out_count, rt_out_hist;

/* Add `value`, modulo 2^64 so that some can be taken off, to a cell of a function or of RT_NO_FUNCTION. */
void rt_tally_add(struct rt_out *out, uint32_t function, unsigned cell, uint64_t value);

/* Was any call counted, or its end? */
bool rt_tally_has_calls(const struct rt_out *out);

#endif
