/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All of .eh_frame, from its beginning to its end; and an index of it, where the linker made none. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "elf/file.h"
#include "base/array.h"

enum { DESCRIBED_MAX = 8 << 20 };

struct walk {
	const struct rt_image *image;
	struct rt_eh_cursor at, other;	/* the second one for CIEs */
	uint64_t cie_at;		/* what was read last; 0: nothing */
	struct rt_eh_cie cie;
	bool cie_bad;
	bool damaged;
};

static bool read_cie(struct walk *w, uint64_t at)
{
	if (w->cie_at != at) {
		rt_eh_seek(&w->other, w->image, at);
		rt_eh_read_cie(&w->other, &w->cie);
		w->cie_at = at;
		w->cie_bad = w->other.bad;
	}
	w->damaged |= w->cie_bad;
	return !w->cie_bad && !w->cie.is_signal;
}

/* The description whose pointer to its CIE, `id`, was read from `id_at`, up to d->end.  False: it is none of a function. */
static bool read_fde(struct walk *w, uint64_t id_at, uint64_t id, struct rt_eh_described *d)
{
	struct rt_eh_cursor *c = &w->at;
	uint64_t more;

	if (!read_cie(w, id_at - id))
		return false;
	d->begin = rt_eh_encoded(c, w->cie.addresses, 0);
	d->length = rt_eh_encoded(c, w->cie.addresses & 0x0f, 0);
	if (w->cie.sized) {
		more = rt_eh_leb(c, false);
		if (more > d->end - c->at)
			c->bad = true;
		else
			rt_eh_seek(c, w->image, c->at + more);
	}
	w->damaged |= c->bad;
	return !c->bad;
}

static int walk(struct walk *w, uint64_t from, rt_eh_each *each, void *ctx)
{
	struct rt_eh_described d;
	uint64_t at = from, length, id;
	int r = 0;

	while (r == 0) {
		rt_eh_seek(&w->at, w->image, at);
		length = rt_eh_number(&w->at, 4, false);
		d = (struct rt_eh_described){ .fde = at, .end = w->at.at + length };
		if (!length && !w->at.bad)
			return 0;
		/* UINT32_MAX begins a longer length, which no table of 2 GB needs. */
		if (w->at.bad || length < 4 || length == UINT32_MAX || d.end < at) {
			w->damaged = true;
			return 0;
		}
		at = w->at.at;
		id = rt_eh_number(&w->at, 4, false);
		if (id && !w->at.bad && read_fde(w, at, id, &d))
			r = each(ctx, &w->at, &d);
		at = d.end;
	}
	return r;
}

int rt_eh_walk(const struct rt_image *image, uint64_t from, rt_eh_each *each, void *ctx, bool *damaged)
{
	struct walk *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return -ENOMEM;
	w->image = image;
	r = walk(w, from, each, ctx);
	if (damaged)
		*damaged = w->damaged;
	free(w);
	return r;
}

static int take(void *ctx, struct rt_eh_cursor *c, const struct rt_eh_described *d)
{
	struct rt_image *image = ctx;

	(void)c;
	/* What the linker has thrown away (--gc-sections) is left at 0. */
	if (!d->begin || !d->length)
		return 0;
	if (image->ndescribed >= DESCRIBED_MAX)
		return -EFBIG;
	if (RT_ROOM(&image->described, image->ndescribed, &image->described_cap) < 0)
		return -ENOMEM;
	image->described[image->ndescribed++] = (struct rt_described){ .begin = d->begin, .fde = d->fde };
	return 0;
}

static int compare(const void *pa, const void *pb)
{
	const struct rt_described *a = pa, *b = pb;

	return a->begin < b->begin ? -1 : a->begin > b->begin;
}

static void make_index(struct rt_image *image)
{
	bool damaged = true;
	int r = -ENOENT;

	if (image->eh_frame.size)
		r = rt_eh_walk(image, image->eh_frame.addr, take, image, &damaged);
	if (image->ndescribed)
		qsort(image->described, image->ndescribed, sizeof(*image->described), compare);
	image->described_damaged = damaged || r < 0;
	image->described_read = true;
}

bool rt_eh_find_unindexed(struct rt_image *image, uint64_t addr, uint64_t *fde)
{
	size_t low = 0, high, mid;

	if (!image->described_read)
		make_index(image);
	for (high = image->ndescribed; low < high;) {
		mid = low + (high - low) / 2;
		if (image->described[mid].begin <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	*fde = low ? image->described[low - 1].fde : 0;
	return !image->described_damaged;
}
