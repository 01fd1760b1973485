/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/callers.h"

#include <stdlib.h>
#include <string.h>

#include "image/private.h"
#include "util/array.h"

enum {
	CALL = 0xe8, JUMP = 0xe9, CALL_BYTES = 5,
	CHUNK = 1 << 16,
	CODE_MAX = 32 << 20,	/* bytes of code that are looked through */
	STEPS = 48,		/* instructions behind a call */
	STEPS_ALL = 4096,	/* and in all, where callers of callers are looked at */
	DEPTH = 8,
	INSN_MAX = 16,
};

struct site {
	uint64_t target, behind;	/* behind the call */
	bool jumps;			/* who called that function has the result */
};

struct rt_callers {
	struct rt_image *image;
	struct rt_user *user;
	struct site *v;
	size_t n, cap;
};

static int compare(const void *pa, const void *pb)
{
	const struct site *a = pa, *b = pb;

	return a->target < b->target ? -1 : a->target > b->target;
}

static const struct rt_segment *code_at(const struct rt_image *image, uint64_t addr)
{
	size_t i;

	for (i = 0; i < image->nsegments; i++)
		if (image->segments[i].exec && addr - image->segments[i].vaddr < image->segments[i].filesz)
			return &image->segments[i];
	return NULL;
}

/* Whatever looks like a call of a function's beginning is one: that bytes of something else do is rare, and then not all is certain. */
static int scan(struct rt_callers *c, uint64_t addr, const uint8_t *bytes, size_t n)
{
	uint64_t target;
	int32_t distance;
	size_t i;

	for (i = 0; i + CALL_BYTES <= n; i++) {
		if (bytes[i] != CALL && bytes[i] != JUMP)
			continue;
		memcpy(&distance, bytes + i + 1, sizeof(distance));
		target = addr + i + CALL_BYTES + (uint64_t)(int64_t)distance;
		if (!code_at(c->image, target))
			continue;
		if (RT_ROOM(&c->v, c->n, &c->cap) < 0)
			return -1;
		c->v[c->n++] = (struct site){ target, addr + i + CALL_BYTES, bytes[i] == JUMP };
	}
	return 0;
}

static int scan_segment(struct rt_callers *c, const struct rt_segment *s, uint8_t *buf)
{
	uint64_t at;
	size_t n;

	for (at = 0; at < s->filesz; at += CHUNK) {
		n = rt_image_read(c->image, s->vaddr + at, buf, CHUNK + CALL_BYTES - 1);
		if (n < CALL_BYTES)
			break;
		if (scan(c, s->vaddr + at, buf, n) < 0)
			return -1;
	}
	return 0;
}

struct rt_callers *rt_callers_open(struct rt_image *image, struct rt_user *user)
{
	struct rt_callers *c = calloc(1, sizeof(*c));
	uint8_t *buf = malloc(CHUNK + CALL_BYTES);
	uint64_t all = 0;
	size_t i;
	int r = c && buf ? 0 : -1;

	for (i = 0; i < image->nsegments && r == 0; i++) {
		if (!image->segments[i].exec)
			continue;
		all += image->segments[i].filesz;
		c->image = image;
		c->user = user;
		r = all <= CODE_MAX ? scan_segment(c, &image->segments[i], buf) : -1;
	}
	free(buf);
	if (r == 0) {
		if (c->n)
			qsort(c->v, c->n, sizeof(*c->v), compare);
		return c;
	}
	rt_callers_close(c);
	return NULL;
}

void rt_callers_close(struct rt_callers *c)
{
	if (c)
		free(c->v);
	free(c);
}

static const struct site *site_of(const struct rt_callers *c, uint64_t addr)
{
	const struct site key = { .target = addr };

	return c->n ? bsearch(&key, c->v, c->n, sizeof(*c->v), compare) : NULL;
}

/* Functions of which it is asked whether anybody looks at their results, since the others return them. */
struct chain {
	const struct rt_callers *c;
	unsigned depth, steps;		/* steps that are left */
};

static bool is_ignored(struct chain *chain, uint64_t addr);

/* Nobody looks at what the function around `addr` returns; what others may call somebody may look at. */
static bool returns_ignored(struct chain *chain, uint64_t addr)
{
	const struct rt_symbol *f = rt_symbol_before(chain->c->image, addr);
	bool ignored;

	if (!f || f->global || f->hidden || addr - f->addr > f->size || chain->depth == DEPTH)
		return false;
	chain->depth++;
	ignored = is_ignored(chain, f->addr);
	chain->depth--;
	return ignored;
}

/* From `addr` on, on all paths. */
static bool ignored_from(struct chain *chain, uint64_t addr, unsigned *steps)
{
	const struct rt_callers *c = chain->c;
	uint8_t bytes[INSN_MAX];
	struct rt_use use;
	size_t n;

	for (; *steps && chain->steps; --*steps, --chain->steps) {
		n = rt_image_read(c->image, addr, bytes, sizeof(bytes));
		if (!n || !rt_use(c->user, bytes, n, addr, &use) || use.result_read)
			return false;
		addr += use.size;
		switch (use.flow) {
		case RT_USE_CALL: case RT_USE_STOP:
			return true;
		case RT_USE_RETURN:
			return returns_ignored(chain, addr);
		case RT_USE_JUMP:
			if (!use.target)
				return false;
			addr = use.target;
			break;
		case RT_USE_BRANCH:
			if (!ignored_from(chain, use.target, steps))
				return false;
			break;
		case RT_USE_NEXT:
			if (use.result_write >= 4)
				return true;
			if (use.result_write)	/* a part of it: the rest may be meant later */
				return false;
			break;
		}
	}
	return false;
}

/* A circle of functions that return each other's results ends at DEPTH, and nothing is known. */
static bool is_ignored(struct chain *chain, uint64_t addr)
{
	const struct rt_callers *c = chain->c;
	const struct site *at = site_of(c, addr);
	unsigned steps;

	if (!at)
		return false;
	while (at > c->v && at[-1].target == addr)
		at--;
	for (; at < c->v + c->n && at->target == addr; at++) {
		steps = STEPS;
		if (at->jumps ? !returns_ignored(chain, at->behind) : !ignored_from(chain, at->behind, &steps))
			return false;
	}
	return true;
}

bool rt_callers_any(const struct rt_callers *c, uint64_t addr)
{
	return site_of(c, addr);
}

bool rt_callers_ignore(const struct rt_callers *c, uint64_t addr)
{
	struct chain chain = { .c = c, .steps = STEPS_ALL };

	return is_ignored(&chain, addr);
}
