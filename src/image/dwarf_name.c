/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/dwarf_private.h"

/*
 * Entries by name.  Units are looked through in their order until the name is found, and what was met on the way is kept, so that no unit
 * is looked through twice.  Only what stands outside functions counts.  The first definition of a name is taken.
 */

enum {
	DEPTH_MAX = 8,			/* namespaces in each other */
	NAME_BYTES = 1024,		/* of a name with its namespaces */
	ENTRIES_ASKED = 24 << 20,	/* looked at for a name that the user gave: some seconds */
	ENTRIES_OPAQUE = 1 << 20,	/* for what a declaration leaves open: some 0.1 s */
};

/* What a name is the name of; types of C have a name space of their own each. */
enum kind { NAME_NONE, NAME_STRUCT, NAME_UNION, NAME_ENUM, NAME_PLAIN, NAME_INLINED };

struct rt_dwarf_name {
	uint64_t hash;			/* of kind and name, never 0; 0: an empty place */
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

static int add(struct rt_dwarf_names *names, enum kind kind, const char *name, const Dwarf_Die *die)
{
	struct rt_dwarf_name *at;

	if (names->n * 2 >= names->room && grow(names))
		return -ENOMEM;
	at = place(names->v, names->room, hash_of(kind, name));
	if (at->hash)
		return 0;
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
		return rt_die_flag(die, DW_AT_declaration) ? NAME_NONE : c ? NAME_STRUCT : NAME_PLAIN;
	case DW_TAG_union_type:
		return rt_die_flag(die, DW_AT_declaration) ? NAME_NONE : c ? NAME_UNION : NAME_PLAIN;
	case DW_TAG_enumeration_type:
		return rt_die_flag(die, DW_AT_declaration) ? NAME_NONE : c ? NAME_ENUM : NAME_PLAIN;
	case DW_TAG_typedef:
	case DW_TAG_base_type:
		return NAME_PLAIN;
	case DW_TAG_subprogram:
		return rt_die_unsigned(die, DW_AT_inline, &inlined) && (inlined & 1) ? NAME_INLINED : NAME_NONE;
	default:
		return NAME_NONE;
	}
}

struct scan {
	struct rt_dwarf *dwarf;
	bool c;
	uint64_t budget;
	char name[NAME_BYTES];		/* the namespaces, and room for what is in them */
};

static bool append(struct scan *scan, size_t length, const char *name, const char *more)
{
	int n = snprintf(scan->name + length, NAME_BYTES - length, "%s%s", name, more);

	return n > 0 && (size_t)n < NAME_BYTES - length;
}

static int look_through(struct scan *scan, Dwarf_Die *parent, size_t length, unsigned depth)
{
	const char *name;
	enum kind kind;
	Dwarf_Die die;
	int ret = 0;

	if (depth > DEPTH_MAX || !rt_die_child(parent, &die))
		return 0;
	do {
		if (scan->budget == 0)
			return 0;
		scan->budget--;
		kind = kind_of(&die, scan->c);
		if (kind == NAME_NONE && dwarf_tag(&die) != DW_TAG_namespace)
			continue;
		name = rt_die_name(scan->dwarf, &die);
		if (!name || !append(scan, length, name, kind == NAME_NONE ? "::" : ""))
			continue;
		ret = kind == NAME_NONE ? look_through(scan, &die, strlen(scan->name), depth + 1) :
		      add(&scan->dwarf->names, kind, scan->name, &die);
	} while (ret == 0 && rt_die_next(&die));
	return ret;
}

/* The next unit of the file.  0, -ENOENT after the last, or -ENOMEM. */
static int next_unit(struct rt_dwarf *dwarf, uint64_t most)
{
	struct rt_dwarf_names *names = &dwarf->names;
	struct scan scan = { .dwarf = dwarf, .budget = most - names->looked };
	Dwarf_Off next;
	Dwarf_Die unit;
	size_t head;
	int ret = 0;

	if (dwarf_nextcu(dwarf->dbg, names->next, &next, &head, NULL, NULL, NULL) != 0 || next <= names->next)
		return -ENOENT;
	if (dwarf_offdie(dwarf->dbg, names->next + head, &unit)) {
		rt_dwarf_split(&unit);
		scan.c = rt_language_is_c(rt_die_language(&unit));
		ret = look_through(&scan, &unit, 0, 0);
	}
	/* A unit that was not looked through to its end is begun anew by whoever may look further. */
	if (scan.budget)
		names->next = next;
	names->looked = most - scan.budget + 1;
	rt_dwarf_forget(dwarf, next);
	return ret;
}

static bool find(struct rt_dwarf *dwarf, enum kind kind, const char *name, uint64_t most, Dwarf_Die *die)
{
	struct rt_dwarf_names *names = &dwarf->names;
	uint64_t hash = hash_of(kind, name);
	const struct rt_dwarf_name *at;

	for (;;) {
		at = names->room ? place(names->v, names->room, hash) : NULL;
		if (at && at->hash) {
			*die = at->die;
			return true;
		}
		if (names->looked >= most || next_unit(dwarf, most))
			return false;
	}
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

static bool find_type(struct rt_dwarf *dwarf, const char *name, uint64_t most, Dwarf_Die *die)
{
	enum kind kind = after_word(&name, "struct") || after_word(&name, "class") ? NAME_STRUCT :
			 after_word(&name, "union") ? NAME_UNION : after_word(&name, "enum") ? NAME_ENUM : NAME_PLAIN;

	if (kind != NAME_PLAIN && find(dwarf, kind, name, most, die))
		return true;
	return find(dwarf, NAME_PLAIN, name, most, die);
}

bool rt_dwarf_definition(struct rt_dwarf *dwarf, const char *name, Dwarf_Die *die)
{
	return find_type(dwarf, name, ENTRIES_OPAQUE, die);
}

const struct rt_ctype *rt_dwarf_type(struct rt_image *image, struct rt_types *types, const char *name)
{
	const struct rt_ctype *type;
	struct rt_dwarf_walk walk;
	struct rt_dwarf *dwarf;
	Dwarf_Die die;

	if (rt_dwarf_open(image, &dwarf, NULL) || !find_type(dwarf, name, ENTRIES_ASKED, &die) || rt_dwarf_walk_begin(&walk, dwarf, types))
		return NULL;
	walk.language = rt_die_language(&die);
	type = rt_dwarf_convert(&walk, &die, 1, 0);
	return rt_dwarf_walk_end(&walk) == 0 ? type : NULL;
}

bool rt_dwarf_inlined(struct rt_image *image, const char *name)
{
	struct rt_dwarf *dwarf;
	Dwarf_Die die;

	return rt_dwarf_open(image, &dwarf, NULL) == 0 && find(dwarf, NAME_INLINED, name, ENTRIES_ASKED, &die);
}
