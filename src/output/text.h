/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_TEXT_H
#define RT_OUTPUT_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

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

#endif
