/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "stream/load.h"

struct rt_record_decoder *rt_record_decoder_new(const struct rt_plan *plans, unsigned nplans,
						unsigned nprobes, enum rt_key key, pid_t pid)
{
	struct rt_record_decoder *d = calloc(1, sizeof(*d));
	unsigned i;

	if (!d)
		return NULL;
	/* One more than none: calloc may answer 0 with NULL. */
	*d = (struct rt_record_decoder){
		.plans = plans,
		.nplans = nplans,
		.key = key,
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
		rt_plan_tail(&plans[i], key, &d->tails[i]);
		if (d->tails[i].size > d->largest)
			d->largest = d->tails[i].size;
	}
	return d;
}

void rt_record_decoder_hold(struct rt_record_decoder *d, uint16_t hold)
{
	unsigned i;

	for (i = 0; i < d->nplans; i++)
		rt_tail_hold(&d->tails[i], hold);
	d->largest = hold;
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
	if (record.id >= (decoder->key == RT_KEY_ID ? decoder->nprobes : decoder->nplans))
		return -EBADMSG;
	plan = decoder->key == RT_KEY_ID ? decoder->plan_of[record.id] : record.id;
	tail = &decoder->tails[plan];
	if (tail->size > len)
		return -EBADMSG;
	event->type = RT_EV_HIT;
	event->pid = decoder->pid;
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
