/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_FILES_H
#define RT_OUTPUT_FILES_H

#include "output/sink.h"

/*
 * -ff: a sink that writes a file for each process, NAME.PID, by another sink of `each`.  The first
 * event of a process opens its file; the end of the process closes it.  Remarks that came before
 * all files are repeated in each.
 *
 * Example: with NAME "trace", processes 70 and 71 have their trees in trace.70 and trace.71.  A
 * second process 70 of the same trace has trace.70.2.
 */
extern const struct rt_sink_ops rt_sink_files;

/* Before it begins: the sink becomes such a one; `sink->to` has NAME.  0 or -ENOMEM. */
int rt_files_init(struct rt_sink *sink, const struct rt_sink_ops *each);

/* Write out what the buffers of the open files hold.  0 or a negative errno. */
int rt_files_flush(struct rt_sink *sink, struct rt_error *err);
void rt_files_put_tails(struct rt_sink *sink);

#endif
