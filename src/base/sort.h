/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_SORT_H
#define RT_BASE_SORT_H

#include <stddef.h>
#include <stdint.h>

/*
 * Sort words, least first.  By their bytes, as a file has a million addresses, for which qsort
 * calls its comparison 20 million times.
 */
void rt_sort_words(uint64_t *v, size_t n);

#endif
