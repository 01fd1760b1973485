/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "go/go.h"
#include "elf/file.h"

bool rt_go_place(struct rt_image *image, uint64_t addr, uint32_t *skip)
{
	const struct rt_go_code *code = image->arch->go_code;
	const struct rt_go *go = rt_image_go(image);
	struct rt_go_function f;
	uint8_t bytes[RT_GO_CHECK_MAX];
	uint32_t frame;
	size_t n;

	*skip = 0;
	if (!go || !go->has_table || !code || !rt_pclntab_find(&go->table, addr, &f) ||
	    f.addr != addr)
		return false;
	n = f.end - f.addr < sizeof(bytes) ? (size_t)(f.end - f.addr) : sizeof(bytes);
	n = rt_image_read(image, addr, bytes, n);
	*skip = code->past_check(bytes, n);
	if (code->past_temporary && !f.assembly)
		*skip += code->past_temporary(bytes + *skip, n - *skip);
	/* A check of the stack comes before the frame, so this was none. */
	if (*skip >= n || (rt_pclntab_frame(&go->table, &f, &frame) && frame && *skip >= frame))
		*skip = 0;
	return true;
}

/* Up to Go 1.27 that function takes its argument on the stack. */
bool rt_go_recovery(struct rt_image *image, struct rt_symbol *place)
{
	const struct rt_go_code *code = image->arch->go_code;
	const struct rt_go *go = rt_image_go(image);
	const uint64_t end = place->addr + place->size;
	struct rt_go_function f;
	uint8_t bytes[9];
	uint64_t target;

	for (; go && code && place->addr < end &&
	       rt_image_read(image, place->addr - 4, bytes, sizeof(bytes)) == sizeof(bytes);
	     place->addr += image->arch->insn_align)
		if (code->calls(bytes, place->addr, &target) &&
		    rt_pclntab_find(&go->table, target, &f) && strcmp(f.name, "runtime.gogo") == 0)
			return true;
	return false;
}

bool rt_go_is_code(struct rt_image *image, uint64_t addr)
{
	const struct rt_go *go = rt_image_go(image);
	struct rt_go_function f;

	return rt_image_is_go(image) &&
	       !(go && go->has_table && !rt_pclntab_find(&go->table, addr, &f));
}
