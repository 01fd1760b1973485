/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_GO_CODE_H
#define RT_ARCH_GO_CODE_H

#include "arch/arch.h"

/* A check of the stack has less bytes, and a function's spills and its frame's at most so many. */
enum { RT_GO_CHECK_MAX = 80, RT_GO_SPILLS_MAX = 288, RT_GO_FRAME_MAX = 32 };

/* A register of arguments that is put into the frame. */
struct rt_go_spill {
	uint32_t at;		/* in the frame */
	uint8_t size;
	bool floating;
};

/* The code that Go's compiler makes for an architecture (rt_arch.go_code). */
struct rt_go_code {
	unsigned registers;	/* arguments are passed in registers since Go 1.`registers` */
	/* since Go 1.18 the compiler puts nothing but code into functions */
	bool no_data;
	/* has the goroutine's record behind a stack check, up to Go 1.16 */
	struct rt_reg checked;
	/*
	 * Counts the bytes of the stack check at a function's entry, of which there are `n`; 0: it
	 * has none. A call that must grow its stack returns to the entry and begins once more.
	 */
	uint32_t (*past_check)(const uint8_t *bytes, size_t n);
	/*
	 * Counts the bytes behind that check that a goroutine runs once more, if the scheduler
	 * stops it among them.  NULL: none.
	 */
	uint32_t (*past_temporary)(const uint8_t *bytes, size_t n);
	/*
	 * Counts the bytes behind these that make the frame, up to the instruction that sets the
	 * frame pointer, where sp is `*sp_down` lower.  0: none.  NULL: programs emulate nothing.
	 */
	uint32_t (*past_frame)(const uint8_t *bytes, size_t n, int32_t *sp_down);
	/*
	 * Finds the code to which the check (the first `past` bytes) jumps to grow the stack,
	 * counted from the entry.  False: not known.
	 */
	bool (*grows_at)(const uint8_t *bytes, uint32_t past, int64_t *at);
	/*
	 * The RT_GO_SPILLS_MAX bytes there put the registers of arguments into the frame, in their
	 * order: fills in at most `max`.  The number, or -1: other code is among them.
	 */
	int (*spills)(const uint8_t *code, struct rt_go_spill *v, unsigned max);
	/* Has the code instructions that count with floats?  Others may be taken for them. */
	bool (*has_floats)(const uint8_t *code, size_t n);
	/*
	 * By the first stack check that gets the goroutine by the thread pointer: `*at` is how far
	 * from that it is.  False: none of the `n` bytes' check does, and those that get it by
	 * a table of the linker's do not tell.  NULL: it has a register of its own.
	 */
	bool (*thread_offset)(const uint8_t *bytes, size_t n, int32_t *at);
	/*
	 * Do the 4 bytes up to `addr` and the instruction there call a function with the first
	 * register on the stack?
	 */
	bool (*calls)(const uint8_t *bytes, uint64_t addr, uint64_t *target);
};

extern const struct rt_go_code rt_x86_64_go_code, rt_aarch64_go_code;

#endif
