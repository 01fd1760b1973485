/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "file.h"
#include "dwarf/dwarf.h"

/*
 * All that is asked of debug information, over any bytes.  What comes back is walked over: it lies
 * in memory of ours, and it fits.
 */

enum { FUNCTIONS_MAX = 64, DEPTH_MAX = 6 };

static size_t walked;

static void walk(const struct rt_ctype *type, unsigned depth)
{
	unsigned i;

	if (!type)
		abort();
	if (depth > DEPTH_MAX || ++walked > 20000)
		return;
	walked += type->name ? strlen(type->name) / 64 : 0;
	if (type->kind == RT_CT_POINTER || type->kind == RT_CT_REFERENCE ||
	    type->kind == RT_CT_ARRAY)
		walk(type->target, depth + 1);
	if (type->kind == RT_CT_ARRAY && type->target->size && type->count && type->size &&
	    type->size / type->count != type->target->size)
		abort();
	for (i = 0; i < type->nmembers; i++) {
		if (type->size && type->members[i].offset > type->size)
			abort();
		if (type->members[i].bit_offset > 7 || type->members[i].bit_size > 64)
			abort();
		walk(type->members[i].type, depth + 1);
	}
	for (i = 0; i < type->nvalues; i++)
		walked += strlen(type->values[i].name) / 64;
	if (type->sequence.element)
		walk(type->sequence.element, depth + 1);
	if (type->tag)
		walk(type->tag->type, depth + 1);
}

static void check(const struct rt_prototype *p)
{
	unsigned i;

	if (p->origin != RT_ORIGIN_DWARF ||
	    (!p->result && !p->nresults && p->convention != RT_CONVENTION_GO_REGISTERS &&
	     p->convention != RT_CONVENTION_GO_STACK))
		abort();
	if (p->result)
		walk(p->result, 0);
	for (i = 0; i < p->nparams; i++)
		walk(p->params[i].type, 0);
	for (i = 0; i < p->nresults; i++)
		walk(p->results[i].type, 0);
}

static void ask(struct rt_image *image)
{
	struct rt_types *types = rt_types_new();
	const struct rt_symbol *v;
	struct rt_prototype p;
	struct rt_error err;
	struct rt_dwarf_place place;
	char text[256];
	const char *file;
	size_t i, n;

	walked = 0;
	rt_image_symbols(image, &v, &n, &err);
	for (i = 0; i < n && i < FUNCTIONS_MAX; i++) {
		if (rt_dwarf_prototype(image, v[i].addr, types, &p, &err) == 0)
			check(&p);
		file = rt_dwarf_file(image, v[i].addr);
		walked += file ? strlen(file) / 64 : 0;
		if (rt_dwarf_line(image, v[i].addr, &place))
			walked += strlen(place.file) / 64;
		rt_dwarf_inlined(image, v[i].name);
		rt_dwarf_copy_inlined(image, v[i].addr);
		if (rt_dwarf_alias(image, v[i].name, text, sizeof(text)))
			walked += strlen(text) / 64;
	}
	if (rt_dwarf_alias(image, "color", text, sizeof(text)) ||
	    rt_dwarf_alias(image, "uint", text, sizeof(text)))
		walked += strlen(text) / 64;
	rt_dwarf_type(image, types, "struct request");
	rt_dwarf_type(image, types, "point");
	rt_types_free(types);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[64];
	FILE *file;
	struct rt_image *image = fuzz_image(data, size, &file, path);

	if (image)
		ask(image);
	rt_image_close(image);
	fclose(file);
	return 0;
}
