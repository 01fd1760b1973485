/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/sys.h"
#include "stream/verifier.h"

/*
 * Larger records would be copied by too many instructions, and would not fit on a program's stack
 * beside what else it needs.
 */
enum { PENDING_MAX = 384 };

bool rt_pending_pairs(const struct rt_plan *plans, unsigned nplans)
{
	unsigned i;

	for (i = 0; i < nplans; i++)
		if (plans[i].goroutine || plans[i].role == RT_ROLE_STACK ||
		    plans[i].role == RT_ROLE_STACK_TOP)
			return false;
	return true;
}

bool rt_pending_may(const struct rt_plan *plans, unsigned nplans, enum rt_key key)
{
	unsigned i, uretprobes = 0, others = 0;

	for (i = 0; i < nplans; i++) {
		if (plans[i].kind != RT_KIND_RETURN || plans[i].role)
			continue;
		if (rt_plan_is_uretprobe(&plans[i]))
			uretprobes++;
		else
			others++;
	}
	return rt_pending_pairs(plans, nplans) &&
	       (key == RT_KEY_ID || !uretprobes || !others);
}

uint16_t rt_pending_size(const struct rt_plan *plans, unsigned nplans, struct rt_layout layout)
{
	uint16_t size = rt_plans_record_size(plans, nplans, layout);

	return size <= PENDING_MAX && rt_verifier_loops() == 0 ? size : 0;
}

/*
 * Frames are read one by one, from a map that nobody writes to: the thread has ended, or the probes
 * are out.
 */
static int read_slot(const struct rt_pending *pending, uint32_t slot, const struct rt_head *head,
		     uint64_t now, uint8_t *frame, const struct rt_event_handler *handler)
{
	struct rt_open_call call;
	struct rt_event event;
	uint32_t i, key;
	int r = 0;

	for (i = head->recorded; i < head->depth && i < RT_OPEN_MAX && r == 0; i++) {
		key = slot * RT_OPEN_MAX + i;
		r = rt_bpf_map_lookup(pending->frames, &key, frame);
		if (r < 0)
			break;
		memcpy(&call, frame, sizeof(call));
		/* Those inside it are younger. */
		if (call.time > now || now - call.time < pending->min_time)
			break;
		memset(&event, 0, sizeof(event));
		if (rt_record_decode(pending->decoder, frame + sizeof(call), pending->size,
				     &event) < 0)
			break;
		event.time = now;
		event.hit.seq = 0;
		event.hit.entered = call.time;
		r = handler->event(handler->ctx, &event);
	}
	return r;
}

/* No program writes there any more.  The depth and the owner in one, as programs take them. */
static void free_shelf(struct rt_head *head, pid_t tid)
{
	if (head->tid == (uint32_t)tid)
		__atomic_store_n((uint64_t *)(void *)head, 0, __ATOMIC_SEQ_CST);
}

int rt_pending_read(const struct rt_pending *pending, pid_t tid, bool gone, uint64_t now,
		 const struct rt_event_handler *handler)
{
	uint32_t slot = tid ? (uint32_t)tid & (pending->slots - 1) : 0,
		 end = tid ? slot + 1 : pending->slots;
	uint8_t *frame;
	struct rt_head head;
	int r;

	if (pending->owners) {
		if (gone)
			free_shelf(&pending->owners[slot], tid);
		return 0;
	}
	frame = malloc(sizeof(struct rt_open_call) + pending->size);
	r = frame ? 0 : -ENOMEM;
	for (; slot < end && r == 0; slot++) {
		r = rt_bpf_map_lookup(pending->heads, &slot, &head);
		if (r < 0 || !head.depth || (tid && head.tid != (uint32_t)tid))
			continue;
		r = read_slot(pending, slot, &head, now, frame, handler);
		head.depth = head.recorded = 0;
		if (r == 0 && gone)
			r = rt_bpf_map_update(pending->heads, &slot, &head);
	}
	free(frame);
	return r;
}
