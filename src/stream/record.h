/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_RECORD_H
#define RT_STREAM_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "fetch/fetch.h"
#include "fetch/record.h"
#include "stream/event.h"

/* The meaning of a trace's records.  `plans` must outlive it. */
struct rt_record_decoder {
	const struct rt_plan *plans;
	unsigned nplans;
	struct rt_layout layout;
	pid_t pid;			/* the process of the hits, without a tgid; 0: several */
	uint16_t *plan_of;		/* RT_KEY_ID: by probe id */
	unsigned nprobes;
	struct rt_tail *tails;		/* by plan */
	size_t largest;			/* bytes of the largest record */
};

/*
 * The decoder, for `nprobes` probes without plans yet: set plan_of.  NULL: out of
 * memory.
 */
struct rt_record_decoder *rt_record_decoder_new(const struct rt_plan *plans, unsigned nplans,
						unsigned nprobes, struct rt_layout layout,
						pid_t pid);
/* There are more probes.  0 or -ENOMEM. */
int rt_record_decoder_grow(struct rt_record_decoder *decoder, unsigned nprobes);
/* Records are as they are where calls are held back: rt_plans_record_size. */
void rt_record_decoder_set_size(struct rt_record_decoder *decoder, uint16_t size);
void rt_record_decoder_free(struct rt_record_decoder *decoder);

/*
 * Decode the record at `rec`, of which `len` bytes are there; it may be followed by others.
 * Returns its size and fills `event` but for the time (its data points into `rec`), or -EBADMSG.
 */
int rt_record_decode(const struct rt_record_decoder *decoder, const uint8_t *rec, size_t len,
		     struct rt_event *event);

/*
 * The records of the rings that programs write in place.  Both give to the handler the bytes from
 * `*tail` to `head` (positions that only grow, `size` a power of two) and leave `*tail` behind the
 * last record that was taken.  0: all; 1: a record is not whole yet; -EBADMSG: what is there
 * cannot be; or the handler's error.
 */

/*
 * A struct rt_array_ring's data[], with RT_ARRAY_RING_OVERHANG bytes behind its `size`, in which
 * the largest record fits.  Bytes that were read are zeroed.
 */
int rt_array_ring_walk(uint8_t *data, uint32_t size, uint64_t *tail, uint64_t head,
		       const struct rt_record_decoder *decoder,
		       const struct rt_event_handler *handler);

/* A BPF ring buffer (5.8), mapped twice, one after the other: kernel/bpf/ringbuf.c. */
int rt_ringbuf_walk(const uint8_t *data, size_t size, uint64_t *tail, uint64_t head,
		    const struct rt_record_decoder *decoder,
		    const struct rt_event_handler *handler);

/*
 * Which hits were lost, by thread.  The BPF programs count each thread's hits in an array map and
 * put the count into the record: a number that is left out was lost, whatever ring, CPU or kernel
 * lost it (before 5.1 a program does not see that a perf ring was full, and a ring reports it only
 * with its next record).
 *
 * A thread's slot of the array is its id modulo the number of slots.  Threads that share one count
 * together; what is lost there is lost in any of them.
 */
struct rt_gaps;

/*
 * Slots of a u64 each.  The smaller number is for a low RLIMIT_MEMLOCK, against which maps counted
 * before 5.11.
 */
enum { RT_GAPS_SLOTS = 16384, RT_GAPS_SLOTS_MIN = 512 };

/*
 * `map` (ARRAY of `slots` u64) stays the caller's and must outlive the gaps.  NULL: out of memory.
 */
struct rt_gaps *rt_gaps_new(int map, uint32_t slots);
void rt_gaps_free(struct rt_gaps *gaps);

/*
 * The record with count `seq` of thread `tid`, in the thread's order: returns how many of its hits
 * before it have no record.  `*shared`: they can be another thread's.
 */
uint32_t rt_gaps_hit(struct rt_gaps *gaps, pid_t tid, uint32_t seq, bool *shared);

/*
 * The thread has ended and all its records have been seen: how many hits after its last record were
 * lost, if it had `count` of them; 0: as many as are counted now.
 */
uint32_t rt_gaps_exit(struct rt_gaps *gaps, pid_t tid, uint32_t count);

/* The hits that are counted now in the thread's slot, modulo 2^32. */
uint32_t rt_gaps_counted(struct rt_gaps *gaps, pid_t tid);

/* All hits of all threads so far, those without a record too. */
uint64_t rt_gaps_hits(const struct rt_gaps *gaps);

/* After the last record: how many were lost and have not been returned by the others. */
uint64_t rt_gaps_rest(struct rt_gaps *gaps);

#endif
