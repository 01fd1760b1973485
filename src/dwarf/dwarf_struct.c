/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "dwarf/dwarf_private.h"

/* Members of structures, unions and classes. */

enum {
	MEMBERS_MAX = 4096,
	NAME_MAX_BYTES = 512,
	/* pointers to a structure to be found in other units */
	DECLARED_DISTANCE_MAX = 2,
};

/* ---- what it is called ---- */

unsigned rt_dwarf_language(const struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	unsigned language = rt_die_language(die);

	return language ? language : walk->language;
}

const char *rt_dwarf_tag_name(struct rt_dwarf_walk *walk, Dwarf_Die *die, const char *word)
{
	const char *name = rt_die_name(walk->dwarf, die);
	char text[NAME_MAX_BYTES];

	if (name && rt_language_is_c(rt_dwarf_language(walk, die))) {
		snprintf(text, sizeof(text), "%s %s", word, name);
		name = text;
	}
	return rt_dwarf_keep_name(walk, name);
}

/*
 * DWARF 5: as alignas() and #[repr(align)] have it, of a structure or of a member of it.  In C's
 * calls on aarch64 a structure's does not count, and members' mostly have the type's.
 */
static void add_alignment(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type)
{
	uint64_t align;

	if ((type->is_rust || walk->dwarf->image->arch->aligns_structs) &&
	    rt_die_unsigned(die, 0x88 /* DW_AT_alignment */, &align) && align > type->align &&
	    align <= 4096 && !(align & (align - 1)))
		type->align = (uint32_t)align;
}

void rt_dwarf_begin_struct(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type)
{
	Dwarf_Die part;

	type->is_struct = true;
	type->is_rust = rt_dwarf_language(walk, die) == RT_LANG_RUST;
	add_alignment(walk, die, type);
	if (type->is_rust && rt_dwarf_variant_part(die, &part))
		type->ctype.kind = RT_CT_VARIANT;
	type->ctype.name = rt_dwarf_tag_name(walk, die,
					     type->ctype.kind == RT_CT_UNION ? "union" : "struct");
}

/* ---- its members ---- */

static bool member_offset(Dwarf_Die *die, uint32_t *offset)
{
	Dwarf_Attribute attr;
	uint64_t value;
	Dwarf_Op *ops;
	size_t n;

	*offset = 0;
	if (!rt_die_attr(die, DW_AT_data_member_location, &attr))
		return true;
	if (!rt_die_unsigned(die, DW_AT_data_member_location, &value)) {
		/* DWARF 2 has an expression, to be applied to the structure's address. */
		if (dwarf_getlocation(&attr, &ops, &n) != 0 || n != 1 ||
		    ops[0].atom != DW_OP_plus_uconst)
			return false;
		value = ops[0].number;
	}
	*offset = (uint32_t)value;
	return value <= UINT32_MAX;
}

/* Before DWARF 4 the bit is counted from the highest one of a unit of `bytes` bytes. */
static bool bit_field(Dwarf_Die *die, struct rt_member *member)
{
	uint64_t size, at, bytes;
	int64_t from_top, bit;

	if (!rt_die_unsigned(die, DW_AT_bit_size, &size))
		return true;
	if (size == 0 || size > 64)
		return false;
	if (rt_die_unsigned(die, DW_AT_data_bit_offset, &at)) {
		if (at > UINT32_MAX)
			return false;
		bit = (int64_t)at;
	} else if (rt_die_signed(die, DW_AT_bit_offset, &from_top)) {
		if (!rt_die_unsigned(die, DW_AT_byte_size, &bytes))
			bytes = member->type->size;
		if (from_top < -4096 || from_top > 4096 || bytes > 16)
			return false;
		bit = (int64_t)member->offset * 8 + (int64_t)bytes * 8 - from_top - (int64_t)size;
		if (bit < 0)
			return false;
	} else {
		bit = (int64_t)member->offset * 8;
	}
	member->offset = (uint32_t)(bit / 8);
	member->bit_offset = (uint8_t)(bit % 8);
	member->bit_size = (uint8_t)size;
	return true;
}

/* C++: the pointer to the virtual functions has a name that no source can have. */
static bool is_hidden(const char *name)
{
	return name && strncmp(name, "_vptr", 5) == 0;
}

bool rt_dwarf_read_member(struct rt_dwarf_walk *walk, Dwarf_Die *die,
			  const struct rt_dwarf_type *of, struct rt_member *member)
{
	int tag = dwarf_tag(die);
	const char *name = rt_die_name(walk->dwarf, die);
	uint64_t virtual_base;

	if (tag != DW_TAG_member && tag != DW_TAG_inheritance)
		return false;
	/* Static members, and base classes at a place that only the object knows. */
	if (rt_die_flag(die, DW_AT_external) || rt_die_flag(die, DW_AT_declaration) ||
	    is_hidden(name) ||
	    (tag == DW_TAG_inheritance && rt_die_unsigned(die, DW_AT_virtuality, &virtual_base) &&
	     virtual_base))
		return false;
	memset(member, 0, sizeof(*member));
	if (!member_offset(die, &member->offset))
		return false;
	member->type = rt_dwarf_type_of(walk, die, of->distance);
	if (!member->type || !bit_field(die, member))
		return false;
	if (of->ctype.size &&
	    (member->offset > of->ctype.size || member->type->size > of->ctype.size))
		return false;
	if (of->is_rust)
		name = rt_dwarf_field_name(name);
	member->name = tag == DW_TAG_member ? rt_dwarf_keep_name(walk, name) : NULL;
	return true;
}

/* ---- is it trivially copied? ---- */

static bool same_entry(Dwarf_Die *a, Dwarf_Die *b)
{
	return a->addr == b->addr;
}

/* The first parameter that is not `this`, peeled, is a reference to the class. */
static bool takes_itself(Dwarf_Die *method, Dwarf_Die *class)
{
	Dwarf_Die child, type, inner;
	int i, tag;

	if (!rt_die_child(method, &child))
		return false;
	while (dwarf_tag(&child) != DW_TAG_formal_parameter ||
	       rt_die_flag(&child, DW_AT_artificial))
		if (!rt_die_next(&child))
			return false;
	if (!rt_die_type(&child, &type))
		return false;
	tag = dwarf_tag(&type);
	if (tag != DW_TAG_reference_type && tag != DW_TAG_rvalue_reference_type)
		return false;
	for (i = 0; i < 8 && rt_die_type(&type, &inner); i++) {
		if (same_entry(&inner, class))
			return true;
		type = inner;
	}
	return false;
}

/* A destructor or a copy or move constructor of its own. */
static bool copies_itself(struct rt_dwarf_walk *walk, Dwarf_Die *method, Dwarf_Die *class,
			  const char *class_name)
{
	const char *name = rt_die_name(walk->dwarf, method);
	uint64_t defaulted = 0;
	size_t n;

	/* "= default" inside the class. */
	if (!name || !class_name ||
	    (rt_die_unsigned(method, 0x8b /* DW_AT_defaulted */, &defaulted) && defaulted == 1))
		return false;
	if (name[0] == '~')
		return true;
	n = strcspn(class_name, "<");
	return strncmp(name, class_name, n) == 0 && (!name[n] || name[n] == '<') &&
	       takes_itself(method, class);
}

static bool is_passed_by_reference(struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	const char *name = rt_die_name(walk->dwarf, die);
	uint64_t convention;
	Dwarf_Die child;
	unsigned n = 0;

	/* DWARF 5: DW_CC_pass_by_reference and _by_value. */
	if (rt_die_unsigned(die, DW_AT_calling_convention, &convention) &&
	    (convention == 4 || convention == 5))
		return convention == 4;
	if (!rt_language_is_cxx(rt_dwarf_language(walk, die)) || !rt_die_child(die, &child))
		return false;
	do {
		if (dwarf_tag(&child) == DW_TAG_subprogram &&
		    copies_itself(walk, &child, die, name))
			return true;
		if (dwarf_tag(&child) == DW_TAG_member &&
		    is_hidden(rt_die_name(walk->dwarf, &child)))
			return true;
	} while (++n < MEMBERS_MAX && rt_die_next(&child));
	return false;
}

/* ---- all ---- */

/*
 * C's hidden structures, and C++ classes, which clang defines in one unit only: another unit may
 * have the definition.  A class's whole name must be the same: A::B is not C::B.
 */
static void fill_declared(struct rt_dwarf_walk *walk, Dwarf_Die *declared,
			  struct rt_dwarf_type *type)
{
	bool c = rt_language_is_c(rt_dwarf_language(walk, declared));
	char scoped[NAME_MAX_BYTES];
	const char *name = type->ctype.name;
	Dwarf_Die die;
	uint64_t size;
	int tag;

	if (type->distance > DECLARED_DISTANCE_MAX || !name)
		return;
	if (!c && !rt_dwarf_scoped_name(walk->dwarf, declared, false, scoped, sizeof(scoped)))
		return;
	if (!rt_dwarf_definition(walk->dwarf, c ? name : scoped, &die) ||
	    rt_die_flag(&die, DW_AT_declaration))
		return;
	tag = dwarf_tag(&die);
	if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type &&
	     tag != DW_TAG_union_type) ||
	    (tag == DW_TAG_union_type) != (type->ctype.kind == RT_CT_UNION))
		return;
	if (rt_die_unsigned(&die, DW_AT_byte_size, &size) && size < 1ull << 48)
		type->ctype.size = size;
	type->filled = UINT8_MAX;
	rt_dwarf_fill_struct(walk, &die, type);
}

void rt_dwarf_fill_struct(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_dwarf_type *type)
{
	unsigned most = rt_die_count(die, DW_TAG_member, MEMBERS_MAX) +
			rt_die_count(die, DW_TAG_inheritance, MEMBERS_MAX),
		 n = 0;
	struct rt_member *members;
	Dwarf_Die child;

	if (type->filled <= type->distance)
		return;
	type->filled = type->distance;
	if (type->ctype.kind == RT_CT_VARIANT) {
		if (rt_dwarf_variant_part(die, &child))
			rt_dwarf_fill_variants(walk, &child, type);
		return;
	}
	if (type->is_rust)
		type->element = rt_dwarf_template(walk, die, type->distance + 1);
	if (most == 0 && rt_die_flag(die, DW_AT_declaration)) {
		fill_declared(walk, die, type);
		return;
	}
	if (most > walk->budget)
		return;
	walk->budget -= most;
	type->ctype.by_reference = is_passed_by_reference(walk, die);
	members = rt_types_alloc(walk->types, (most ? most : 1) * sizeof(*members));
	if (!members) {
		walk->nomem = true;
		return;
	}
	if (most && rt_die_child(die, &child))
		do {
			n += rt_dwarf_read_member(walk, &child, type, &members[n]);
			if (!type->is_rust)
				add_alignment(walk, &child, type);
		} while (n < most && !walk->nomem && rt_die_next(&child));
	type->ctype.members = members;
	type->ctype.nmembers = n;
	if (rt_dwarf_is_go(die))
		rt_dwarf_go_struct(walk, die, type);
}

/* The element type of an array, through its dimensions. */
static const struct rt_ctype *element_of(const struct rt_ctype *type)
{
	int i;

	for (i = 0; i < 8 && type->kind == RT_CT_ARRAY; i++)
		type = type->target;
	return type;
}

static bool settle(struct rt_dwarf_type *whole)
{
	struct rt_ctype *type = &whole->ctype;
	const struct rt_ctype *element;
	bool by_reference = type->by_reference;
	uint32_t align = 1, one;
	unsigned i;

	for (i = 0; i < type->nmembers; i++) {
		element = element_of(type->members[i].type);
		by_reference |= element->by_reference;
		/* Packed ones show by where they are. */
		one = type->members[i].bit_size ? 1
		      : element->kind == RT_CT_INT && element->size == 16 && !whole->is_rust
			      ? 16
			      : element->align;
		if (one > align && type->members[i].offset % one == 0 && type->size % one == 0)
			align = one;
	}
	if (whole->align > align || (whole->align && whole->is_rust))
		align = whole->align;
	if (by_reference == type->by_reference && align == type->align)
		return false;
	type->by_reference = by_reference;
	type->align = align;
	return true;
}

/* ---- strings and vectors ---- */

/*
 * Strings and vectors of C++ and Rust: known by their names, and by members of the right names and
 * types, wherever those are inside.
 */

enum { DEPTH_MAX = 8 };

struct layout {
	const char *name;		/* of the type begins so */
	const char *pointer, *length;	/* members */
	bool by_end;			/* `length` is a pointer */
	bool is_text;			/* its bytes are text, whatever their type is */
};

static const struct layout layouts[] = {
	/* libstdc++ */
	{ "basic_string<", "_M_p", "_M_string_length", false, false },
	{ "basic_string_view<", "_M_str", "_M_len", false, false },
	{ "vector<", "_M_start", "_M_finish", true, false },
	{ "initializer_list<", "_M_array", "_M_len", false, false },
	{ "span<", "_M_ptr", "_M_extent_value", false, false },
	/* clang leaves _Alloc_hider, which holds only the pointer, to the file that makes some. */
	{ "basic_string<char,", "_M_dataplus", "_M_string_length", false, true },
	/* libc++, from 15 on and before */
	{ "basic_string<", "__data_", "__size_", false, false },
	{ "basic_string_view<", "__data_", "__size_", false, false },
	{ "basic_string_view<", "__data", "__size", false, false },
	{ "vector<", "__begin_", "__end_", true, false },
	{ "span<", "__data_", "__size_", false, false },
	/* Rust */
	{ "&str", "data_ptr", "length", false, true },
	{ "&mut str", "data_ptr", "length", false, true },
	{ "&[", "data_ptr", "length", false, false },
	{ "&mut [", "data_ptr", "length", false, false },
	{ "alloc::boxed::Box<str", "data_ptr", "length", false, true },
	{ "alloc::boxed::Box<[", "data_ptr", "length", false, false },
	{ "String", "pointer", "len", false, true },
	{ "Vec<", "pointer", "len", false, false },
};

static bool is_pointer_hidden(const struct rt_member *m)
{
	return m->type->kind == RT_CT_STRUCT && m->type->nmembers == 0 &&
	       strcmp(m->name, "_M_dataplus") == 0;
}

/* The first member of that name and kind, also inside others.  `*offset` grows by its own. */
static const struct rt_ctype *find(const struct rt_ctype *type, const char *name,
				   enum rt_ctype_kind kind, uint32_t *offset, unsigned depth)
{
	const struct rt_ctype *found;
	const struct rt_member *m;
	uint32_t inner;
	unsigned i;

	for (i = 0; i < type->nmembers && depth < DEPTH_MAX &&
		    (type->kind == RT_CT_STRUCT || type->kind == RT_CT_UNION);
	     i++) {
		m = &type->members[i];
		if (m->name && strcmp(m->name, name) == 0 &&
		    (m->type->kind == kind || (kind == RT_CT_POINTER && is_pointer_hidden(m)))) {
			*offset += m->offset;
			return m->type;
		}
		inner = *offset + m->offset;
		found = find(m->type, name, kind, &inner, depth + 1);
		if (found) {
			*offset = inner;
			return found;
		}
	}
	return NULL;
}

static const struct rt_ctype *text_type(struct rt_dwarf_walk *walk)
{
	struct rt_ctype *type;

	if (!walk->text) {
		type = rt_types_add(walk->types, RT_CT_CHAR, NULL, 1);
		walk->nomem |= !type;
		walk->text = type;
	}
	return walk->text;
}

/*
 * libc++'s strings are a union of __l, which leads to long ones, and __s, which has short ones in
 * it. A flag says that a string is long: the lowest bit of the short length if this comes before
 * the text, else its highest bit, in each version of the library.  `*in` and the offsets become
 * those of __l. false: a string of an unknown layout.
 */
static bool take_short(struct rt_sequence *s, const struct rt_ctype **in, uint32_t *at)
{
	uint32_t shorts = 0, flag, inside;
	const struct rt_ctype *l = find(*in, "__l", RT_CT_STRUCT, at, 0),
			      *own = find(*in, "__s", RT_CT_STRUCT, &shorts, 0);

	if (!l || !own)
		return !l && !own;
	flag = inside = shorts;
	if (!find(own, "__size_", RT_CT_CHAR, &flag, 0) ||
	    !find(own, "__data_", RT_CT_ARRAY, &inside, 0) || flag > UINT16_MAX ||
	    inside > UINT16_MAX)
		return false;
	s->is_long = flag < inside ? 1 : 0x80;
	s->flag = (uint16_t)flag;
	s->inside = (uint16_t)inside;
	*in = l;
	return true;
}

static bool fits(struct rt_dwarf_walk *walk, struct rt_dwarf_type *type, const struct layout *l)
{
	uint32_t pointer = 0, length;
	const struct rt_ctype *to, *n, *element, *in = &type->ctype;
	struct rt_sequence sequence = { .by_end = l->by_end };

	if (!take_short(&sequence, &in, &pointer))
		return false;
	length = pointer;
	to = find(in, l->pointer, RT_CT_POINTER, &pointer, 0);
	n = find(in, l->length, l->by_end ? RT_CT_POINTER : RT_CT_INT, &length, 0);
	if (!to || !n || (!l->by_end && n->size != walk->word) || pointer > UINT16_MAX ||
	    length > UINT16_MAX)
		return false;
	element = l->is_text ? text_type(walk) : type->element ? type->element : to->target;
	if (!element || element->kind == RT_CT_VOID || element->size == 0)
		return false;
	sequence.element = element;
	sequence.pointer = (uint16_t)pointer;
	sequence.length = (uint16_t)length;
	type->ctype.sequence = sequence;
	return true;
}

static void settle_sequence(struct rt_dwarf_walk *walk, struct rt_dwarf_type *type)
{
	size_t i;

	if (type->ctype.kind != RT_CT_STRUCT || !type->ctype.name || type->ctype.size == 0 ||
	    type->ctype.sequence.element)
		return;
	for (i = 0; i < RT_COUNT(layouts); i++)
		if (strncmp(type->ctype.name, layouts[i].name, strlen(layouts[i].name)) == 0 &&
		    fits(walk, type, &layouts[i]))
			return;
}

/* ---- all types ---- */

void rt_dwarf_settle_structs(struct rt_dwarf_walk *walk)
{
	bool changed = true;
	int round;
	size_t i;

	/*
	 * A structure inside another mostly comes later in the queue, hence the rounds from its
	 * end.
	 */
	for (i = 0; i < walk->nqueue; i++)
		settle_sequence(walk, walk->queue[i].type);
	for (round = 0; round < 8 && changed; round++) {
		changed = false;
		for (i = walk->nqueue; i-- > 0;)
			changed |= settle(walk->queue[i].type);
	}
}

/* ---- numbers, characters and enumerations ---- */

/* Numbers, characters and enumerations: types that lead to no others. */

enum { ENUMERATORS_MAX = 4096 };

/* ---- scalars ---- */

static bool contains(const char *name, const char *what)
{
	return name && strstr(name, what);
}

/* The x87's 10 bytes take 12 or 16, in arrays too. */
static void set_float(struct rt_dwarf_walk *walk, struct rt_ctype *type)
{
	type->kind = RT_CT_FLOAT;
	if (walk->dwarf->image->arch->has_x87 && contains(type->name, "long double")) {
		type->align = type->size == 12 ? 4 : 16;
	} else if (type->size != 4 && type->size != 8 && type->size != 16) {
		type->kind = RT_CT_UNKNOWN;
	}
	type->is_vector = type->size == 16 && contains(type->name, "128");
}

/* As the ABI has it: a structure of its two parts. */
static void set_complex(struct rt_dwarf_walk *walk, struct rt_ctype *type)
{
	static const char *const names[] = { "re", "im" };
	struct rt_member *members = rt_types_alloc(walk->types, 2 * sizeof(*members));
	struct rt_ctype *part = rt_types_add(
		walk->types, RT_CT_FLOAT,
		contains(type->name, "long double") ? "long double" : NULL, type->size / 2);
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
	/* clang has one name for all of them. */
	if (type->name && strcmp(type->name, "complex") == 0)
		type->name = part->size == 4   ? "float _Complex"
			     : part->size == 8 ? "double _Complex"
					       : "long double _Complex";
	type->kind = RT_CT_STRUCT;
	type->is_complex = true;
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

uint64_t rt_die_byte_size(Dwarf_Die *die)
{
	uint64_t size;

	return rt_die_unsigned(die, DW_AT_byte_size, &size) && size < 1ull << 48 ? size : 0;
}

struct rt_ctype *rt_dwarf_convert_base(struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	uint64_t encoding = 0;
	struct rt_dwarf_type *type = rt_dwarf_new_type(
		walk, die, RT_CT_INT, rt_die_name(walk->dwarf, die), rt_die_byte_size(die));

	if (!type)
		return NULL;
	rt_die_unsigned(die, DW_AT_encoding, &encoding);
	if (type->ctype.size > 32)
		encoding = 0;
	type->ctype.align = (uint32_t)type->ctype.size;
	set_base(walk, &type->ctype, encoding);
	if (walk->splits_int128 && type->ctype.kind == RT_CT_INT && type->ctype.size == 16)
		type->ctype.align = 8;
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

static void read_enumerators(struct rt_dwarf_walk *walk, Dwarf_Die *die, struct rt_ctype *type)
{
	unsigned most = rt_die_count(die, DW_TAG_enumerator, ENUMERATORS_MAX), n = 0;
	struct rt_enumerator *v;
	const char *name;
	Dwarf_Die child;
	uint64_t value = 0;

	v = rt_types_alloc(walk->types, (most ? most : 1) * sizeof(*v));
	if (!v) {
		walk->nomem = true;
		return;
	}
	if (n < most && rt_die_child(die, &child))
		do {
			name = dwarf_tag(&child) == DW_TAG_enumerator
				       ? rt_die_name(walk->dwarf, &child)
				       : NULL;
			if (!name)
				continue;
			if (type->is_signed ? !rt_die_signed(&child, DW_AT_const_value, &v[n].value)
					    : !rt_die_unsigned(&child, DW_AT_const_value, &value))
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
		if (dwarf_tag(&child) == DW_TAG_enumerator &&
		    rt_die_signed(&child, DW_AT_const_value, &value) && value < 0)
			return true;
	while (++n < ENUMERATORS_MAX && rt_die_next(&child));
	return false;
}

struct rt_ctype *rt_dwarf_convert_enum(struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	struct rt_dwarf_type *type = rt_dwarf_new_type(walk, die, RT_CT_ENUM, NULL,
						       rt_die_byte_size(die));
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
