/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_RUNTIMES_H
#define RT_PLAN_RUNTIMES_H

#include "plan/sites.h"

/*
 * Go's runtimes in one process: a program has one, which its plugins share, and so has each library
 * that was built to be loaded by C (-buildmode=c-shared).  Each numbers its goroutines from 1 on,
 * so that these are distinguished by their runtime too.
 */
struct rt_runtime {
	const struct rt_image *image;	/* Go code of this file */
	struct rt_image *owner;		/* runs with the runtime that this one has */
	unsigned number;		/* 0: the first that was come across */
	/* where it has a goroutine's id (rt_go_goid_offset); 0: not known */
	uint32_t goid_offset;
};

/*
 * Look which those of the traced functions are, and have the function probed by which goroutines
 * end in each.  To be called again where functions were added.  0 or a negative errno.
 */
int rt_runtimes_find(struct rt_traced *traced, struct rt_sites *sites, struct rt_error *err);

/*
 * The runtime of an image's code; NULL: it is not Go's, or rt_runtimes_find has met no function of
 * it.
 */
const struct rt_runtime *rt_runtime_of(const struct rt_traced *traced,
				       const struct rt_image *image);

/* Is a traced function's runtime in that file? */
bool rt_runtime_is_at(const struct rt_traced *traced, const struct rt_image *owner);

#endif
