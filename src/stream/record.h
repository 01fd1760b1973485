/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_RECORD_H
#define RT_STREAM_RECORD_H

#include "fetch/fetch.h"
#include "fetch/record.h"
#include "stream/event.h"

/* The meaning of a trace's records.  `plans` must outlive it. */
struct rt_record_decoder {
	const struct rt_plan *plans;
	unsigned nplans;
	struct rt_layout layout;
	pid_t pid;			/* whose hits they are, without a tgid; 0: several */
	uint16_t *plan_of;		/* RT_KEY_ID: by probe id */
	unsigned nprobes;
	struct rt_tail *tails;		/* by plan */
	size_t largest;			/* bytes of the largest record */
};

/*
 * The decoder, for `nprobes` probes whose plans are not known yet: set plan_of.  NULL: out of
 * memory.
 */
struct rt_record_decoder *rt_record_decoder_new(const struct rt_plan *plans, unsigned nplans,
						unsigned nprobes, struct rt_layout layout,
						pid_t pid);
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
 * The records of the rings that programs write in place.  Both give to the handler what stands from
 * `*tail` to `head` (positions that only grow, `size` a power of two) and leave `*tail` behind the
 * last record that was taken.  0: all; 1: a record is not whole yet; -EBADMSG: what stands there
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

#endif
