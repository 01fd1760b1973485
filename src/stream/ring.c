/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stream/ring.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

enum { RING_MAX = 8 << 20, RING_MIN = 256 << 10, TOTAL_MAX = 64 << 20 };

const struct rt_ring_ops *rt_ring_at(unsigned i)
{
	static const struct rt_ring_ops *const rings[] = { &rt_ring_array, &rt_ring_ringbuf,
							   &rt_ring_perf };

	return i < RT_COUNT(rings) ? rings[i] : NULL;
}

const char *rt_ring_name(unsigned i)
{
	return rt_ring_at(i) ? rt_ring_at(i)->name : NULL;
}

const struct rt_ring_ops *rt_ring_find(const char *name)
{
	const struct rt_ring_ops *ring;
	unsigned i;

	for (i = 0; (ring = rt_ring_at(i)); i++)
		if (strcmp(ring->name, name) == 0)
			return ring;
	return NULL;
}

unsigned rt_ring_round(size_t size)
{
	/*
	 * 1.4 million hits a second of 40 bytes fill a sixth of it: we may have to wait for our
	 * CPU.
	 */
	unsigned ms = (unsigned)(size / 6 / (56 << 10));

	return ms ? ms : 1;
}

size_t rt_ring_size(size_t want, int ncpus)
{
	size_t size = RING_MIN, page = (size_t)sysconf(_SC_PAGESIZE);

	if (!want)
		want = (size_t)TOTAL_MAX / (size_t)ncpus > RING_MAX
			       ? RING_MAX
			       : (size_t)TOTAL_MAX / (size_t)ncpus;
	else
		size = page;
	while (size * 2 <= want && size < (size_t)1 << 30)
		size *= 2;
	return size;
}

/* ---- two sources as one ---- */

struct joined {
	struct rt_source source;
	struct rt_source *hits, *side;
};

/* Which of the two ring `*i` is of; the number there is left in `*i`. */
static struct rt_source *part(const struct rt_source *source, unsigned *i)
{
	const struct joined *j = (const struct joined *)source;
	unsigned n = j->hits->ops->nfds(j->hits);

	if (*i < n)
		return j->hits;
	*i -= n;
	return j->side;
}

static unsigned joined_nfds(const struct rt_source *source)
{
	const struct joined *j = (const struct joined *)source;

	return j->hits->ops->nfds(j->hits) + j->side->ops->nfds(j->side);
}

static int joined_fd(const struct rt_source *source, unsigned i)
{
	const struct rt_source *p = part(source, &i);

	return p->ops->fd(p, i);
}

static int joined_drain(struct rt_source *source, unsigned i,
			const struct rt_event_handler *handler, struct rt_error *err)
{
	struct rt_source *p = part(source, &i);
	int r = p->ops->drain(p, i, handler, err);

	source->taken = ((struct joined *)source)->hits->taken;
	return r;
}

static uint64_t joined_oldest(const struct rt_source *source)
{
	const struct joined *j = (const struct joined *)source;

	return j->hits->ops->oldest(j->hits);
}

static uint64_t joined_lost_unseen(struct rt_source *source)
{
	struct joined *j = (struct joined *)source;

	return j->hits->ops->lost_unseen(j->hits);
}

static void joined_close(struct rt_source *source)
{
	struct joined *j = (struct joined *)source;

	j->hits->ops->close(j->hits);
	j->side->ops->close(j->side);
	free(j);
}

static const struct rt_source_ops joined_ops = {
	.nfds = joined_nfds,
	.fd = joined_fd,
	.drain = joined_drain,
	.oldest = joined_oldest,
	.lost_unseen = joined_lost_unseen,
	.close = joined_close,
};

int rt_source_join(struct rt_source *side, struct rt_source *hits, struct rt_source **source,
		   struct rt_error *err)
{
	struct joined *j = calloc(1, sizeof(*j));

	if (!j) {
		hits->ops->close(hits);
		side->ops->close(side);
		return rt_nomem(err);
	}
	*j = (struct joined){ .source = { .ops = &joined_ops,
					  .name = hits->name,
					  .gaps = hits->gaps,
					  .round_ms = hits->round_ms },
			      .hits = hits,
			      .side = side };
	*source = &j->source;
	return 0;
}
