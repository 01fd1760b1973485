/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_BODY_H
#define RT_CODE_BODY_H

#include "code/exits.h"

/*
 * For exits.c, tables.c and body.c only: a function's bytes while the ways through it are followed.
 */

/*
 * The stack at an instruction: the distance of the stack pointer below its value at the entry, and
 * the same of the frame pointer.
 */
struct rt_depth {
	int32_t sp, fp;
};
#define RT_DEPTH_UNKNOWN INT32_MIN

enum { RT_MARK_NONE, RT_MARK_BEGIN, RT_MARK_INSIDE };

struct rt_stretch {
	uint64_t start, end;
	uint8_t *bytes, *marks;		/* one for each byte */
	struct rt_depth *depths;	/* of those that begin an instruction */
	/* the instruction from which it was first come to, 0: none */
	uint64_t *before;
	uint8_t *joins;			/* ways that lead to it, at most 255 */
};

enum { RT_PIECES = 32 };

struct rt_body {
	struct rt_code *code;
	const struct rt_arch *arch;
	struct rt_stretch v[RT_PIECES];	/* v[0] begins at the entry */
	unsigned n;
};

/* Add the bytes from `start` to `end`.  NULL, or why not; *nomem: because of memory. */
const char *rt_body_add(struct rt_body *body, uint64_t start, uint64_t end, bool *nomem);
void rt_body_free(struct rt_body *body);

/* The piece that holds `addr`, or NULL. */
struct rt_stretch *rt_body_piece(const struct rt_body *body, uint64_t addr);

/* The instruction at `addr`, which must be in a piece.  False: none is known there. */
bool rt_body_decode(const struct rt_body *body, uint64_t addr, struct rt_flow *flow);

/* A table of jumps. */
struct rt_jumps {
	uint64_t table, anchor;
	uint64_t n;		/* entries; 0: no bound was found */
	uint8_t size, shift;	/* of an entry; how far it is shifted left */
	bool is_signed, relative;
};

/*
 * tables.c: does the last instruction of `path`, an indirect jump, take its target from a table?
 * The path is in order.
 */
bool rt_jumps_find(const struct rt_body *body, const uint64_t *path, size_t n,
		   struct rt_jumps *table);
bool rt_jumps_entry(const struct rt_body *body, const struct rt_jumps *table, uint64_t i,
		    uint64_t *target);

#endif
