/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/perf_record.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "stream/load.h"

/*
 * enum perf_event_type of <linux/perf_event.h>, under our own names: 3.10's headers end before
 * MMAP2 (3.12).
 */
enum {
	RECORD_LOST = 2,
	RECORD_COMM = 3,
	RECORD_EXIT = 4,
	RECORD_FORK = 7,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
};

/* PERF_RECORD_MISC_COMM_EXEC, from 3.16 on. */
#define COMM_EXEC (1u << 13)

enum {
	HEADER = 8,		/* struct perf_event_header: u32 type; u16 misc, size */
	HEADER_MISC = 4,	/* offset of its `misc`, */
	HEADER_SIZE = 6,	/* and `size` */
	/* sample_id_all with sample_type TIME: the u64 that ends every record but the sample */
	SAMPLE_ID = 8,
};

/*
 * What follows the header; all of it is naturally aligned, so these have the kernel's layout on
 * every architecture.
 */
struct sample_body {
	uint64_t time;
	/* of the raw data, with its padding to a multiple of 8 less these 4 bytes */
	uint32_t size;
};

/* The raw data begins right behind `size`, not behind the padding that C puts there. */
#define SAMPLE_RAW (HEADER + offsetof(struct sample_body, size) + sizeof(uint32_t))

struct lost_body {
	uint64_t id, lost;
};

struct comm_body {
	uint32_t pid, tid;
};

struct task_body {
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct mmap2_body {
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	uint32_t maj, min;
	uint64_t ino, ino_generation;
	uint32_t prot, flags;
};

static int decode_sample(const uint8_t *rec, size_t len, const struct rt_record_decoder *decoder,
			 struct rt_event *event)
{
	size_t raw;

	if (!decoder || len < SAMPLE_RAW)
		return -EBADMSG;
	raw = rt_load_u32(rec + HEADER + offsetof(struct sample_body, size));
	if (raw > len - SAMPLE_RAW)
		return -EBADMSG;
	event->time = rt_load_u64(rec + HEADER);
	return rt_record_decode(decoder, rec + SAMPLE_RAW, raw, event) < 0 ? -EBADMSG : 1;
}

/* Copy the fixed part of a record that ends in a sample_id, and take the time from that. */
static int load_body(const uint8_t *rec, size_t len, void *body, size_t size,
		     struct rt_event *event)
{
	if (len < HEADER + size + SAMPLE_ID)
		return -EBADMSG;
	memcpy(body, rec + HEADER, size);
	event->time = rt_load_u64(rec + len - SAMPLE_ID);
	event->pid = event->tid = 0;
	return 0;
}

static int decode_lost(const uint8_t *rec, size_t len, struct rt_event *event)
{
	struct lost_body body;

	if (load_body(rec, len, &body, sizeof(body), event) < 0)
		return -EBADMSG;
	event->type = RT_EV_UNSEEN;
	return body.lost != 0;
}

static int decode_comm(const uint8_t *rec, size_t len, struct rt_event *event)
{
	struct comm_body body;
	size_t n;

	if (load_body(rec, len, &body, sizeof(body), event) < 0)
		return -EBADMSG;
	n = len - HEADER - sizeof(body) - SAMPLE_ID;
	if (n > sizeof(event->comm.name) - 1)
		n = sizeof(event->comm.name) - 1;
	event->type = rt_load_u16(rec + HEADER_MISC) & COMM_EXEC ? RT_EV_EXEC : RT_EV_COMM;
	event->pid = (pid_t)body.pid;
	event->tid = (pid_t)body.tid;
	memset(event->comm.name, 0, sizeof(event->comm.name));
	memcpy(event->comm.name, rec + HEADER + sizeof(body),
	       strnlen((const char *)rec + HEADER + sizeof(body), n));
	return 1;
}

static int decode_exit(const uint8_t *rec, size_t len, struct rt_event *event)
{
	struct task_body body;

	if (load_body(rec, len, &body, sizeof(body), event) < 0)
		return -EBADMSG;
	event->type = RT_EV_EXIT;
	event->pid = (pid_t)body.pid;
	event->tid = (pid_t)body.tid;
	return 1;
}

static int decode_fork(const uint8_t *rec, size_t len, struct rt_event *event)
{
	struct task_body body;

	if (load_body(rec, len, &body, sizeof(body), event) < 0)
		return -EBADMSG;
	event->type = RT_EV_FORK;
	event->pid = (pid_t)body.ppid;
	event->tid = (pid_t)body.ptid;
	event->fork.pid = (pid_t)body.pid;
	event->fork.tid = (pid_t)body.tid;
	return 1;
}

static int decode_mmap2(const uint8_t *rec, size_t len, struct rt_event *event)
{
	struct mmap2_body body;

	if (load_body(rec, len, &body, sizeof(body), event) < 0)
		return -EBADMSG;
	if (!(body.prot & PROT_EXEC))
		return 0;
	event->type = RT_EV_MMAP;
	event->pid = (pid_t)body.pid;
	event->tid = (pid_t)body.tid;
	event->mmap.start = body.addr;
	event->mmap.len = body.len;
	event->mmap.pgoff = body.pgoff;
	event->mmap.ino = body.ino;
	return 1;
}

int rt_perf_record_decode(const void *rec, size_t len, const struct rt_record_decoder *decoder,
			  struct rt_event *event)
{
	if (len < HEADER)
		return -EBADMSG;
	switch (rt_load_u32(rec)) {
	case RECORD_SAMPLE:
		return decode_sample(rec, len, decoder, event);
	case RECORD_LOST:
		return decode_lost(rec, len, event);
	case RECORD_COMM:
		return decode_comm(rec, len, event);
	case RECORD_EXIT:
		return decode_exit(rec, len, event);
	case RECORD_FORK:
		return decode_fork(rec, len, event);
	case RECORD_MMAP2:
		return decode_mmap2(rec, len, event);
	default:
		return 0;
	}
}

/*
 * The record of `len` bytes at `at`, in one piece: where it stands, or joined in `scratch` where it
 * wraps.
 */
static const uint8_t *whole(const uint8_t *base, uint64_t size, uint64_t at, size_t len,
			    uint8_t *scratch)
{
	uint64_t offset = at & (size - 1);
	size_t first = (size_t)(size - offset);

	if (len <= first)
		return base + offset;
	memcpy(scratch, base + offset, first);
	memcpy(scratch + first, base, len - first);
	return scratch;
}

int rt_perf_ring_walk(const uint8_t *base, uint64_t size, uint64_t tail, uint64_t head,
		      uint8_t *scratch, const struct rt_record_decoder *decoder,
		      const struct rt_event_handler *handler)
{
	struct rt_event event;
	const uint8_t *rec;
	size_t len;
	int got;

	/*
	 * The kernel pads every record to 8 bytes, so a header never wraps: it can be read before
	 * the record is joined.
	 */
	if (head - tail > size || tail % 8)
		return -EBADMSG;
	while (tail != head) {
		len = rt_load_u16(base + (tail & (size - 1)) + HEADER_SIZE);
		if (len < HEADER || len % 8 || len > head - tail)
			return -EBADMSG;
		rec = whole(base, size, tail, len, scratch);
		got = rt_perf_record_decode(rec, len, decoder, &event);
		if (got < 0)
			return got;
		if (got)
			got = handler->event(handler->ctx, &event);
		if (got < 0)
			return got;
		tail += len;
	}
	return 0;
}
