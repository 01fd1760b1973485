/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream/load.h"

struct rt_record_decoder *rt_record_decoder_new(const struct rt_plan *plans, unsigned nplans,
						unsigned nprobes, struct rt_layout layout,
						pid_t pid)
{
	struct rt_record_decoder *d = calloc(1, sizeof(*d));
	unsigned i;

	if (!d)
		return NULL;
	/* One more than none: calloc may answer 0 with NULL. */
	*d = (struct rt_record_decoder){
		.plans = plans,
		.nplans = nplans,
		.layout = layout,
		.pid = pid,
		.nprobes = nprobes,
		.plan_of = calloc(nprobes + 1u, sizeof(d->plan_of[0])),
		.tails = calloc(nplans + 1u, sizeof(d->tails[0])),
	};
	if (!d->plan_of || !d->tails) {
		rt_record_decoder_free(d);
		return NULL;
	}
	for (i = 0; i < nplans; i++) {
		rt_plan_tail(&plans[i], layout, &d->tails[i]);
		if (d->tails[i].size > d->largest)
			d->largest = d->tails[i].size;
	}
	return d;
}

void rt_record_decoder_set_size(struct rt_record_decoder *d, uint16_t size)
{
	unsigned i;

	for (i = 0; i < d->nplans; i++)
		rt_tail_set_size(&d->tails[i], size);
	d->largest = size;
}

void rt_record_decoder_free(struct rt_record_decoder *decoder)
{
	if (!decoder)
		return;
	free(decoder->plan_of);
	free(decoder->tails);
	free(decoder);
}

int rt_record_decode(const struct rt_record_decoder *decoder, const uint8_t *rec, size_t len,
		     struct rt_event *event)
{
	const struct rt_tail *tail;
	struct rt_record record;
	unsigned plan;

	if (len < offsetof(struct rt_record, data))
		return -EBADMSG;
	memcpy(&record, rec, offsetof(struct rt_record, data));
	if (record.id >= (decoder->layout.key == RT_KEY_ID ? decoder->nprobes : decoder->nplans))
		return -EBADMSG;
	plan = decoder->layout.key == RT_KEY_ID ? decoder->plan_of[record.id] : record.id;
	tail = &decoder->tails[plan];
	if (tail->size > len)
		return -EBADMSG;
	event->type = RT_EV_HIT;
	event->pid = tail->tgid ? (pid_t)rt_load_u32(rec + tail->tgid) : decoder->pid;
	event->tid = (pid_t)record.tid;
	event->hit.sp = record.sp;
	event->hit.seq = record.seq;
	event->hit.key = tail->ip ? rt_load_u64(rec + tail->ip) : record.id;
	event->hit.entered = tail->entered ? rt_load_u64(rec + tail->entered) : 0;
	event->hit.ra = tail->ra ? rt_load_u64(rec + tail->ra) : 0;
	event->hit.faults = tail->faults ? rt_load_u32(rec + tail->faults) : 0;
	event->hit.plan = (uint16_t)plan;
	event->hit.size = tail->data;
	event->hit.data = rec + offsetof(struct rt_record, data);
	return tail->size;
}

/*
 * Reads of an incomplete record before it is given up: far longer than a program that runs
 * takes for it.
 */
enum { RETRIES = 2000 };

/* ---- the mapped array ---- */

/* The time of the record at `at` once it is whole; 0: its program was interrupted in the middle. */
static uint64_t whole(const uint8_t *at)
{
	uint64_t time;
	int i;

	for (i = 0; i < RETRIES; i++) {
		/*
		 * Acquire: the record must not be read before the time that says that it is whole.
		 */
		time = __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
		if (time)
			return time;
	}
	return 0;
}

static int take_from_array(uint8_t *at, uint64_t room, uint64_t *taken,
			   const struct rt_record_decoder *decoder,
			   const struct rt_event_handler *handler)
{
	struct rt_event event;
	int n, r;

	event.time = whole(at);
	if (!event.time)
		return 1;
	n = rt_record_decode(decoder, at + sizeof(event.time), decoder->largest, &event);
	if (n < 0)
		return n;
	*taken = (sizeof(event.time) + (size_t)n + 7) & ~UINT64_C(7);
	if (*taken > room)
		return -EBADMSG;
	r = handler->event(handler->ctx, &event);
	memset(at, 0, (size_t)*taken);
	return r;
}

int rt_array_ring_walk(uint8_t *data, uint32_t size, uint64_t *tail, uint64_t head,
		       const struct rt_record_decoder *decoder,
		       const struct rt_event_handler *handler)
{
	int r = head - *tail > size || *tail % 8 ? -EBADMSG : 0;
	uint64_t taken;

	while (*tail != head && r == 0) {
		taken = 0;
		r = take_from_array(data + (*tail & (size - 1)), head - *tail, &taken, decoder,
				    handler);
		if (r <= 0 && r != -EBADMSG)
			*tail += taken;
	}
	return r;
}

/* ---- the ring buffer ---- */

/*
 * A record's header: u32 length, with these bits, and u32 page offset.  Records are aligned to 8.
 */
enum { HEADER = 8 };
#define BUSY	(1u << 31)
#define DISCARD	(1u << 30)

static int take_from_ringbuf(const uint8_t *rec, uint32_t len,
			     const struct rt_record_decoder *decoder,
			     const struct rt_event_handler *handler)
{
	struct rt_event event;
	int r;

	if (len & DISCARD)
		return 0;
	if (len < sizeof(event.time))
		return -EBADMSG;
	event.time = rt_load_u64(rec);
	r = rt_record_decode(decoder, rec + sizeof(event.time), len - sizeof(event.time), &event);
	return r < 0 ? r : handler->event(handler->ctx, &event);
}

int rt_ringbuf_walk(const uint8_t *data, size_t size, uint64_t *tail, uint64_t head,
		    const struct rt_record_decoder *decoder, const struct rt_event_handler *handler)
{
	int r = head - *tail > size || *tail % 8 ? -EBADMSG : 0;
	const uint8_t *rec;
	uint64_t taken;
	uint32_t len;

	while (*tail != head && r == 0) {
		rec = data + (*tail & (size - 1));
		len = __atomic_load_n((const uint32_t *)(const void *)rec, __ATOMIC_ACQUIRE);
		if (len & BUSY)
			return 1;
		taken = (HEADER + (uint64_t)(len & ~DISCARD) + 7) & ~UINT64_C(7);
		if (taken > head - *tail)
			return -EBADMSG;
		r = take_from_ringbuf(rec + HEADER, len, decoder, handler);
		*tail += taken;
	}
	return r;
}
