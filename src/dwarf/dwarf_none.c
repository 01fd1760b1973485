/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "dwarf/dwarf.h"

/* Built without libdw. */

int rt_dwarf_prototype(struct rt_image *image, uint64_t addr, struct rt_types *types,
		       struct rt_prototype *prototype, struct rt_error *err)
{
	(void)addr;
	(void)types;
	(void)prototype;
	return rt_fail(err, -ENOENT,
		       "%s: debug information not read: rawtrace was built without libdw",
		       rt_image_name(image));
}

const struct rt_ctype *rt_dwarf_type(struct rt_image *image, struct rt_types *types,
				     const char *name)
{
	(void)image;
	(void)types;
	(void)name;
	return NULL;
}

bool rt_dwarf_copy_inlined(struct rt_image *image, uint64_t addr)
{
	(void)image;
	(void)addr;
	return false;
}

bool rt_dwarf_alias(struct rt_image *image, const char *name, char *text, size_t size)
{
	(void)image;
	(void)name;
	(void)text;
	(void)size;
	return false;
}

long rt_dwarf_member(struct rt_image *image, const char *type, const char *member)
{
	(void)image;
	(void)type;
	(void)member;
	return -1;
}

bool rt_dwarf_trouble(struct rt_image *image, struct rt_error *err)
{
	(void)image;
	(void)err;
	return false;
}

const char *rt_dwarf_unpacked(const struct rt_image *image, bool *now)
{
	(void)image;
	*now = false;
	return NULL;
}

const char *rt_dwarf_file(struct rt_image *image, uint64_t addr)
{
	(void)image;
	(void)addr;
	return NULL;
}

bool rt_dwarf_line(struct rt_image *image, uint64_t addr, struct rt_dwarf_place *place)
{
	(void)image, (void)addr, (void)place;
	return false;
}

bool rt_dwarf_inlined(struct rt_image *image, const char *name)
{
	(void)image;
	(void)name;
	return false;
}

void rt_dwarf_close(struct rt_dwarf *dwarf)
{
	(void)dwarf;
}

int rt_dwarf_each_inlined(struct rt_image *image, rt_dwarf_inlined_fn report, void *ctx)
{
	(void)image, (void)report, (void)ctx;
	return 0;
}
