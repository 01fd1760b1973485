/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_private.h"
#include "lang/print.h"
#include "base/array.h"
#include "base/clean.h"

/*
 * Entries of types -> struct rt_ctype.  Structures are made without their members and put into a
 * queue, nearest first, so that what a prototype reaches by few pointers is whole, and what is far
 * away costs nothing.
 */

enum {
	DEPTH_MAX = 64,			/* of modifiers, pointers and arrays on each other */
	/* pointers from a parameter to a structure with members to read */
	DISTANCE_MAX = 4,
	DIMENSIONS_MAX = 8,
	MEMBERS_MAX = 100000,		/* for one prototype */
};

/* ---- one object a type ---- */

const char *rt_dwarf_keep_name(struct rt_dwarf_walk *walk, const char *name)
{
	char *copy = name ? rt_types_alloc(walk->types, strlen(name) + 1) : NULL;

	walk->nomem |= name && !copy;
	if (copy) {
		memcpy(copy, name, strlen(name));
		rt_make_printable(copy);
	}
	return copy;
}

struct rt_dwarf_type *rt_dwarf_new_type(struct rt_dwarf_walk *walk, Dwarf_Die *die,
					enum rt_ctype_kind kind, const char *name, uint64_t size)
{
	void **slot = rt_types_slot(walk->types, die->addr);
	struct rt_dwarf_type *type = slot ? rt_types_alloc(walk->types, sizeof(*type)) : NULL;

	if (!type) {
		walk->nomem = true;
		return NULL;
	}
	type->ctype.kind = kind;
	type->ctype.name = rt_dwarf_keep_name(walk, name);
	type->ctype.size = size;
	type->ctype.target = walk->none;
	type->distance = type->filled = UINT8_MAX;
	*slot = type;
	return type;
}

static struct rt_dwarf_type *known_type(struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	void **slot = rt_types_slot(walk->types, die->addr);

	if (!slot)
		walk->nomem = true;
	return slot ? *slot : NULL;
}

unsigned rt_die_count(Dwarf_Die *die, int tag, unsigned most)
{
	Dwarf_Die child;
	unsigned n = 0, walked = 0;

	if (!rt_die_child(die, &child))
		return 0;
	do
		n += dwarf_tag(&child) == tag;
	while (n < most && ++walked < 4 * most && rt_die_next(&child));
	return n;
}

static bool is_modifier(int tag)
{
	switch (tag) {
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
	case DW_TAG_restrict_type:
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
	case DW_TAG_subrange_type:
	case 0x47:	/* DW_TAG_atomic_type, of DWARF 5 */
	case 0x4b:	/* DW_TAG_immutable_type */
		return true;
	default:
		return false;
	}
}

/* ---- pointers and arrays ---- */

/* The type that `die` points to, or is made of. */
static const struct rt_ctype *target_of(struct rt_dwarf_walk *walk, Dwarf_Die *die,
					unsigned distance, unsigned depth)
{
	Dwarf_Attribute attr;
	Dwarf_Die target;

	if (rt_die_type(die, &target))
		return rt_dwarf_convert(walk, &target, distance, depth + 1);
	if (!rt_die_attr(die, DW_AT_type, &attr))
		return walk->none;
	/*
	 * It has one, in the file that dwz has moved there what several have: that is another thing
	 * than void.
	 */
	walk->dwarf->no_shared |= dwarf_whatform(&attr) == DW_FORM_GNU_ref_alt;
	if (!walk->lost)
		walk->lost = rt_types_add(walk->types, RT_CT_UNKNOWN, NULL, 0);
	walk->nomem |= !walk->lost;
	return walk->lost;
}

/*
 * The source's own words for the target of `type`: const, and in C a typedef (FILE) whose structure
 * has another name.
 */
static void name_target(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_ctype *type)
{
	Dwarf_Die target;
	int i, tag = 0;

	type->const_target = false;
	for (i = 0; i < 8 && rt_die_type(i ? &target : die, &target); i++) {
		tag = dwarf_tag(&target);
		if (!is_modifier(tag))
			break;
		type->const_target |= tag == DW_TAG_const_type;
	}
	if (tag == DW_TAG_typedef && rt_language_is_c(rt_dwarf_language(walk, die)) &&
	    type->target &&
	    (type->target->kind == RT_CT_STRUCT || type->target->kind == RT_CT_UNION ||
	     type->target->kind == RT_CT_FUNCTION))
		type->target_name = rt_dwarf_keep_name(walk, rt_die_name(walk->dwarf, &target));
}

static struct rt_ctype *convert_pointer(struct rt_dwarf_walk *walk, Dwarf_Die *die,
					enum rt_ctype_kind kind, unsigned distance, unsigned depth)
{
	struct rt_dwarf_type *type = rt_dwarf_new_type(walk, die, kind,
						       rt_die_name(walk->dwarf, die), walk->word);

	if (!type)
		return NULL;
	/* Only Rust names its pointers. */
	if (type->ctype.name && (type->ctype.name[0] == '&' ||
				 strncmp(type->ctype.name, "alloc::boxed::Box<", 18) == 0))
		type->ctype.kind = RT_CT_REFERENCE;
	type->ctype.align = walk->word;
	type->ctype.target = target_of(walk, die, distance + 1, depth);
	name_target(walk, die, &type->ctype);
	return &type->ctype;
}

/*
 * The function type behind a function pointer among the parameters, for the printed prototype.
 * Members of structures have none.
 */
static void fill_function(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_ctype *type,
			  unsigned depth)
{
	const struct rt_ctype *param;
	char text[512] = "";
	unsigned n = 0;
	Dwarf_Die child;
	FILE *file;
	int tag;

	type->parameters = "...";	/* it may lead to itself */
	type->target = target_of(walk, die, DISTANCE_MAX + 1, depth);
	file = fmemopen(text, sizeof(text) - 1, "w");
	if (!file)
		return;
	if (rt_die_child(die, &child))
		do {
			tag = dwarf_tag(&child);
			param = tag == DW_TAG_formal_parameter
					? target_of(walk, &child, DISTANCE_MAX + 1, depth)
					: NULL;
			if (n && (param || tag == DW_TAG_unspecified_parameters))
				fputs(", ", file);
			if (param)
				rt_ctype_print(file, param, NULL);
			else if (tag == DW_TAG_unspecified_parameters)
				fputs("...", file);
			n += param != NULL;
		} while (n < 32 && !walk->nomem && rt_die_next(&child));
	fclose(file);
	type->parameters = n					? rt_dwarf_keep_name(walk, text)
			   : rt_die_flag(die, DW_AT_prototyped) ? "void"
								: "";
	if (!type->parameters)
		type->parameters = "...";
}

/* C++'s pointer to a member: an offset, or for a function two words (Itanium ABI 2.3). */
static struct rt_ctype *convert_member_pointer(struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	struct rt_dwarf_type *type = rt_dwarf_new_type(walk, die, RT_CT_INT, NULL, walk->word);
	struct rt_member *members;
	struct rt_ctype *word, *pointer;
	Dwarf_Die target;

	if (!type)
		return NULL;
	type->ctype.align = walk->word;
	type->ctype.is_signed = true;
	if (!rt_die_type(die, &target) || dwarf_tag(&target) != DW_TAG_subroutine_type)
		return &type->ctype;
	members = rt_types_alloc(walk->types, 2 * sizeof(*members));
	word = rt_types_add(walk->types, RT_CT_INT, NULL, walk->word);
	pointer = rt_types_add(walk->types, RT_CT_POINTER, NULL, walk->word);
	if (!members || !word || !pointer) {
		walk->nomem = true;
		return NULL;
	}
	word->is_signed = true;
	pointer->target = rt_types_add(walk->types, RT_CT_FUNCTION, NULL, 0);
	walk->nomem |= !pointer->target;
	members[0].name = "ptr";
	members[0].type = pointer;
	members[1].name = "adj";
	members[1].type = word;
	members[1].offset = walk->word;
	type->ctype.kind = RT_CT_STRUCT;
	type->ctype.size = 2 * (uint64_t)walk->word;
	type->ctype.members = members;
	type->ctype.nmembers = 2;
	return &type->ctype;
}

/* Elements of one dimension; 0: not known, or none.  `open`: nothing tells. */
static uint64_t dimension(Dwarf_Die *range, bool *open)
{
	int64_t upper, lower = 0;
	uint64_t count;

	if (rt_die_unsigned(range, DW_AT_count, &count))
		return count < 1ull << 40 ? count : 0;
	rt_die_signed(range, DW_AT_lower_bound, &lower);
	*open = !rt_die_signed(range, DW_AT_upper_bound, &upper);
	if (*open || upper < lower || upper - lower >= (int64_t)1 << 40)
		return 0;
	return (uint64_t)(upper - lower) + 1;
}

/* `open`: of the first it is not known how many elements it has. */
static unsigned dimensions(Dwarf_Die *die, uint64_t v[DIMENSIONS_MAX], bool *open)
{
	Dwarf_Die child;
	bool inner = false;
	unsigned n = 0;

	if (rt_die_child(die, &child))
		do
			if (dwarf_tag(&child) == DW_TAG_subrange_type) {
				v[n] = dimension(&child, n ? &inner : open);
				n++;
			}
		while (n < DIMENSIONS_MAX && rt_die_next(&child));
	return n;
}

static uint64_t array_size(const struct rt_ctype *element, uint64_t count)
{
	return element->size && count && element->size < (1ull << 48) / count
		       ? element->size * count
		       : 0;
}

/* GCC's vectors are arrays that are passed as one value in a vector register. */
static struct rt_ctype *convert_array(struct rt_dwarf_walk *walk, Dwarf_Die *die, unsigned distance,
				      unsigned depth)
{
	struct rt_dwarf_type *type = rt_dwarf_new_type(walk, die, RT_CT_ARRAY,
						       rt_die_name(walk->dwarf, die), 0);
	uint64_t v[DIMENSIONS_MAX] = { 0 };
	bool open = false;
	unsigned n = dimensions(die, v, &open);
	const struct rt_ctype *element;
	struct rt_ctype *inner;

	element = type ? target_of(walk, die, distance, depth) : NULL;
	if (!element)
		return NULL;
	for (; n > 1; n--) {
		inner = rt_types_add(walk->types, RT_CT_ARRAY, NULL, array_size(element, v[n - 1]));
		if (!inner) {
			walk->nomem = true;
			return NULL;
		}
		inner->target = element;
		inner->count = v[n - 1];
		inner->align = element->align;
		element = inner;
	}
	type->ctype.target = element;
	if (n <= 1)
		name_target(walk, die, &type->ctype);
	type->ctype.count = v[0];
	type->ctype.is_open = open;
	type->ctype.align = element->align;
	type->ctype.size = array_size(element, v[0]);
	type->ctype.is_vector = rt_die_flag(die, DW_AT_GNU_vector);
	if (type->ctype.is_vector && type->ctype.size <= 64)
		type->ctype.align = (uint32_t)type->ctype.size;
	return &type->ctype;
}

/* ---- names that stand for other types ---- */

/* A byte that is no text, by its typedef: int8_t, uint8_t, u8, byte. */
static bool is_small_number(const char *name)
{
	return strstr(name, "8") || strstr(name, "byte") || strstr(name, "Byte") ||
	       strstr(name, "bool") || strstr(name, "BOOL");
}

/*
 * A number's type gets its outermost typedef's name; a structure gets one only if it has no name.
 */
static struct rt_ctype *named(struct rt_dwarf_walk *walk, Dwarf_Die *die, const struct rt_ctype *of)
{
	const char *name = rt_die_name(walk->dwarf, die);
	struct rt_dwarf_type *type;
	struct rt_ctype *plain = (struct rt_ctype *)of;

	if (!name || of->kind == RT_CT_VOID || of->kind == RT_CT_FUNCTION)
		return plain;
	if (of->kind == RT_CT_STRUCT || of->kind == RT_CT_UNION || of->kind == RT_CT_VARIANT) {
		if (!of->name) {
			plain->name = rt_dwarf_keep_name(walk, name);
		}
		return plain;
	}
	if (of->kind == RT_CT_ENUM && of->name)
		return plain;
	type = rt_dwarf_new_type(walk, die, of->kind, NULL, of->size);
	if (!type)
		return NULL;
	type->ctype = *of;
	type->ctype.name = rt_dwarf_keep_name(walk, name);
	if (of->kind == RT_CT_CHAR && is_small_number(name))
		type->ctype.kind = RT_CT_INT;
	return &type->ctype;
}

/* ---- all ---- */

static struct rt_ctype *convert_new(struct rt_dwarf_walk *walk, Dwarf_Die *die, int tag,
				    unsigned distance, unsigned depth)
{
	struct rt_dwarf_type *type;

	switch (tag) {
	case DW_TAG_base_type:
		return rt_dwarf_convert_base(walk, die);
	case DW_TAG_enumeration_type:
		return rt_dwarf_convert_enum(walk, die);
	case DW_TAG_pointer_type:
		return convert_pointer(walk, die, RT_CT_POINTER, distance, depth);
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return convert_pointer(walk, die, RT_CT_REFERENCE, distance, depth);
	case DW_TAG_ptr_to_member_type:
		return convert_member_pointer(walk, die);
	case DW_TAG_array_type:
		return convert_array(walk, die, distance, depth);
	case DW_TAG_subroutine_type:
		type = rt_dwarf_new_type(walk, die, RT_CT_FUNCTION, NULL, 0);
		return type ? &type->ctype : NULL;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
		type = rt_dwarf_new_type(walk, die,
					 tag == DW_TAG_union_type ? RT_CT_UNION : RT_CT_STRUCT,
					 NULL, rt_die_byte_size(die));
		if (type)
			rt_dwarf_begin_struct(walk, die, type);
		return type ? &type->ctype : NULL;
	default:
		type = rt_dwarf_new_type(walk, die, RT_CT_UNKNOWN, rt_die_name(walk->dwarf, die),
					 0);
		/* decltype(nullptr) */
		if (type && tag == DW_TAG_unspecified_type && type->ctype.name &&
		    strstr(type->ctype.name, "nullptr")) {
			type->ctype.kind = RT_CT_POINTER;
			type->ctype.size = walk->word;
		}
		return type ? &type->ctype : NULL;
	}
}

/* A structure that is met for the first time, or by fewer pointers than before, is queued. */
static int enqueue(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type,
		   unsigned distance)
{
	if (distance > DISTANCE_MAX || distance >= type->distance)
		return 0;
	if (RT_ROOM(&walk->queue, walk->nqueue, &walk->queue_cap))
		return -ENOMEM;
	type->distance = (uint8_t)distance;
	walk->queue[walk->nqueue].die = *die;
	walk->queue[walk->nqueue].type = type;
	walk->nqueue++;
	return 0;
}

/* A type that is met again, now nearer: so is what it leads to. */
static void set_distance(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type,
			 unsigned distance, unsigned depth)
{
	Dwarf_Die target;
	int tag = dwarf_tag(die);
	bool pointer = tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
		       tag == DW_TAG_rvalue_reference_type;

	if (distance >= type->distance)
		return;
	type->distance = (uint8_t)distance;
	if ((pointer || tag == DW_TAG_typedef || tag == DW_TAG_array_type) &&
	    rt_die_type(die, &target))
		rt_dwarf_convert(walk, &target, distance + pointer, depth + 1);
}

const struct rt_ctype *rt_dwarf_convert(struct rt_dwarf_walk *walk, Dwarf_Die *die,
					unsigned distance, unsigned depth)
{
	struct rt_dwarf_type *type;
	const struct rt_ctype *of;
	int tag = dwarf_tag(die);

	if (walk->nomem)
		return NULL;
	if (depth > DEPTH_MAX)
		return walk->none;
	if (is_modifier(tag))
		return target_of(walk, die, distance, depth);
	type = known_type(walk, die);
	if (!type && tag == DW_TAG_typedef && rt_dwarf_is_go(die)) {
		of = rt_dwarf_go_interface(walk, die);
		if (of)
			return of;
	}
	if (!type && tag == DW_TAG_typedef) {
		of = target_of(walk, die, distance, depth);
		return of ? named(walk, die, of) : NULL;
	}
	if (!type)
		type = (struct rt_dwarf_type *)convert_new(walk, die, tag, distance, depth);
	if (!type)
		return NULL;
	if (tag == DW_TAG_subroutine_type && distance <= 1 && !type->ctype.parameters)
		fill_function(walk, die, &type->ctype, depth);
	if (!type->is_struct)
		set_distance(walk, die, type, distance, depth);
	else if (enqueue(walk, die, type, distance))
		walk->nomem = true;
	return &type->ctype;
}

const struct rt_ctype *rt_dwarf_type_of(struct rt_dwarf_walk *walk, Dwarf_Die *die,
					unsigned distance)
{
	return target_of(walk, die, distance, 0);
}

int rt_dwarf_walk_begin(struct rt_dwarf_walk *walk, struct rt_dwarf *dwarf, struct rt_types *types)
{
	memset(walk, 0, sizeof(*walk));
	walk->dwarf = dwarf;
	walk->types = types;
	walk->word = dwarf->image->arch->word;
	walk->budget = MEMBERS_MAX;
	walk->none = rt_types_add(types, RT_CT_VOID, NULL, 0);
	return walk->none ? 0 : -ENOMEM;
}

int rt_dwarf_walk_end(struct rt_dwarf_walk *walk)
{
	Dwarf_Die die;
	size_t i;

	for (i = 0; i < walk->nqueue && !walk->nomem; i++) {
		die = walk->queue[i].die;	/* the queue moves while it grows */
		rt_dwarf_fill_struct(walk, &die, walk->queue[i].type);
	}
	rt_dwarf_settle_structs(walk);
	free(walk->queue);
	walk->queue = NULL;
	walk->nqueue = walk->queue_cap = 0;
	return walk->nomem ? -ENOMEM : 0;
}
