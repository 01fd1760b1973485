/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_RECORD_FLIGHT_H
#define RT_RECORD_FLIGHT_H

#include "output/sink.h"
#include "record/blocks.h"

/*
 * A flight recorder: the newest blocks of calls, in memory, until something happens.  Blocks of
 * names and remarks are few, and are all saved.
 */
struct rt_flight;

/* `keep` must outlive it.  NULL: out of memory. */
struct rt_flight *rt_flight_new(const struct rt_keep *keep);
void rt_flight_free(struct rt_flight *flight);

/*
 * Take a block with its newest event at `time`, and drop the oldest ones that `keep` has no room
 * for.  0 or -ENOMEM.
 */
int rt_flight_put(struct rt_flight *flight, enum rt_block_kind kind, const struct rt_bytes *bytes,
		  uint64_t time);

/* The bytes of the calls that are saved. */
size_t rt_flight_bytes(const struct rt_flight *flight);

/*
 * Write a recording of what is saved, and forget the calls: the next file has the later ones.  The
 * first file has the name of sink->to, the Nth NAME.N.  `reason` is a phrase for the user.  A
 * failure is said, and the recorder continues.
 */
void rt_flight_save(struct rt_flight *flight, struct rt_sink *sink, const char *reason);

/* The same for what may happen often: once a second, and 16 times. */
void rt_flight_happened(struct rt_flight *flight, struct rt_sink *sink, uint64_t time,
			const char *reason);

#endif
