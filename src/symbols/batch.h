/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SYMBOLS_BATCH_H
#define RT_SYMBOLS_BATCH_H

#include "symbols/function.h"
#include "symbols/match.h"

/*
 * From a specification to places in one file; function.c makes functions of them.  For src/symbols
 * only.
 */

/* A place that the spec means, before aliases are sorted out. */
struct rt_match {
	const struct rt_symbol *symbol;	/* that has the name */
	uint64_t addr, size;
	bool notype, sized;
	bool versioned;			/* its version must be shown: the name has several */
	/* libcalls: other names of the place that the program imports */
	const struct rt_symbol *also[3];
	const char *refused;		/* why its entry cannot be probed, or NULL: */
	/* then its probes stand so many bytes behind it; 0: nowhere */
	uint32_t behind;
	/* `addr` is so many bytes behind the symbol's; 0: it is the entry */
	uint32_t inside;
};

/*
 * One specification applied to one file.  Starts with image, spec, asked, libcalls; `v` and the
 * matcher are the caller's to free.
 */
struct rt_batch {
	struct rt_image *image;
	const struct rt_spec *spec, *asked;	/* the second is the caller's */
	struct rt_matcher matcher;
	bool libcalls;			/* the symbols are what the program imports */
	/* the spec can mean several functions: what cannot be probed is passed over */
	bool several;
	/* a glob takes the C runtime's functions too (_start, frame_dummy) */
	bool c_runtime;
	struct rt_match *v;
	size_t n, cap;
	/* symbols with a name that matched, whether or not they were taken */
	size_t named;
	/* so many of the IFUNC `unseen_name`'s implementations cannot be probed */
	size_t unseen, unseen_of;
	const char *unseen_name, *unseen_why;
	size_t unseen_ifuncs;		/* of how many IFUNCs some cannot, that one among them */
	uint64_t unseen_at;		/* the last of them */
	const char *in_vdso[2];		/* IFUNCs that may be answered with the kernel's own code */
	struct rt_symbol made;		/* of an address that has none */
};

/*
 * Fill the batch from the `n` symbols, by address, each place once; its matcher has begun.  A place
 * that cannot be probed is an error where the specification can only mean that one, else it is
 * passed over.  rt_batch_find looks at the addresses, offsets and source files of the specification
 * too.
 */
int rt_batch_fill(struct rt_batch *batch, const struct rt_symbol *symbols, size_t n,
		  struct rt_error *err);
int rt_batch_find(struct rt_batch *batch, const struct rt_symbol *symbols, size_t n,
		  struct rt_error *err);

#endif
