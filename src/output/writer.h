/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_WRITER_H
#define RT_OUTPUT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A thread that writes to a descriptor, so that the rings are drained while a pipe's reader is slow
 * or a disk is busy.  It takes up to 64 MB; then the caller waits for it.
 *
 * The descriptor is the thread's until rt_writer_free.  In a copy of the process (fork) there is no
 * thread, and the copy must not use the writer.
 */
struct rt_writer;

/* NULL: there is no thread to be had, or no memory. */
struct rt_writer *rt_writer_new(int fd);

/* Copy the bytes, to be written last.  0, or the negative errno of any write so far. */
int rt_writer_put(struct rt_writer *writer, const char *bytes, size_t n);

/*
 * Write `tail` at offset `at` when all bytes are written, unless others are put before that.  They
 * overwrite it.  It is a constant.
 */
void rt_writer_put_tail(struct rt_writer *writer, const char *tail, off_t at);

/* Begin to write all, and wait for the end.  0, or the negative errno of any write so far. */
int rt_writer_push(struct rt_writer *writer);
int rt_writer_wait(struct rt_writer *writer);

/* Has it half of the bytes that it takes, or more? */
bool rt_writer_is_behind(struct rt_writer *writer);

/* Waits until all is written.  NULL: nothing is done. */
void rt_writer_free(struct rt_writer *writer);

/* write(2) until all is written.  0 or a negative errno. */
int rt_write_all(int fd, const char *bytes, size_t n);

#endif
