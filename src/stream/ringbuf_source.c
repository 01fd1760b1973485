/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One BPF ring buffer for all CPUs: 5.8. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/sys.h"
#include "stream/load.h"
#include "stream/perf_source.h"
#include "stream/ring.h"
#include "stream/record.h"

struct ringbuf_source {
	struct rt_source source;
	const struct rt_record_decoder *decoder;
	size_t size, page;
	uint64_t *consumer;		/* a page of its own, that we write to */
	/* a page, then the data, twice, so that no record is in two pieces */
	const uint64_t *producer;
	uint64_t safe;
};

/*
 * A record's header: u32 length, with these bits, and u32 page offset.  Records are aligned to 8.
 */
enum { HEADER = 8 };
#define BUSY	(1u << 31)
#define DISCARD	(1u << 30)

static int take_from_ringbuf(const uint8_t *rec, uint32_t len,
			     const struct rt_record_decoder *decoder,
			     const struct rt_event_handler *handler)
{
	struct rt_event event;
	int r;

	if (len & DISCARD)
		return 0;
	if (len < sizeof(event.time))
		return -EBADMSG;
	event.time = rt_load_u64(rec);
	r = rt_record_decode(decoder, rec + sizeof(event.time), len - sizeof(event.time), &event);
	return r < 0 ? r : handler->event(handler->ctx, &event);
}

int rt_ringbuf_walk(const uint8_t *data, size_t size, uint64_t *tail, uint64_t head,
		    const struct rt_record_decoder *decoder, const struct rt_event_handler *handler)
{
	int r = head - *tail > size || *tail % 8 ? -EBADMSG : 0;
	const uint8_t *rec;
	uint64_t taken;
	uint32_t len;

	while (*tail != head && r == 0) {
		rec = data + (*tail & (size - 1));
		len = __atomic_load_n((const uint32_t *)(const void *)rec, __ATOMIC_ACQUIRE);
		if (len & BUSY)
			return 1;
		taken = (HEADER + (uint64_t)(len & ~DISCARD) + 7) & ~UINT64_C(7);
		if (taken > head - *tail)
			return -EBADMSG;
		r = take_from_ringbuf(rec + HEADER, len, decoder, handler);
		*tail += taken;
	}
	return r;
}

static unsigned ringbuf_nfds(const struct rt_source *source)
{
	(void)source;
	return 1;
}

static int ringbuf_fd(const struct rt_source *source, unsigned i)
{
	(void)source;
	(void)i;
	return -1;
}

static int ringbuf_drain(struct rt_source *source, unsigned i,
			 const struct rt_event_handler *handler, struct rt_error *err)
{
	struct ringbuf_source *s = (struct ringbuf_source *)source;
	uint64_t now = rt_now(), at = *s->consumer;
	/*
	 * Acquire: the records' headers must not be read before the position that says they are
	 * there.
	 */
	uint64_t end = __atomic_load_n(s->producer, __ATOMIC_ACQUIRE);
	int r = rt_ringbuf_walk((const uint8_t *)s->producer + s->page, s->size, &at, end,
				s->decoder, handler);

	(void)i;
	source->taken += at - *s->consumer;
	/* Release: the kernel must not write over records before we have read them. */
	__atomic_store_n(s->consumer, at, __ATOMIC_RELEASE);
	if (at == end)
		s->safe = now;
	if (r == -EBADMSG)
		return rt_fail(err, r, "BPF ring buffer: damaged record");
	return r < 0 ? r : 0;
}

static uint64_t ringbuf_oldest(const struct rt_source *source)
{
	return ((const struct ringbuf_source *)source)->safe;
}

static uint64_t ringbuf_lost_unseen(struct rt_source *source)
{
	return rt_gaps_rest(source->gaps);
}

static void ringbuf_close(struct rt_source *source)
{
	struct ringbuf_source *s = (struct ringbuf_source *)source;

	if (s->consumer)
		munmap(s->consumer, s->page);
	if (s->producer)
		munmap((void *)(uintptr_t)s->producer, s->page + 2 * s->size);
	free(s);
}

static const struct rt_source_ops ringbuf_ops = {
	.nfds = ringbuf_nfds,
	.fd = ringbuf_fd,
	.drain = ringbuf_drain,
	.oldest = ringbuf_oldest,
	.lost_unseen = ringbuf_lost_unseen,
	.close = ringbuf_close,
};

/* A power of two, as the kernel wants it. */
static size_t whole_size(size_t a_cpu, int ncpus)
{
	size_t size = a_cpu;

	while (size < a_cpu * (size_t)ncpus && size < (size_t)1 << 30)
		size *= 2;
	return size;
}

static int map_ring(struct ringbuf_source *s, int map, struct rt_error *err)
{
	void *consumer = mmap(NULL, s->page, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0), *producer;

	if (consumer != MAP_FAILED) {
		s->consumer = consumer;
		producer = mmap(NULL, s->page + 2 * s->size, PROT_READ, MAP_SHARED, map,
				(off_t)s->page);
		if (producer != MAP_FAILED) {
			s->producer = producer;
			return 0;
		}
	}
	return rt_fail(err, -errno, "BPF ring buffer of %zu bytes: mmap: %s", s->size,
		       strerror(errno));
}

static int open_ring(struct ringbuf_source *s, size_t bytes, int *map, struct rt_error *err)
{
	int *cpus, n = rt_cpus_online(&cpus);

	if (n < 0)
		return rt_fail(err, n, "/sys/devices/system/cpu/online: %s", strerror(-n));
	free(cpus);
	s->page = (size_t)sysconf(_SC_PAGESIZE);
	s->size = whole_size(rt_ring_size(bytes, n), n);
	s->source.round_ms = rt_ring_round(s->size / (size_t)n);
	*map = rt_bpf_map_create(RT_BPF_MAP_TYPE_RINGBUF, 0, 0, (uint32_t)s->size, 0);
	if (*map == -EINVAL)
		return rt_fail(err, -EOPNOTSUPP, "the kernel has no BPF ring buffer (before 5.8)");
	/*
	 * Before 5.11 it counts against RLIMIT_MEMLOCK, and perf rings are smaller; whoever may not
	 * use BPF hears of it there.
	 */
	if (*map == -EPERM)
		return rt_fail(err, -EOPNOTSUPP,
			       "a BPF map of its size is not permitted (RLIMIT_MEMLOCK)");
	if (*map < 0)
		return rt_fail(err, *map, "BPF ring buffer of %zu bytes: %s", s->size,
			       strerror(-*map));
	return map_ring(s, *map, err);
}

static int ringbuf_open(const struct rt_ring_want *want, const struct rt_record_decoder *decoder,
			struct rt_gaps *gaps, int *map, uint32_t *size, struct rt_source **source,
			struct rt_error *err)
{
	struct ringbuf_source *s = calloc(1, sizeof(*s));
	struct rt_source *side = NULL;
	int r;

	*map = -1;
	*size = 0;
	if (!s)
		return rt_nomem(err);
	s->source.ops = &ringbuf_ops;
	s->source.name = rt_ring_ringbuf.name;
	s->source.gaps = gaps;
	s->decoder = decoder;
	r = open_ring(s, want->bytes, map, err);
	if (r == 0)
		r = rt_perf_source_side(&side, err);
	if (r == 0)
		r = rt_source_join(side, &s->source, source, err);
	else
		ringbuf_close(&s->source);
	if (r < 0 && *map >= 0)
		close(*map);
	return r;
}

const struct rt_ring_ops rt_ring_ringbuf = {
	.name = "ringbuf",
	.help = "one BPF ring buffer (5.8)",
	.transport = RT_TRANSPORT_RINGBUF,
	.open = ringbuf_open,
};
