/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_RECORD_BLOCK_WRITER_H
#define RT_RECORD_BLOCK_WRITER_H

#include "record/blocks.h"

/*
 * A thread that compresses and writes blocks, while the caller makes the next one.  The process
 * must not fork while there is one.
 */
struct rt_block_writer;

/* NULL: there is no thread to be had, and rt_blocks_write does it. */
struct rt_block_writer *rt_block_writer_new(FILE *file);

/* As rt_blocks_write, in order.  The bytes are copied. */
void rt_block_writer_put(struct rt_block_writer *writer, enum rt_block_kind kind,
			 const struct rt_bytes *bytes);

/* Wait until all is written, and free it.  0, or -ENOMEM for any block. */
int rt_block_writer_end(struct rt_block_writer *writer);

#endif
