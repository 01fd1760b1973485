/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SESSION_POINTERS_H
#define RT_SESSION_POINTERS_H

#include "calls/feed.h"
#include "output/resolver.h"

/*
 * Resolves values by the mappings of the traced process and its files: names for pointers to
 * functions, constant data, Go's types, file descriptors.
 */
struct rt_pointers;

/*
 * Both must outlive it; `raw`: names as the symbols have them, not as they were written.  NULL: out
 * of memory.
 */
struct rt_pointers *rt_pointers_new(struct rt_feed *feed, const struct rt_program *program,
				    bool raw);
/* The program has more files.  0 or -ENOMEM. */
int rt_pointers_grow(struct rt_pointers *pointers);
/*
 * A process mapped a file (RT_EV_MMAP with its path), which stacks may need after the process has
 * ended.
 */
void rt_pointers_mapped(struct rt_pointers *pointers, const struct rt_event *event);
void rt_pointers_free(struct rt_pointers *pointers);

/* The resolver of a live trace: ctx is the rt_pointers. */
extern const struct rt_resolver_ops rt_pointers_ops;

#endif
