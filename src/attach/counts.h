/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_COUNTS_H
#define RT_ATTACH_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "emit/bpf.h"
#include "emit/cells.h"
#include "fetch/record.h"
#include "base/error.h"

/* The maps in which BPF programs count and measure (emit/cells.h), and how they are read. */
struct rt_counts {
	enum rt_purpose purpose;
	enum rt_key key;
	int *maps;		/* RT_MAPS of them, the caller's */
	uint32_t functions, rows, stride, heads;
	unsigned quick;		/* bits of RT_MAP_QUICK, 0: there is none; and its rows */
	uint32_t quick_rows;
	struct rt_quick *quick_at;
	uint64_t *cells;	/* RT_MAP_CELLS; NULL where it cannot be mapped (before 5.5) */
	size_t mapped;		/* bytes */
};

/* The value of one cell of a function. */
struct rt_count {
	uint64_t key;		/* the function's index, or the instruction pointer (RT_KEY_IP) */
	uint64_t value;
	unsigned cell;
};

/* A number of them: begins as zeroes, free `v`. */
struct rt_count_list {
	struct rt_count *v;
	size_t n, cap;
	uint64_t missed;	/* hits of functions without room in RT_MAP_PLACES */
};

/*
 * Make the maps for `functions` functions, put their descriptors into `maps` (which keeps them
 * after a failure too, and must outlive this) and set what rt_bpf_program wants.  For
 * RT_PURPOSE_RECORD: those of the threads' open calls alone, of which each has `extra` bytes more.
 * 0, -EPERM where RLIMIT_MEMLOCK is used up, or another negative errno of bpf(2).
 */
int rt_counts_open(struct rt_counts *counts, int *maps, enum rt_purpose purpose, enum rt_key key,
		   uint32_t functions, uint16_t extra);
void rt_counts_close(struct rt_counts *counts);

/*
 * Everything that is not 0, added to `list`.  The programs may be running.  0 or a negative errno.
 */
int rt_counts_read(const struct rt_counts *counts, struct rt_count_list *list);

#endif
