/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_EXITS_PRIVATE_H
#define RT_CODE_EXITS_PRIVATE_H

#include "code/body.h"
#include "code/exits.h"

/*
 * Shared by exits.c (the ways from the entry, checks of the result) and exits_jumps.c (jumps
 * through registers).
 */

struct rt_todo {
	uint64_t addr, from;
	struct rt_depth depth;
};

/* Addresses: of functions that are called directly, and others. */
struct rt_calls {
	uint64_t *v;
	size_t n, cap;
	bool addresses;		/* those too that it takes the address of */
};

/*
 * A table of jumps that nothing but its entries tells the length of, which is at most `max`; `n`
 * have been followed.  The jump is at `addr`.
 */
struct rt_unbounded {
	struct rt_jumps table;
	uint64_t addr, n, max;
};

struct rt_walk {
	struct rt_body body;
	struct rt_code *code;
	struct rt_exits *exits;
	uint64_t entry;
	struct rt_todo *todo;
	size_t ntodo, cap;
	uint64_t *indirect;		/* jumps that are still to be understood */
	size_t nindirect, indirect_cap;
	/* the first `nended` of them have been followed to their ends */
	struct rt_unbounded *unbounded;
	size_t nunbounded, nended, unbounded_cap;
	/* that it makes, other than of its own code: tables begin there */
	struct rt_calls addresses;
	bool tables, own_address, nomem;
	bool unwinder;			/* its indirect jumps are to other functions' frames */
	struct rt_calls *calls;		/* where it calls to; or NULL: nobody wants to know */
};

/*
 * Follow all ways through the function, with `unwinder` as by rt_exits_find_unwinder; `calls` may
 * be NULL.  0 or -ENOMEM.
 */
int rt_walk_function(struct rt_code *code, uint64_t addr, uint64_t size, bool unwinder,
		     struct rt_calls *calls, struct rt_exits *exits);

/* The exits are not known for certain, because; the first reason stays. */
void rt_walk_fail(struct rt_walk *w, const char *why);
void rt_walk_nomem(struct rt_walk *w);
/* Follow the way from `addr` later, to which the instruction at `from` (0: none) leads. */
void rt_walk_later(struct rt_walk *w, uint64_t addr, uint64_t from, struct rt_depth depth);
void rt_walk_exit(struct rt_walk *w, uint64_t addr, const struct rt_flow *f, enum rt_exit_kind kind,
		  bool self);
/* Is that the name of a cold part of the function, by any of its names? */
bool rt_walk_is_own_part(const struct rt_walk *w, const char *part);
/* Is `target` in a cold part of the function?  That is one of its pieces then. */
bool rt_walk_cold(struct rt_walk *w, uint64_t target);
/* The stack at an instruction that was reached. */
struct rt_depth rt_walk_depth(const struct rt_walk *w, uint64_t addr);

/* The slot of a jump's target, if it is at a fixed address; or 0. */
uint64_t rt_walk_slot(const struct rt_flow *f);

/* Find the targets of the jump at `addr`: the instruction does not have them. */
void rt_walk_understand(struct rt_walk *w, uint64_t addr);

/*
 * Follow one more entry of a table without a bound, when all other ways have been.  False: there is
 * none.
 */
bool rt_walk_lengthen(struct rt_walk *w);

/* When all ways have been followed; there may be more then.  And when there are not. */
void rt_walk_check_whole(struct rt_walk *w);
void rt_walk_check_exits(struct rt_walk *w);

#endif
