/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_private.h"
#include "base/array.h"

/*
 * Entries by name.  Units are searched in their order until the name is found, and all names met
 * are recorded, so that no unit is searched twice.  If there is an index, the units that it names
 * come first.  Only entries outside functions count.  If a name has several definitions, the user's
 * name means the first, and a declaration means none.
 */

enum {
	DEPTH_MAX = 8,			/* namespaces in each other */
	NAME_BYTES = 1024,		/* of a name with its namespaces */
	LARGE = 8 << 20,		/* of .debug_info */
	ENTRIES_ASKED = 24 << 20,	/* looked at for a name that the user gave: some seconds */
	ENTRIES_OPAQUE = 1 << 18,	/* for what a declaration leaves open: some 0.07 s */
};

/* kinds of entries that a name can name; tags of C have a name space of their own each */
enum kind { NAME_NONE, NAME_STRUCT, NAME_UNION, NAME_ENUM, NAME_PLAIN, NAME_INLINED };

struct rt_dwarf_name {
	uint64_t hash;			/* of kind and name, never 0; 0: an empty place */
	bool differs;			/* from another definition of that name */
	Dwarf_Die die;
};

static uint64_t hash_of(enum kind kind, const char *name)
{
	uint64_t hash = 0xcbf29ce484222325u + kind;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
	return hash ? hash : 1;
}

/* ---- the table: open addressing, `room` is a power of two ---- */

static struct rt_dwarf_name *place(struct rt_dwarf_name *v, size_t room, uint64_t hash)
{
	size_t at = (size_t)(hash ^ hash >> 32) & (room - 1);

	while (v[at].hash && v[at].hash != hash)
		at = (at + 1) & (room - 1);
	return &v[at];
}

static int grow(struct rt_dwarf_names *names)
{
	size_t room = names->room ? names->room * 2 : 1024, i;
	struct rt_dwarf_name *v = calloc(room, sizeof(*v));

	if (!v)
		return -ENOMEM;
	for (i = 0; i < names->room; i++)
		if (names->v[i].hash)
			*place(v, room, names->v[i].hash) = names->v[i];
	free(names->v);
	names->v = v;
	names->room = room;
	return 0;
}

/*
 * Do two entries of one name define the same?  What one header has defined is in the same line,
 * and is as large.
 */
static bool differ(Dwarf_Die *a, Dwarf_Die *b)
{
	uint64_t one, other;

	if (a->addr == b->addr || dwarf_tag(a) != dwarf_tag(b) ||
	    dwarf_tag(a) == DW_TAG_base_type || dwarf_tag(a) == DW_TAG_subprogram)
		return false;
	if (rt_die_byte_size(a) != rt_die_byte_size(b))
		return true;
	return rt_die_unsigned(a, DW_AT_decl_line, &one) &&
	       rt_die_unsigned(b, DW_AT_decl_line, &other) && one != other;
}

static int add(struct rt_dwarf_names *names, enum kind kind, const char *name, Dwarf_Die *die)
{
	struct rt_dwarf_name *at;

	if (names->n * 2 >= names->room && grow(names))
		return -ENOMEM;
	at = place(names->v, names->room, hash_of(kind, name));
	if (at->hash) {
		at->differs |= differ(&at->die, die);
		return 0;
	}
	at->hash = hash_of(kind, name);
	at->die = *die;
	names->n++;
	return 0;
}

/* ---- one unit ---- */

static enum kind kind_of(Dwarf_Die *die, bool c)
{
	uint64_t inlined;

	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return rt_die_flag(die, DW_AT_declaration) ? NAME_NONE
		       : c				   ? NAME_STRUCT
							   : NAME_PLAIN;
	case DW_TAG_union_type:
		return rt_die_flag(die, DW_AT_declaration) ? NAME_NONE
		       : c				   ? NAME_UNION
							   : NAME_PLAIN;
	case DW_TAG_enumeration_type:
		return rt_die_flag(die, DW_AT_declaration) ? NAME_NONE : c ? NAME_ENUM : NAME_PLAIN;
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return NAME_PLAIN;
	case DW_TAG_subprogram:
		return rt_die_unsigned(die, DW_AT_inline, &inlined) && (inlined & 1) ? NAME_INLINED
										     : NAME_NONE;
	default:
		return NAME_NONE;
	}
}

struct scan {
	struct rt_dwarf *dwarf;
	bool c, in_class;
	uint64_t budget;
	char name[NAME_BYTES];		/* the namespaces, and room for what is in them */
};

static bool append(struct scan *scan, size_t length, const char *name, const char *more)
{
	int n = snprintf(scan->name + length, NAME_BYTES - length, "%s%s", name, more);

	return n > 0 && (size_t)n < NAME_BYTES - length;
}

static bool has_types(Dwarf_Die *die, enum kind kind, bool c)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_namespace ||
	       (!c && kind == NAME_PLAIN &&
		(tag == DW_TAG_structure_type || tag == DW_TAG_class_type));
}

static int look_through(struct scan *scan, Dwarf_Die *parent, size_t length, unsigned depth)
{
	const char *name;
	enum kind kind;
	Dwarf_Die die, outside;
	int ret = 0;

	if (depth > DEPTH_MAX || !rt_die_child(parent, &die))
		return 0;
	do {
		if (scan->budget == 0)
			return 0;
		scan->budget--;
		kind = kind_of(&die, scan->c);
		/*
		 * Nobody asks for a class's methods.  A type that is defined outside its
		 * declaration has another full name.
		 */
		if ((kind == NAME_NONE && dwarf_tag(&die) != DW_TAG_namespace) ||
		    (kind == NAME_INLINED && scan->in_class) ||
		    (kind == NAME_PLAIN && rt_die_ref(&die, DW_AT_specification, &outside)))
			continue;
		name = rt_die_name(scan->dwarf, &die);
		if (!name || !append(scan, length, name, ""))
			continue;
		if (kind != NAME_NONE)
			ret = add(&scan->dwarf->names, kind, scan->name, &die);
		if (ret == 0 && has_types(&die, kind, scan->c) &&
		    append(scan, length, name, "::")) {
			bool outer = scan->in_class;

			scan->in_class |= kind != NAME_NONE;
			ret = look_through(scan, &die, strlen(scan->name), depth + 1);
			scan->in_class = outer;
		}
	} while (ret == 0 && rt_die_next(&die));
	return ret;
}

/* A unit that was not looked through to its end, for lack of budget: false. */
static int look_through_unit(struct rt_dwarf *dwarf, Dwarf_Die *unit, uint64_t most, bool *whole)
{
	struct rt_dwarf_names *names = &dwarf->names;
	struct scan scan = { .dwarf = dwarf, .budget = most - names->looked };
	int ret;

	rt_dwarf_split(unit);
	scan.c = rt_language_is_c(rt_die_language(unit));
	ret = look_through(&scan, unit, 0, 0);
	names->looked = most - scan.budget;
	*whole = scan.budget != 0;
	return ret;
}

/* The next unit of the file.  0, -ENOENT after the last, or -ENOMEM. */
static int next_unit(struct rt_dwarf *dwarf, uint64_t most)
{
	struct rt_dwarf_names *names = &dwarf->names;
	bool whole = true;
	Dwarf_Off next;
	Dwarf_Die unit;
	size_t head;
	int ret = 0;

	if (dwarf_nextcu(dwarf->dbg, names->next, &next, &head, NULL, NULL, NULL) != 0 ||
	    next <= names->next)
		return -ENOENT;
	if (dwarf_offdie(dwarf->dbg, names->next + head, &unit))
		ret = look_through_unit(dwarf, &unit, most, &whole);
	/*
	 * A unit that was not looked through to its end is begun anew by whoever may look further.
	 */
	if (whole)
		names->next = next;
	names->looked++;
	rt_dwarf_forget(dwarf, next);
	return ret;
}

bool rt_dwarf_unit_at(struct rt_dwarf *dwarf, Dwarf_Off head, Dwarf_Die *unit)
{
	Dwarf_Off next;
	Dwarf_Die real;
	size_t size;

	if (dwarf_nextcu(dwarf->dbg, head, &next, &size, NULL, NULL, NULL) != 0 ||
	    !dwarf_offdie(dwarf->dbg, head + size, unit))
		return false;
	return dwarf_diecu(unit, &real, NULL, NULL) && real.addr == unit->addr;
}

/* The last part of a name: Foo of ns::Foo, and the whole of Box<ns::Foo>. */
static const char *last_part(const char *name)
{
	const char *part = name, *p;
	int depth = 0;

	for (p = name; *p; p++) {
		depth += *p == '<' ? 1 : *p == '>' ? -1 : 0;
		if (depth == 0 && p[0] == ':' && p[1] == ':')
			part = p + 2;
	}
	return part;
}

/* Has the unit been looked through?  From now on it has. */
static bool was_seen(struct rt_dwarf_names *names, Dwarf_Off unit)
{
	size_t i;

	/* Those before names->next came in their order. */
	if (unit < names->next)
		return true;
	for (i = 0; i < names->nseen; i++)
		if (names->seen[i] == unit)
			return true;
	if (RT_ROOM(&names->seen, names->nseen, &names->seen_cap) == 0)
		names->seen[names->nseen++] = unit;
	return false;
}

/* The units that an index names for it.  True: these are all that have something of that name. */
static bool look_up(struct rt_dwarf *dwarf, enum kind kind, const char *name, uint64_t most)
{
	bool complete;
	struct rt_index_units units = { .n = 0 };
	const char *last = last_part(name);
	Dwarf_Die unit;
	bool whole;
	unsigned i;

	/* gdb itself puts one definition of several into .gdb_index, which in C is not enough. */
	complete = rt_gdb_index_name(dwarf->gdb_index, name, &units) && kind == NAME_PLAIN;
	complete |= rt_debug_names_name(dwarf->debug_names, dwarf->strings, last, &units);
	/* As gdb writes it. */
	if (last != name)
		rt_debug_names_name(dwarf->debug_names, dwarf->strings, name, &units);
	for (i = 0; i < units.n && dwarf->names.looked < most; i++) {
		if (was_seen(&dwarf->names, units.v[i]) ||
		    !rt_dwarf_unit_at(dwarf, units.v[i], &unit))
			continue;
		if (look_through_unit(dwarf, &unit, most, &whole))
			break;
		rt_dwarf_forget(dwarf, units.v[i]);
	}
	return complete;
}

static const struct rt_dwarf_name *known(const struct rt_dwarf_names *names, uint64_t hash)
{
	const struct rt_dwarf_name *at = names->room ? place(names->v, names->room, hash) : NULL;

	return at && at->hash ? at : NULL;
}

/*
 * Find a type, unless another definition contradicts it.  An index names all units that define it;
 * without one the whole file is searched.  If that takes too long, a type of C++ is still believed:
 * two different definitions would break its rules.  In C any file may have a structure of that
 * name.
 */
static bool find_only(struct rt_dwarf *dwarf, enum kind kind, const char *name, uint64_t most,
		      Dwarf_Die *die)
{
	struct rt_dwarf_names *names = &dwarf->names;
	bool all = look_up(dwarf, kind, name, most);
	const struct rt_dwarf_name *at;
	int r = 0;

	while (!all && r == 0 && names->looked < most)
		r = next_unit(dwarf, most);
	all |= r == -ENOENT;
	at = known(names, hash_of(kind, name));
	if (!at || at->differs || (!all && kind != NAME_PLAIN))
		return false;
	*die = at->die;
	return true;
}

static bool find(struct rt_dwarf *dwarf, enum kind kind, const char *name, uint64_t most, bool only,
		 Dwarf_Die *die)
{
	struct rt_dwarf_names *names = &dwarf->names;
	uint64_t hash = hash_of(kind, name);
	const struct rt_dwarf_name *at = known(names, hash);

	if (only)
		return find_only(dwarf, kind, name, most, die);
	if (!at)
		look_up(dwarf, kind, name, most);
	while (!(at = known(names, hash)))
		if (names->looked >= most || next_unit(dwarf, most))
			return false;
	*die = at->die;
	return true;
}

/*
 * Before a large file is looked through for what may not be in it: what the compilers of C and C++
 * name is in .debug_str.  Not of dwz, nor of Go, which has names in the entries themselves;
 * what is split is not as large.
 */
static bool can_have_name(const struct rt_dwarf *dwarf, const char *name)
{
	const char *last = last_part(name);

	return dwarf->section_end - dwarf->section < LARGE || !dwarf->strings.n ||
	       dwarf->shared.p || rt_image_is_go(dwarf->image) || strlen(last) < 4 ||
	       memmem(dwarf->strings.p, dwarf->strings.n, last, strlen(last) + 1);
}

/* ---- what others ask ---- */

static bool after_word(const char **name, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(*name, word, n) != 0 || (*name)[n] != ' ')
		return false;
	*name += n + strspn(*name + n, " ");
	return true;
}

static bool find_type(struct rt_dwarf *dwarf, const char *name, uint64_t most, bool only,
		      Dwarf_Die *die)
{
	enum kind kind = after_word(&name, "struct") || after_word(&name, "class") ? NAME_STRUCT
			 : after_word(&name, "union")				   ? NAME_UNION
			 : after_word(&name, "enum")				   ? NAME_ENUM
										   : NAME_PLAIN;

	if (kind != NAME_PLAIN && find(dwarf, kind, name, most, only, die))
		return true;
	return find(dwarf, NAME_PLAIN, name, most, only, die);
}

bool rt_dwarf_definition(struct rt_dwarf *dwarf, const char *name, Dwarf_Die *die)
{
	return find_type(dwarf, name, ENTRIES_OPAQUE, true, die);
}

const struct rt_ctype *rt_dwarf_type(struct rt_image *image, struct rt_types *types,
				     const char *name)
{
	const struct rt_ctype *type;
	struct rt_dwarf_walk walk;
	struct rt_dwarf *dwarf;
	Dwarf_Die die;

	if (rt_dwarf_open(image, &dwarf, NULL) ||
	    !find_type(dwarf, name, ENTRIES_ASKED, false, &die) ||
	    rt_dwarf_walk_begin(&walk, dwarf, types))
		return NULL;
	walk.language = rt_die_language(&die);
	type = rt_dwarf_convert(&walk, &die, 1, 0);
	return rt_dwarf_walk_end(&walk) == 0 ? type : NULL;
}

bool rt_dwarf_alias(struct rt_image *image, const char *name, char *text, size_t size)
{
	struct rt_dwarf *dwarf;
	Dwarf_Die die, next;
	unsigned i;

	if (rt_dwarf_open(image, &dwarf, NULL) || !can_have_name(dwarf, name) ||
	    !find_type(dwarf, name, ENTRIES_ASKED, false, &die) ||
	    dwarf_tag(&die) != DW_TAG_typedef)
		return false;
	for (i = 0; i < DEPTH_MAX && dwarf_tag(&die) == DW_TAG_typedef; i++) {
		if (!rt_die_type(&die, &next))
			return false;
		die = next;
	}
	return rt_dwarf_scoped_name(dwarf, &die, false, text, size);
}

long rt_dwarf_member(struct rt_image *image, const char *type, const char *member)
{
	struct rt_dwarf *dwarf;
	Dwarf_Die die, part;
	const char *name;
	uint64_t at;

	if (rt_dwarf_open(image, &dwarf, NULL) ||
	    !find_type(dwarf, type, ENTRIES_OPAQUE, false, &die) || !rt_die_child(&die, &part))
		return -1;
	do {
		name = dwarf_tag(&part) == DW_TAG_member ? rt_die_name(dwarf, &part) : NULL;
		if (name && strcmp(name, member) == 0)
			return rt_die_unsigned(&part, DW_AT_data_member_location, &at) &&
					       at <= INT32_MAX
				       ? (long)at
				       : -1;
	} while (rt_die_next(&part));
	return -1;
}

bool rt_dwarf_inlined(struct rt_image *image, const char *name)
{
	struct rt_dwarf *dwarf;
	Dwarf_Die die;

	return rt_dwarf_open(image, &dwarf, NULL) == 0 && can_have_name(dwarf, name) &&
	       find(dwarf, NAME_INLINED, name, ENTRIES_ASKED, false, &die);
}
