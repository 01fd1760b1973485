/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/search.h"
#include "dwarf/dwarf_private.h"

enum {
	DEPTH_MAX = 32,			/* of namespaces and classes in each other */
	RANGES_MAX = 4 << 20,
	WALK_MAX = 16 << 20,		/* entries of one unit */
};

/* ---- which unit ---- */

static int compare_ranges(const void *pa, const void *pb)
{
	const struct rt_dwarf_range *a = pa, *b = pb;

	return a->low < b->low ? -1 : a->low > b->low;
}

static int add_ranges(struct rt_dwarf *dwarf, Dwarf_Die *unit)
{
	Dwarf_Addr base, low, high;
	struct rt_dwarf_range *r;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(unit, at, &base, &low, &high)) > 0) {
		if (low >= high)
			continue;
		if (dwarf->nranges >= RANGES_MAX)
			return 0;
		if (RT_ROOM(&dwarf->ranges, dwarf->nranges, &dwarf->ranges_cap))
			return -ENOMEM;
		r = &dwarf->ranges[dwarf->nranges++];
		r->low = low;
		r->high = high;
		r->unit = dwarf_dieoffset(unit);
	}
	return 0;
}

/*
 * Read the ranges of each unit from its entry: clang writes no .debug_aranges, and may have
 * compiled a part of the program.
 */
static int read_ranges(struct rt_dwarf *dwarf)
{
	Dwarf_Off at = 0, next;
	Dwarf_Die unit;
	size_t head;
	int ret = 0;

	dwarf->ranges_read = true;
	while (ret == 0 && dwarf_nextcu(dwarf->dbg, at, &next, &head, NULL, NULL, NULL) == 0 &&
	       next > at) {
		if (dwarf_offdie(dwarf->dbg, at + head, &unit) &&
		    dwarf_tag(&unit) != DW_TAG_type_unit && dwarf_tag(&unit) != DW_TAG_partial_unit)
			ret = add_ranges(dwarf, &unit);
		at = next;
		rt_dwarf_forget(dwarf, at);
	}
	if (dwarf->nranges)
		qsort(dwarf->ranges, dwarf->nranges, sizeof(*dwarf->ranges), compare_ranges);
	return ret;
}

static int find_range(struct rt_dwarf *dwarf, uint64_t addr, Dwarf_Off *unit)
{
	size_t at, i;

	if (!dwarf->ranges_read && read_ranges(dwarf))
		return -ENOMEM;
	RT_SEARCH(at, dwarf->nranges, dwarf->ranges[at].low <= addr);
	/* Ranges overlap only where something is wrong. */
	for (i = 0; i < 8 && at-- > 0; i++)
		if (addr < dwarf->ranges[at].high) {
			*unit = dwarf->ranges[at].unit;
			return 0;
		}
	return -ENOENT;
}

/* Trust an index about a unit only if the file has a unit there. */
static bool find_indexed(struct rt_dwarf *dwarf, uint64_t addr, Dwarf_Off *unit)
{
	uint64_t head;
	Dwarf_Die die;

	if (!rt_gdb_index_address(dwarf->gdb_index, addr, &head) ||
	    !rt_dwarf_unit_at(dwarf, head, &die))
		return false;
	*unit = dwarf_dieoffset(&die);
	return true;
}

static int find_unit_offset(struct rt_dwarf *dwarf, uint64_t addr, Dwarf_Off *unit)
{
	Dwarf_Die die;

	/* By .debug_aranges. */
	if (!dwarf->ranges_read && dwarf_addrdie(dwarf->dbg, addr, &die)) {
		*unit = dwarf_dieoffset(&die);
		return 0;
	}
	if (!dwarf->ranges_read && find_indexed(dwarf, addr, unit))
		return 0;
	return find_range(dwarf, addr, unit);
}

bool rt_dwarf_find_unit(struct rt_dwarf *dwarf, uint64_t addr, Dwarf_Die *unit)
{
	Dwarf_Off offset;

	return find_unit_offset(dwarf, addr, &offset) == 0 &&
	       dwarf_offdie(dwarf->dbg, offset, unit);
}

/* ---- its functions ---- */

static int compare_units(const void *pa, const void *pb)
{
	const struct rt_dwarf_unit *a = pa, *b = pb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static int compare_funcs(const void *pa, const void *pb)
{
	const struct rt_dwarf_func *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void free_unit(void *p)
{
	struct rt_dwarf_unit *unit = p;

	free(unit->funcs);
	free(unit);
}

void rt_dwarf_units_free(struct rt_dwarf *dwarf)
{
	tdestroy(dwarf->units, free_unit);
}

/*
 * A function that GCC has split into a hot and a cold part has ranges, the first of which is the
 * part with the entry.
 */
static bool entry_of(Dwarf_Die *die, Dwarf_Addr *entry)
{
	Dwarf_Addr base, low, high;
	Dwarf_Attribute attr;

	/* One without any code, since it can never run, is where the next one begins. */
	if (dwarf_lowpc(die, &low) == 0 && dwarf_highpc(die, &high) == 0 && low == high)
		return false;
	if (dwarf_attr(die, DW_AT_entry_pc, &attr) && dwarf_formaddr(&attr, entry) == 0)
		return true;
	if (dwarf_lowpc(die, entry) == 0 && dwarf_attr(die, DW_AT_low_pc, &attr))
		return true;
	if (!dwarf_attr(die, DW_AT_ranges, &attr) || dwarf_ranges(die, 0, &base, &low, &high) <= 0)
		return false;
	*entry = low;
	return true;
}

static bool contains_functions(int tag, bool deep)
{
	return rt_dwarf_names_scope(tag) ||
	       (deep && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block));
}

struct walk {
	struct rt_dwarf_unit *unit;
	uint64_t budget;
};

static int collect(struct walk *walk, Dwarf_Die *parent, unsigned depth)
{
	struct rt_dwarf_unit *unit = walk->unit;
	struct rt_dwarf_func *f;
	Dwarf_Addr entry;
	Dwarf_Die die;
	int tag, ret;

	if (depth > DEPTH_MAX || !rt_die_child(parent, &die))
		return 0;
	do {
		if (walk->budget-- == 0)
			return -EFBIG;
		tag = dwarf_tag(&die);
		if (tag == DW_TAG_subprogram && entry_of(&die, &entry)) {
			if (RT_ROOM(&unit->funcs, unit->nfuncs, &unit->cap))
				return -ENOMEM;
			f = &unit->funcs[unit->nfuncs++];
			f->addr = entry;
			f->die = die;
		}
		if (contains_functions(tag, unit->deep)) {
			ret = collect(walk, &die, depth + 1);
			if (ret)
				return ret;
		}
	} while (rt_die_next(&die));
	return 0;
}

static int read_functions(struct rt_dwarf *dwarf, struct rt_dwarf_unit *unit, bool deep)
{
	struct walk walk = { .unit = unit, .budget = WALK_MAX };
	uint64_t size = unit->split ? 0 : rt_die_unit_size(dwarf, &unit->die);
	int ret;

	if (size && size < WALK_MAX)
		walk.budget = size;
	unit->deep = deep;
	unit->nfuncs = 0;
	ret = collect(&walk, &unit->die, 0);
	if (unit->nfuncs)
		qsort(unit->funcs, unit->nfuncs, sizeof(*unit->funcs), compare_funcs);
	return ret == -ENOMEM ? ret : 0;
}

/* A unit that has only its addresses here, and all else in a .dwo file that is not there. */
static void note_split(struct rt_dwarf *dwarf, Dwarf_Die *unit)
{
	const char *name = rt_die_string(dwarf, unit, 0x2130 /* DW_AT_GNU_dwo_name */);

	if (!name)
		name = rt_die_string(dwarf, unit, 0x76 /* DW_AT_dwo_name, of DWARF 5 */);
	if (name)
		dwarf->not_found = name;
}

static int find_unit(struct rt_dwarf *dwarf, Dwarf_Off offset, struct rt_dwarf_unit **found)
{
	struct rt_dwarf_unit key = { .offset = offset }, *unit;
	void *node = tfind(&key, &dwarf->units, compare_units);

	if (node) {
		*found = *(struct rt_dwarf_unit **)node;
		return 0;
	}
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return -ENOMEM;
	unit->offset = offset;
	if (!dwarf_offdie(dwarf->dbg, offset, &unit->die)) {
		free(unit);
		return -ENOENT;
	}
	unit->split = rt_dwarf_split(&unit->die);
	if (!unit->split)
		note_split(dwarf, &unit->die);
	if (read_functions(dwarf, unit, false) || !tsearch(unit, &dwarf->units, compare_units)) {
		free_unit(unit);
		return -ENOMEM;
	}
	*found = unit;
	return 0;
}

static struct rt_dwarf_func *lookup(const struct rt_dwarf_unit *unit, uint64_t addr)
{
	struct rt_dwarf_func key = { .addr = addr };

	return unit->nfuncs ? bsearch(&key, unit->funcs, unit->nfuncs, sizeof(key), compare_funcs)
			    : NULL;
}

int rt_dwarf_find(struct rt_dwarf *dwarf, uint64_t addr, struct rt_dwarf_func **func)
{
	struct rt_dwarf_unit *unit;
	Dwarf_Off offset;
	int ret;

	ret = find_unit_offset(dwarf, addr, &offset);
	if (ret == 0)
		ret = find_unit(dwarf, offset, &unit);
	if (ret)
		return ret;
	*func = lookup(unit, addr);
	/* Lambdas and the methods of classes inside functions. */
	if (!*func && !unit->deep) {
		if (read_functions(dwarf, unit, true))
			return -ENOMEM;
		*func = lookup(unit, addr);
	}
	return *func ? 0 : -ENOENT;
}

/* ---- scopes ---- */

/*
 * The whole name of a type, with the namespaces and classes that it is in.  Entries do not know
 * where they stand, so the way leads down from the unit to the entry.
 */

enum { SCOPE_DEPTH_MAX = 16, STEPS_MAX = 1 << 20 };

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

bool rt_dwarf_scoped_name(struct rt_dwarf *dwarf, Dwarf_Die *die, bool here, char *text,
			  size_t size)
{
	Dwarf_Die at, target = *die, declared;
	unsigned depth, steps = 0;
	const char *name;
	size_t used = 0;
	int n;

	/* A class that is defined outside of what declares it can be anywhere. */
	if (rt_die_ref(die, DW_AT_specification, &declared))
		target = declared;
	if (!dwarf_diecu(&target, &at, NULL, NULL))
		return false;
	for (depth = 0; depth < SCOPE_DEPTH_MAX; depth++) {
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

/* ---- functions that were inlined everywhere ---- */

enum {
	NESTED_MAX = 8,
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

	if (depth > NESTED_MAX || !rt_die_child(parent, &die))
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

	if (depth > 2 * NESTED_MAX || !rt_die_child(parent, &die))
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
