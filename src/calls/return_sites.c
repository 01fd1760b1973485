/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/return_sites.h"

#include <stdlib.h>

#include "base/array.h"

/* So many are noted; the table has room for as many more. */
enum { SITES = 32768, SLOTS = 2 * SITES };

static size_t hash(uint64_t ino, uint64_t offset)
{
	return (size_t)(((offset ^ ino << 20) * 0x9e3779b97f4a7c15) >> 40) % SLOTS;
}

struct rt_return_site *rt_return_sites_find(struct rt_return_sites *sites, uint64_t ino,
					    uint64_t offset)
{
	struct rt_return_site *site;
	size_t i = hash(ino, offset);

	if (!sites->slots)
		sites->slots = calloc(SLOTS, sizeof(*sites->slots));
	if (!sites->slots)
		return NULL;
	for (; sites->slots[i]; i = (i + 1) % SLOTS) {
		site = &sites->v[sites->slots[i] - 1];
		if (site->offset == offset && site->ino == ino)
			return site;
	}
	if (sites->n == SITES || RT_ROOM(&sites->v, sites->n, &sites->cap) < 0)
		return NULL;
	site = &sites->v[sites->n++];
	*site = (struct rt_return_site){ .ino = ino, .offset = offset, .since = UINT64_MAX };
	sites->slots[i] = (uint32_t)sites->n;
	return site;
}

void rt_return_sites_jumped(struct rt_return_sites *sites, struct rt_return_site *site,
			    uint32_t function, pid_t pid)
{
	site->jumps++;
	site->of = function;
	site->pid = pid;
	sites->jumped += !site->tried;
	if (function < sites->nends)
		sites->ends[function].jumped++;
}

void rt_return_sites_ended(struct rt_return_sites *sites, uint32_t function)
{
	if (function < sites->nends)
		sites->ends[function].others++;
}

bool rt_return_sites_jumps(const struct rt_return_sites *sites, uint32_t function)
{
	return function < sites->nends &&
	       sites->ends[function].jumped >= sites->ends[function].others;
}

void rt_return_sites_free(struct rt_return_sites *sites)
{
	free(sites->v);
	free(sites->slots);
	free(sites->ends);
}
