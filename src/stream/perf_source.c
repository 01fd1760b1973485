/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/perf_source.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kernel/sys.h"
#include "stream/perf_record.h"

enum { RING_MAX = 8 << 20, RING_MIN = 256 << 10, TOTAL_MAX = 64 << 20, SCRATCH = 65536 };

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
	pid_t pid;
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

static int perf_drain(struct rt_source *source, unsigned i, const struct rt_sink *sink, struct rt_error *err)
{
	struct perf_source *s = (struct perf_source *)source;
	struct perf_event_mmap_page *page = s->rings[i].page;
	uint64_t tail = page->data_tail;
	/* Acquire: the records must not be read before the head that says they are whole. */
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	int r;

	if (head == tail)
		return 0;
	r = rt_perf_ring_walk((uint8_t *)page + s->page_size, s->size, tail, head, s->scratch, s->pid, sink);
	/* Release: the kernel must not write over records before we have read them. */
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	if (r == -EBADMSG)
		return rt_fail(err, r, "CPU %d: the perf ring holds a damaged record", s->rings[i].cpu);
	return r;
}

static uint64_t perf_lost_unseen(struct rt_source *source)
{
	return rt_gaps_rest(source->gaps);
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
	rt_gaps_free(s->source.gaps);
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
		return rt_fail(err, -EOPNOTSUPP, r == -ENOSYS ? "the kernel has no perf_event_open(2) (ENOSYS)" :
			       "the kernel's perf events have no output for BPF (before 4.4)");
	if (r == -EPERM || r == -EACCES)
		return rt_fail(err, r, "perf_event_open(2) is not permitted (%s): a capability is missing, or "
			       "kernel.perf_event_paranoid, a seccomp filter or a security module forbids it; try --no-bpf", r == -EPERM ? "EPERM" : "EACCES");
	return rt_fail(err, r, "CPU %d: perf_event_open for the event ring: %s", ring->cpu, strerror(-r));
}

static int ring_open(struct perf_source *s, struct ring *ring, int events_map, struct rt_error *err)
{
	struct rt_perf_attr attr = {
		.type = RT_PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = RT_PERF_COUNT_SW_BPF_OUTPUT,
		.sample_period = 1, .sample_type = RT_PERF_SAMPLE_TIME | RT_PERF_SAMPLE_RAW,
		.flags = RT_PERF_SAMPLE_ID_ALL | RT_PERF_TASK | RT_PERF_COMM | RT_PERF_MMAP | RT_PERF_MMAP2 |
			 RT_PERF_WATERMARK | RT_PERF_USE_CLOCKID,
		.wakeup = (uint32_t)(s->size / 4),	/* wake the reader once a quarter, never for each event */
		.clockid = CLOCK_MONOTONIC,
	};
	void *map;
	int r;

	ring->fd = rt_perf_open(&attr, -1, ring->cpu);
	if (ring->fd < 0)
		return ring_error(ring, ring->fd, err);
	map = mmap(NULL, s->page_size + s->size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (map == MAP_FAILED)
		return rt_fail(err, -errno, "CPU %d: mapping an event ring of %zu bytes: %s%s", ring->cpu, s->size, strerror(errno),
			       errno == EPERM ? " (over RLIMIT_MEMLOCK and kernel.perf_event_mlock_kb; try a smaller --buffer)" : "");
	ring->page = map;
	r = rt_bpf_map_update(events_map, &ring->cpu, &ring->fd);
	if (r < 0)
		return rt_fail(err, r, "CPU %d: putting the ring into the BPF map: %s", ring->cpu, strerror(-r));
	return 0;
}

static size_t ring_size(size_t want, int ncpus)
{
	size_t size = RING_MIN;

	if (!want)
		want = (size_t)TOTAL_MAX / (size_t)ncpus > RING_MAX ? RING_MAX : (size_t)TOTAL_MAX / (size_t)ncpus;
	else
		size = 4096;
	while (size * 2 <= want)
		size *= 2;
	return size;
}

int rt_perf_source_open(size_t ring_bytes, int events_map, struct rt_gaps *gaps, pid_t pid, struct rt_source **source,
			struct rt_error *err)
{
	struct perf_source *s = calloc(1, sizeof(*s));
	int *cpus = NULL, n, i, r = -ENOMEM;

	if (!s) {
		rt_gaps_free(gaps);
		return rt_nomem(err);
	}
	s->source.ops = &perf_ops;
	s->source.gaps = gaps;
	s->pid = pid;
	s->page_size = (size_t)sysconf(_SC_PAGESIZE);
	n = rt_cpus_online(&cpus);
	if (n < 0) {
		r = rt_fail(err, n, "/sys/devices/system/cpu/online: cannot tell which CPUs are online: %s", strerror(-n));
		goto fail;
	}
	s->size = ring_size(ring_bytes, n);
	if (s->size < s->page_size)
		s->size = s->page_size;
	s->rings = calloc((size_t)n, sizeof(*s->rings));
	s->scratch = malloc(SCRATCH);
	if (!s->rings || !s->scratch) {
		rt_nomem(err);
		goto fail;
	}
	for (i = 0; i < n; i++) {
		s->rings[i] = (struct ring){ .fd = -1, .cpu = cpus[i] };
		s->n++;
		r = ring_open(s, &s->rings[i], events_map, err);
		if (r < 0)
			goto fail;
	}
	free(cpus);
	*source = &s->source;
	return 0;
fail:
	free(cpus);
	perf_close(&s->source);
	return r;
}
