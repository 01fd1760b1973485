/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FETCH_RECORD_H
#define RT_FETCH_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The record that our BPF programs write and stream/record.h decodes.  Native byte order.  It names
 * the process only where the layout says so.  The time comes from the ring, or is before the
 * record (u64 ns of CLOCK_MONOTONIC).  fetch/fetch.h says what follows in data[].
 */
struct rt_record {
	uint64_t sp;		/* stack pointer at the probe */
	uint32_t tid;
	uint32_t seq;		/* counts the thread's hits, from 1 (stream/record.h) */
	uint32_t id;		/* enum rt_key */
	uint8_t data[];
};

_Static_assert(offsetof(struct rt_record, data) == 20,
	       "the BPF emitter and the decoders share this layout");

/*
 * A ring in one element of an array map that the reader has mapped (5.5); the programs reserve with
 * an atomic fetch-and-add (5.12).
 *
 * `head` counts the bytes reserved, `tail` those read, both multiples of 8; data[] is `size` bytes,
 * a power of two, and room for one record to hang over.  A record is u64 time, then struct
 * rt_record.  Unwritten data is zero, and the time, which is written last, says that the record is
 * whole.  The reader zeroes what it has read before it moves the tail.
 *
 * A program does not reserve where head - tail has passed size - margin; the margin is for the
 * programs that are between that look and the reservation at the same time: they can be preempted
 * there.
 */
struct rt_array_ring {
	uint64_t head;
	/* a cache line each: one is the programs', the other the reader's */
	uint64_t unused[7];
	uint64_t tail;
	uint64_t unused_too[7];
	uint8_t data[];
};

/* Room behind the ring for the end of the last record. */
enum { RT_ARRAY_RING_OVERHANG = 32768 };

static inline uint32_t rt_array_ring_margin(uint32_t size)
{
	return size / 4 < 64 << 10 ? size / 4 : 64 << 10;
}

/* Bytes of the map's value. */
static inline uint32_t rt_array_ring_value(uint32_t size)
{
	return (uint32_t)sizeof(struct rt_array_ring) + size + RT_ARRAY_RING_OVERHANG;
}

/*
 * A part of a thread's shelf (emit/shelf.h) in a ring: a record with this id, `sp` bytes, and in
 * `seq` the hits before it.  The shelf's records follow RT_CHUNK_HEAD bytes behind its time.
 */
#define RT_ID_CHUNK UINT32_MAX
enum { RT_CHUNK_HEAD = 32 };

/* Ways in which a record identifies its probe. */
enum rt_key {
	/* rt_record.id is the probe's id (its index in the session's probe table) */
	RT_KEY_ID,
	/*
	 * it is the plan's, and the record has the instruction pointer: resolved through the
	 * mappings
	 */
	RT_KEY_IP,
};

/* fields of one trace's records besides those above */
struct rt_layout {
	enum rt_key key;
	/* the thread group: others than the request's processes are recorded too */
	bool tgid;
};

#endif
