/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a perf ring.  Input: a byte for the ring's size (8 bytes to 64 KiB) and whether
 * `head` is given as it is or as a distance, u64 tail, u64 head, and the ring's bytes, from its
 * beginning.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "stream/perf_source.h"

struct seen {
	uint8_t sum;	/* of all the bytes that events point to: they must be there */
};

static int see(void *ctx, const struct rt_event *event)
{
	struct seen *seen = ctx;
	size_t i;

	if (event->type == RT_EV_COMM && !memchr(event->comm.name, '\0', sizeof(event->comm.name)))
		abort();
	for (i = 0; event->type == RT_EV_HIT && i < event->hit.size; i++)
		seen->sum = (uint8_t)(seen->sum + event->hit.data[i]);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen seen = { .sum = 0 };
	struct rt_event_handler handler = { see, &seen };
	struct rt_record_decoder decoder;
	uint64_t tail, head;
	size_t ring_size;
	uint8_t *ring, *scratch;

	make_decoder(&decoder);
	if (size < 17)
		return 0;
	ring_size = (size_t)8 << (data[0] & 15) % 14;
	memcpy(&tail, data + 1, sizeof(tail));
	memcpy(&head, data + 9, sizeof(head));
	if (!(data[0] & 0x80))
		head = tail + head % (ring_size + 1);
	data += 17;
	size -= 17;
	ring = calloc(1, ring_size);
	scratch = malloc(65536);
	if (ring && scratch) {
		memcpy(ring, data, size < ring_size ? size : ring_size);
		rt_perf_ring_walk(ring, ring_size, tail, head, scratch, &decoder, &handler);
	}
	free(scratch);
	free(ring);
	return 0;
}
