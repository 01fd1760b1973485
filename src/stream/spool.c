/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events on their way from the rings to the merge, as few bytes as a quick encoder makes of them.
 *
 * A traced function that is called in a loop gives events that differ in a few fields:
 *
 *	time +412, number +0, data 17 00 00 00
 *	time +388, number +0, data 2a 00 00 00
 *
 * So an event is a set of bits, one for each field that is not as expected, the differences of
 * these fields as numbers of seven bits a byte, and its data.  Time, ring, thread and number are
 * compared with the event before, the other fields with the last event of the same plan.  A hit of
 * f(int) takes 8 to 14 bytes, where its record in a ring has 40 and struct rt_event has 96.
 *
 * Chunks of 512 KB have the items.  Full chunks beyond a few are in a file alone, which has no
 * name: it is gone with the process.  A chunk that was read frees its place for another one.
 *
 * A saved spool has all items in the file, after each round.  There a chunk begins with the
 * number of its bytes and the place of the next one, which are written behind the bytes: so a copy
 * of the process (fork) finds the items that the killed original has pushed since.
 */
#include "stream/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/array.h"

/* The beginning of a chunk in the file. */
struct head {
	uint64_t n;
	int64_t next;		/* 0: this is the last one */
};

/* A chunk takes the largest item: data of 64 KB. */
enum { PLACE = 512 << 10, CHUNK = PLACE - sizeof(struct head), MEMORY_CHUNKS = 16,
       ITEM_MOST = 256 + UINT16_MAX };

/* The fields of a hit, in their order in an item. */
enum {
	TIME, RING, PID, TID, SEQ, PLAN,
	RECENT,				/* those before are compared with the event before */
	KEY = RECENT, SP, RA, ENTERED, FAULTS, SIZE,
	FIELDS
};

enum { PLANS = 64 };

/* The next event is compared with these: the encoder and the decoder have the same. */
struct history {
	uint64_t fields[RECENT];
	uint64_t plans[PLANS][FIELDS];		/* by plan modulo their number */
};

enum kind { A_HIT, AN_EVENT, A_ROUND };

struct chunk {
	struct chunk *next;
	uint8_t *bytes;		/* NULL: they are in the file */
	size_t n, saved;	/* of them, in the file */
	off_t at;		/* there; 0: it has no place */
};

struct places {
	off_t *v;
	size_t n, cap;
};

struct rt_spool {
	int file;		/* -1: there is none */
	off_t end, most;	/* of the file */
	struct places free;	/* those before the end */
	struct places taken_since;	/* those of chunks that a copy reads once more */
	bool keeps, unsaved;	/* for a copy; it would miss items */
	bool pushed;		/* events since the last round */
	bool failed;
	unsigned in_memory;
	struct chunk *first, *last;	/* read at `taken`; written at its end */
	size_t taken;
	uint64_t events, bytes;
	struct history in, out;
};

/* ---- the file ---- */

static int open_unnamed(const char *folder)
{
	char path[4096];
	int fd;

	if (snprintf(path, sizeof(path), "%s/.rawtrace-XXXXXX", folder) >= (int)sizeof(path))
		return -1;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

struct rt_spool *rt_spool_new(const char *folder)
{
	struct rt_spool *spool = calloc(1, sizeof(*spool));
	struct statvfs fs;

	if (!spool)
		return NULL;
	spool->file = folder ? open_unnamed(folder) : -1;
	/* The user's file system also needs room for the trace itself. */
	if (spool->file >= 0 && fstatvfs(spool->file, &fs) == 0)
		spool->most = (off_t)((uint64_t)fs.f_bavail * fs.f_frsize / 2);
	spool->end = PLACE;
	return spool;
}

void rt_spool_free(struct rt_spool *spool)
{
	struct chunk *next;

	if (!spool)
		return;
	for (; spool->first; spool->first = next) {
		next = spool->first->next;
		free(spool->first->bytes);
		free(spool->first);
	}
	if (spool->file >= 0)
		close(spool->file);
	free(spool->free.v);
	free(spool->taken_since.v);
	free(spool);
}

static int write_at(int file, const void *bytes, size_t n, off_t at)
{
	const uint8_t *from = bytes;
	ssize_t done;

	for (; n; n -= (size_t)done, from += done, at += done) {
		done = pwrite(file, from, n, at);
		if (done <= 0)
			return -EIO;
	}
	return 0;
}

static int read_at(int file, void *bytes, size_t n, off_t at)
{
	uint8_t *to = bytes;
	ssize_t done;

	for (; n; n -= (size_t)done, to += done, at += done) {
		done = pread(file, to, n, at);
		if (done <= 0)
			return -EIO;
	}
	return 0;
}

/* Without memory for the list, the place is not used a second time. */
static void add_place(struct places *places, off_t at)
{
	if (at && RT_ROOM(&places->v, places->n, &places->cap) == 0)
		places->v[places->n++] = at;
}

static void find_place(struct rt_spool *spool, struct chunk *chunk)
{
	if (spool->free.n) {
		chunk->at = spool->free.v[--spool->free.n];
	} else if (spool->file >= 0 && spool->end + PLACE <= spool->most) {
		chunk->at = spool->end;
		spool->end += PLACE;
	}
}

/* Write what the file has not of a chunk; `next`: the chunk behind it, or NULL. */
static int save_chunk(struct rt_spool *spool, struct chunk *chunk, const struct chunk *next)
{
	const struct head head = { chunk->n, next ? next->at : 0 };
	off_t to;

	if (!chunk->at)
		find_place(spool, chunk);
	if (!chunk->at)
		return -ENOSPC;
	to = chunk->at + (off_t)sizeof(head);
	if (write_at(spool->file, chunk->bytes + chunk->saved, chunk->n - chunk->saved,
		     to + (off_t)chunk->saved) < 0 ||
	    write_at(spool->file, &head, sizeof(head), chunk->at) < 0)
		return -EIO;
	chunk->saved = chunk->n;
	return 0;
}

static int read_chunk(struct rt_spool *spool, struct chunk *chunk)
{
	chunk->bytes = malloc(CHUNK);
	if (!chunk->bytes)
		return -ENOMEM;
	spool->in_memory++;
	return read_at(spool->file, chunk->bytes, chunk->n,
		       chunk->at + (off_t)sizeof(struct head));
}

/* ---- chunks ---- */

static struct chunk *append_chunk(struct rt_spool *spool)
{
	struct chunk *chunk = calloc(1, sizeof(*chunk));

	if (!chunk)
		return NULL;
	if (spool->last)
		spool->last->next = chunk;
	else
		spool->first = chunk;
	spool->last = chunk;
	return chunk;
}

static struct chunk *add_chunk(struct rt_spool *spool)
{
	uint8_t *bytes = malloc(CHUNK);
	struct chunk *chunk = bytes ? append_chunk(spool) : NULL;

	if (!chunk) {
		free(bytes);
		return NULL;
	}
	chunk->bytes = bytes;
	spool->in_memory++;
	return chunk;
}

/* On a failure the chunk stays in memory. */
static void end_chunk(struct rt_spool *spool, struct chunk *full, struct chunk *next)
{
	/* The first is being read. */
	bool goes = full != spool->first && spool->in_memory > MEMORY_CHUNKS;

	if (spool->keeps && save_chunk(spool, next, NULL) < 0)
		spool->unsaved = true;
	if (!goes && !spool->keeps)
		return;
	if (save_chunk(spool, full, next) < 0) {
		spool->unsaved = true;
		spool->failed |= goes;
	} else if (goes) {
		free(full->bytes);
		full->bytes = NULL;
		spool->in_memory--;
	}
}

/* Room for `n` bytes at the end; NULL: out of memory. */
static uint8_t *make_room(struct rt_spool *spool, size_t n)
{
	struct chunk *full = spool->last, *chunk;

	if (full && CHUNK - full->n >= n)
		return full->bytes + full->n;
	chunk = add_chunk(spool);
	if (!chunk)
		return NULL;
	if (full) {
		spool->bytes += full->n;
		end_chunk(spool, full, chunk);
	}
	return chunk->bytes;
}

/* All items were taken. */
static void rewind_spool(struct rt_spool *spool)
{
	spool->failed = false;
	if (spool->keeps)
		return;
	if (spool->first) {
		spool->first->n = spool->first->saved = 0;
		spool->first->at = 0;
	}
	spool->taken = 0;
	spool->end = PLACE;
	spool->free.n = 0;
}

/* The bytes to read, up to `*end`.  1; 0: there are none; or a negative errno. */
static int find_bytes(struct rt_spool *spool, const uint8_t **at, const uint8_t **end)
{
	struct chunk *chunk = spool->first;
	int r;

	if (chunk && spool->taken == chunk->n && chunk->next) {
		spool->bytes -= chunk->n;
		spool->first = chunk->next;
		spool->taken = 0;
		spool->in_memory--;
		add_place(spool->keeps ? &spool->taken_since : &spool->free, chunk->at);
		free(chunk->bytes);
		free(chunk);
		chunk = spool->first;
	}
	if (!chunk || spool->taken == chunk->n) {
		rewind_spool(spool);
		return 0;
	}
	r = chunk->bytes ? 0 : read_chunk(spool, chunk);
	if (r < 0)
		return r;
	*at = chunk->bytes + spool->taken;
	*end = chunk->bytes + chunk->n;
	return 1;
}

/* ---- items ---- */

static uint8_t *put_number(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

/* A number that was cut off is 0, and `*at` is then the end. */
static uint64_t get_number(const uint8_t **at, const uint8_t *end)
{
	uint64_t value = 0;
	unsigned shift;

	for (shift = 0; *at < end && shift < 64; shift += 7) {
		uint8_t byte = *(*at)++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return value;
	}
	*at = end;
	return 0;
}

/* Small negative differences are small numbers. */
static uint64_t fold(uint64_t difference)
{
	return difference << 1 ^ (uint64_t)((int64_t)difference >> 63);
}

static uint64_t unfold(uint64_t number)
{
	return number >> 1 ^ (0 - (number & 1));
}

static uint64_t *plan_fields(struct history *history, uint64_t plan)
{
	return history->plans[plan % PLANS];
}

/* A field that is not as expected. */
static inline uint8_t *put_field(uint8_t *at, unsigned *bits, uint64_t *expected, unsigned field,
				 uint64_t value)
{
	uint64_t difference = value - expected[field];

	if (!difference)
		return at;
	expected[field] = value;
	*bits |= 1u << field;
	return put_number(at, fold(difference));
}

static uint8_t *put_hit(struct history *history, uint8_t *head, unsigned ring,
			const struct rt_event *event)
{
	uint64_t *recent = history->fields, *fields = plan_fields(history, event->hit.plan);
	uint8_t *at = head + 3;
	unsigned bits = 0;

	/* The programs number a thread's hits. */
	recent[SEQ]++;
	at = put_field(at, &bits, recent, TIME, event->time);
	at = put_field(at, &bits, recent, RING, ring);
	at = put_field(at, &bits, recent, PID, (uint64_t)event->pid);
	at = put_field(at, &bits, recent, TID, (uint64_t)event->tid);
	at = put_field(at, &bits, recent, SEQ, event->hit.seq);
	at = put_field(at, &bits, recent, PLAN, event->hit.plan);
	at = put_field(at, &bits, fields, KEY, event->hit.key);
	at = put_field(at, &bits, fields, SP, event->hit.sp);
	at = put_field(at, &bits, fields, RA, event->hit.ra);
	at = put_field(at, &bits, fields, ENTERED, event->hit.entered);
	at = put_field(at, &bits, fields, FAULTS, event->hit.faults);
	at = put_field(at, &bits, fields, SIZE, event->hit.size);
	head[0] = A_HIT;
	head[1] = (uint8_t)bits;
	head[2] = (uint8_t)(bits >> 8);
	memcpy(at, event->hit.data, event->hit.size);
	return at + event->hit.size;
}

/* Add the differences of the fields in `bits`. */
static void get_fields(uint64_t *expected, unsigned bits, const uint8_t **at, const uint8_t *end)
{
	for (; bits; bits &= bits - 1)
		expected[__builtin_ctz(bits)] += unfold(get_number(at, end));
}

static int get_hit(struct history *history, const uint8_t **at, const uint8_t *end,
		   struct rt_spooled *item)
{
	uint64_t *recent = history->fields, *fields;
	struct rt_event *event = &item->event;
	unsigned bits;

	if (end - *at < 2)
		return -EIO;
	bits = (*at)[0] | (unsigned)(*at)[1] << 8;
	*at += 2;
	if (bits >> FIELDS)
		return -EIO;
	recent[SEQ]++;
	get_fields(recent, bits & ((1u << RECENT) - 1), at, end);
	fields = plan_fields(history, recent[PLAN]);
	get_fields(fields, bits & ~((1u << RECENT) - 1), at, end);
	if (fields[SIZE] > (uint64_t)(end - *at))
		return -EIO;
	item->ring = (unsigned)recent[RING];
	event->type = RT_EV_HIT;
	event->time = recent[TIME];
	event->pid = (pid_t)recent[PID];
	event->tid = (pid_t)recent[TID];
	event->hit.sp = fields[SP];
	event->hit.key = fields[KEY];
	event->hit.entered = fields[ENTERED];
	event->hit.ra = fields[RA];
	event->hit.goid = 0;
	event->hit.seq = (uint32_t)recent[SEQ];
	event->hit.faults = (uint32_t)fields[FAULTS];
	event->hit.plan = (uint16_t)recent[PLAN];
	event->hit.size = (uint16_t)fields[SIZE];
	event->hit.data = *at;
	*at += event->hit.size;
	return 0;
}

/* Other events are few. */
static uint8_t *put_plain(uint8_t *at, enum kind kind, const void *v, size_t n)
{
	*at++ = (uint8_t)kind;
	memcpy(at, v, n);
	return at + n;
}

static int get_plain(const uint8_t **at, const uint8_t *end, void *v, size_t n)
{
	if ((size_t)(end - *at) < n)
		return -EIO;
	memcpy(v, *at, n);
	*at += n;
	return 0;
}

int rt_spool_push(struct rt_spool *spool, unsigned ring, const struct rt_event *event)
{
	const uint32_t number = ring;
	uint8_t *at = make_room(spool, ITEM_MOST);

	if (!at)
		return -ENOMEM;
	if (event->type == RT_EV_HIT) {
		at = put_hit(&spool->in, at, ring, event);
	} else {
		at = put_plain(at, AN_EVENT, &number, sizeof(number));
		memcpy(at, event, sizeof(*event));
		at += sizeof(*event);
	}
	spool->last->n = (size_t)(at - spool->last->bytes);
	spool->events++;
	spool->pushed = true;
	return 0;
}

int rt_spool_end_round(struct rt_spool *spool, uint64_t bound)
{
	uint8_t *at = make_room(spool, ITEM_MOST);

	if (!at)
		return -ENOMEM;
	at = put_plain(at, A_ROUND, &bound, sizeof(bound));
	spool->last->n = (size_t)(at - spool->last->bytes);
	if (spool->keeps && spool->pushed && save_chunk(spool, spool->last, NULL) < 0)
		spool->unsaved = true;
	spool->pushed = false;
	return 0;
}

static int get_item(struct rt_spool *spool, const uint8_t **at, const uint8_t *end,
		    struct rt_spooled *item)
{
	enum kind kind = *(*at)++;
	uint32_t ring = 0;
	int r;

	item->ends_round = kind == A_ROUND;
	if (kind == A_ROUND)
		return get_plain(at, end, &item->bound, sizeof(item->bound));
	spool->events--;
	if (kind == A_HIT)
		return get_hit(&spool->out, at, end, item);
	r = get_plain(at, end, &ring, sizeof(ring));
	item->ring = ring;
	return r < 0 ? r : get_plain(at, end, &item->event, sizeof(item->event));
}

int rt_spool_take(struct rt_spool *spool, struct rt_spooled *item)
{
	const uint8_t *at, *end;
	int r = find_bytes(spool, &at, &end);

	if (r <= 0)
		return r;
	r = get_item(spool, &at, end, item);
	spool->taken = (size_t)(at - spool->first->bytes);
	return r < 0 ? r : 1;
}

uint64_t rt_spool_events(const struct rt_spool *spool)
{
	return spool->events;
}

uint64_t rt_spool_bytes(const struct rt_spool *spool)
{
	return spool->bytes;
}

bool rt_spool_full(const struct rt_spool *spool)
{
	return spool->failed;
}

/* ---- for a copy of the process ---- */

int rt_spool_keep(struct rt_spool *spool)
{
	size_t i;

	if (spool->file < 0 || spool->unsaved || !make_room(spool, ITEM_MOST) ||
	    (!spool->keeps && spool->first != spool->last))
		return -EIO;
	for (i = 0; i < spool->taken_since.n; i++)
		add_place(&spool->free, spool->taken_since.v[i]);
	spool->taken_since.n = 0;
	spool->keeps = true;
	return save_chunk(spool, spool->last, NULL);
}

uint64_t rt_spool_taken_bytes(const struct rt_spool *spool)
{
	return (uint64_t)spool->taken_since.n * PLACE;
}

bool rt_spool_unsaved(const struct rt_spool *spool)
{
	return spool->unsaved;
}

int rt_spool_resume(struct rt_spool *spool)
{
	struct chunk *chunk;
	struct head head;

	for (chunk = spool->first; chunk; chunk = chunk->next) {
		free(chunk->bytes);
		chunk->bytes = NULL;
	}
	spool->in_memory = 0;
	do {
		if (read_at(spool->file, &head, sizeof(head), spool->last->at) < 0 ||
		    head.n > CHUNK)
			return -EIO;
		spool->last->n = head.n;
		chunk = head.next ? append_chunk(spool) : NULL;
		if (chunk)
			chunk->at = head.next;
	} while (chunk);
	return head.next ? -ENOMEM : 0;
}
