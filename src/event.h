/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EVENT_H
#define RT_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The record that our BPF programs write and stream/record.h decodes.  Native byte order.  The programs record one process, so it is
 * not in it.  The time comes from the ring, or stands before the record (u64 ns of CLOCK_MONOTONIC).  fetch/fetch.h says what
 * follows in data[].
 */
struct rt_record {
	uint64_t sp;		/* stack pointer at the probe */
	uint32_t tid;
	uint32_t seq;		/* counts the thread's hits, from 1 (stream/gaps.h) */
	uint32_t id;		/* enum rt_key */
	uint8_t data[];
};

_Static_assert(offsetof(struct rt_record, data) == 20, "the BPF emitter and the decoders share this layout");

/*
 * A ring in one element of an array map that the reader has mapped (5.5); the programs reserve with an atomic fetch-and-add (5.12).
 *
 * `head` counts the bytes reserved, `tail` those read, both multiples of 8; data[] is `size` bytes, a power of two, and room for one
 * record to hang over.  A record is u64 time, then struct rt_record.  Unwritten data is zero, and the time, which is written
 * last, says that the record is whole.  The reader zeroes what it has read before it moves the tail.
 *
 * A program does not reserve where head - tail has passed size - margin; the margin is for the programs that are between that
 * look and the reservation at the same time: they can be preempted there.
 */
struct rt_array_ring {
	uint64_t head;
	uint64_t unused[7];	/* a cache line each: one is the programs', the other the reader's */
	uint64_t tail;
	uint64_t unused_too[7];
	uint8_t data[];
};

/* Room behind the ring for the end of the last record. */
enum { RT_ARRAY_RING_OVERHANG = 8192 };

static inline uint32_t rt_array_ring_margin(uint32_t size)
{
	return size / 4 < 64 << 10 ? size / 4 : 64 << 10;
}

/* Bytes of the map's value. */
static inline uint32_t rt_array_ring_value(uint32_t size)
{
	return (uint32_t)sizeof(struct rt_array_ring) + size + RT_ARRAY_RING_OVERHANG;
}

/* A value that could not be read is a bit in `faults`, so there are at most 32 a record. */
#define RT_MAX_VALUES 32

/* How a record says which probe was hit. */
enum rt_key {
	RT_KEY_ID,		/* rt_record.id is the probe's id (its index in the session's probe table) */
	RT_KEY_IP,		/* it is the plan's, and the record has the instruction pointer: resolved through the mappings */
};

enum rt_kind { RT_KIND_ENTRY, RT_KIND_RETURN };

enum rt_event_type {
	RT_EV_HIT,		/* a probe was hit */
	RT_EV_LOST,		/* hits were lost here */
	RT_EV_UNSEEN,		/* the ring had no room for other records (a thread's begin, name or end, a mapping) */
	RT_EV_EXIT,		/* a thread ended */
	RT_EV_FORK,		/* a thread or process began */
	RT_EV_COMM,		/* a thread took a name */
	RT_EV_EXEC,		/* a process runs another program, in one thread; its name too, "": not told */
	RT_EV_MMAP,		/* a file was mapped executable */
};

/*
 * One decoded event.  `data` and the strings point into the ring or page being drained and live until the sink
 * that got the event returns; the merge (stream/merge.h) copies what it holds back.
 */
struct rt_event {
	enum rt_event_type type;
	uint64_t time;		/* ns on the trace's clock */
	pid_t pid, tid;
	union {
		struct {
			uint64_t sp;
			uint64_t key;		/* the probe's id or the instruction pointer (enum rt_key) */
			uint64_t entered;	/* entry: when it was, where that is told only now (emit/hold.h); else 0 */
			uint64_t ra;		/* entry: return address of the call, 0: not recorded; return: 0 */
			uint64_t goid;		/* Go: the goroutine, 0: none; sp then counts from its stack's end (feed.c) */
			uint32_t seq;		/* 0: the source does not number them */
			uint32_t faults;	/* bit i: value i could not be read */
			uint16_t plan;		/* which plan's values are in data[] */
			uint16_t size;		/* of data[]: rt_plan_size of the plan */
			const uint8_t *data;
		} hit;
		struct {
			uint64_t count;		/* 0: the ring does not know the number */
			uint64_t until;		/* they were lost after the event's time and before this one */
		} lost;			/* tid 0: of any of the threads */
		struct {
			pid_t pid, tid;		/* the new process (or the same one) and thread */
		} fork;
		struct {
			char name[16];
		} comm;
		struct {
			uint64_t start, len, pgoff, ino;
		} mmap;
	};
};

/* Takes an event; returns 0 or a negative errno, which ends the drain and is passed on. */
struct rt_sink {
	int (*event)(void *ctx, const struct rt_event *event);
	void *ctx;
};

#endif
