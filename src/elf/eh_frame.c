/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/eh_frame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "elf/file.h"

enum {
	ENC_ABSOLUTE = 0x00,
	ENC_ULEB = 0x01,
	ENC_U2 = 0x02,
	ENC_U4 = 0x03,
	ENC_U8 = 0x04,
	ENC_SLEB = 0x09,
	ENC_S2 = 0x0a,
	ENC_S4 = 0x0b,
	ENC_S8 = 0x0c,
	ENC_PC = 0x10,
	ENC_DATA = 0x30,
};

void rt_eh_seek(struct rt_eh_cursor *c, const struct rt_image *image, uint64_t at)
{
	if (c->image != image)
		c->n = 0;
	c->image = image;
	c->at = at;
	c->bad = false;
}

uint8_t rt_eh_byte(struct rt_eh_cursor *c)
{
	if (c->n == 0 || c->at - c->start >= c->n) {
		c->start = c->at;
		c->n = rt_image_read(c->image, c->at, c->buf, sizeof(c->buf));
		if (!c->n) {
			c->bad = true;
			return 0;
		}
	}
	return c->buf[c->at++ - c->start];
}

uint64_t rt_eh_number(struct rt_eh_cursor *c, unsigned size, bool is_signed)
{
	uint64_t v = 0;
	unsigned i;

	for (i = 0; i < size; i++)
		v |= (uint64_t)rt_eh_byte(c) << 8 * i;
	return is_signed && size < 8
		       ? (uint64_t)((int64_t)(v << (64 - 8 * size)) >> (64 - 8 * size))
		       : v;
}

uint64_t rt_eh_leb(struct rt_eh_cursor *c, bool is_signed)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t b;

	do {
		b = rt_eh_byte(c);
		if (shift < 64)
			v |= (uint64_t)(b & 0x7f) << shift;
		shift += 7;
	} while ((b & 0x80) && !c->bad && shift < 70);
	if (is_signed && shift < 64 && (b & 0x40))
		v |= ~(uint64_t)0 << shift;
	return v;
}

uint64_t rt_eh_encoded(struct rt_eh_cursor *c, uint8_t encoding, uint64_t data)
{
	uint64_t here = c->at, v;
	unsigned word = c->image->arch->word;

	switch (encoding & 0x0f) {
	case ENC_ABSOLUTE:
		v = rt_eh_number(c, word, false);
		break;
	case ENC_ULEB: case ENC_SLEB:
		v = rt_eh_leb(c, (encoding & 0x0f) == ENC_SLEB);
		break;
	case ENC_U2: case ENC_S2:
		v = rt_eh_number(c, 2, (encoding & 0x0f) == ENC_S2);
		break;
	case ENC_U4: case ENC_S4:
		v = rt_eh_number(c, 4, (encoding & 0x0f) == ENC_S4);
		break;
	case ENC_U8: case ENC_S8:
		v = rt_eh_number(c, 8, false);
		break;
	default:
		c->bad = true;
		return 0;
	}
	if (!v)
		return 0;
	if ((encoding & 0x70) == ENC_PC)
		v += here;
	else if ((encoding & 0x70) == ENC_DATA)
		v += data;
	else if (encoding & 0x70)
		c->bad = true;
	return word == 4 ? v & UINT32_MAX : v;
}

bool rt_eh_index(const struct rt_image *image, uint64_t *addr)
{
	GElf_Phdr phdr;
	size_t i, n;

	if (elf_getphdrnum(image->elf, &n) < 0)
		return false;
	for (i = 0; i < n; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &phdr) || phdr.p_type != PT_GNU_EH_FRAME)
			continue;
		*addr = phdr.p_vaddr;
		return true;
	}
	return false;
}

uint64_t rt_eh_frames(const struct rt_image *image)
{
	struct rt_eh_cursor c = { .image = NULL };
	uint64_t index, frames;
	uint8_t encoding;

	if (!rt_eh_index(image, &index))
		return image->eh_frame.size ? image->eh_frame.addr : 0;
	rt_eh_seek(&c, image, index);
	if (rt_eh_byte(&c) != 1)
		return 0;
	encoding = rt_eh_byte(&c);
	rt_eh_seek(&c, image, index + 4);
	frames = encoding == RT_EH_NONE ? 0 : rt_eh_encoded(&c, encoding, index);
	return c.bad ? 0 : frames;
}

uint64_t rt_eh_find(struct rt_eh_cursor *c, uint64_t index, uint64_t addr)
{
	uint64_t count, first, low = 0, mid, found = 0;
	uint8_t frame, counted, table;
	int32_t entry[2];

	if (rt_eh_byte(c) != 1)
		c->bad = true;
	frame = rt_eh_byte(c);
	counted = rt_eh_byte(c);
	table = rt_eh_byte(c);
	rt_eh_encoded(c, frame, index);
	count = counted == RT_EH_NONE ? 0 : rt_eh_encoded(c, counted, index);
	if (table != (ENC_DATA | ENC_S4) || count > UINT32_MAX)
		c->bad = true;
	/* Not by the cursor, which would fill its buffer for each of 17 entries of a large file. */
	for (first = c->at; low < count && !c->bad;) {
		mid = (low + count) / 2;
		c->bad = rt_image_read(c->image, first + 8 * mid, entry, sizeof(entry)) !=
			 sizeof(entry);
		if (c->bad)
			break;
		if (index + (uint64_t)(int64_t)entry[0] > addr) {
			count = mid;
		} else {
			found = index + (uint64_t)(int64_t)entry[1];
			low = mid + 1;
		}
	}
	return found;
}

void rt_eh_read_cie(struct rt_eh_cursor *c, struct rt_eh_cie *cie)
{
	char letters[8] = "";
	unsigned i, version;
	uint8_t encoding;
	uint64_t length;

	cie->addresses = ENC_ABSOLUTE;
	cie->lsda = RT_EH_NONE;
	cie->is_signal = false;
	length = rt_eh_number(c, 4, false);
	cie->end = c->at + length;
	if (length == UINT32_MAX || rt_eh_number(c, 4, false) != 0)
		c->bad = true;
	version = rt_eh_byte(c);
	for (i = 0; i < sizeof(letters) && (letters[i] = (char)rt_eh_byte(c)) && !c->bad; i++)
		;
	if (i == sizeof(letters) || (version != 1 && version != 3) ||
	    (letters[0] && letters[0] != 'z')) {
		c->bad = true;
		return;
	}
	cie->code_factor = rt_eh_leb(c, false);
	cie->data_factor = (int64_t)rt_eh_leb(c, true);
	cie->ra = version == 1 ? rt_eh_byte(c) : rt_eh_leb(c, false);
	cie->sized = letters[0] == 'z';
	length = cie->sized ? rt_eh_leb(c, false) : 0;
	cie->begin = c->at + length;
	for (i = 1; cie->sized && letters[i]; i++) {
		if (letters[i] == 'R') {
			cie->addresses = rt_eh_byte(c);
		} else if (letters[i] == 'L') {
			cie->lsda = rt_eh_byte(c);
		} else if (letters[i] == 'P') {
			encoding = rt_eh_byte(c);
			rt_eh_encoded(c, encoding & 0x7f, 0);
		} else if (letters[i] == 'S') {
			cie->is_signal = true;
		} else if (letters[i] != 'B') {
			c->bad = true;
		}
	}
}

uint64_t rt_eh_exceptions(struct rt_eh_cursor *c, uint64_t fde, uint64_t addr, uint64_t *begin,
			  uint64_t *length)
{
	uint64_t size, cie_at;
	struct rt_eh_cie cie;

	*length = 0;
	rt_eh_seek(c, c->image, fde);
	if (rt_eh_number(c, 4, false) == UINT32_MAX)
		c->bad = true;
	cie_at = c->at - rt_eh_number(c, 4, false);
	rt_eh_seek(c, c->image, cie_at);
	rt_eh_read_cie(c, &cie);
	if (c->bad)
		return 0;
	rt_eh_seek(c, c->image, fde + 8);
	*begin = rt_eh_encoded(c, cie.addresses, 0);
	*length = rt_eh_encoded(c, cie.addresses & 0x0f, 0);
	if (c->bad || addr < *begin || addr - *begin >= *length) {
		*length = 0;
		return 0;
	}
	if (cie.lsda == RT_EH_NONE || !cie.sized)
		return 0;
	size = rt_eh_leb(c, false);
	return size ? rt_eh_encoded(c, cie.lsda & 0x7f, 0) : 0;
}

uint64_t rt_eh_size(const struct rt_image *image, uint64_t addr)
{
	struct rt_eh_cursor c = { 0 };
	uint64_t index, fde, begin, length;

	if (rt_image_is_stub(image, addr) || !rt_eh_index(image, &index))
		return 0;
	rt_eh_seek(&c, image, index);
	fde = rt_eh_find(&c, index, addr);
	if (!fde)
		return 0;
	rt_eh_exceptions(&c, fde, addr, &begin, &length);
	return length && begin == addr ? length : 0;
}

/*
 * All of .eh_frame, from its beginning to its end; and an index of it, where the linker made none.
 */

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

/*
 * The description with the pointer to its CIE, `id`, read from `id_at`, up to d->end.  False: it
 * is none of a function.
 */
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

int rt_eh_walk(const struct rt_image *image, uint64_t from, rt_eh_each *each, void *ctx,
	       bool *damaged)
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
	/* The linker sets the address of discarded code (--gc-sections) to 0. */
	if (!d->begin || !d->length)
		return 0;
	if (image->ndescribed >= DESCRIBED_MAX)
		return -EFBIG;
	if (RT_ROOM(&image->described, image->ndescribed, &image->described_cap) < 0)
		return -ENOMEM;
	image->described[image->ndescribed++] = (struct rt_described){ .begin = d->begin,
								       .fde = d->fde };
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
	size_t i;

	if (!image->described_read)
		make_index(image);
	RT_SEARCH(i, image->ndescribed, image->described[i].begin <= addr);
	*fde = i ? image->described[i - 1].fde : 0;
	return !image->described_damaged;
}
