/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a ring that programs write in place.  Input: a byte for the ring's size (64 bytes to
 * 64 KiB), its kind (0x40: a ring buffer) and whether `head` is given as it is (0x80) or as a
 * distance, u64 tail, u64 head, and the ring's bytes, from its beginning.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "decoder.h"
#include "stream/record.h"

struct seen {
	uint8_t sum;	/* of all the bytes that events point to: they must be there */
};

static int see(void *ctx, const struct rt_event *event)
{
	struct seen *seen = ctx;
	size_t i;

	for (i = 0; i < event->hit.size; i++)
		seen->sum = (uint8_t)(seen->sum + event->hit.data[i]);
	return 0;
}

static void walk(uint8_t kind, const uint8_t *data, size_t size, size_t ring_size, uint64_t tail,
		 uint64_t head)
{
	struct seen seen = { .sum = 0 };
	struct rt_event_handler handler = { see, &seen };
	struct rt_record_decoder decoder;
	uint64_t began = tail;
	/*
	 * Allocate exactly that size, to find a read past the overhang.  The ring buffer is mapped
	 * twice.
	 */
	uint8_t *ring = calloc(1, kind & 0x40 ? 2 * ring_size : ring_size + RT_ARRAY_RING_OVERHANG);

	if (!ring)
		return;
	make_decoder(&decoder);
	memcpy(ring, data, size < ring_size ? size : ring_size);
	if (kind & 0x40) {
		memcpy(ring + ring_size, ring, ring_size);
		rt_ringbuf_walk(ring, ring_size, &tail, head, &decoder, &handler);
	} else {
		rt_array_ring_walk(ring, (uint32_t)ring_size, &tail, head, &decoder, &handler);
	}
	if (tail - began > head - began)
		abort();
	free(ring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t tail, head;
	size_t ring_size;

	if (size < 17)
		return 0;
	ring_size = (size_t)64 << (data[0] & 15) % 11;
	memcpy(&tail, data + 1, sizeof(tail));
	memcpy(&head, data + 9, sizeof(head));
	if (!(data[0] & 0x80))
		head = tail + head % (ring_size + 1);
	walk(data[0], data + 17, size - 17, ring_size, tail, head);
	return 0;
}
