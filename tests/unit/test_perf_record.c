/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/perf_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unit.h"

/*
 * Records are written here byte by byte as perf_event_open(2) has them, without the decoder's own
 * structs.
 */
struct bytes {
	uint8_t v[512];
	size_t n;
};

static void put(struct bytes *b, uint64_t value, size_t size)
{
	memcpy(b->v + b->n, &value, size);	/* little-endian, as all of our machines are */
	b->n += size;
}

static void begin(struct bytes *b, uint32_t type)
{
	memset(b, 0, sizeof(*b));
	put(b, type, 4);
	put(b, 0, 2);
	put(b, 0, 2);
}

static void end(struct bytes *b)
{
	uint16_t size = (uint16_t)b->n;

	memcpy(b->v + 6, &size, sizeof(size));
}

enum { PID = 1234, PLANS = 4, PROBES = 18 };

/*
 * Decode records of plan N with N u64 values, the first of them from memory; probe 17 has plan 2.
 */
static const struct rt_record_decoder *decoder(void)
{
	static struct rt_plan plans[PLANS];
	static struct rt_tail tails[PLANS];
	static uint16_t plan_of[PROBES];
	static struct rt_record_decoder d = {
		.plans = plans,
		.nplans = PLANS,
		.pid = PID,
		.plan_of = plan_of,
		.nprobes = PROBES,
		.tails = tails,
	};
	unsigned i, k;

	for (i = 0; i < PLANS; i++) {
		plans[i].nvalues = i;
		plans[i].return_address = true;
		for (k = 0; k < i; k++)
			plans[i].values[k] = (struct rt_fetch){ .size = 8, .nderef = k == 0 };
		rt_plan_tail(&plans[i], (struct rt_layout){ .key = RT_KEY_ID }, &tails[i]);
		plan_of[14 + i] = (uint16_t)i;
	}
	plan_of[17] = 2;
	plan_of[16] = 3;
	return &d;
}

/* A sample of plan 2 or 3, with so many u64 values: 0x1000, 0x1001, ... */
static void make_sample(struct bytes *b, uint64_t time, unsigned words)
{
	unsigned i;

	begin(b, 9);
	put(b, time, 8);
	put(b, 24 + 8 * words + 8 + 8 + 4, 4);	/* with the padding after it */
	put(b, 0x7ffc0010, 8);
	put(b, 4321, 4);		/* tid */
	put(b, 77, 4);			/* seq */
	put(b, words == 2 ? 17 : 16, 4);
	put(b, 0, 4);			/* the values are aligned */
	for (i = 0; i < words; i++)
		put(b, 0x1000 + i, 8);
	put(b, 5, 4);			/* faults */
	put(b, 0, 4);
	put(b, 0x401234, 8);
	put(b, 0, 4);
	end(b);
}

static void make_lost(struct bytes *b, uint64_t time, uint64_t count)
{
	begin(b, 2);
	put(b, 99, 8);
	put(b, count, 8);
	put(b, time, 8);
	end(b);
}

static void make_comm(struct bytes *b, const char *name, size_t room)
{
	begin(b, 3);
	put(b, 11, 4);
	put(b, 12, 4);
	memcpy(b->v + b->n, name, strlen(name));
	b->n += room;
	put(b, 777, 8);
	end(b);
}

static void make_task(struct bytes *b, uint32_t type)
{
	begin(b, type);
	put(b, 21, 4);	/* pid */
	put(b, 22, 4);	/* ppid */
	put(b, 23, 4);	/* tid */
	put(b, 24, 4);	/* ptid */
	put(b, 555, 8);
	put(b, 556, 8);	/* sample_id */
	end(b);
}

static void make_mmap2(struct bytes *b, uint32_t prot)
{
	begin(b, 10);
	put(b, 31, 4);
	put(b, 32, 4);
	put(b, 0x7f0000001000, 8);
	put(b, 0x5000, 8);
	put(b, 0x2000, 8);
	put(b, 8, 4);
	put(b, 1, 4);
	put(b, 123456, 8);
	put(b, 0, 8);
	put(b, prot, 4);
	put(b, 2, 4);
	memcpy(b->v + b->n, "/lib/x", 7);
	b->n += 8;
	put(b, 888, 8);
	end(b);
}

static void test_sample(void)
{
	struct rt_event event;
	struct bytes b;

	make_sample(&b, 1000001, 2);
	CU_ASSERT_EQUAL(b.n % 8, 0);
	CU_ASSERT_EQUAL_FATAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
	CU_ASSERT_EQUAL(event.type, RT_EV_HIT);
	CU_ASSERT_EQUAL(event.time, 1000001);
	CU_ASSERT_EQUAL(event.pid, 1234);
	CU_ASSERT_EQUAL(event.tid, 4321);
	CU_ASSERT_EQUAL(event.hit.seq, 77);
	CU_ASSERT_EQUAL(event.hit.sp, 0x7ffc0010);
	CU_ASSERT_EQUAL(event.hit.key, 17);
	CU_ASSERT_EQUAL(event.hit.ra, 0x401234);
	CU_ASSERT_EQUAL(event.hit.faults, 5);
	CU_ASSERT_EQUAL(event.hit.plan, 2);
	CU_ASSERT_EQUAL(event.hit.size, 20);
	CU_ASSERT_PTR_EQUAL(event.hit.data, b.v + 40);
	CU_ASSERT_EQUAL(rt_plan_int(&decoder()->plans[2], 1, event.hit.data), 0x1001);
}

static void test_sample_sizes(void)
{
	struct rt_event event;
	struct bytes b;
	size_t len;
	uint32_t raw, id;

	make_sample(&b, 1, 2);
	for (len = 0; len < b.n; len++)
		CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, len, decoder(), &event), -EBADMSG);
	raw = 24 + 16 + 16 - 1;
	memcpy(b.v + 16, &raw, sizeof(raw));
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), -EBADMSG);
	raw = 19;
	memcpy(b.v + 16, &raw, sizeof(raw));
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), -EBADMSG);
	raw = UINT32_MAX;
	memcpy(b.v + 16, &raw, sizeof(raw));
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), -EBADMSG);
	make_sample(&b, 1, 2);
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, NULL, &event), -EBADMSG);
	id = 18;	/* no such probe */
	memcpy(b.v + 36, &id, sizeof(id));
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), -EBADMSG);
	id = 16;	/* one whose record is longer */
	memcpy(b.v + 36, &id, sizeof(id));
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), -EBADMSG);
	id = 15;	/* and shorter: the ring pads */
	memcpy(b.v + 36, &id, sizeof(id));
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
}

static void test_lost(void)
{
	struct rt_event event;
	struct bytes b;

	make_lost(&b, 4242, 7);
	CU_ASSERT_EQUAL_FATAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
	CU_ASSERT_EQUAL(event.type, RT_EV_UNSEEN);
	CU_ASSERT_EQUAL(event.time, 4242);
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n - 8, decoder(), &event), -EBADMSG);
	make_lost(&b, 4242, 0);
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 0);
}

static void test_comm(void)
{
	struct rt_event event;
	struct bytes b;

	make_comm(&b, "sh", 8);
	CU_ASSERT_EQUAL_FATAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
	CU_ASSERT_EQUAL(event.type, RT_EV_COMM);
	CU_ASSERT_EQUAL(event.pid, 11);
	CU_ASSERT_EQUAL(event.tid, 12);
	CU_ASSERT_EQUAL(event.time, 777);
	RT_ASSERT_TEXT(event.comm.name, "sh");
	b.v[5] = 1 << 5;	/* PERF_RECORD_MISC_COMM_EXEC */
	CU_ASSERT_EQUAL_FATAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
	CU_ASSERT_EQUAL(event.type, RT_EV_EXEC);
	RT_ASSERT_TEXT(event.comm.name, "sh");
	make_comm(&b, "fifteen_letters", 16);
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
	RT_ASSERT_TEXT(event.comm.name, "fifteen_letters");
	make_comm(&b, "a_name_without_its_end..", 24);
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
	RT_ASSERT_TEXT(event.comm.name, "a_name_without_");
	make_comm(&b, "12345678", 8);	/* no NUL: must not run into the time */
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
	RT_ASSERT_TEXT(event.comm.name, "12345678");
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, 16, decoder(), &event), -EBADMSG);
}

static void test_task(void)
{
	struct rt_event event;
	struct bytes b;

	make_task(&b, 7);
	CU_ASSERT_EQUAL_FATAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
	CU_ASSERT_EQUAL(event.type, RT_EV_FORK);
	CU_ASSERT_EQUAL(event.pid, 22);
	CU_ASSERT_EQUAL(event.tid, 24);
	CU_ASSERT_EQUAL(event.fork.pid, 21);
	CU_ASSERT_EQUAL(event.fork.tid, 23);
	CU_ASSERT_EQUAL(event.time, 556);
	make_task(&b, 4);
	CU_ASSERT_EQUAL_FATAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
	CU_ASSERT_EQUAL(event.type, RT_EV_EXIT);
	CU_ASSERT_EQUAL(event.pid, 21);
	CU_ASSERT_EQUAL(event.tid, 23);
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n - 8, decoder(), &event), -EBADMSG);
}

static void test_mmap2(void)
{
	struct rt_event event;
	struct bytes b;

	make_mmap2(&b, 5);
	CU_ASSERT_EQUAL_FATAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 1);
	CU_ASSERT_EQUAL(event.type, RT_EV_MMAP);
	CU_ASSERT_EQUAL(event.pid, 31);
	CU_ASSERT_EQUAL(event.tid, 32);
	CU_ASSERT_EQUAL(event.time, 888);
	CU_ASSERT_EQUAL(event.mmap.start, 0x7f0000001000);
	CU_ASSERT_EQUAL(event.mmap.len, 0x5000);
	CU_ASSERT_EQUAL(event.mmap.pgoff, 0x2000);
	CU_ASSERT_EQUAL(event.mmap.ino, 123456);
	RT_ASSERT_TEXT(event.mmap.path, "/lib/x");
	make_mmap2(&b, 3);	/* not executable */
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 0);
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, 72, decoder(), &event), -EBADMSG);
}

static void test_others(void)
{
	static const uint32_t types[] = { 0, 1, 5, 6, 8, 11, 12, 13, 14, 21, 1000 };
	struct rt_event event;
	struct bytes b;
	size_t i;

	for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
		begin(&b, types[i]);
		end(&b);
		CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, b.n, decoder(), &event), 0);
	}
	CU_ASSERT_EQUAL(rt_perf_record_decode(b.v, 7, decoder(), &event), -EBADMSG);
}

/* The events of a walk. */
struct seen {
	unsigned n;
	struct rt_event events[8];
	uint64_t word;		/* the last value of the last sample */
	const uint8_t *data;
	int answer;
};

static int see(void *ctx, const struct rt_event *event)
{
	struct seen *seen = ctx;

	if (seen->n < 8)
		seen->events[seen->n] = *event;
	seen->n++;
	if (event->type == RT_EV_HIT) {
		seen->data = event->hit.data;
		memcpy(&seen->word, event->hit.data + event->hit.size - 8, 8);
	}
	return seen->answer;
}

enum { RING = 256 };

struct walker {
	uint8_t ring[RING], scratch[65536];
	struct seen seen;
};

static void ring_put(struct walker *w, uint64_t at, const struct bytes *b)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		w->ring[(at + i) & (RING - 1)] = b->v[i];
}

static int ring_walk(struct walker *w, uint64_t tail, uint64_t head)
{
	struct rt_event_handler handler = { see, &w->seen };

	return rt_perf_ring_walk(w->ring, RING, tail, head, w->scratch, decoder(), &handler);
}

static struct walker *walker_new(void)
{
	struct walker *w = calloc(1, sizeof(*w));

	CU_ASSERT_PTR_NOT_NULL_FATAL(w);
	return w;
}

/*
 * A sample, then a loss, at every place in the ring; the positions themselves wrap round 2^64 on
 * the way.
 */
static void test_wrap(void)
{
	struct walker *w = walker_new();
	struct bytes sample, lost;
	uint64_t tail;
	unsigned i;

	make_sample(&sample, 100, 3);
	make_lost(&lost, 200, 9);
	for (i = 0; i < RING; i += 8) {
		memset(w, 0xa5, sizeof(*w));
		memset(&w->seen, 0, sizeof(w->seen));
		tail = UINT64_MAX - RING / 2 + 1 + i;
		ring_put(w, tail, &sample);
		ring_put(w, tail + sample.n, &lost);
		CU_ASSERT_EQUAL(ring_walk(w, tail, tail + sample.n + lost.n), 0);
		CU_ASSERT_EQUAL(w->seen.n, 2);
		CU_ASSERT_EQUAL(w->seen.events[0].type, RT_EV_HIT);
		CU_ASSERT_EQUAL(w->seen.events[0].time, 100);
		CU_ASSERT_EQUAL(w->seen.events[0].hit.size, 28);
		CU_ASSERT_EQUAL(w->seen.word, 0x1002);
		CU_ASSERT_EQUAL(w->seen.events[1].type, RT_EV_UNSEEN);
		CU_ASSERT_EQUAL(w->seen.events[1].time, 200);
		if ((tail & (RING - 1)) + sample.n <=
		    RING) /* in one piece: given where it stands */
			CU_ASSERT_PTR_EQUAL(w->seen.data, w->ring + (tail & (RING - 1)) + 40);
	}
	free(w);
}

/* A bad size, as in a hostile or damaged ring, ends the walk after the good records before it. */
static void test_broken_sizes(void)
{
	static const uint16_t sizes[] = { 0, 7, 12, 24, 40, 65528 };
	struct walker *w = walker_new();
	struct bytes b;
	size_t i;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		memset(&w->seen, 0, sizeof(w->seen));
		make_lost(&b, 1, 1);
		ring_put(w, 0, &b);
		memcpy(b.v + 6, &sizes[i], 2);
		ring_put(w, b.n, &b);
		CU_ASSERT_EQUAL(ring_walk(w, 0, 2 * b.n), -EBADMSG);
		CU_ASSERT_EQUAL(w->seen.n, 1);
	}
	/* The type is one that is passed over, so that nothing but the size is wrong. */
	begin(&b, 1000);
	b.n = 12;
	end(&b);
	ring_put(w, 0, &b);
	ring_put(w, 12, &b);
	CU_ASSERT_EQUAL(ring_walk(w, 0, 24), -EBADMSG);
	free(w);
}

/* Positions that no ring can have, over records that are all right. */
static void test_broken_positions(void)
{
	struct walker *w = walker_new();
	struct bytes b;
	uint64_t at;

	make_lost(&b, 1, 1);
	for (at = 0; at < RING; at += b.n)
		ring_put(w, at, &b);
	CU_ASSERT_EQUAL(ring_walk(w, 0, RING + 32), -EBADMSG);
	CU_ASSERT_EQUAL(ring_walk(w, 32, 0), -EBADMSG);
	CU_ASSERT_EQUAL(w->seen.n, 0);
	CU_ASSERT_EQUAL(ring_walk(w, 0, RING), 0);
	CU_ASSERT_EQUAL(w->seen.n, RING / 32);
	CU_ASSERT_EQUAL(ring_walk(w, 32, 32), 0);
	CU_ASSERT_EQUAL(w->seen.n, RING / 32);
	begin(&b, 1000);
	end(&b);
	ring_put(w, 4, &b);
	CU_ASSERT_EQUAL(ring_walk(w, 4, 12), -EBADMSG);
	CU_ASSERT_EQUAL(ring_walk(w, 0, 4), -EBADMSG);
	free(w);
}

static void test_handler_stops(void)
{
	struct walker *w = walker_new();
	struct bytes b;

	make_lost(&b, 1, 1);
	ring_put(w, 0, &b);
	ring_put(w, b.n, &b);
	w->seen.answer = -EPIPE;
	CU_ASSERT_EQUAL(ring_walk(w, 0, 2 * b.n), -EPIPE);
	CU_ASSERT_EQUAL(w->seen.n, 1);
	free(w);
}

CU_TestInfo rt_tests_perf_record[] = {
	{ "sample", test_sample },
	{ "sample: sizes", test_sample_sizes },
	{ "lost", test_lost },
	{ "comm", test_comm },
	{ "fork and exit", test_task },
	{ "mmap2", test_mmap2 },
	{ "other types", test_others },
	{ "ring: wrapped at every place", test_wrap },
	{ "ring: broken sizes", test_broken_sizes },
	{ "ring: broken positions", test_broken_positions },
	{ "ring: handler stops it", test_handler_stops },
	CU_TEST_INFO_NULL,
};
