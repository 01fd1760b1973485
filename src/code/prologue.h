/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CODE_PROLOGUE_H
#define RT_CODE_PROLOGUE_H

#include "arch/decode.h"
#include "elf/image.h"

/* The code of a function, from its entry on. */
struct rt_extent {
	struct rt_image *image;
	uint64_t addr, size;	/* bytes; 0: not known */
	bool sized;		/* the size is the symbol's own */
};

/*
 * The demands on a cheap place for a function's probe.  A kernel emulates some probed instructions
 * and single-steps the others.  If a function begins with one of the others, the probe may be on a
 * later instruction, if every call passes it exactly once.
 */
struct rt_prologue_want {
	uint32_t emulated;	/* RT_FORM_BIT of what this kernel does not single-step */
	/*
	 * BPF programs emulate what rt_arch.emulation reads.  Their place is no better than an
	 * entry that programs emulate too.
	 */
	bool programs;
	/* what it makes of probed nops; rt_prologue_find takes the image's */
	enum rt_nops nops;
	/* move past the mark (endbr64) alone: its successor is never worse */
	bool mark_only;
	/* a uretprobe is put at the same place: the return address must be on top of the stack */
	bool returns;
	bool stack;		/* something is read relative to the stack pointer */
	uint32_t arguments;	/* bit i: argument register i is read */
	bool memory;		/* something is read there, which a store could change */
	/* that cannot be probed: any place behind it is better, if it can */
	bool not_entry;
	/*
	 * its file, whose data is mapped, so that accesses to it cannot fault; NULL: none is moved
	 * past.  rt_prologue_find takes the function's.
	 */
	const struct rt_image *image;
};

enum { RT_PROLOGUE_MOST = 63 };

struct rt_prologue {
	/* bytes from the entry to the place: RT_PROLOGUE_MOST at most, and less than the size */
	uint32_t skip;
	int32_t sp_down;	/* the stack pointer is so much lower there */
	enum rt_form form;	/* of the instruction at the place */
	const char *why;	/* a phrase for the user; static */
};

/*
 * Walk the prologue in the `n` bytes of a function of `arch` at `addr` to the first cheap
 * instruction.  `decoder` may be NULL.  Whether something jumps to between the entry and the place
 * is not judged here, but by rt_branches_*.
 */
void rt_prologue_walk(const struct rt_arch *arch, struct rt_decoder *decoder, const uint8_t *bytes,
		      size_t n, uint64_t addr, const struct rt_prologue_want *want,
		      struct rt_prologue *prologue);

/* The same for function `f`, from its file, with what its symbols say. */
void rt_prologue_find(const struct rt_extent *f, struct rt_decoder *decoder,
		      const struct rt_prologue_want *want, struct rt_prologue *prologue);

/*
 * Functions with a first instruction that the kernel refuses to probe, or would spoil.  Returns how
 * far behind the entry at `addr` (`size` bytes) a probe may be, whatever it reads: past that
 * instruction, if all its effect is on vector registers.  0: nowhere.  Here too rt_branches_find is
 * not asked.
 */
uint32_t rt_prologue_behind(struct rt_image *image, uint64_t addr, uint64_t size);

/*
 * May code get behind the entry of `f`, up to `skip`, but through the entry?  The
 * reason, or NULL: not from nearby.
 */
const char *rt_branches_near(const struct rt_extent *f, struct rt_decoder *decoder, uint32_t skip);

/* The bytes of an image that must be reached through the entry alone: from `first` to `last`. */
struct rt_window {
	uint64_t first, last;
	size_t owner;		/* the caller's */
	bool entered;		/* something refers to one of them */
};

/* Sorted addresses to which something refers; `all`: a part of the file could not be read. */
struct rt_targets {
	uint64_t *v;
	size_t n, cap;
	bool all;
};

/*
 * Look through all of an image for branches into, and addresses of, bytes of the `n` windows,
 * which are sorted by their first and may overlap.  0 or -ENOMEM.  Free the targets' `v` also then.
 */
int rt_branches_find(const struct rt_image *image, const struct rt_window *v, size_t n,
		     struct rt_targets *targets);

/* Set `entered` of windows that some of the targets are in. */
void rt_branches_enter(const struct rt_targets *targets, struct rt_window *v, size_t n);

#endif
