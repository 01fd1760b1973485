/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code/body.h"

#include <stdlib.h>
#include <string.h>

/* Longer functions are not followed. */
enum { BODY_MAX = 1 << 20 };

static bool alloc(struct rt_stretch *p, size_t n)
{
	p->bytes = malloc(n);
	p->marks = calloc(n, 1);
	p->joins = calloc(n, 1);
	/* marks tell which of these are set */
	p->depths = malloc(n * sizeof(*p->depths));
	p->before = malloc(n * sizeof(*p->before));
	return p->bytes && p->marks && p->joins && p->depths && p->before;
}

const char *rt_body_add(struct rt_body *body, uint64_t start, uint64_t end, bool *nomem)
{
	struct rt_stretch *p = &body->v[body->n];
	size_t n = (size_t)(end - start);

	if (body->n == RT_PIECES)
		return "it is in too many pieces";
	if (end <= start || end - start > BODY_MAX)
		return "it is too long to be followed";
	body->n++;
	p->start = start;
	p->end = end;
	if (!alloc(p, n)) {
		*nomem = true;
		return "out of memory";
	}
	return rt_image_read(rt_code_image(body->code), start, p->bytes, n) == n
		       ? NULL
		       : "its code is not whole in the file";
}

void rt_body_free(struct rt_body *body)
{
	unsigned i;

	for (i = 0; i < body->n; i++) {
		free(body->v[i].bytes);
		free(body->v[i].marks);
		free(body->v[i].joins);
		free(body->v[i].depths);
		free(body->v[i].before);
	}
	body->n = 0;
}

struct rt_stretch *rt_body_piece(const struct rt_body *body, uint64_t addr)
{
	unsigned i;

	for (i = 0; i < body->n; i++)
		if (addr >= body->v[i].start && addr < body->v[i].end)
			return (struct rt_stretch *)&body->v[i];
	return NULL;
}

bool rt_body_decode(const struct rt_body *body, uint64_t addr, struct rt_flow *flow)
{
	const struct rt_stretch *p = rt_body_piece(body, addr);

	return rt_flow_decode(body->arch, rt_code_decoder(body->code), p->bytes + (addr - p->start),
			      (size_t)(p->end - addr), addr, flow);
}
