/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "dwarf/dwarf_private.h"

/*
 * The whole name of a type, with the namespaces and classes that it stands in.  Entries do not know where they stand, so the way leads down
 * from the unit to the entry.
 */

enum { DEPTH_MAX = 16, STEPS_MAX = 1 << 20 };

/* The child of `at` that is `die` or has it inside; what was there is forgotten.  False: none. */
static bool step(Dwarf_Die *at, const Dwarf_Die *die, unsigned *steps)
{
	Dwarf_Die child, last;
	bool any = false;

	if (!rt_die_child(at, &child))
		return false;
	do {
		if ((const char *)child.addr > (const char *)die->addr)
			break;
		last = child;
		any = true;
	} while ((*steps)++ < STEPS_MAX && rt_die_next(&child));
	if (any)
		*at = last;
	return any && *steps <= STEPS_MAX;
}

bool rt_dwarf_names_scope(int tag)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:	/* Rust */
		return true;
	default:
		return false;
	}
}

bool rt_dwarf_scoped_name(struct rt_dwarf *dwarf, Dwarf_Die *die, bool here, char *text, size_t size)
{
	Dwarf_Die at, target = *die, declared;
	unsigned depth, steps = 0;
	const char *name;
	size_t used = 0;
	int n;

	/* A class that is defined outside of what declares it stands anywhere. */
	if (rt_die_ref(die, DW_AT_specification, &declared))
		target = declared;
	if (!dwarf_diecu(&target, &at, NULL, NULL))
		return false;
	for (depth = 0; depth < DEPTH_MAX; depth++) {
		if (!step(&at, &target, &steps))
			return false;
		name = rt_die_name(dwarf, &at);
		if (!name && here && dwarf_tag(&at) == DW_TAG_namespace)
			name = RT_DWARF_UNNAMED;
		if (!name || (at.addr != target.addr && !rt_dwarf_names_scope(dwarf_tag(&at))))
			return false;
		n = snprintf(text + used, size - used, "%s%s", used ? "::" : "", name);
		if (n < 0 || (size_t)n >= size - used)
			return false;
		used += (size_t)n;
		if (at.addr == target.addr)
			return true;
	}
	return false;
}
