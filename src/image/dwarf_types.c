/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "image/dwarf_private.h"
#include "util/array.h"

/*
 * Entries of types -> struct rt_ctype.  Structures are made without their members and put into a queue, nearest first, so that what a
 * prototype reaches by few pointers is whole, and what is far away costs nothing.
 */

enum {
	DEPTH_MAX = 64,			/* of modifiers, pointers and arrays on each other */
	DISTANCE_MAX = 4,		/* pointers from a parameter to a structure whose members are read */
	ENUMERATORS_MAX = 4096,
	DIMENSIONS_MAX = 8,
	MEMBERS_MAX = 100000,		/* for one prototype */
};

/* ---- one object a type ---- */

const char *rt_dwarf_keep_name(struct rt_dwarf_walk *walk, const char *name)
{
	const char *kept = name ? rt_types_name(walk->types, name, strlen(name)) : NULL;

	walk->nomem |= name && !kept;
	return kept;
}

static struct rt_dwarf_type *new_type(struct rt_dwarf_walk *walk, Dwarf_Die *die, enum rt_ctype_kind kind, const char *name, uint64_t size)
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

/* ---- scalars ---- */

static bool contains(const char *name, const char *what)
{
	return name && strstr(name, what);
}

/* A byte that is no text, by its typedef: int8_t, uint8_t, u8, byte. */
static bool is_small_number(const char *name)
{
	return contains(name, "8") || contains(name, "byte") || contains(name, "Byte") || contains(name, "bool") || contains(name, "BOOL");
}

/* The x87's 10 bytes take 12 or 16. */
static void set_float(struct rt_dwarf_walk *walk, struct rt_ctype *type)
{
	unsigned machine = walk->dwarf->image->arch->machine;

	type->kind = RT_CT_FLOAT;
	if ((machine == EM_X86_64 || machine == EM_386) && contains(type->name, "long double")) {
		type->align = type->size == 12 ? 4 : 16;
		type->size = 10;
	} else if (type->size != 4 && type->size != 8 && type->size != 16) {
		type->kind = RT_CT_UNKNOWN;
	}
}

/* As the ABI has it: a structure of its two parts. */
static void set_complex(struct rt_dwarf_walk *walk, struct rt_ctype *type)
{
	static const char *const names[] = { "re", "im" };
	struct rt_member *members = rt_types_alloc(walk->types, 2 * sizeof(*members));
	struct rt_ctype *part = rt_types_add(walk->types, RT_CT_FLOAT, contains(type->name, "long double") ? "long double" : NULL, type->size / 2);
	int i;

	if (!members || !part) {
		walk->nomem = true;
		return;
	}
	set_float(walk, part);
	for (i = 0; i < 2; i++) {
		members[i].name = names[i];
		members[i].type = part;
		members[i].offset = i ? (uint32_t)(type->size / 2) : 0;
	}
	type->kind = RT_CT_STRUCT;
	type->align = part->align ? part->align : (uint32_t)part->size;
	type->members = members;
	type->nmembers = 2;
}

static void set_base(struct rt_dwarf_walk *walk, struct rt_ctype *type, uint64_t encoding)
{
	switch (encoding) {
	case DW_ATE_boolean:
		type->kind = RT_CT_BOOL;
		break;
	case DW_ATE_address:
		type->style = RT_STYLE_HEX;
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_fixed:
		type->is_signed = true;
		break;
	case DW_ATE_signed_char:
		type->is_signed = true;
		/* fallthrough */
	case DW_ATE_unsigned_char:
		type->kind = type->size == 1 ? RT_CT_CHAR : RT_CT_INT;
		break;
	case DW_ATE_UTF:
		type->kind = type->size == 1 ? RT_CT_CHAR : RT_CT_INT;
		type->style = RT_STYLE_CHAR;
		break;
	case DW_ATE_float:
		set_float(walk, type);
		break;
	case DW_ATE_complex_float:
		set_complex(walk, type);
		break;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_fixed:
		break;
	default:
		type->kind = RT_CT_UNKNOWN;
	}
	/* Rust's (). */
	if (type->size == 0 && type->kind != RT_CT_UNKNOWN) {
		type->kind = RT_CT_STRUCT;
		type->align = 1;
	}
}

static uint64_t byte_size(Dwarf_Die *die)
{
	uint64_t size;

	return rt_die_unsigned(die, DW_AT_byte_size, &size) && size < 1ull << 48 ? size : 0;
}

static struct rt_ctype *convert_base(struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	uint64_t encoding = 0;
	struct rt_dwarf_type *type = new_type(walk, die, RT_CT_INT, rt_die_name(walk->dwarf, die), byte_size(die));

	if (!type)
		return NULL;
	rt_die_unsigned(die, DW_AT_encoding, &encoding);
	if (type->ctype.size > 32)
		encoding = 0;
	type->ctype.align = (uint32_t)type->ctype.size;
	set_base(walk, &type->ctype, encoding);
	return &type->ctype;
}

/* ---- enumerations ---- */

/* Flags: single bits, or none, and more of them than a list of small numbers begins with. */
static bool are_flags(const struct rt_enumerator *v, unsigned n)
{
	int64_t most = 0;
	unsigned i;

	for (i = 0; i < n; i++) {
		if (v[i].value < 0 || (v[i].value & (v[i].value - 1)))
			return false;
		if (v[i].value > most)
			most = v[i].value;
	}
	return most >= 4;
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

static void read_enumerators(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_ctype *type)
{
	unsigned most = rt_die_count(die, DW_TAG_enumerator, ENUMERATORS_MAX), n = 0;
	struct rt_enumerator *v;
	const char *name;
	Dwarf_Die child;
	uint64_t value;

	v = rt_types_alloc(walk->types, (most ? most : 1) * sizeof(*v));
	if (!v) {
		walk->nomem = true;
		return;
	}
	if (n < most && rt_die_child(die, &child))
		do {
			name = dwarf_tag(&child) == DW_TAG_enumerator ? rt_die_name(walk->dwarf, &child) : NULL;
			if (!name)
				continue;
			if (type->is_signed ? !rt_die_signed(&child, DW_AT_const_value, &v[n].value) :
			    !rt_die_unsigned(&child, DW_AT_const_value, &value))
				continue;
			if (!type->is_signed)
				v[n].value = (int64_t)value;
			v[n++].name = rt_dwarf_keep_name(walk, name);
		} while (!walk->nomem && n < most && rt_die_next(&child));
	type->values = v;
	type->nvalues = n;
	type->is_flags = are_flags(v, n);
}

static bool has_negative(Dwarf_Die *die)
{
	Dwarf_Die child;
	unsigned n = 0;
	int64_t value;

	if (!rt_die_child(die, &child))
		return false;
	do
		if (dwarf_tag(&child) == DW_TAG_enumerator && rt_die_signed(&child, DW_AT_const_value, &value) && value < 0)
			return true;
	while (++n < ENUMERATORS_MAX && rt_die_next(&child));
	return false;
}

static struct rt_ctype *convert_enum(struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	struct rt_dwarf_type *type = new_type(walk, die, RT_CT_ENUM, NULL, byte_size(die));
	uint64_t encoding;
	Dwarf_Die base;

	if (!type)
		return NULL;
	type->ctype.name = rt_dwarf_tag_name(walk, die, "enum");
	if (type->ctype.size == 0 || type->ctype.size > 8)
		type->ctype.size = 4;
	type->ctype.align = (uint32_t)type->ctype.size;
	if (rt_die_type(die, &base) && rt_die_unsigned(&base, DW_AT_encoding, &encoding))
		type->ctype.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	else
		type->ctype.is_signed = has_negative(die);
	read_enumerators(walk, die, &type->ctype);
	return &type->ctype;
}

/* ---- pointers and arrays ---- */

/* What entry `die` points to, or is made of. */
static const struct rt_ctype *target_of(struct rt_dwarf_walk *walk, Dwarf_Die *die, unsigned distance, unsigned depth)
{
	Dwarf_Die target;

	return rt_die_type(die, &target) ? rt_dwarf_convert(walk, &target, distance, depth + 1) : walk->none;
}

static struct rt_ctype *convert_pointer(struct rt_dwarf_walk *walk, Dwarf_Die *die, enum rt_ctype_kind kind, unsigned distance, unsigned depth)
{
	struct rt_dwarf_type *type = new_type(walk, die, kind, rt_die_name(walk->dwarf, die), walk->word);

	if (!type)
		return NULL;
	/* Only Rust names its pointers. */
	if (type->ctype.name && type->ctype.name[0] == '&')
		type->ctype.kind = RT_CT_REFERENCE;
	type->ctype.align = walk->word;
	type->ctype.target = target_of(walk, die, distance + 1, depth);
	return &type->ctype;
}

/* C++'s pointer to a member: an offset, or for a function two words (Itanium ABI 2.3). */
static struct rt_ctype *convert_member_pointer(struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	struct rt_dwarf_type *type = new_type(walk, die, RT_CT_INT, NULL, walk->word);
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

/* Elements of one dimension; 0: not known. */
static uint64_t dimension(Dwarf_Die *range)
{
	int64_t upper, lower = 0;
	uint64_t count;

	if (rt_die_unsigned(range, DW_AT_count, &count))
		return count < 1ull << 40 ? count : 0;
	rt_die_signed(range, DW_AT_lower_bound, &lower);
	if (!rt_die_signed(range, DW_AT_upper_bound, &upper) || upper < lower || upper - lower >= (int64_t)1 << 40)
		return 0;
	return (uint64_t)(upper - lower) + 1;
}

static unsigned dimensions(Dwarf_Die *die, uint64_t v[DIMENSIONS_MAX])
{
	Dwarf_Die child;
	unsigned n = 0;

	if (rt_die_child(die, &child))
		do
			if (dwarf_tag(&child) == DW_TAG_subrange_type)
				v[n++] = dimension(&child);
		while (n < DIMENSIONS_MAX && rt_die_next(&child));
	return n;
}

static uint64_t array_size(const struct rt_ctype *element, uint64_t count)
{
	return element->size && count && element->size < (1ull << 48) / count ? element->size * count : 0;
}

/* GCC's vectors are arrays that are passed as one value in a vector register. */
static struct rt_ctype *convert_array(struct rt_dwarf_walk *walk, Dwarf_Die *die, unsigned distance, unsigned depth)
{
	struct rt_dwarf_type *type = new_type(walk, die, RT_CT_ARRAY, rt_die_name(walk->dwarf, die), 0);
	uint64_t v[DIMENSIONS_MAX] = { 0 };
	unsigned n = dimensions(die, v);
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
	type->ctype.count = v[0];
	type->ctype.align = element->align;
	type->ctype.size = array_size(element, v[0]);
	type->is_vector = rt_die_flag(die, DW_AT_GNU_vector);
	return &type->ctype;
}

/* ---- names that stand for other types ---- */

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

/* What is a number keeps the name that it was given last; a structure without a name gets it. */
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
	type = new_type(walk, die, of->kind, NULL, of->size);
	if (!type)
		return NULL;
	type->ctype = *of;
	type->ctype.name = rt_dwarf_keep_name(walk, name);
	if (of->kind == RT_CT_CHAR && is_small_number(name))
		type->ctype.kind = RT_CT_INT;
	return &type->ctype;
}

/* ---- all ---- */

static struct rt_ctype *convert_new(struct rt_dwarf_walk *walk, Dwarf_Die *die, int tag, unsigned distance, unsigned depth)
{
	struct rt_dwarf_type *type;

	switch (tag) {
	case DW_TAG_base_type:
		return convert_base(walk, die);
	case DW_TAG_enumeration_type:
		return convert_enum(walk, die);
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
		type = new_type(walk, die, RT_CT_FUNCTION, NULL, 0);
		return type ? &type->ctype : NULL;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
		type = new_type(walk, die, tag == DW_TAG_union_type ? RT_CT_UNION : RT_CT_STRUCT, NULL, byte_size(die));
		if (type)
			rt_dwarf_begin_struct(walk, die, type);
		return type ? &type->ctype : NULL;
	default:
		type = new_type(walk, die, RT_CT_UNKNOWN, rt_die_name(walk->dwarf, die), 0);
		/* decltype(nullptr) */
		if (type && tag == DW_TAG_unspecified_type && contains(type->ctype.name, "nullptr")) {
			type->ctype.kind = RT_CT_POINTER;
			type->ctype.size = walk->word;
		}
		return type ? &type->ctype : NULL;
	}
}

/* A structure that is met for the first time, or by fewer pointers than before, is queued. */
static int enqueue(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type, unsigned distance)
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
static void come_nearer(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type, unsigned distance, unsigned depth)
{
	Dwarf_Die target;
	int tag = dwarf_tag(die);
	bool pointer = tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;

	if (distance >= type->distance)
		return;
	type->distance = (uint8_t)distance;
	if ((pointer || tag == DW_TAG_typedef || tag == DW_TAG_array_type) && rt_die_type(die, &target))
		rt_dwarf_convert(walk, &target, distance + pointer, depth + 1);
}

const struct rt_ctype *rt_dwarf_convert(struct rt_dwarf_walk *walk, Dwarf_Die *die, unsigned distance, unsigned depth)
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
	if (!type->is_struct)
		come_nearer(walk, die, type, distance, depth);
	else if (enqueue(walk, die, type, distance))
		walk->nomem = true;
	return &type->ctype;
}

const struct rt_ctype *rt_dwarf_type_of(struct rt_dwarf_walk *walk, Dwarf_Die *die, unsigned distance)
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
