/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SESSION_POINTERS_H
#define RT_SESSION_POINTERS_H

#include "calls/feed.h"

/*
 * Names for pointers to functions, and what pointers into constant data lead to, by the mappings of the traced process and its files.
 */
struct rt_pointers;

/* Both must outlive it; `raw`: names as the symbols have them, not as they were written.  NULL: out of memory. */
struct rt_pointers *rt_pointers_new(struct rt_feed *feed, const struct rt_program *program, bool raw);
void rt_pointers_free(struct rt_pointers *pointers);

/* rt_out.symbol and rt_out.constant: ctx is the rt_pointers. */
size_t rt_pointers_constant(void *ctx, pid_t pid, uint64_t addr, void *buf, size_t size);
const char *rt_pointers_name(void *ctx, pid_t pid, uint64_t addr);

/* rt_out.moved */
bool rt_pointers_moved(void *ctx, pid_t pid, const struct rt_image *image, uint64_t *by);

#endif
