/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_EXITS_H
#define RT_CODE_EXITS_H

#include <string.h>

#include "code/code.h"

/* The kinds of exits; exits.c begins with how these are found. */
enum rt_exit_kind {
	RT_EXIT_RETURN,		/* the result is in its register */
	RT_EXIT_JUMP,		/* a tail call: what is jumped to returns to our caller */
	RT_EXIT_MAYBE,		/* the same where the flags fit `condition` */
};

/* A place for a probe. */
struct rt_exit_place {
	uint64_t addr;
	/* there the stack pointer is so much lower than at the function's entry */
	uint32_t sp_down;
	uint8_t form, size;	/* enum rt_form of the instruction there, its bytes */
};

enum { RT_BY_IP = 255 };

struct rt_exit {
	struct rt_exit_place at;	/* the instruction itself */
	/*
	 * one before it, that every way to it and no other passes, of a form that some kernels
	 * emulate; addr 0: none
	 */
	struct rt_exit_place cheaper;
	/* for the caller: the place of its probe, one of the two, */
	struct rt_exit_place place;
	uint64_t offset;	/* in the file */
	uint64_t target;	/* where it jumps to; 0: that is not in the instruction */
	/*
	 * then its place in the file's memory, by its address; 0: in a register, or
	 * elsewhere
	 */
	uint64_t slot;
	uint64_t bound;		/* for the caller: where in this file it leads to; 0: not known */
	char *to;		/* the name of what `slot` leads to; owned, NULL: it has none */
	uint32_t *through;	/* `nthrough` traced functions to which its slot may lead; owned */
	uint32_t nthrough;
	uint32_t callee;	/* which traced function `target` is; UINT32_MAX: none */
	enum rt_exit_kind kind;
	/* A jump to the target in a register: 1 + its DWARF number, or RT_BY_IP; 0: none does. */
	uint8_t by;
	bool loads;		/* or the word in memory, `disp` bytes behind where it points */
	/* for the caller: 1 + the plan that reads the target, or where it returns; 0: none does */
	uint16_t plan;
	int32_t disp;
	uint8_t condition;	/* RT_EXIT_MAYBE, of x86: the number in the instruction */
	bool self;		/* a jump to the function's own beginning */
	/*
	 * to a place that is not in it, with a stack pointer that may be any: to another function's
	 * frame
	 */
	bool away;
	/* it is an exit of other traced functions too; one of those has the probe */
	bool shared, repeats;
	bool middle;		/* `target` is none, but is inside a traced function */
};

struct rt_exits {
	struct rt_exit *v;	/* by address */
	size_t n, cap;
	/* why they are not known for certain (then n is 0), or NULL; static */
	const char *why;
	const struct rt_image *image;	/* with that code */
	/* on x86: it reads its own return address from the stack, as far as the way was followed */
	bool reads_return_address;
};

/*
 * Find the exits of the function of `size` bytes at `addr`, which has a symbol there.  0 or
 * -ENOMEM.
 */
int rt_exits_find(struct rt_code *code, uint64_t addr, uint64_t size, struct rt_exits *exits);
/*
 * The same for a function of the unwinder, which continues in another frame: those exits are among
 * its returns and its jumps without a target.
 */
int rt_exits_find_unwinder(struct rt_code *code, uint64_t addr, uint64_t size,
			   struct rt_exits *exits);
/*
 * Which function longjmp ends in, by longjmp's own address and size: itself, or the one that it
 * calls for the last step, which may have no name; with `handed` by __pthread_unwind_next's, which
 * has what it calls do that.  Sets both to that one's.  0, -ENOENT: not known, or -ENOMEM.
 */
int rt_exits_find_leap(struct rt_code *code, bool handed, uint64_t *addr, uint64_t *size);
/*
 * Was the code of the function with exits `part` followed as if it were a part of the other's, or
 * some of it?  In a stripped program a tail call is, as what it leads to may be a cold part.
 */
bool rt_exits_include(const struct rt_exits *whole, const struct rt_exits *part);
void rt_exits_free(struct rt_exits *exits);

/* stub.c: the slot that holds where it leads, its own or that of the stub it jumps to; 0: none. */
uint64_t rt_exit_slot(struct rt_code *code, const struct rt_exit *exit);
/* One of them's, as the symbol tables have it, and the image's own; NULL: it has none. */
const char *rt_exit_symbol(struct rt_code *code, const struct rt_exit *exit);

/* Has the function of that name, to which a jump leads, no result? */
static inline bool rt_exit_is_void(const char *to)
{
	return to && strcmp(to, "free") == 0;
}

/* Does a jump with condition number `condition` of x86 go, with these flags? */
bool rt_exit_taken(uint8_t condition, uint64_t flags);

#endif
