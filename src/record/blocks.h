/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_RECORD_BLOCKS_H
#define RT_RECORD_BLOCKS_H

#include <stdio.h>

#include "base/bytes.h"
#include "base/error.h"

/*
 * A recording's file: a header and blocks.  All numbers are little endian.
 *
 *	header		"RAWTRACE", u32 version
 *	block		"RTBK", u32 kind, u32 bytes, u32 stored, u32 CRC-32 of the stored bytes,
 *			the stored bytes: zstd's frame of the block's bytes, or these themselves
 *			where `stored` is `bytes`
 *
 * A block is written whole, so a recorder that was killed leaves a file that reads up to its last
 * whole block.  Blocks of calls need no other block of calls: each defines its threads anew.
 */
enum { RT_RECORD_VERSION = 3, RT_BLOCK_MOST = 16 << 20 };

enum rt_block_kind {
	RT_BLOCK_TRACE = 1,	/* the command, the first process */
	RT_BLOCK_FUNCTIONS,	/* flags and names of functions, by their numbers */
	RT_BLOCK_CALLS,
	RT_BLOCK_NOTE,		/* a remark */
	RT_BLOCK_END,		/* the trace has ended */
	RT_BLOCK_COSTS,		/* of functions, by their numbers: the time that probes take */
	RT_BLOCK_PATTERNS,	/* numbers of functions and the patterns of their calls' names */
	RT_BLOCK_FILES,		/* names and build-ids of files; the file of each function */
};

/* Flags of a function: rt_function.hidden, .usdt and .closes. */
enum { RT_FUNCTION_HIDDEN = 1, RT_FUNCTION_USDT = 2, RT_FUNCTION_CLOSES = 4 };

/* Write the header, or a block.  A failure shows in ferror(file).  -ENOMEM, or 0. */
void rt_blocks_begin(FILE *file);
int rt_blocks_write(FILE *file, enum rt_block_kind kind, const struct rt_bytes *bytes);

/* Append a block as it is in a file.  0 or -ENOMEM. */
int rt_block_encode(enum rt_block_kind kind, const struct rt_bytes *bytes, struct rt_bytes *out);

/* "zstd", or "none" where this rawtrace has no library to compress by. */
const char *rt_blocks_compression(void);

struct rt_blocks {
	FILE *file;
	const char *path;	/* for messages */
	uint64_t at;		/* offset of the block that is read */
	uint8_t *stored, *bytes;	/* of it */
	bool skips_calls;	/* blocks of calls are given without their bytes */
};

struct rt_block {
	enum rt_block_kind kind;
	const uint8_t *bytes;	/* valid until the next block is read */
	size_t n;
};

/* Open a recording; "-" is standard input.  0, or an error that says what it is instead. */
int rt_blocks_open(struct rt_blocks *blocks, const char *path, struct rt_error *err);
int rt_blocks_rewind(struct rt_blocks *blocks, struct rt_error *err);

/* The error that the block is damaged; returns -EBADMSG. */
int rt_blocks_damaged(const struct rt_blocks *blocks, const char *problem, struct rt_error *err);

/*
 * The next block.  1; 0: the file ends here; -EBADMSG with a message: it is damaged here, and what
 * came before is whole.
 */
int rt_blocks_read(struct rt_blocks *blocks, struct rt_block *block, struct rt_error *err);
void rt_blocks_close(struct rt_blocks *blocks);

#endif
