/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ARCH_SWITCHES_H
#define RT_ARCH_SWITCHES_H

#include "arch/flow.h"

/* Instructions that may load the stack pointer, for safety/switches.c. */
enum rt_load {
	RT_LOAD_NOT,
	RT_LOAD_OF_COMPILERS,	/* they have such, too */
	RT_LOAD_OF_SIZE,	/* something is taken from it */
	RT_LOAD_OF_SUM,		/* something is added to it */
	RT_LOAD_OF_WORD,	/* pop */
	RT_LOAD_OF_FRAME,	/* the frame pointer is loaded, and leave is behind */
	RT_LOAD_STRANGE,
};

/* An architecture with instructions of 4 bytes. */
struct rt_word_switches {
	enum rt_load (*load)(uint32_t word);
	/*
	 * The effect of the instruction in the `n` bytes at `bytes`, as far as the walk of
	 * safety/switches_walk.c asks for it.  False: there is none.
	 */
	bool (*decode)(const uint8_t *bytes, size_t n, struct rt_flow *flow);
	int sp, fp;		/* registers, by their numbers in instructions */
	uint32_t arguments;	/* those that have them, as bits */
};

extern const struct rt_word_switches rt_aarch64_switches;

#endif
