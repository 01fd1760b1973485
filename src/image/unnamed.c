/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/unnamed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/eh_frame.h"
#include "image/private.h"
#include "util/array.h"

enum {
	CFA_NOP = 0x00, CFA_SET_LOC = 0x01, CFA_ADVANCE1 = 0x02, CFA_ADVANCE4 = 0x04, CFA_REMEMBER = 0x0a, CFA_ARGS_SIZE = 0x2e,
	CFA_ADVANCE = 0x40, CFA_HIGH = 0xc0,
	NAME_BYTES = sizeof(RT_UNNAMED_PREFIX) + 16,
	FUNCTIONS_MAX = 8 << 20,
};

struct scan {
	struct rt_image *image;
	struct rt_eh_cursor at, other;	/* the second one for CIEs */
	uint64_t cie_at;		/* what was read last; 0: nothing */
	struct rt_eh_cie cie;
	bool cie_bad;
};

/*
 * Does the description up to `end` begin with the state in which functions are called?  A part that is entered by a jump says what its
 * function has already on the stack, and a stub what was pushed.
 */
static bool begins_called(struct rt_eh_cursor *c, uint64_t end)
{
	uint8_t op;

	while (c->at < end && !c->bad) {
		op = rt_eh_byte(c);
		if ((op & CFA_HIGH) == CFA_ADVANCE || (op >= CFA_SET_LOC && op <= CFA_ADVANCE4))
			return !c->bad;
		if (op == CFA_ARGS_SIZE)
			rt_eh_leb(c, false);
		else if (op != CFA_NOP && op != CFA_REMEMBER)
			return false;
	}
	return !c->bad;
}

static bool is_covered(const struct rt_image *image, uint64_t addr)
{
	const struct rt_symbol *before;
	size_t n;

	if (rt_symbols_at(image, addr, &n))
		return true;
	before = rt_symbol_before(image, addr);
	return before && before->sized && addr - before->addr < before->size;
}

static bool read_cie(struct scan *s, uint64_t at)
{
	if (s->cie_at != at) {
		rt_eh_seek(&s->other, s->image, at);
		rt_eh_read_cie(&s->other, &s->cie);
		s->cie_at = at;
		s->cie_bad = s->other.bad;
	}
	return !s->cie_bad && !s->cie.is_signal;
}

/* The description whose pointer to its CIE was read from `id_at`, up to `end`. */
static int take(struct scan *s, uint64_t id_at, uint64_t id, uint64_t end)
{
	struct rt_image *image = s->image;
	struct rt_eh_cursor *c = &s->at;
	uint64_t begin, length, more;
	struct rt_symbol *f;

	if (!read_cie(s, id_at - id))
		return 0;
	begin = rt_eh_encoded(c, s->cie.addresses, 0);
	length = rt_eh_encoded(c, s->cie.addresses & 0x0f, 0);
	if (s->cie.sized) {
		more = rt_eh_leb(c, false);
		if (more > end - c->at)
			return 0;
		rt_eh_seek(c, image, c->at + more);
	}
	if (c->bad || !length || begin + length < begin || !begins_called(c, end) || is_covered(image, begin) ||
	    !rt_image_is_code(image, begin) || !rt_image_is_code(image, begin + length - 1))
		return 0;
	if (image->nunnamed >= FUNCTIONS_MAX)
		return -EFBIG;
	if (RT_ROOM(&image->unnamed, image->nunnamed, &image->unnamed_cap) < 0)
		return -ENOMEM;
	f = &image->unnamed[image->nunnamed++];
	*f = (struct rt_symbol){ .addr = begin, .size = length, .sized = true, .kind = RT_SYM_FUNC, .source = RT_SOURCE_EH_FRAME };
	return 0;
}

static int read_all(struct scan *s, uint64_t from)
{
	uint64_t at = from, length, id, end;
	int r = 0;

	while (r == 0) {
		rt_eh_seek(&s->at, s->image, at);
		length = rt_eh_number(&s->at, 4, false);
		end = s->at.at + length;
		/* 0 is the end; UINT32_MAX begins a longer length, which no table of 2 GB needs. */
		if (s->at.bad || length < 4 || length == UINT32_MAX || end < at)
			return 0;
		at = s->at.at;
		id = rt_eh_number(&s->at, 4, false);
		if (id && !s->at.bad)
			r = take(s, at, id, end);
		at = end;
	}
	return r == -EFBIG ? 0 : r;
}

static int compare(const void *pa, const void *pb)
{
	const struct rt_symbol *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static int name_all(struct rt_image *image)
{
	struct rt_symbol *v = image->unnamed;
	size_t i, n = 0;
	char *name;

	if (!image->nunnamed)
		return 0;
	qsort(v, image->nunnamed, sizeof(*v), compare);
	for (i = 0; i < image->nunnamed; i++)
		/* Stubs of .plt.got and .plt.sec look like one function. */
		if (!rt_image_is_stub(image, v[i].addr) && (!n || v[i].addr != v[n - 1].addr))
			v[n++] = v[i];
	image->nunnamed = n;
	name = image->unnamed_names = malloc(n * NAME_BYTES + 1);
	if (!name) {
		image->nunnamed = 0;
		return -ENOMEM;
	}
	for (i = 0; i < n; i++, name += NAME_BYTES) {
		snprintf(name, NAME_BYTES, RT_UNNAMED_PREFIX "%llx", (unsigned long long)v[i].addr);
		v[i].name = name;
	}
	return 0;
}

int rt_image_unnamed(struct rt_image *image, const struct rt_symbol **v, size_t *n)
{
	uint64_t frames = image->unnamed_read ? 0 : rt_eh_frames(image);
	struct scan *s;
	int r = 0;

	image->unnamed_read = true;
	if (frames) {
		s = calloc(1, sizeof(*s));
		if (s)
			s->image = image;
		r = s ? read_all(s, frames) : -ENOMEM;
		if (r == 0)
			r = name_all(image);
		else
			image->nunnamed = 0;
		free(s);
	}
	*v = image->unnamed;
	*n = image->nunnamed;
	return r;
}

const struct rt_symbol *rt_unnamed_at(struct rt_image *image, uint64_t addr)
{
	const struct rt_symbol *v;
	size_t lo = 0, hi, mid;

	if (rt_image_unnamed(image, &v, &hi) < 0)
		return NULL;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (v[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && addr - v[lo - 1].addr < v[lo - 1].size ? &v[lo - 1] : NULL;
}

bool rt_unnamed_meant(const struct rt_spec *spec, size_t named, size_t matched)
{
	const char *name = spec->function ? spec->function : "";

	if (spec->has_address)
		return false;
	if (spec->regex && *name == '^')
		name++;
	if (strncmp(name, RT_UNNAMED_PREFIX, strlen(RT_UNNAMED_PREFIX)) == 0)
		return !matched || (spec->glob && !spec->has_offset);
	return !matched && !named && spec->glob;
}
