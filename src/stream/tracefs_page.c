/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/tracefs_page.h"

#include <errno.h>

#include "stream/load.h"

/*
 * An event's header: 5 bits of type or length, 27 of time since the one before
 * (events/header_event).
 */
enum {
	TYPE_BITS = 5,
	DELTA_BITS = 27,
	TYPE_LONG = 0,		/* the length is in the next word, which it counts */
	TYPE_PADDING = 29,	/* a discarded event, or the rest of the page */
	TYPE_TIME_EXTEND = 30,	/* the next word has the upper bits of the delta */
	TYPE_TIME_STAMP = 31,	/* the next word has the upper bits of the time itself; 4.17 */
};

/* Flags in the low half of `commit`; the upper half of an 8-byte one is the sign of the first. */
#define MISSED_EVENTS	(1u << 31)
#define MISSED_STORED	(1u << 30)

/* An absolute time stamp has 59 bits; the upper 5 are those of the time before it. */
#define TIME_MSB	(0xf8ull << 56)

struct walk {
	const uint8_t *at, *end;
	uint64_t time;
	const struct rt_page_sink *sink;
};

static uint64_t absolute(uint64_t stamp, uint64_t before)
{
	uint64_t time = stamp | (before & TIME_MSB);

	/*
	 * The upper bits have counted on since; a kernel clock that never sets them needs no such
	 * repair.
	 */
	if ((before & TIME_MSB) && time < before)
		time += 1ull << (64 - TYPE_BITS);
	return time;
}

/*
 * Time of a discarded event: the kernel makes a delta of 0 into 1, since 0 says that the page ends
 * here.
 */
static uint64_t discarded(uint64_t delta)
{
	return delta == 1 ? 0 : delta;
}

/* The second word of the event at walk->at. */
static int second_word(const struct walk *walk, uint32_t *word)
{
	if (walk->end - walk->at < 8)
		return -EBADMSG;
	*word = rt_load_u32(walk->at + 4);
	return 0;
}

/* Hand on the `len` bytes at `data` and step over them; events begin at multiples of 4. */
static int pass_record(struct walk *walk, const uint8_t *data, size_t len)
{
	size_t left = (size_t)(walk->end - data);

	if (len > left || ((len + 3) & ~(size_t)3) > left)
		return -EBADMSG;
	walk->at = data + ((len + 3) & ~(size_t)3);
	return walk->sink->record(walk->sink->ctx, walk->time, data, len);
}

static int one_event(struct walk *walk)
{
	uint32_t head, word = 0;
	unsigned type;
	uint64_t delta;

	if (walk->end - walk->at < 4)
		return -EBADMSG;
	head = rt_load_u32(walk->at);
	type = head & ((1u << TYPE_BITS) - 1);
	delta = head >> TYPE_BITS;
	if (type == TYPE_PADDING && !delta) {
		walk->at = walk->end;
		return 0;
	}
	if ((type == TYPE_LONG || type >= TYPE_PADDING) && second_word(walk, &word) < 0)
		return -EBADMSG;
	switch (type) {
	case TYPE_PADDING:
		if (word < 4 || word > (size_t)(walk->end - walk->at) - 4)
			return -EBADMSG;
		walk->time += discarded(delta);
		walk->at += 4 + (size_t)word;
		return 0;
	case TYPE_TIME_EXTEND:
		walk->time += ((uint64_t)word << DELTA_BITS) + delta;
		walk->at += 8;
		return 0;
	case TYPE_TIME_STAMP:
		walk->time = absolute(((uint64_t)word << DELTA_BITS) + delta, walk->time);
		walk->at += 8;
		return 0;
	case TYPE_LONG:
		walk->time += delta;
		/* The word counts itself, and the kernel makes no event of less than one more. */
		return word < 8 ? -EBADMSG : pass_record(walk, walk->at + 8, word - 4);
	default:
		walk->time += delta;
		return pass_record(walk, walk->at + 4, type * 4);
	}
}

/*
 * Events dropped before this page; their number is a kernel `long` behind the last event, where
 * there was room.
 */
static int pass_lost(const struct rt_page_layout *layout, const struct walk *walk, size_t room,
		     uint32_t flags)
{
	uint64_t count = 0;

	if (!(flags & MISSED_EVENTS))
		return 0;
	if (flags & MISSED_STORED) {
		if (room < layout->commit_size)
			return -EBADMSG;
		count = layout->commit_size == 8 ? rt_load_u64(walk->end) : rt_load_u32(walk->end);
	}
	return walk->sink->lost(walk->sink->ctx, walk->time, count);
}

int rt_tracefs_page_walk(const struct rt_page_layout *layout, const uint8_t *page, size_t len,
			 const struct rt_page_sink *sink)
{
	struct walk walk = { .sink = sink };
	uint32_t flags;
	size_t size;
	int err;

	if (len < layout->data || len < layout->timestamp + 8u || len < layout->commit + 4u)
		return -EBADMSG;
	flags = rt_load_u32(page + layout->commit);
	size = flags & ~(MISSED_EVENTS | MISSED_STORED);
	if (size > len - layout->data)
		return -EBADMSG;
	walk.time = rt_load_u64(page + layout->timestamp);
	walk.at = page + layout->data;
	walk.end = walk.at + size;
	err = pass_lost(layout, &walk, len - layout->data - size, flags);
	while (!err && walk.at < walk.end)
		err = one_event(&walk);
	return err;
}
