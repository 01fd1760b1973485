/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_TEXT_H
#define RT_OUTPUT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "output/sink.h"

/*
 * Fast replacements for stdio.  An event is a few dozen bytes and there may be millions a second:
 * parsing a printf format and locking the stream for each piece would cost more than all the rest.
 * rawtrace writes from one thread.
 */
void rt_put(FILE *file, const char *text);
void rt_put_bytes(FILE *file, const void *bytes, size_t len);
void rt_put_u64(FILE *file, uint64_t v);
void rt_put_i64(FILE *file, int64_t v);

/*
 * "12 events lost", "1 event lost", and for 0, a number that the kernel does not tell, "events
 * lost".
 */
void rt_put_lost(FILE *file, uint64_t count);

/*
 * A line on a process's end, as strace has it: "+++ 7 exited with 0 +++".  `status`: as wait(2) has
 * it, -1: not known.
 */
void rt_put_exited(FILE *file, pid_t pid, int status);

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
