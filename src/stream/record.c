/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/sys.h"
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

int rt_record_decoder_grow(struct rt_record_decoder *d, unsigned nprobes)
{
	uint16_t *v = realloc(d->plan_of, (nprobes + 1u) * sizeof(*v));

	if (!v)
		return -ENOMEM;
	memset(v + d->nprobes, 0, (nprobes + 1u - d->nprobes) * sizeof(*v));
	d->plan_of = v;
	d->nprobes = nprobes;
	return 0;
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
 * The rings are not asked what is lost: before 5.1 a program does not see that a perf ring took
 * nothing, a ring tells of it only with its next record, and a thread may be on another CPU by
 * then. The programs number each thread's hits in an array map (4 ns a hit), so a gap shows
 * where it is, on every kernel.
 */

struct slot {
	pid_t tid;		/* the thread of the records seen here; 0: none yet */
	uint32_t seen;		/* the last count that was seen or given up */
	bool shared;
};

struct rt_gaps {
	int map;
	uint32_t nslots;
	/* the map's values; NULL where they cannot be mapped (before 5.5) */
	uint64_t *counts;
	struct slot slots[];
};

struct rt_gaps *rt_gaps_new(int map, uint32_t slots)
{
	struct rt_gaps *gaps = calloc(1, sizeof(*gaps) + slots * sizeof(gaps->slots[0]));
	void *counts;

	if (!gaps)
		return NULL;
	counts = mmap(NULL, slots * sizeof(gaps->counts[0]), PROT_READ, MAP_SHARED, map, 0);
	gaps->counts = counts == MAP_FAILED ? NULL : counts;
	gaps->map = map;
	gaps->nslots = slots;
	return gaps;
}

void rt_gaps_free(struct rt_gaps *gaps)
{
	if (!gaps)
		return;
	if (gaps->counts)
		munmap(gaps->counts, gaps->nslots * sizeof(gaps->counts[0]));
	free(gaps);
}

static struct slot *slot_of(struct rt_gaps *gaps, pid_t tid)
{
	return &gaps->slots[(uint32_t)tid & (gaps->nslots - 1)];
}

/* The counter of a slot, written by the BPF programs; records have its lower half. */
static uint32_t counted(const struct rt_gaps *gaps, uint32_t slot)
{
	uint64_t count;

	if (gaps->counts)
		return (uint32_t)__atomic_load_n(&gaps->counts[slot], __ATOMIC_RELAXED);
	return rt_bpf_map_lookup(gaps->map, &slot, &count) == 0 ? (uint32_t)count
								: gaps->slots[slot].seen;
}

/*
 * Step to `count`; returns how far, 0 where it has been passed already: threads that share a slot
 * may be seen out of order.
 */
static uint32_t advance(struct slot *slot, uint32_t count)
{
	uint32_t n = count - slot->seen;

	if ((int32_t)n <= 0)
		return 0;
	slot->seen = count;
	return n;
}

uint32_t rt_gaps_hit(struct rt_gaps *gaps, pid_t tid, uint32_t seq, bool *shared)
{
	struct slot *slot = slot_of(gaps, tid);
	uint32_t n;

	if (slot->tid != tid) {
		slot->shared = slot->shared || slot->tid != 0;
		slot->tid = tid;
	}
	*shared = slot->shared;
	n = advance(slot, seq);
	return n ? n - 1 : 0;
}

uint32_t rt_gaps_counted(struct rt_gaps *gaps, pid_t tid)
{
	return counted(gaps, (uint32_t)(slot_of(gaps, tid) - gaps->slots));
}

uint32_t rt_gaps_exit(struct rt_gaps *gaps, pid_t tid, uint32_t count)
{
	struct slot *slot = slot_of(gaps, tid);

	/* Another thread may still have records in the ring. */
	if (slot->shared || (slot->tid && slot->tid != tid))
		return 0;
	return advance(slot, count ? count : rt_gaps_counted(gaps, tid));
}

uint64_t rt_gaps_hits(const struct rt_gaps *gaps)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < gaps->nslots; i++)
		sum += counted(gaps, i);
	return sum;
}

uint64_t rt_gaps_rest(struct rt_gaps *gaps)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i < gaps->nslots; i++)
		sum += advance(&gaps->slots[i], counted(gaps, i));
	return sum;
}
