/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_ARRAY_H
#define RT_BASE_ARRAY_H

#include <stddef.h>

#define RT_COUNT(a) (sizeof(a) / sizeof((a)[0]))

/*
 * Make room for one more element in a growing array: `*v` holds `n` elements of `size` bytes in
 * room for `*cap` (both may start as NULL and 0).  Doubles the room when it is full.  Returns 0 or
 * -ENOMEM, `*v` then unchanged.
 */
int rt_array_room(void **v, size_t n, size_t *cap, size_t size);

/* The same for typed arrays: RT_ROOM(&list->v, list->n, &list->cap). */
#define RT_ROOM(v, n, cap) rt_array_room((void **)(v), (n), (cap), sizeof(**(v)))

#endif
