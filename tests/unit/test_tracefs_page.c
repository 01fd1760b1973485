/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/tracefs_page.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

static const struct rt_page_layout layout64 = {
	.commit = 8, .commit_size = 8, .data = 16, .page = 4096
};
static const struct rt_page_layout layout32 = {
	.commit = 8, .commit_size = 4, .data = 12, .page = 4096
};

enum { MISSED_EVENTS = 2, MISSED_STORED = 1 };	/* bits 31 and 30 of `commit` */

struct page {
	const struct rt_page_layout *layout;
	uint8_t v[4096];
	size_t n;		/* bytes of data */
};

static void page_begin(struct page *p, const struct rt_page_layout *layout, uint64_t time)
{
	memset(p, 0, sizeof(*p));
	p->layout = layout;
	memcpy(p->v, &time, 8);
}

static void word(struct page *p, uint32_t v)
{
	memcpy(p->v + p->layout->data + p->n, &v, 4);
	p->n += 4;
}

static void header(struct page *p, unsigned type, uint32_t delta)
{
	word(p, delta << 5 | type);
}

/* An event of `words` words: its id, then 0xe0, 0xe1, ... */
static void event(struct page *p, uint32_t delta, unsigned words, uint16_t id)
{
	unsigned i;

	header(p, words, delta);
	for (i = 0; i < words; i++)
		word(p, i ? 0xe0 + i : id);
}

/*
 * The kernel adds the flags to `commit` as ints, so that the upper half of an 8-byte one becomes
 * their sign.
 */
static void page_end(struct page *p, unsigned missed)
{
	int64_t commit = (int64_t)p->n + (missed & MISSED_STORED ? 1 << 30 : 0) +
			 (missed & MISSED_EVENTS ? INT32_MIN : 0);

	memcpy(p->v + p->layout->commit, &commit, p->layout->commit_size);
}

struct seen {
	unsigned n, losses;
	uint64_t time[8];
	uint16_t id[8];
	size_t len[8];
	uint64_t lost, lost_time;
	unsigned n_at_loss;
	int answer;
};

static int see_record(void *ctx, uint64_t time, const uint8_t *data, size_t len)
{
	struct seen *seen = ctx;

	if (seen->n < 8) {
		seen->time[seen->n] = time;
		seen->len[seen->n] = len;
		memcpy(&seen->id[seen->n], data, 2);
	}
	seen->n++;
	return seen->answer;
}

static int see_lost(void *ctx, uint64_t time, uint64_t count)
{
	struct seen *seen = ctx;

	seen->losses++;
	seen->lost = count;
	seen->lost_time = time;
	seen->n_at_loss = seen->n;
	return seen->answer;
}

static int walk_len(const struct page *p, size_t len, struct seen *seen)
{
	struct rt_page_sink sink = { see_record, see_lost, seen };
	int answer = seen->answer;

	memset(seen, 0, sizeof(*seen));
	seen->answer = answer;
	return rt_tracefs_page_walk(p->layout, p->v, len, &sink);
}

static int walk(const struct page *p, struct seen *seen)
{
	return walk_len(p, sizeof(p->v), seen);
}

static void test_events(void)
{
	const struct rt_page_layout *layouts[] = { &layout64, &layout32 };
	struct seen seen = { .answer = 0 };
	struct page p;
	unsigned i;

	for (i = 0; i < 2; i++) {
		page_begin(&p, layouts[i], 1000000);
		event(&p, 0, 4, 501);
		event(&p, 10, 28, 502);
		event(&p, (1u << 27) - 1, 1, 503);
		page_end(&p, 0);
		CU_ASSERT_EQUAL(walk(&p, &seen), 0);
		CU_ASSERT_EQUAL(seen.n, 3);
		CU_ASSERT_EQUAL(seen.losses, 0);
		CU_ASSERT_EQUAL(seen.time[0], 1000000);
		CU_ASSERT_EQUAL(seen.time[1], 1000010);
		CU_ASSERT_EQUAL(seen.time[2], 1000010 + (1u << 27) - 1);
		CU_ASSERT_EQUAL(seen.len[0], 16);
		CU_ASSERT_EQUAL(seen.len[1], 112);
		CU_ASSERT_EQUAL(seen.len[2], 4);
		CU_ASSERT_EQUAL(seen.id[0], 501);
		CU_ASSERT_EQUAL(seen.id[1], 502);
		CU_ASSERT_EQUAL(seen.id[2], 503);
	}
}

static void test_empty(void)
{
	struct seen seen = { .answer = 0 };
	struct page p;

	page_begin(&p, &layout64, 5);
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), 0);
	CU_ASSERT_EQUAL(walk_len(&p, 16, &seen), 0);
	CU_ASSERT_EQUAL(seen.n, 0);
	CU_ASSERT_EQUAL(walk_len(&p, 15, &seen), -EBADMSG);
	CU_ASSERT_EQUAL(walk_len(&p, 0, &seen), -EBADMSG);
}

/* More than 112 bytes: type 0, and the length, which counts its own word, in the next. */
static void test_long_event(void)
{
	struct seen seen = { .answer = 0 };
	struct page p;
	unsigned i;

	page_begin(&p, &layout64, 100);
	header(&p, 0, 7);
	word(&p, 4 + 120);
	word(&p, 601);
	for (i = 0; i < 29; i++)
		word(&p, i);
	event(&p, 1, 2, 602);
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), 0);
	CU_ASSERT_EQUAL(seen.n, 2);
	CU_ASSERT_EQUAL(seen.len[0], 120);
	CU_ASSERT_EQUAL(seen.id[0], 601);
	CU_ASSERT_EQUAL(seen.time[0], 107);
	CU_ASSERT_EQUAL(seen.id[1], 602);
	CU_ASSERT_EQUAL(seen.time[1], 108);
}

static void test_time_extend(void)
{
	struct seen seen = { .answer = 0 };
	struct page p;

	page_begin(&p, &layout64, 1000);
	header(&p, 30, 5);
	word(&p, 3);
	event(&p, 0, 2, 1);
	event(&p, 2, 2, 2);
	header(&p, 30, 0);
	word(&p, 0xffffffff);
	event(&p, 1, 2, 3);
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), 0);
	CU_ASSERT_EQUAL(seen.n, 3);
	CU_ASSERT_EQUAL(seen.time[0], 1000 + (3ull << 27) + 5);
	CU_ASSERT_EQUAL(seen.time[1], seen.time[0] + 2);
	CU_ASSERT_EQUAL(seen.time[2], seen.time[1] + (0xffffffffull << 27) + 1);
}

static void stamp(struct page *p, uint64_t time)
{
	header(p, 31, (uint32_t)(time & ((1u << 27) - 1)));
	word(p, (uint32_t)(time >> 27));
}

static void test_time_stamp(void)
{
	struct seen seen = { .answer = 0 };
	struct page p;

	page_begin(&p, &layout64, 1000);
	stamp(&p, 123456789012345);
	event(&p, 0, 2, 1);
	event(&p, 3, 2, 2);
	stamp(&p, 5000);	/* without upper bits the stamp is all there is, earlier or not */
	event(&p, 1, 2, 3);
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), 0);
	CU_ASSERT_EQUAL(seen.n, 3);
	CU_ASSERT_EQUAL(seen.time[0], 123456789012345);
	CU_ASSERT_EQUAL(seen.time[1], 123456789012348);
	CU_ASSERT_EQUAL(seen.time[2], 5001);
}

/*
 * A clock that uses all 64 bits: a stamp has 59, the others are of the time before, counted on
 * where it overflowed.
 */
static void test_time_stamp_upper_bits(void)
{
	const uint64_t base = (3ull << 59) + 77;
	struct seen seen = { .answer = 0 };
	struct page p;

	page_begin(&p, &layout64, base);
	stamp(&p, 100);
	event(&p, 0, 2, 1);
	stamp(&p, 5);
	event(&p, 0, 2, 2);
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), 0);
	CU_ASSERT_EQUAL(seen.n, 2);
	CU_ASSERT_EQUAL(seen.time[0], (3ull << 59) + 100);
	CU_ASSERT_EQUAL(seen.time[1], (4ull << 59) + 5);
}

/*
 * A discarded event keeps its length and its time, but for a delta of 0, which the kernel wrote
 * as 1.
 */
static void test_padding(void)
{
	struct seen seen = { .answer = 0 };
	struct page p;

	page_begin(&p, &layout64, 1000);
	header(&p, 29, 50);
	word(&p, 12);
	word(&p, 0xdead);
	word(&p, 0xdead);
	event(&p, 2, 2, 1);
	header(&p, 29, 1);
	word(&p, 4);
	event(&p, 3, 2, 2);
	header(&p, 29, 0);	/* the page ends here, whatever follows */
	event(&p, 3, 2, 3);
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), 0);
	CU_ASSERT_EQUAL(seen.n, 2);
	CU_ASSERT_EQUAL(seen.time[0], 1052);
	CU_ASSERT_EQUAL(seen.id[0], 1);
	CU_ASSERT_EQUAL(seen.time[1], 1055);
	CU_ASSERT_EQUAL(seen.id[1], 2);
	/* One word that ends the page needs no second. */
	page_begin(&p, &layout64, 1000);
	header(&p, 29, 0);
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), 0);
}

static void test_lost(void)
{
	const struct rt_page_layout *layouts[] = { &layout64, &layout32 };
	struct seen seen = { .answer = 0 };
	struct page p;
	uint64_t count;
	unsigned i;

	for (i = 0; i < 2; i++) {
		page_begin(&p, layouts[i], 300);
		event(&p, 4, 2, 1);
		page_end(&p, MISSED_EVENTS);
		CU_ASSERT_EQUAL(walk(&p, &seen), 0);
		CU_ASSERT_EQUAL(seen.losses, 1);
		CU_ASSERT_EQUAL(seen.lost, 0);
		CU_ASSERT_EQUAL(seen.n, 1);
		page_end(&p, MISSED_EVENTS | MISSED_STORED);
		count = i ? 0x12345 : 0x1234500000000;
		memset(p.v + p.layout->data + p.n, 0xff, 16);
		memcpy(p.v + p.layout->data + p.n, &count, p.layout->commit_size);
		CU_ASSERT_EQUAL(walk(&p, &seen), 0);
		CU_ASSERT_EQUAL(seen.losses, 1);
		CU_ASSERT_EQUAL(seen.lost, count);
		CU_ASSERT_EQUAL(seen.lost_time, 300);
		CU_ASSERT_EQUAL(seen.n_at_loss, 0);
		CU_ASSERT_EQUAL(seen.n, 1);
		CU_ASSERT_EQUAL(seen.time[0], 304);
		/* A page that is too short for the number that it promises. */
		CU_ASSERT_EQUAL(
			walk_len(&p, p.layout->data + p.n + p.layout->commit_size - 1, &seen),
			-EBADMSG);
	}
}

static void test_stops(void)
{
	struct seen seen = { .answer = -EPIPE };
	struct page p;

	page_begin(&p, &layout64, 300);
	event(&p, 4, 2, 1);
	event(&p, 4, 2, 1);
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), -EPIPE);
	CU_ASSERT_EQUAL(seen.n, 1);
	page_end(&p, MISSED_EVENTS);
	CU_ASSERT_EQUAL(walk(&p, &seen), -EPIPE);
	CU_ASSERT_EQUAL(seen.n, 0);
}

/* One header (and perhaps a second word) that promises more than the page has. */
static void expect_bad(unsigned type, uint32_t delta, bool second, uint32_t value)
{
	struct seen seen = { .answer = 0 };
	struct page p;

	page_begin(&p, &layout64, 300);
	event(&p, 4, 2, 1);
	header(&p, type, delta);
	if (second)
		word(&p, value);
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), -EBADMSG);
	CU_ASSERT_EQUAL(seen.n, 1);
}

static void test_broken(void)
{
	struct seen seen = { .answer = 0 };
	struct page p;

	expect_bad(1, 0, false, 0);		/* a data event without its data */
	expect_bad(28, 0, true, 0);
	expect_bad(0, 0, false, 0);		/* no second word */
	expect_bad(29, 1, false, 0);
	expect_bad(30, 0, false, 0);
	expect_bad(31, 0, false, 0);
	expect_bad(0, 0, true, 0);		/* lengths that are too small */
	expect_bad(0, 0, true, 4);
	expect_bad(29, 1, true, 0);
	expect_bad(0, 0, true, 8);		/* and too large */
	expect_bad(0, 0, true, 0xfffffffe);
	expect_bad(29, 1, true, 5);
	expect_bad(29, 1, true, 0xffffffff);
	page_begin(&p, &layout64, 300);
	header(&p, 29, 1); /* padding that does not count its own word, which could be a header */
	word(&p, 0);
	word(&p, 8);
	word(&p, 1);
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), -EBADMSG);
	CU_ASSERT_EQUAL(seen.n, 0);
	page_begin(&p, &layout64, 300);
	event(&p, 4, 2, 1);
	p.n = 5000;
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), -EBADMSG);
	CU_ASSERT_EQUAL(seen.n, 0);
	p.n = 14;				/* an end in the middle of a header */
	page_end(&p, 0);
	CU_ASSERT_EQUAL(walk(&p, &seen), -EBADMSG);
	CU_ASSERT_EQUAL(seen.n, 1);
}

CU_TestInfo rt_tests_tracefs_page[] = {
	{ "events", test_events },
	{ "empty and short pages", test_empty },
	{ "long event", test_long_event },
	{ "time extend", test_time_extend },
	{ "absolute time stamp", test_time_stamp },
	{ "absolute time stamp: upper bits", test_time_stamp_upper_bits },
	{ "padding", test_padding },
	{ "lost events", test_lost },
	{ "callback stops it", test_stops },
	{ "broken", test_broken },
	CU_TEST_INFO_NULL,
};
