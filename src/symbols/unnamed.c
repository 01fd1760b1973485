/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/unnamed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "elf/file.h"
#include "base/array.h"

enum {
	CFA_NOP = 0x00,
	CFA_SET_LOC = 0x01,
	CFA_ADVANCE1 = 0x02,
	CFA_ADVANCE4 = 0x04,
	CFA_REMEMBER = 0x0a,
	CFA_ARGS_SIZE = 0x2e,
	CFA_ADVANCE = 0x40,
	CFA_HIGH = 0xc0,
	NAME_BYTES = sizeof(RT_UNNAMED_PREFIX) + 16,
	FUNCTIONS_MAX = 8 << 20,
};

/*
 * Does the description up to `end` begin with the state in which functions are called?  A part that
 * is entered by a jump says what its function has already on the stack, and a stub what was pushed.
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

static int take(void *ctx, struct rt_eh_cursor *c, const struct rt_eh_described *d)
{
	struct rt_image *image = ctx;
	struct rt_symbol *f;

	if (!d->length || d->begin + d->length < d->begin || !begins_called(c, d->end) ||
	    is_covered(image, d->begin) || !rt_image_is_code(image, d->begin) ||
	    !rt_image_is_code(image, d->begin + d->length - 1))
		return 0;
	if (image->nunnamed >= FUNCTIONS_MAX)
		return -EFBIG;
	if (RT_ROOM(&image->unnamed, image->nunnamed, &image->unnamed_cap) < 0)
		return -ENOMEM;
	f = &image->unnamed[image->nunnamed++];
	*f = (struct rt_symbol){ .addr = d->begin,
				 .size = d->length,
				 .sized = true,
				 .kind = RT_SYM_FUNC,
				 .source = RT_SOURCE_EH_FRAME };
	return 0;
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
	int r = 0;

	image->unnamed_read = true;
	if (frames) {
		r = rt_eh_walk(image, frames, take, image, NULL);
		if (r == 0 || r == -EFBIG)
			r = name_all(image);
		else
			image->nunnamed = 0;
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
