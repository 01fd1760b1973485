/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SAFETY_SWITCHES_WALK_H
#define RT_SAFETY_SWITCHES_WALK_H

/* internals of switches.c */
#include "arch/switches.h"
#include "code/code.h"

enum { RT_LOAD_NEAR = 64, RT_WALK_SLOTS = 64 };

/*
 * switches.c: the one that may begin at `p`, where there are RT_LOAD_NEAR bytes, and `n`
 * before it.  `wide`: in 64 bits.
 */
enum rt_load rt_load_kind(const uint8_t *p, size_t n, bool wide);

/*
 * Is the stack pointer stored at `p`, and not in the frame, which registers of `copies` lead to
 * too?
 */
bool rt_load_stored(const uint8_t *p, uint32_t copies, bool wide);

/* a value stored in the frame */
struct rt_walk_slot {
	int64_t disp;
	int base;
	bool near, foreign;
};

/*
 * A function, from its beginning to its end, up to twice: what is stored in its frame can stand
 * behind where it is loaded.
 */
struct rt_switch_walk {
	enum rt_load load;
	bool unknown;		/* it is not known where functions begin */
	/* registers by their values, in the order of the code; as bits */
	struct rt_walk_registers {
		uint32_t copies;	/* to the frame, here or anywhere else that was seen */
		uint32_t near;		/* to the frame, here */
		uint32_t foreign;	/* what was read elsewhere is in them */
		/*
		 * what a call has given, unless it is one of assembly, which may keep what was in
		 * them
		 */
		uint32_t results;
		uint32_t given;		/* what the caller has given, and copies of it */
		/* of these and the stack pointer, as what is between two stacks */
		uint32_t sums;
	} r;
	bool wide;
	int sp, fp;
	uint32_t arguments;	/* the registers that have them */
	/*
	 * in 32 bits: of the stack pointer below the return address, the largest, of the frame
	 * pointer
	 */
	int32_t depth, most, frame;
	struct rt_walk_slot slots[RT_WALK_SLOTS];
	unsigned nslots;
	bool framed, stored;
	bool failed;
	bool there, far, copied, handed;	/* the place that is asked for */
	/* behind it the frame is left by a frame pointer that is none */
	bool left;
};

/*
 * switches_walk.c: walk through the function of `n` bytes that begins at `start`; the question is
 * whether `load` at `addr` switches stacks.  `w` keeps its results, except registers, for a second
 * walk.
 */
void rt_walk(struct rt_switch_walk *w, struct rt_code *code, uint64_t start, const uint8_t *bytes,
	     size_t n, uint64_t addr);

/*
 * From the load of the frame pointer at `p` on, which has RT_LOAD_NEAR bytes, is the frame left by
 * that?
 */
bool rt_walk_ends_in_leave(struct rt_code *code, uint64_t addr, const uint8_t *p);

/*
 * Is it an instruction that begins at `p`, and not one before it, of which `n` bytes can be looked
 * at?
 */
bool rt_walk_is_instruction(struct rt_code *code, uint64_t addr, const uint8_t *p, size_t n);

#endif
