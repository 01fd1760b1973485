/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring a CPU in the elements of an array map that we have mapped (struct rt_array_ring): 5.12. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kernel/sys.h"
#include "stream/perf_source.h"
#include "stream/ring.h"
#include "stream/record.h"
#include "stream/verifier.h"

struct ring {
	struct rt_array_ring *at;
	int cpu;
	uint64_t safe;		/* what comes later is not older */
};

struct array_source {
	struct rt_source source;
	const struct rt_record_decoder *decoder;
	struct ring *rings;
	unsigned n;
	uint32_t size;
	void *mapped;
	size_t length;
};

/*
 * Reads of an incomplete record before it is given up: far longer than a program that runs
 * takes for it.
 */
enum { RETRIES = 2000 };

/* The time of the record at `at` once it is whole; 0: its program was interrupted in the middle. */
static uint64_t whole(const uint8_t *at)
{
	uint64_t time;
	int i;

	for (i = 0; i < RETRIES; i++) {
		/*
		 * Acquire: the record must not be read before the time that says that it is whole.
		 */
		time = __atomic_load_n((const uint64_t *)(const void *)at, __ATOMIC_ACQUIRE);
		if (time)
			return time;
	}
	return 0;
}

/* The records of a chunk of a shelf (emit/shelf.h): hits of earlier times, events of `time`. */
static int take_chunk(const uint8_t *at, const struct rt_record *head, uint64_t time,
		      const struct rt_record_decoder *decoder,
		      const struct rt_event_handler *handler)
{
	uint64_t left = head->sp, entered;
	struct rt_event event;
	int n, r = 0;

	while (left > sizeof(entered) && r == 0) {
		memcpy(&entered, at, sizeof(entered));
		if (!entered)
			break;
		n = rt_record_decode(decoder, at + sizeof(entered), left - sizeof(entered), &event);
		if (n < 0)
			return n;
		event.time = time;
		event.hit.entered = entered;
		event.hit.seq += head->seq;
		r = handler->event(handler->ctx, &event);
		n = (int)((sizeof(entered) + (size_t)n + 7) & ~(size_t)7);
		at += n;
		left -= (uint64_t)n < left ? (uint64_t)n : left;
	}
	return r;
}

static int take_from_array(uint8_t *at, uint64_t room, uint64_t *taken,
			   const struct rt_record_decoder *decoder,
			   const struct rt_event_handler *handler)
{
	struct rt_record head;
	struct rt_event event;
	int n, r;

	event.time = whole(at);
	if (!event.time)
		return 1;
	memcpy(&head, at + sizeof(event.time), offsetof(struct rt_record, data));
	if (head.id == RT_ID_CHUNK) {
		if (head.sp > room || RT_CHUNK_HEAD + head.sp > RT_ARRAY_RING_OVERHANG)
			return -EBADMSG;
		*taken = (RT_CHUNK_HEAD + head.sp + 7) & ~UINT64_C(7);
		if (*taken > room)
			return -EBADMSG;
		r = take_chunk(at + RT_CHUNK_HEAD, &head, event.time, decoder, handler);
		memset(at, 0, (size_t)*taken);
		return r;
	}
	n = rt_record_decode(decoder, at + sizeof(event.time), decoder->largest, &event);
	if (n < 0)
		return n;
	*taken = (sizeof(event.time) + (size_t)n + 7) & ~UINT64_C(7);
	if (*taken > room)
		return -EBADMSG;
	r = handler->event(handler->ctx, &event);
	memset(at, 0, (size_t)*taken);
	return r;
}

int rt_array_ring_walk(uint8_t *data, uint32_t size, uint64_t *tail, uint64_t head,
		       const struct rt_record_decoder *decoder,
		       const struct rt_event_handler *handler)
{
	int r = head - *tail > size || *tail % 8 ? -EBADMSG : 0;
	uint64_t taken;

	while (*tail != head && r == 0) {
		taken = 0;
		r = take_from_array(data + (*tail & (size - 1)), head - *tail, &taken, decoder,
				    handler);
		if (r <= 0 && r != -EBADMSG)
			*tail += taken;
	}
	return r;
}

static unsigned array_nfds(const struct rt_source *source)
{
	return ((const struct array_source *)source)->n;
}

static int array_fd(const struct rt_source *source, unsigned i)
{
	(void)source;
	(void)i;
	return -1;
}

static int array_drain(struct rt_source *source, unsigned i,
		       const struct rt_event_handler *handler, struct rt_error *err)
{
	struct array_source *s = (struct array_source *)source;
	struct ring *ring = &s->rings[i];
	uint64_t now = rt_now(), tail = ring->at->tail;
	uint64_t head = __atomic_load_n(&ring->at->head, __ATOMIC_ACQUIRE);
	int r = rt_array_ring_walk(ring->at->data, s->size, &tail, head, s->decoder, handler);

	source->taken += tail - ring->at->tail;
	/* Release: the zeroes stand before the programs may write here again. */
	__atomic_store_n(&ring->at->tail, tail, __ATOMIC_RELEASE);
	if (tail == head)
		ring->safe = now;
	if (r == -EBADMSG)
		return rt_fail(err, r, "CPU %d: damaged record in the event ring", ring->cpu);
	return r < 0 ? r : 0;
}

static uint64_t array_oldest(const struct rt_source *source)
{
	const struct array_source *s = (const struct array_source *)source;
	uint64_t oldest = UINT64_MAX;
	unsigned i;

	for (i = 0; i < s->n; i++)
		if (s->rings[i].safe < oldest)
			oldest = s->rings[i].safe;
	return oldest;
}

static uint64_t array_lost_unseen(struct rt_source *source)
{
	return rt_gaps_rest(source->gaps);
}

static void array_close(struct rt_source *source)
{
	struct array_source *s = (struct array_source *)source;

	if (s->mapped)
		munmap(s->mapped, s->length);
	free(s->rings);
	free(s);
}

static const struct rt_source_ops array_ops = {
	.nfds = array_nfds,
	.fd = array_fd,
	.drain = array_drain,
	.oldest = array_oldest,
	.lost_unseen = array_lost_unseen,
	.close = array_close,
};

static int try_atomic(struct rt_error *err)
{
	int r = rt_verifier_fetch_add();

	if (r == -EINVAL || r == -EOPNOTSUPP)
		return rt_fail(err, -EOPNOTSUPP,
			       "the kernel's BPF has no atomic fetch-and-add (before 5.12)");
	/* As for the map of the rings (map_rings). */
	if (r == -EPERM)
		return rt_fail(err, -EOPNOTSUPP,
			       "a BPF program is not permitted (RLIMIT_MEMLOCK)");
	return r < 0 ? rt_fail(err, r, "BPF program: cannot be loaded: %s", strerror(-r)) : 0;
}

/*
 * The verifier takes an offset that it does not know up to here (BPF_MAX_VAR_OFF), and calls a
 * larger one unbounded.
 */
#define LARGEST ((size_t)1 << 29)

static uint32_t ring_size(size_t bytes, int ncpus)
{
	return (uint32_t)rt_ring_size(bytes < LARGEST ? bytes : LARGEST, ncpus);
}

static int make_map(void *arg)
{
	struct rt_ring_memory *m = arg;

	m->map = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, m->value, m->n, RT_BPF_F_MMAPABLE);
	return 0;
}

/* The kernel must have such maps: a failure would set errno at any moment. */
void rt_ring_memory_begin(struct rt_ring_memory *m, size_t bytes)
{
	int *cpus, n;

	*m = (struct rt_ring_memory){ .map = -1 };
	if (rt_verifier_fetch_add() < 0)
		return;
	n = rt_cpus_online(&cpus);
	if (n < 0)
		return;
	m->value = rt_array_ring_value(ring_size(bytes, n));
	m->n = (uint32_t)cpus[n - 1] + 1;
	free(cpus);
	rt_beside_start(&m->beside, make_map, m);
}

void rt_ring_memory_end(struct rt_ring_memory *m)
{
	rt_beside_end(&m->beside);
	if (m->n && m->map >= 0)
		close(m->map);
	*m = (struct rt_ring_memory){ .map = -1 };
}

/* A map of that size; -1: there is none. */
static int take_map(struct rt_ring_memory *m, uint32_t value, uint32_t n)
{
	int map;

	if (!m || m->value != value || m->n != n)
		return -1;
	rt_beside_end(&m->beside);
	map = m->map;
	m->n = 0;
	return map;
}

static int map_rings(struct array_source *s, const int *cpus, int n, struct rt_ring_memory *memory,
		     int *map, struct rt_error *err)
{
	uint32_t value = rt_array_ring_value(s->size);
	int i;

	/*
	 * An element for each CPU's number up to the highest; a CPU that comes online later has
	 * none, and its hits are lost.
	 */
	*map = take_map(memory, value, (uint32_t)cpus[n - 1] + 1);
	if (*map < 0)
		*map = rt_bpf_map_create(RT_BPF_MAP_TYPE_ARRAY, 4, value, (uint32_t)cpus[n - 1] + 1,
					 RT_BPF_F_MMAPABLE);
	if (*map == -EINVAL)
		return rt_fail(err, -EOPNOTSUPP,
			       "the kernel's BPF arrays cannot be mapped (before 5.5)");
	/*
	 * Before 5.11 it counts against RLIMIT_MEMLOCK, and perf rings are smaller; whoever may not
	 * use BPF hears of it there.
	 */
	if (*map == -EPERM)
		return rt_fail(err, -EOPNOTSUPP,
			       "a BPF map of its size is not permitted (RLIMIT_MEMLOCK)");
	if (*map < 0)
		return rt_fail(err, *map, "event rings of %u bytes: %s", s->size, strerror(-*map));
	s->length = (size_t)value * (size_t)(cpus[n - 1] + 1);
	s->mapped = mmap(NULL, s->length, PROT_READ | PROT_WRITE, MAP_SHARED, *map, 0);
	if (s->mapped == MAP_FAILED) {
		s->mapped = NULL;
		return rt_fail(err, -errno, "event rings of %u bytes: mmap: %s", s->size,
			       strerror(errno));
	}
	for (i = 0; i < n; i++)
		s->rings[s->n++] = (struct ring){ .at = (void *)((uint8_t *)s->mapped +
								 (size_t)value * (size_t)cpus[i]),
						  .cpu = cpus[i] };
	return 0;
}

static int open_rings(struct array_source *s, const struct rt_ring_want *want, int *map,
		      uint32_t *size, struct rt_error *err)
{
	int *cpus, n = rt_cpus_online(&cpus), r;

	if (n < 0)
		return rt_fail(err, n, "/sys/devices/system/cpu/online: %s", strerror(-n));
	*size = s->size = ring_size(want->bytes, n);
	s->source.round_ms = rt_ring_round(s->size);
	s->rings = calloc((size_t)n, sizeof(*s->rings));
	r = s->rings ? map_rings(s, cpus, n, want->memory, map, err) : rt_nomem(err);
	free(cpus);
	return r;
}

static int array_open(const struct rt_ring_want *want, const struct rt_record_decoder *decoder,
		      struct rt_gaps *gaps, int *map, uint32_t *size, struct rt_source **source,
		      struct rt_error *err)
{
	struct array_source *s = calloc(1, sizeof(*s));
	struct rt_source *side = NULL;
	int r;

	*map = -1;
	if (!s)
		return rt_nomem(err);
	s->source.ops = &array_ops;
	s->source.name = rt_ring_array.name;
	s->source.gaps = gaps;
	s->decoder = decoder;
	r = decoder->largest + sizeof(uint64_t) > RT_ARRAY_RING_OVERHANG
		    ? rt_fail(err, -EOPNOTSUPP, "records are too large")
		    : 0;
	if (r == 0)
		r = try_atomic(err);
	if (r == 0)
		r = open_rings(s, want, map, size, err);
	if (r == 0)
		r = rt_perf_source_side(&side, err);
	if (r == 0)
		r = rt_source_join(side, &s->source, source, err);
	else
		array_close(&s->source);
	if (r < 0 && *map >= 0)
		close(*map);
	return r;
}

const struct rt_ring_ops rt_ring_array = {
	.name = "array",
	.help = "BPF arrays that rawtrace maps, one a CPU (5.12)",
	.transport = RT_TRANSPORT_ARRAY,
	.open = array_open,
};
