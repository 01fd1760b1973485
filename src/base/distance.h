/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_DISTANCE_H
#define RT_BASE_DISTANCE_H

#include <stddef.h>

/*
 * Count the letters to insert, delete, replace or swap with their neighbour to make `name` of
 * `want`. UINT32_MAX: too many to be a slip (1 in names below 4 letters, 2 below 7, else 3), or a
 * name has more than 64 letters.
 */
unsigned rt_near(const char *want, size_t nwant, const char *name, size_t nname);

#endif
