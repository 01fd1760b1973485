/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_SEARCH_H
#define RT_BASE_SEARCH_H

#include <stddef.h>

/*
 * Binary search in a sorted array: sets the variable `i` to the first index for which the
 * expression `before` is false, or to `n`.  `before` is of element `i`: is it before the place?
 */
#define RT_SEARCH(i, n, before)                                                                    \
	do {                                                                                       \
		size_t rt_low = 0, rt_high = (n);                                                  \
		while (rt_low < rt_high) {                                                         \
			(i) = rt_low + (rt_high - rt_low) / 2;                                     \
			if (before)                                                                \
				rt_low = (i) + 1;                                                  \
			else                                                                       \
				rt_high = (i);                                                     \
		}                                                                                  \
		(i) = rt_low;                                                                      \
	} while (0)

#endif
