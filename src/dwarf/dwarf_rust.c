/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "dwarf/dwarf_private.h"

/* What Rust has besides structures, and how it passes values. */

#define TAG_VARIANT_PART 0x33	/* DW_TAG_variant_part and DW_TAG_variant: in old headers too, but named otherwise */
#define TAG_VARIANT 0x19

enum { VARIANTS_MAX = 1024 };

/* ---- enumerations with fields ---- */

bool rt_dwarf_variant_part(Dwarf_Die *die, Dwarf_Die *part)
{
	unsigned n = 0;

	if (!rt_die_child(die, part))
		return false;
	do
		if (dwarf_tag(part) == TAG_VARIANT_PART)
			return true;
	while (++n < 64 && rt_die_next(part));
	return false;
}

/* The member that tells which variant it is. */
static bool read_tag(struct rt_dwarf_walk *walk, Dwarf_Die *part, struct rt_dwarf_type *type)
{
	struct rt_member *tag;
	Dwarf_Die die;

	if (!rt_die_ref(part, DW_AT_discr, &die))
		return true;
	tag = rt_types_alloc(walk->types, sizeof(*tag));
	if (!tag) {
		walk->nomem = true;
		return false;
	}
	if (!rt_dwarf_read_member(walk, &die, type, tag) || tag->type->size == 0 || tag->type->size > 8 || tag->offset + tag->type->size > type->ctype.size)
		return false;
	type->ctype.tag = tag;
	return true;
}

static uint64_t cut(uint64_t value, uint64_t bytes)
{
	return bytes < 8 ? value & ((1ull << bytes * 8) - 1) : value;
}

static bool read_variant(struct rt_dwarf_walk *walk, Dwarf_Die *die, const struct rt_dwarf_type *type, struct rt_member *member)
{
	Dwarf_Die child;
	int64_t value;

	if (dwarf_tag(die) != TAG_VARIANT || !rt_die_child(die, &child) || !rt_dwarf_read_member(walk, &child, type, member))
		return false;
	/* LLVM writes it in a form without a sign. */
	if (type->ctype.tag && rt_die_signed(die, DW_AT_discr_value, &value))
		member->tag = cut((uint64_t)value, type->ctype.tag->type->size);
	else
		member->tag_default = true;
	return true;
}

void rt_dwarf_fill_variants(struct rt_dwarf_walk *walk, Dwarf_Die *part, struct rt_dwarf_type *type)
{
	unsigned most = rt_die_count(part, TAG_VARIANT, VARIANTS_MAX), n = 0;
	struct rt_member *members;
	Dwarf_Die child;

	if (most > walk->budget || !read_tag(walk, part, type))
		return;
	walk->budget -= most;
	members = rt_types_alloc(walk->types, (most ? most : 1) * sizeof(*members));
	if (!members) {
		walk->nomem = true;
		return;
	}
	if (most && rt_die_child(part, &child))
		do
			n += read_variant(walk, &child, type, &members[n]);
		while (n < most && !walk->nomem && rt_die_next(&child));
	type->ctype.members = members;
	type->ctype.nmembers = n;
}

/* Fields of tuples are __0, __1: the source says .0. */
const char *rt_dwarf_field_name(const char *name)
{
	return name && strncmp(name, "__", 2) == 0 && isdigit((unsigned char)name[2]) ? name + 2 : name;
}

const struct rt_ctype *rt_dwarf_template(struct rt_dwarf_walk *walk, Dwarf_Die *die, unsigned distance)
{
	const char *name;
	Dwarf_Die child;
	unsigned n = 0;

	if (!rt_die_child(die, &child))
		return NULL;
	do {
		name = dwarf_tag(&child) == DW_TAG_template_type_parameter ? rt_die_name(walk->dwarf, &child) : NULL;
		if (name && strcmp(name, "T") == 0)
			return rt_dwarf_type_of(walk, &child, distance);
	} while (++n < 64 && rt_die_next(&child));
	return NULL;
}
