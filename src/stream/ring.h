/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_RING_H
#define RT_STREAM_RING_H

#include "emit/program.h"
#include "kernel/sys.h"
#include "stream/record.h"
#include "stream/source.h"

/*
 * The map of an array ring, made by a process beside us: 0.15 ms a MiB, in which the kernel gets
 * and clears its pages.
 */
struct rt_ring_memory {
	struct rt_beside beside;
	uint32_t value, n;	/* the size of an element, and their number; 0: nothing was made */
	int map;		/* -1, or a negative errno: none */
};

/* Begin to make the memory for a ring of `bytes`, if the kernel has array rings. */
void rt_ring_memory_begin(struct rt_ring_memory *memory, size_t bytes);
/* Wait for it, and free what no ring has taken. */
void rt_ring_memory_end(struct rt_ring_memory *memory);

struct rt_ring_want {
	size_t bytes;		/* a CPU, rounded; 0: the default */
	struct rt_ring_memory *memory;	/* to take from, or NULL */
};

/*
 * A way from BPF programs to us.  Rings (by default of 8 MiB a CPU, 64 MiB in all) for records that
 * `decoder` knows, and rings for what the kernel tells of threads and mappings (side-band records:
 * perf rings in any case).
 *
 * On success `*map` is the map that programs write to, and `*size` what rt_bpf_program.ring_size
 * wants.  The map, the decoder and `gaps` are the caller's and must outlive the source.
 * -EOPNOTSUPP with the reason where the kernel has not the ring.
 */
struct rt_ring_ops {
	const char *name;	/* --ring=NAME */
	const char *help;	/* a phrase, with the kernel that brought it */
	enum rt_transport transport;
	int (*open)(const struct rt_ring_want *want, const struct rt_record_decoder *decoder,
		    struct rt_gaps *gaps, int *map, uint32_t *size, struct rt_source **source,
		    struct rt_error *err);
};

extern const struct rt_ring_ops rt_ring_array, rt_ring_ringbuf, rt_ring_perf;

/*
 * The ring of that name, or NULL; and the table, the cheapest first (`make bench`): NULL after the
 * last.
 */
const struct rt_ring_ops *rt_ring_find(const char *name);
const char *rt_ring_name(unsigned i);		/* NULL: past the last */
const struct rt_ring_ops *rt_ring_at(unsigned i);

/* ---- for the rings themselves ---- */

/*
 * Bytes of a ring for `ncpus` of them when `want` bytes a CPU are asked for (0: the default): a
 * power of two, at least a page.
 */
size_t rt_ring_size(size_t want, int ncpus);

/*
 * For a ring that wakes nobody: how many milliseconds a thread at full speed takes to fill half of
 * `size` bytes; at least 1.
 */
unsigned rt_ring_round(size_t size);

/*
 * Two sources as one, the second one's rings first: what it gives was caused by, or came before,
 * what the first one tells of its thread's end.  Both are the new source's, also where this fails.
 */
int rt_source_join(struct rt_source *side, struct rt_source *hits, struct rt_source **source,
		   struct rt_error *err);

#endif
