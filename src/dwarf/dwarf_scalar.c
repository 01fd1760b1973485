/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "dwarf/dwarf_private.h"

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
	unsigned machine = walk->dwarf->image->arch->machine;

	type->kind = RT_CT_FLOAT;
	if ((machine == EM_X86_64 || machine == EM_386) && contains(type->name, "long double")) {
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
	/* clang has one name for all of them. */
	if (type->name && strcmp(type->name, "complex") == 0)
		type->name = part->size == 4 ? "float _Complex" : part->size == 8 ? "double _Complex" : "long double _Complex";
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
	struct rt_dwarf_type *type = rt_dwarf_new_type(walk, die, RT_CT_INT, rt_die_name(walk->dwarf, die), rt_die_byte_size(die));

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

struct rt_ctype *rt_dwarf_convert_enum(struct rt_dwarf_walk *walk, Dwarf_Die *die)
{
	struct rt_dwarf_type *type = rt_dwarf_new_type(walk, die, RT_CT_ENUM, NULL, rt_die_byte_size(die));
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
