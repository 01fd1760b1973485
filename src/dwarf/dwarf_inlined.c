/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "dwarf/dwarf_private.h"

/* Functions of the source that were inlined: what is in units and their namespaces. */

enum {
	DEPTH_MAX = 8,
	ENTRIES_MAX = 2 << 20,		/* looked at: half a second */
	LINKAGE_NAME_OLD = 0x2007,	/* DW_AT_MIPS_linkage_name, before DWARF 4 */
	NAME_BYTES = 1024,		/* of a name with its namespaces */
	METHODS_MAX = 1000,		/* without a linkage name: each is looked for in its unit */
};

struct scan {
	struct rt_image *image;
	struct rt_dwarf *dwarf;
	rt_dwarf_inlined_fn report;
	void *ctx;
	unsigned left, methods;
	char scope[NAME_BYTES];		/* the namespaces, each with "::" */
};

/*
 * GCC gives no linkage name to a function that other files cannot call (static, in an unnamed
 * namespace).  Such a function has its written name, with its class and its namespaces.
 */
static const char *written_name(struct scan *scan, Dwarf_Die *die)
{
	const char *name = rt_die_name(scan->dwarf, die);
	char text[NAME_BYTES];
	Dwarf_Die declared;

	if (!name)
		return NULL;
	if (rt_die_ref(die, DW_AT_specification, &declared)) {
		if (!scan->methods ||
		    !rt_dwarf_scoped_name(scan->dwarf, die, true, text, sizeof(text)))
			return rt_image_clean_name(scan->image, name);
		scan->methods--;
		return rt_image_keep_name(scan->image, text);
	}
	if (!scan->scope[0] ||
	    snprintf(text, sizeof(text), "%s%s", scan->scope, name) >= (int)sizeof(text))
		return rt_image_clean_name(scan->image, name);
	return rt_image_keep_name(scan->image, text);
}

static int report_function(struct scan *scan, Dwarf_Die *die)
{
	const char *name = rt_die_string(scan->dwarf, die, DW_AT_linkage_name);
	uint64_t inlined;

	/* DW_INL_inlined, DW_INL_declared_inlined */
	if (!rt_die_unsigned(die, DW_AT_inline, &inlined) || !(inlined & 1))
		return 0;
	if (!name)
		name = rt_die_string(scan->dwarf, die, LINKAGE_NAME_OLD);
	name = name ? rt_image_clean_name(scan->image, name) : written_name(scan, die);
	return name ? scan->report(scan->ctx, name) : 0;
}

static int look_through(struct scan *scan, Dwarf_Die *parent, unsigned depth);

static int look_into(struct scan *scan, Dwarf_Die *die, unsigned depth)
{
	const char *name = rt_die_name(scan->dwarf, die);
	size_t length = strlen(scan->scope);
	int n, r;

	n = snprintf(scan->scope + length, sizeof(scan->scope) - length,
		     "%s::", name ? name : RT_DWARF_UNNAMED);
	if (n >= (int)(sizeof(scan->scope) - length))
		scan->scope[length] = '\0';
	r = look_through(scan, die, depth);
	scan->scope[length] = '\0';
	return r;
}

static int look_through(struct scan *scan, Dwarf_Die *parent, unsigned depth)
{
	Dwarf_Die die;
	int tag, r = 0;

	if (depth > DEPTH_MAX || !rt_die_child(parent, &die))
		return 0;
	do {
		if (!scan->left)
			return -EFBIG;
		scan->left--;
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_subprogram)
			r = report_function(scan, &die);
		else if (tag == DW_TAG_namespace || tag == DW_TAG_module)
			r = look_into(scan, &die, depth + 1);
	} while (r == 0 && rt_die_next(&die));
	return r;
}

int rt_dwarf_each_inlined(struct rt_image *image, rt_dwarf_inlined_fn report, void *ctx)
{
	struct scan scan = { .image = image,
			     .report = report,
			     .ctx = ctx,
			     .left = ENTRIES_MAX,
			     .methods = METHODS_MAX };
	Dwarf_Off at = 0, next;
	Dwarf_Die unit;
	size_t head;
	int r = 0;

	if (rt_dwarf_open(image, &scan.dwarf, NULL))
		return 0;
	while (r == 0 && dwarf_nextcu(scan.dwarf->dbg, at, &next, &head, NULL, NULL, NULL) == 0 &&
	       next > at) {
		if (dwarf_offdie(scan.dwarf->dbg, at + head, &unit)) {
			rt_dwarf_split(&unit);
			r = look_through(&scan, &unit, 0);
		}
		at = next;
		rt_dwarf_forget(scan.dwarf, at);
	}
	return r;
}

/* The compiler marks a function as inlined when it has copied it, too. */
static bool is_inlined_in(Dwarf_Die *parent, const void *origin, unsigned *left, unsigned depth)
{
	Dwarf_Die die, of;
	bool found = false;

	if (depth > 2 * DEPTH_MAX || !rt_die_child(parent, &die))
		return false;
	do {
		found = dwarf_tag(&die) == DW_TAG_inlined_subroutine &&
			rt_die_ref(&die, DW_AT_abstract_origin, &of) && of.addr == origin;
		found = found || is_inlined_in(&die, origin, left, depth + 1);
	} while (!found && *left && --*left && rt_die_next(&die));
	return found;
}

bool rt_dwarf_copy_inlined(struct rt_image *image, uint64_t addr)
{
	unsigned left = ENTRIES_MAX / 4;
	struct rt_dwarf_func *func;
	struct rt_dwarf *dwarf;
	Dwarf_Die origin, unit;

	return rt_dwarf_open(image, &dwarf, NULL) == 0 && rt_dwarf_find(dwarf, addr, &func) == 0 &&
	       rt_die_ref(&func->die, DW_AT_abstract_origin, &origin) &&
	       dwarf_diecu(&func->die, &unit, NULL, NULL) &&
	       is_inlined_in(&unit, origin.addr, &left, 0);
}
