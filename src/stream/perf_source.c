/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Side-band records (MMAP2, FORK, COMM, EXIT) come through perf rings in any case. For MMAP2
 * the mmap bit of perf_event_attr must be set as well as mmap2: with mmap2 alone no record
 * comes.
 */
#include "stream/perf_source.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kernel/sys.h"
#include "stream/ring.h"
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
 * The fields behind the header; all of them are naturally aligned, so these have the kernel's
 * layout on every architecture.
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
	event->exit.hits = 0;
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
	const char *path;
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
	path = (const char *)rec + HEADER + sizeof(body);
	event->mmap.path = memchr(path, '\0', len - HEADER - sizeof(body)) ? path : NULL;
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
 * The record of `len` bytes at `at`, in one piece: where it is, or joined in `scratch` where it
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

/* A ring for side-band records only: a burst of the whole machine's forks. */
enum { SIDE = 256 << 10, SCRATCH = 65536 };

struct ring {
	int fd, cpu;
	struct perf_event_mmap_page *page;	/* the control page; the data follows it */
};

struct perf_source {
	struct rt_source source;
	struct ring *rings;
	unsigned n;
	size_t size;		/* bytes of data a ring */
	size_t page_size;
	const struct rt_record_decoder *decoder;	/* NULL: there are no hits in these rings */
	uint8_t *scratch;
};

static unsigned perf_nfds(const struct rt_source *source)
{
	return ((const struct perf_source *)source)->n;
}

static int perf_fd(const struct rt_source *source, unsigned i)
{
	return ((const struct perf_source *)source)->rings[i].fd;
}

static int perf_drain(struct rt_source *source, unsigned i,
		      const struct rt_event_handler *handler, struct rt_error *err)
{
	struct perf_source *s = (struct perf_source *)source;
	struct perf_event_mmap_page *page = s->rings[i].page;
	uint64_t tail = page->data_tail;
	/* Acquire: the records must not be read before the head that says they are whole. */
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	int r;

	if (head == tail)
		return 0;
	r = rt_perf_ring_walk((uint8_t *)page + s->page_size, s->size, tail, head, s->scratch,
			      s->decoder, handler);
	source->taken += head - tail;
	/* Release: the kernel must not write over records before we have read them. */
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	if (r == -EBADMSG)
		return rt_fail(err, r, "CPU %d: damaged record in the perf ring", s->rings[i].cpu);
	return r;
}

static uint64_t perf_lost_unseen(struct rt_source *source)
{
	return source->gaps ? rt_gaps_rest(source->gaps) : 0;
}

static void perf_close(struct rt_source *source)
{
	struct perf_source *s = (struct perf_source *)source;
	unsigned i;

	for (i = 0; i < s->n; i++) {
		if (s->rings[i].page)
			munmap(s->rings[i].page, s->page_size + s->size);
		if (s->rings[i].fd >= 0)
			close(s->rings[i].fd);
	}
	free(s->rings);
	free(s->scratch);
	free(s);
}

static const struct rt_source_ops perf_ops = {
	.nfds = perf_nfds,
	.fd = perf_fd,
	.drain = perf_drain,
	.lost_unseen = perf_lost_unseen,
	.close = perf_close,
};

static int ring_error(const struct ring *ring, int r, struct rt_error *err)
{
	if (r == -ENOSYS || r == -ENOENT)
		return rt_fail(
			err, -EOPNOTSUPP,
			r == -ENOSYS
				? "the kernel has no perf_event_open(2) (ENOSYS)"
				: "the kernel's perf events have no output for BPF (before 4.4)");
	if (r == -EPERM || r == -EACCES)
		return rt_fail(err, r,
			       "perf_event_open(2): %s; check capabilities, perf_event_paranoid, "
			       "seccomp; or try --no-bpf",
			       r == -EPERM ? "EPERM" : "EACCES");
	return rt_fail(err, r, "CPU %d: event ring: perf_event_open(2): %s", ring->cpu,
		       strerror(-r));
}

static int ring_open(struct perf_source *s, struct ring *ring, int events_map, struct rt_error *err)
{
	struct rt_perf_attr attr = {
		.type = RT_PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = RT_PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1,
		.sample_type = RT_PERF_SAMPLE_TIME | RT_PERF_SAMPLE_RAW,
		.flags = RT_PERF_SAMPLE_ID_ALL | RT_PERF_TASK | RT_PERF_COMM | RT_PERF_MMAP |
			 RT_PERF_MMAP2 | RT_PERF_WATERMARK | RT_PERF_USE_CLOCKID,
		/* wake the reader once a quarter, never for each event */
		.wakeup = (uint32_t)(s->size / 4),
		.clockid = CLOCK_MONOTONIC,
	};
	void *map;
	int r;

	ring->fd = rt_perf_open(&attr, -1, ring->cpu);
	if (ring->fd < 0)
		return ring_error(ring, ring->fd, err);
	map = mmap(NULL, s->page_size + s->size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (map == MAP_FAILED)
		return rt_fail(err, -errno, "CPU %d: event ring of %zu bytes: %s%s", ring->cpu,
			       s->size, strerror(errno),
			       errno == EPERM ? "; try a smaller --buffer (RLIMIT_MEMLOCK)" : "");
	ring->page = map;
	r = events_map >= 0 ? rt_bpf_map_update(events_map, &ring->cpu, &ring->fd) : 0;
	if (r < 0)
		return rt_fail(err, r, "CPU %d: event ring: BPF map: %s", ring->cpu, strerror(-r));
	return 0;
}

static int open_rings(struct perf_source *s, size_t bytes, int events_map, struct rt_error *err)
{
	int *cpus, n = rt_cpus_online(&cpus), i, r = 0;

	if (n < 0)
		return rt_fail(err, n, "/sys/devices/system/cpu/online: %s", strerror(-n));
	s->page_size = (size_t)sysconf(_SC_PAGESIZE);
	s->size = rt_ring_size(bytes, n);
	s->rings = calloc((size_t)n, sizeof(*s->rings));
	s->scratch = malloc(SCRATCH);
	if (!s->rings || !s->scratch)
		r = rt_nomem(err);
	for (i = 0; i < n && r == 0; i++) {
		s->rings[i] = (struct ring){ .fd = -1, .cpu = cpus[i] };
		s->n++;
		r = ring_open(s, &s->rings[i], events_map, err);
	}
	free(cpus);
	return r;
}

static int perf_open(size_t bytes, int events_map, const struct rt_record_decoder *decoder,
		     struct rt_gaps *gaps, struct rt_source **source, struct rt_error *err)
{
	struct perf_source *s = calloc(1, sizeof(*s));
	int r;

	if (!s)
		return rt_nomem(err);
	s->source.ops = &perf_ops;
	s->source.name = rt_ring_perf.name;
	s->source.gaps = gaps;
	s->decoder = decoder;
	r = open_rings(s, bytes, events_map, err);
	if (r < 0)
		perf_close(&s->source);
	else
		*source = &s->source;
	return r;
}

int rt_perf_source_side(struct rt_source **source, struct rt_error *err)
{
	return perf_open(SIDE, -1, NULL, NULL, source, err);
}

static int perf_ring_open(const struct rt_ring_want *want, const struct rt_record_decoder *decoder,
			  struct rt_gaps *gaps, int *map, uint32_t *size, struct rt_source **source,
			  struct rt_error *err)
{
	int ncpus = rt_cpus_possible(), r;

	*size = 0;
	if (ncpus < 0)
		return rt_fail(err, ncpus, "/sys/devices/system/cpu/possible: %s",
			       strerror(-ncpus));
	*map = rt_bpf_map_create(RT_BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, (uint32_t)ncpus, 0);
	if (*map == -EINVAL)
		return rt_fail(err, -EOPNOTSUPP,
			       "the kernel's BPF has no perf event arrays (before 4.3)");
	if (*map < 0)
		return rt_fail(err, *map, "BPF map: cannot be created: %s", strerror(-*map));
	r = perf_open(want->bytes, *map, decoder, gaps, source, err);
	if (r < 0)
		close(*map);
	return r;
}

const struct rt_ring_ops rt_ring_perf = {
	.name = "perf",
	.help = "perf rings, one a CPU (4.4)",
	.transport = RT_TRANSPORT_PERF,
	.open = perf_ring_open,
};
