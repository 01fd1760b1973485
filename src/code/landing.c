/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Landing pads, where a function catches exceptions. No instruction leads there, only the unwinder,
 * by the tables of .eh_frame and .gcc_except_table (LSB Core, "Exception Frames"; the Itanium C++
 * ABI).
 */
#include <string.h>

#include "code/code.h"
#include "elf/eh_frame.h"
#include "go/go.h"
#include "elf/file.h"

static int read_sites(struct rt_eh_cursor *c, uint64_t table, uint64_t begin, uint64_t *v, int max)
{
	uint64_t size, end, pad;
	uint8_t encoding;
	int n = 0;

	rt_eh_seek(c, c->image, table);
	encoding = rt_eh_byte(c);
	if (encoding != RT_EH_NONE)
		begin = rt_eh_encoded(c, encoding, 0);
	if (rt_eh_byte(c) != RT_EH_NONE)
		rt_eh_leb(c, false);
	encoding = rt_eh_byte(c);
	size = rt_eh_leb(c, false);
	if (size > UINT32_MAX)
		return -1;
	end = c->at + size;
	while (!c->bad && c->at < end) {
		rt_eh_encoded(c, encoding, 0);
		rt_eh_encoded(c, encoding, 0);
		pad = rt_eh_encoded(c, encoding, 0);
		rt_eh_leb(c, false);
		if (!pad)
			continue;
		if (n == max)
			return -1;
		v[n++] = begin + pad;
	}
	return c->bad ? -1 : n;
}

/* Find the unwind entry of `addr`; 0: there is none, or it cannot be read. */
static uint64_t describe(struct rt_eh_cursor *c, struct rt_image *image, uint64_t addr)
{
	uint64_t index, fde;

	memset(c, 0, sizeof(*c));
	c->image = image;
	if (!rt_eh_index(image, &index)) {
		/*
		 * Static C programs have the C library's own tables, of places that only clean up
		 * and go on unwinding.
		 */
		c->bad = !rt_eh_find_unindexed(image, addr, &fde) && image->has_except_table &&
			 rt_image_unwinds(image);
		return c->bad ? 0 : fde;
	}
	rt_eh_seek(c, image, index);
	return rt_eh_find(c, index, addr);
}

int rt_code_landings(struct rt_code *code, uint64_t addr, uint64_t *v, int max)
{
	const struct rt_go *go = rt_image_go(rt_code_image(code));
	uint64_t fde, table, begin, length;
	struct rt_go_function f;
	struct rt_eh_cursor c;

	if (go && go->has_table && max > 0 && rt_pclntab_find(&go->table, addr, &f)) {
		v[0] = f.addr + f.recovers;
		return f.recovers != 0;
	}
	fde = describe(&c, rt_code_image(code), addr);
	if (c.bad)
		return -1;
	if (!fde)
		return 0;
	table = rt_eh_exceptions(&c, fde, addr, &begin, &length);
	if (c.bad)
		return -1;
	return table ? read_sites(&c, table, begin, v, max) : 0;
}

bool rt_code_span(struct rt_code *code, uint64_t addr, uint64_t *start, uint64_t *end)
{
	struct rt_eh_cursor c;
	uint64_t fde, length;

	fde = describe(&c, rt_code_image(code), addr);
	if (!fde || c.bad)
		return false;
	rt_eh_exceptions(&c, fde, addr, start, &length);
	*end = *start + length;
	return length && *end > *start && !c.bad;
}
