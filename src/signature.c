/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "signature.h"

#include <errno.h>
#include <string.h>

#include "image/dwarf.h"

struct finder {
	struct rt_image *image;
	struct rt_types *memory;
};

static const struct rt_ctype *find_type(void *ctx, const char *name)
{
	const struct finder *f = ctx;

	return rt_dwarf_type(f->image, f->memory, name);
}

int rt_signature_of(const struct rt_function *f, struct rt_types *memory, struct rt_prototype *prototype, struct rt_error *err)
{
	struct finder finder = { .image = f->image, .memory = memory };
	const struct rt_type_finder types = { .find = find_type, .ctx = &finder };
	const struct rt_prototype *known = NULL, *all = NULL;
	struct rt_prototype told;
	int r;

	memset(prototype, 0, sizeof(*prototype));
	/* As many ints as the user says; inside a function the registers are anything. */
	if (!f->spec || f->inside || (f->spec->nargs_given && !f->spec->prototype))
		return f->go ? rt_signature_go(f, memory, prototype, err) : 0;
	/* Damaged debug information is no reason to trace less than without it. */
	if (rt_dwarf_prototype(f->image, f->addr, memory, &told, NULL) == 0)
		known = &told;
	r = rt_spec_prototype(f->spec, known, memory, &types, &all, err);
	if (r == 0 && all)
		*prototype = *all;
	return r == 0 && f->go ? rt_signature_go(f, memory, prototype, err) : r;
}
