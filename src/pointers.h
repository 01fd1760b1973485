/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_POINTERS_H
#define RT_POINTERS_H

#include "feed.h"

/* Names for pointers to functions, by the mappings of the traced process and the symbols of its files. */
struct rt_pointers;

/* Both must outlive it.  NULL: out of memory. */
struct rt_pointers *rt_pointers_new(struct rt_feed *feed, const struct rt_images *images);
void rt_pointers_free(struct rt_pointers *pointers);

/* rt_out.symbol: ctx is the rt_pointers. */
bool rt_pointers_name(void *ctx, pid_t pid, uint64_t addr, char *buf, size_t size);

/* rt_out.moved */
bool rt_pointers_moved(void *ctx, const struct rt_image *image, uint64_t *by);

#endif
