/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/record.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../fuzz/decoder.h"
#include "unit.h"
#include "base/array.h"

/* A record of make_decoder's probes 0 (no value) and 1 (an int), and what it takes in each ring. */
enum {
	RING = 128,
	BARE = offsetof(struct rt_record, data),
	WITH_INT = BARE + 4,
	IN_ARRAY = 32,
	IN_RINGBUF = 40
};
static const uint32_t busy = 1u << 31, discard = 1u << 30;

struct walker {
	uint8_t ring[RING + RT_ARRAY_RING_OVERHANG];
	struct rt_record_decoder decoder;
	struct rt_event events[8];
	int words[8];
	unsigned n;
	int answer;		/* what the handler gives back */
};

static int see(void *ctx, const struct rt_event *event)
{
	struct walker *w = ctx;

	CU_ASSERT_FATAL(w->n < RT_COUNT(w->events));
	w->events[w->n] = *event;
	w->words[w->n] = 0;
	memcpy(&w->words[w->n++], event->hit.data, event->hit.size);
	return w->answer;
}

static struct walker *walker_new(void)
{
	struct walker *w = calloc(1, sizeof(*w));

	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	make_decoder(&w->decoder);
	return w;
}

/*
 * The record of a hit, behind its time; a probe that is not there is just as long as one with an
 * int.
 */
static size_t make_record(uint8_t *to, uint64_t time, uint32_t probe, int word)
{
	const struct rt_record record = { .sp = 0x7000, .tid = 7, .seq = 3, .id = probe };

	memcpy(to, &time, sizeof(time));
	memcpy(to + 8, &record, BARE);
	if (probe)
		memcpy(to + 8 + BARE, &word, sizeof(word));
	return 8 + (size_t)(probe ? WITH_INT : BARE);
}

static void check_event(const struct walker *w, unsigned i, uint64_t time, uint32_t probe, int word)
{
	const struct rt_event *e = &w->events[i];

	CU_ASSERT(e->type == RT_EV_HIT && e->time == time && e->hit.key == probe &&
		  w->words[i] == word);
	CU_ASSERT(e->tid == 7 && e->hit.sp == 0x7000 && e->hit.seq == 3);
}

/* ---- the array: a record that begins in the ring may hang over its end ---- */

static void array_put(struct walker *w, uint64_t at, uint64_t time, uint32_t probe, int word)
{
	make_record(w->ring + (at & (RING - 1)), time, probe, word);
}

static int array_walk(struct walker *w, uint64_t *tail, uint64_t head)
{
	const struct rt_event_handler handler = { see, w };

	return rt_array_ring_walk(w->ring, RING, tail, head, &w->decoder, &handler);
}

static bool is_zero(const struct walker *w)
{
	size_t i;

	for (i = 0; i < sizeof(w->ring); i++)
		if (w->ring[i])
			return false;
	return true;
}

/*
 * Two records at every place of the ring; the positions wrap round 2^64 on the way.  What was taken
 * is zeroed, nothing else is touched.
 */
static void test_array(void)
{
	struct walker *w = walker_new();
	uint64_t tail, first;

	for (first = -(uint64_t)RING; first != RING; first += 8) {
		w->n = 0;
		tail = first;
		array_put(w, first, 100, 0, 0);
		array_put(w, first + IN_ARRAY, 101, 1, -5);
		CU_ASSERT_EQUAL(array_walk(w, &tail, first + 2 * IN_ARRAY), 0);
		CU_ASSERT(tail == first + 2 * IN_ARRAY && w->n == 2);
		check_event(w, 0, 100, 0, 0);
		check_event(w, 1, 101, 1, -5);
		CU_ASSERT_TRUE(is_zero(w));
		CU_ASSERT(array_walk(w, &tail, tail) == 0 && w->n == 2);
	}
	free(w);
}

/*
 * A program was interrupted between its reservation and the time: what stands behind is not taken
 * before it.
 */
static void test_array_not_whole(void)
{
	struct walker *w = walker_new();
	uint64_t tail = 0, time = 101;

	array_put(w, 0, 100, 1, 1);
	array_put(w, IN_ARRAY, 0, 1, 2);
	array_put(w, 2 * IN_ARRAY, 102, 1, 3);
	CU_ASSERT_EQUAL(array_walk(w, &tail, 3 * IN_ARRAY), 1);
	CU_ASSERT(tail == IN_ARRAY && w->n == 1);
	CU_ASSERT_EQUAL(array_walk(w, &tail, 3 * IN_ARRAY), 1);
	CU_ASSERT(tail == IN_ARRAY && w->n == 1);
	memcpy(w->ring + IN_ARRAY, &time, sizeof(time));
	CU_ASSERT_EQUAL(array_walk(w, &tail, 3 * IN_ARRAY), 0);
	CU_ASSERT(tail == 3 * IN_ARRAY && w->n == 3);
	check_event(w, 1, 101, 1, 2);
	check_event(w, 2, 102, 1, 3);
	free(w);
}

/* The handler's answer ends the walk, behind the record that it was given. */
static void test_array_handler(void)
{
	struct walker *w = walker_new();
	uint64_t tail = 0;

	array_put(w, 0, 100, 1, 1);
	array_put(w, IN_ARRAY, 101, 1, 2);
	w->answer = -ENOMEM;
	CU_ASSERT_EQUAL(array_walk(w, &tail, 2 * IN_ARRAY), -ENOMEM);
	CU_ASSERT(tail == IN_ARRAY && w->n == 1);
	w->answer = 0;
	CU_ASSERT_EQUAL(array_walk(w, &tail, 2 * IN_ARRAY), 0);
	CU_ASSERT(tail == 2 * IN_ARRAY && w->n == 2);
	free(w);
}

static void test_array_damaged(void)
{
	struct walker *w = walker_new();
	uint64_t tail;

	array_put(w, 0, 100, 1, 1);
	/* More than the ring holds, behind the tail, and where no record begins. */
	tail = 0;
	CU_ASSERT(array_walk(w, &tail, RING + 8) == -EBADMSG && tail == 0);
	tail = 32;
	CU_ASSERT(array_walk(w, &tail, 0) == -EBADMSG && tail == 32);
	tail = 4;
	CU_ASSERT(array_walk(w, &tail, 36) == -EBADMSG && tail == 4);
	/* A record longer than what is there, and one of no probe. */
	tail = 0;
	CU_ASSERT(array_walk(w, &tail, IN_ARRAY - 8) == -EBADMSG && tail == 0 && w->n == 0);
	array_put(w, 0, 100, 10, 1);
	tail = 0;
	CU_ASSERT(array_walk(w, &tail, IN_ARRAY) == -EBADMSG && tail == 0 && w->n == 0);
	free(w);
}

/* A chunk of a shelf with `bytes` of records, of which `before` hits came before. */
static uint8_t *put_chunk(struct walker *w, uint64_t at, uint64_t time, uint64_t bytes,
			  uint32_t before)
{
	const struct rt_record head = { .sp = bytes, .tid = 7, .seq = before, .id = RT_ID_CHUNK };
	uint8_t *to = w->ring + (at & (RING - 1));

	memcpy(to, &time, sizeof(time));
	memcpy(to + sizeof(time), &head, BARE);
	return to + RT_CHUNK_HEAD;
}

/* Each record of a chunk is an event of the chunk's time, with its own time and its own number. */
static void test_chunk(void)
{
	struct walker *w = walker_new();
	uint64_t tail, first;
	uint8_t *to;

	for (first = -(uint64_t)RING; first != RING; first += 8) {
		w->n = 0;
		tail = first;
		to = put_chunk(w, first, 100, 2 * IN_ARRAY, 40);
		make_record(to, 90, 0, 0);
		make_record(to + IN_ARRAY, 91, 1, -5);
		CU_ASSERT_EQUAL(array_walk(w, &tail, first + RT_CHUNK_HEAD + 2 * IN_ARRAY), 0);
		CU_ASSERT(tail == first + RT_CHUNK_HEAD + 2 * IN_ARRAY && w->n == 2);
		CU_ASSERT(w->events[0].time == 100 && w->events[0].hit.entered == 90 &&
			  w->events[0].hit.seq == 43 && w->events[0].hit.key == 0);
		CU_ASSERT(w->events[1].time == 100 && w->events[1].hit.entered == 91 &&
			  w->words[1] == -5);
		CU_ASSERT_TRUE(is_zero(w));
	}
	/* A time of 0 ends it early. */
	w->n = 0;
	tail = 0;
	to = put_chunk(w, 0, 100, 2 * IN_ARRAY, 40);
	make_record(to, 90, 0, 0);
	make_record(to + IN_ARRAY, 0, 1, -5);
	CU_ASSERT_EQUAL(array_walk(w, &tail, RT_CHUNK_HEAD + 2 * IN_ARRAY), 0);
	CU_ASSERT(tail == RT_CHUNK_HEAD + 2 * IN_ARRAY && w->n == 1 && is_zero(w));
	free(w);
}

static void test_chunk_damaged(void)
{
	static const uint64_t sizes[] = { 2 * IN_ARRAY + 8, RING, RT_ARRAY_RING_OVERHANG,
					  UINT64_MAX, UINT64_MAX - RT_CHUNK_HEAD - 7 };
	struct walker *w = walker_new();
	uint64_t tail;
	size_t i;

	/* More than what is there. */
	for (i = 0; i < RT_COUNT(sizes); i++) {
		tail = 0;
		put_chunk(w, 0, 100, sizes[i], 0);
		CU_ASSERT(array_walk(w, &tail, RT_CHUNK_HEAD + 2 * IN_ARRAY) == -EBADMSG &&
			  tail == 0 && w->n == 0);
	}
	/* A record of no probe, one that is cut short, and one that is another chunk. */
	make_record(put_chunk(w, 0, 100, IN_ARRAY, 0), 90, 10, 1);
	CU_ASSERT(array_walk(w, &tail, RT_CHUNK_HEAD + IN_ARRAY) == -EBADMSG && w->n == 0);
	make_record(put_chunk(w, 0, 100, IN_ARRAY - 8, 0), 90, 1, 1);
	CU_ASSERT(array_walk(w, &tail, RT_CHUNK_HEAD + IN_ARRAY - 8) == -EBADMSG && w->n == 0);
	make_record(put_chunk(w, 0, 100, IN_ARRAY, 0), 90, RT_ID_CHUNK, 1);
	CU_ASSERT(array_walk(w, &tail, RT_CHUNK_HEAD + IN_ARRAY) == -EBADMSG && w->n == 0);
	free(w);
}

/* ---- the ring buffer: it is mapped twice, so a record never ends in its middle ---- */

/* At the same place in both of its mappings. */
static void both(struct walker *w, uint64_t at, const void *bytes, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		w->ring[(at + i) & (RING - 1)] = w->ring[((at + i) & (RING - 1)) + RING] =
			((const uint8_t *)bytes)[i];
}

static void ringbuf_put(struct walker *w, uint64_t at, uint32_t bits, uint64_t time, uint32_t probe,
			int word)
{
	uint8_t bytes[64] = { 0 };
	uint32_t len = (uint32_t)make_record(bytes + 8, time, probe, word) | bits;

	memcpy(bytes, &len, sizeof(len));
	both(w, at, bytes, IN_RINGBUF);
}

static int ringbuf_walk(struct walker *w, uint64_t *tail, uint64_t head)
{
	const struct rt_event_handler handler = { see, w };

	return rt_ringbuf_walk(w->ring, RING, tail, head, &w->decoder, &handler);
}

/* Three records, of which the one in the middle was given up, at every place of the ring. */
static void test_ringbuf(void)
{
	struct walker *w = walker_new();
	uint64_t tail, first;

	for (first = -(uint64_t)RING; first != RING; first += 8) {
		w->n = 0;
		tail = first;
		ringbuf_put(w, first, 0, 100, 0, 0);
		ringbuf_put(w, first + IN_RINGBUF, discard, 101, 1, 1);
		ringbuf_put(w, first + 2 * IN_RINGBUF, 0, 102, 1, -5);
		CU_ASSERT_EQUAL(ringbuf_walk(w, &tail, first + 3 * IN_RINGBUF), 0);
		CU_ASSERT(tail == first + 3 * IN_RINGBUF && w->n == 2);
		check_event(w, 0, 100, 0, 0);
		check_event(w, 1, 102, 1, -5);
	}
	free(w);
}

static void test_ringbuf_busy(void)
{
	struct walker *w = walker_new();
	uint64_t tail = 0;

	ringbuf_put(w, 0, 0, 100, 1, 1);
	ringbuf_put(w, IN_RINGBUF, busy, 0, 1, 2);
	ringbuf_put(w, 2 * IN_RINGBUF, 0, 102, 1, 3);
	CU_ASSERT_EQUAL(ringbuf_walk(w, &tail, 3 * IN_RINGBUF), 1);
	CU_ASSERT(tail == IN_RINGBUF && w->n == 1);
	ringbuf_put(w, IN_RINGBUF, 0, 101, 1, 2);
	w->answer = -ENOMEM;
	CU_ASSERT_EQUAL(ringbuf_walk(w, &tail, 3 * IN_RINGBUF), -ENOMEM);
	CU_ASSERT(tail == 2 * IN_RINGBUF && w->n == 2);
	w->answer = 0;
	CU_ASSERT_EQUAL(ringbuf_walk(w, &tail, 3 * IN_RINGBUF), 0);
	CU_ASSERT(tail == 3 * IN_RINGBUF && w->n == 3);
	check_event(w, 2, 102, 1, 3);
	free(w);
}

static void test_ringbuf_damaged(void)
{
	struct walker *w = walker_new();
	const uint32_t shorter = 8 + BARE - 1, shortest = 7;
	uint64_t tail;

	ringbuf_put(w, 0, 0, 100, 0, 0);
	tail = 0;
	CU_ASSERT(ringbuf_walk(w, &tail, RING + 8) == -EBADMSG && tail == 0);
	tail = 40;
	CU_ASSERT(ringbuf_walk(w, &tail, 0) == -EBADMSG && tail == 40);
	tail = 4;
	CU_ASSERT(ringbuf_walk(w, &tail, 44) == -EBADMSG && tail == 4);
	/*
	 * Longer than what is there; and shorter than the probe's records, and than a time, which
	 * is passed over.
	 */
	tail = 0;
	CU_ASSERT(ringbuf_walk(w, &tail, IN_RINGBUF - 8) == -EBADMSG && tail == 0);
	both(w, 0, &shorter, sizeof(shorter));
	tail = 0;
	CU_ASSERT(ringbuf_walk(w, &tail, IN_RINGBUF) == -EBADMSG && w->n == 0);
	both(w, 0, &shortest, sizeof(shortest));
	tail = 0;
	CU_ASSERT(ringbuf_walk(w, &tail, 16) == -EBADMSG && w->n == 0);
	free(w);
}

CU_TestInfo rt_tests_ring_walk[] = {
	{ "array: records", test_array },
	{ "array: one that is not whole", test_array_not_whole },
	{ "array: the handler's error", test_array_handler },
	{ "array: damaged", test_array_damaged },
	{ "a chunk of a shelf", test_chunk },
	{ "a damaged chunk", test_chunk_damaged },
	{ "ring buffer: records", test_ringbuf },
	{ "ring buffer: one that is not whole", test_ringbuf_busy },
	{ "ring buffer: damaged", test_ringbuf_damaged },
	CU_TEST_INFO_NULL,
};
