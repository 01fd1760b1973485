/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_RING_WALK_H
#define RT_STREAM_RING_WALK_H

#include "stream/record.h"

/*
 * The records of the rings that programs write in place.  Both give to the handler what stands from
 * `*tail` to `head` (positions that only grow, `size` a power of two) and leave `*tail` behind the
 * last record that was taken.  0: all; 1: a record is not whole yet; -EBADMSG: what stands there
 * cannot be; or the handler's error.
 */

/*
 * A struct rt_array_ring's data[], with RT_ARRAY_RING_OVERHANG bytes behind its `size`, in which
 * the largest record fits.  What is taken is zeroed.
 */
int rt_array_ring_walk(uint8_t *data, uint32_t size, uint64_t *tail, uint64_t head,
		       const struct rt_record_decoder *decoder,
		       const struct rt_event_handler *handler);

/* A BPF ring buffer (5.8), mapped twice, one after the other: kernel/bpf/ringbuf.c. */
int rt_ringbuf_walk(const uint8_t *data, size_t size, uint64_t *tail, uint64_t head,
		    const struct rt_record_decoder *decoder,
		    const struct rt_event_handler *handler);

#endif
