/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "dwarf/dwarf_private.h"

/*
 * Rust's calling convention in programs without optimization, for parameters and results to which
 * DWARF gives no location.  Source: rustc's fn_abi_adjust_for_abi and its layouts; Rust promises no
 * convention, so this is what versions 1.63 to 1.97 have in common.
 *
 *	&str, (u32, u64)	one or two scalars: a register each
 *	[u8; 6]			fits into a register: one register
 *	[u64; 3], String	larger: a pointer to memory
 *	Option<u32>		an enum: its tag and its value are two scalars
 *
 * Approach: flatten a type into scalars, with the discriminants of enums, and count.
 *
 * Limit: versions before 1.63 pass some values of up to two registers in registers.  A type whose
 * scalars are not certain has an unknown location, and the trace shows no value.
 */

enum { DEPTH_MAX = 8 };
enum { BEGIN = 63, MIXED = 95 };	/* minor numbers of versions */

struct scalar {
	uint64_t offset, size;
	bool is_float, is_pointer;
};

struct scalars {
	struct scalar v[2];
	unsigned n, version;
	/* versions, or attributes that debug information does not have, make a difference */
	bool unsure;
	/* one has 16 bytes, and so both places; or with others, which is unsure */
	bool wide;
};

enum passed {
	NOTHING,	/* it has no bytes */
	WORD,		/* in a register */
	PAIR,		/* in two */
	INDIRECT,	/* in memory, by a pointer */
	UNSURE,
};

static bool is_aggregate(const struct rt_ctype *type)
{
	return type->kind == RT_CT_STRUCT || type->kind == RT_CT_UNION ||
	       type->kind == RT_CT_VARIANT || type->kind == RT_CT_ARRAY;
}

static bool add_scalar(const struct rt_ctype *type, uint64_t at, struct scalars *s)
{
	if (type->kind == RT_CT_INT && type->size == 16 && !s->n) {
		s->v[0] = (struct scalar){ .offset = at, .size = 8 };
		s->v[1] = (struct scalar){ .offset = at + 8, .size = 8 };
		s->n = 2;
		s->wide = true;
		return true;
	}
	s->wide |= type->size > 8;
	s->unsure |= type->kind == RT_CT_UNKNOWN || s->wide;
	if (s->n == RT_COUNT(s->v) || s->unsure)
		return false;
	s->v[s->n++] = (struct scalar){ .offset = at,
					.size = type->size,
					.is_float = type->kind == RT_CT_FLOAT,
					.is_pointer = rt_ctype_is_pointer(type) };
	return true;
}

static bool flatten(const struct rt_ctype *type, uint64_t at, struct scalars *s, unsigned depth);

/*
 * Types that the compiler itself makes of two parts: tuples, and pointers with a length or a table
 * of functions.
 */
static bool is_made(const struct rt_ctype *type)
{
	return type->sequence.element ||
	       (type->name && (strchr("(&*", type->name[0]) ||
			       strncmp(type->name, "alloc::boxed::Box<", 18) == 0));
}

/*
 * Do two scalars lie where they would be without #[repr(packed)] or #[repr(align)]?  With these
 * they are not taken for two.
 */
static bool is_natural(const struct rt_ctype *type, const struct scalar *a, const struct scalar *b)
{
	uint64_t align = a->size > b->size ? a->size : b->size,
		 second = a->offset + (a->size > b->size ? a->size : b->size);

	return b->offset == second && type->align == align &&
	       type->size == (b->offset + b->size - a->offset + align - 1) / align * align;
}

/*
 * A structure of one field, or of two.  One inside another may be #[repr(C)], which nobody tells:
 * its only field is a scalar for itself then, but not for the outer one.
 */
static bool flatten_struct(const struct rt_ctype *type, uint64_t at, struct scalars *s,
			   unsigned depth)
{
	bool pair = is_made(type), inner = false;
	unsigned i, filled = 0;
	struct scalar first;

	for (i = 0; i < type->nmembers; i++) {
		if (type->members[i].type->size == 0)
			continue;
		filled++;
		inner |= is_aggregate(type->members[i].type);
		if (!flatten(type->members[i].type, at + type->members[i].offset, s, depth + 1))
			return false;
	}
	s->unsure |= filled > 1 && inner && !pair;
	if (s->unsure || filled < 2 || s->n < 2)
		return !s->unsure;
	/* In memory the order may be another one than in the source. */
	if (s->v[0].offset > s->v[1].offset) {
		first = s->v[1];
		s->v[1] = s->v[0];
		s->v[0] = first;
	}
	return pair || is_natural(type, &s->v[0], &s->v[1]);
}

static bool same_scalar(const struct scalar *a, const struct scalar *b, struct scalars *s)
{
	bool same = a->offset == b->offset && a->size == b->size && a->is_float == b->is_float;

	if (!same || a->is_pointer == b->is_pointer)
		return same;
	/* A number and a pointer: 1.63 did not take them for the same, 1.95 does. */
	s->unsure |= s->version != BEGIN && s->version < MIXED;
	return s->version >= MIXED;
}

/*
 * The tag, and what all variants that have anything have at one place; or where the tag is a part
 * of the only one, that one.
 */
static bool flatten_variant(const struct rt_ctype *type, uint64_t at, struct scalars *s,
			    unsigned depth)
{
	struct scalars one = { .version = s->version }, all = one;
	bool niche = false;
	unsigned i, filled = 0;

	for (i = 0; i < type->nmembers; i++) {
		one.n = 0;
		if (type->members[i].type->nmembers &&
		    !flatten(type->members[i].type, at + type->members[i].offset, &one,
			     depth + 1)) {
			s->unsure |= one.unsure;
			s->wide |= one.wide;
			return false;
		}
		s->wide |= one.wide;
		if (one.n == 0)
			continue;
		niche |= type->members[i].tag_default;
		if (filled++ &&
		    (one.n != all.n || !same_scalar(&one.v[0], &all.v[0], s) || one.n > 1))
			return false;
		all = one;
	}
	/* Tags of 16 bytes are not read. */
	s->wide |= !type->nmembers || (type->tag && type->tag->type->size > 8);
	s->unsure |= s->wide;
	if (s->wide)
		return false;
	if (niche || !type->tag) {
		if (filled > 1)
			return false;
	} else if (all.n > 1 || !add_scalar(type->tag->type, at + type->tag->offset, s)) {
		return false;
	}
	for (i = 0; i < all.n; i++) {
		if (s->n == RT_COUNT(s->v))
			return false;
		s->v[s->n++] = all.v[i];
	}
	return true;
}

static bool flatten(const struct rt_ctype *type, uint64_t at, struct scalars *s, unsigned depth)
{
	if (depth > DEPTH_MAX)
		return false;
	if (type->size == 0)
		return type->kind != RT_CT_UNKNOWN;
	if (type->kind == RT_CT_STRUCT)
		return type->nmembers && flatten_struct(type, at, s, depth);
	if (type->kind == RT_CT_VARIANT)
		return flatten_variant(type, at, s, depth);
	return !is_aggregate(type) && add_scalar(type, at, s);
}

static enum passed passed(const struct rt_ctype *type, unsigned word, unsigned version,
			  struct scalars *s)
{
	memset(s, 0, sizeof(*s));
	s->version = version;
	if (type->kind == RT_CT_VOID)
		return NOTHING;
	if (flatten(type, 0, s, 0)) {
		/* Rust lays the lower one out first. */
		if (s->n == 2 && (s->v[1].offset < s->v[0].offset + s->v[0].size || s->v[0].offset))
			return UNSURE;
		return s->n == 0 ? NOTHING : s->n == 1 ? WORD : PAIR;
	}
	if (!is_aggregate(type) || s->wide)
		return UNSURE;
	if (type->size > word)
		return type->size > 2 * word || (version >= BEGIN && !s->unsure) ? INDIRECT
										 : UNSURE;
	if (s->unsure)
		return UNSURE;
	s->v[0] = (struct scalar){ .size = type->size };
	return WORD;
}

/* ---- registers ---- */

enum { ARGUMENTS_MAX = 8 };

struct registers {
	uint8_t general[ARGUMENTS_MAX], result[2];	/* DWARF's numbers */
	uint8_t indirect;		/* the address of a result in memory */
	unsigned ngeneral, floating, nfloating;
	unsigned used, used_floating;
	bool wide_are_even;		/* a wide one begins at an even register */
	bool lost;			/* where the rest is, is not known */
};

/* DWARF's number of a register. */
static uint8_t number_of(const struct rt_arch *arch, const struct rt_reg *reg)
{
	uint8_t i = 0;

	while (i < arch->ndwarf && arch->dwarf[i].pt_regs != reg->pt_regs)
		i++;
	return i;
}

/* False: all arguments are on the stack, as those of i386. */
static bool registers_of(const struct rt_arch *arch, struct registers *r)
{
	memset(r, 0, sizeof(*r));
	for (; r->ngeneral < arch->nargs; r->ngeneral++)
		r->general[r->ngeneral] = number_of(arch, &arch->args[r->ngeneral]);
	r->result[0] = number_of(arch, &arch->result);
	r->result[1] = number_of(arch, &arch->result2);
	r->indirect = arch->indirect.tracefs ? number_of(arch, &arch->indirect) : r->general[0];
	r->wide_are_even = arch->c_abi == RT_C_ABI_AAPCS64;
	r->floating = arch->dwarf_float;
	r->nfloating = 8;
	return arch->nargs;
}

static unsigned next_register(struct registers *r, bool is_float)
{
	if (is_float ? r->used_floating == r->nfloating : r->used == r->ngeneral) {
		r->lost = true;
		return 0;
	}
	return is_float ? r->floating + r->used_floating++ : r->general[r->used++];
}

static struct rt_location place(struct registers *r, enum passed how, const struct scalars *s)
{
	struct rt_location location = { .kind = RT_LOCATION_REG };

	switch (how) {
	case NOTHING:
		return (struct rt_location){ .kind = RT_LOCATION_ABI };
	case WORD:
		location.reg = next_register(r, s->v[0].is_float);
		break;
	case PAIR:
		if (s->wide && r->wide_are_even)
			r->used = (r->used + 1) & ~1u;
		location.kind = s->v[0].is_float || s->v[1].is_float ? RT_LOCATION_UNKNOWN
								     : RT_LOCATION_REGS;
		location.reg = next_register(r, s->v[0].is_float);
		location.reg2 = next_register(r, s->v[1].is_float);
		location.second = (unsigned)s->v[1].offset;
		break;
	case INDIRECT:
		location.kind = RT_LOCATION_AT;
		location.reg = next_register(r, false);
		break;
	default:
		r->lost = true;
	}
	if (r->lost)
		location.kind = RT_LOCATION_UNKNOWN;
	return location;
}

/*
 * For a result in memory: by the address that the function was given, which optimized code, other
 * than C's, does not return.
 */
static void place_result(struct rt_prototype *prototype, const struct registers *r, enum passed how,
			 const struct scalars *s)
{
	struct rt_location *location = &prototype->result_location;

	if (how == UNSURE || (how == PAIR && (s->v[0].is_float || s->v[1].is_float))) {
		location->kind = RT_LOCATION_UNKNOWN;
	} else if (how == PAIR || (how == WORD && !s->v[0].is_float)) {
		location->kind = how == PAIR ? RT_LOCATION_REGS : RT_LOCATION_REG;
		location->reg = r->result[0];
		location->reg2 = r->result[1];
		location->second = how == PAIR ? (unsigned)s->v[1].offset : 0;
	} else if (how == INDIRECT) {
		location->kind = RT_LOCATION_AT;
		location->reg = r->indirect;
	}
}

/* Its first argument, what it has captured, has no entry. */
static bool is_closure(struct rt_dwarf *dwarf, Dwarf_Die *func)
{
	const char *name = rt_die_name(dwarf, func);

	return !name || name[0] == '{';
}

/* The minor number of rustc's version, 0: not known. */
static unsigned version_of(Dwarf_Die *func, struct rt_dwarf *dwarf)
{
	static const char rustc[] = "rustc version 1.";
	Dwarf_Die unit;
	const char *producer = dwarf_diecu(func, &unit, NULL, NULL)
				       ? rt_die_string(dwarf, &unit, DW_AT_producer)
				       : NULL;
	uint64_t version;

	producer = producer ? strstr(producer, rustc) : NULL;
	if (!producer)
		return 0;
	producer += sizeof(rustc) - 1;
	return rt_scan_number(&producer, 10, &version) && version < 1000 ? (unsigned)version : 0;
}

/*
 * Has LLVM taken arguments away or the result, as nobody needs them?  Which, it does not say, and
 * before LLVM 15 (rustc 1.65) not even that; but then an argument has no place, or none that is
 * known.
 */
static bool is_less(Dwarf_Die *func, unsigned version, const struct rt_param *params, unsigned n)
{
	if (rt_dwarf_is_changed(func))
		return true;
	if (!version || version > 64)
		return false;
	while (n && params[n - 1].location.kind != RT_LOCATION_NOWHERE &&
	       params[n - 1].location.kind != RT_LOCATION_UNKNOWN)
		n--;
	return n > 0;
}

void rt_dwarf_rust_abi(struct rt_dwarf *dwarf, Dwarf_Die *func, struct rt_prototype *prototype,
		       struct rt_param *params)
{
	const struct rt_arch *arch = dwarf->image->arch;
	unsigned word = arch->word, version = version_of(func, dwarf), i;
	struct registers r;
	struct scalars s;
	struct rt_location location;
	enum passed how;

	how = passed(prototype->result, word, version, &s);
	r.lost = !registers_of(arch, &r);
	if (r.lost)
		how = UNSURE;
	if ((how == WORD || how == PAIR) && is_less(func, version, params, prototype->nparams))
		prototype->result_location.kind = RT_LOCATION_UNKNOWN;
	else
		place_result(prototype, &r, how, &s);
	prototype->result_unsure &= how == WORD || how == PAIR;
	/* The hidden pointer of a result in memory is the first argument. */
	r.used = how == INDIRECT && arch->nargs && !arch->indirect.tracefs;
	r.lost |= is_closure(dwarf, func) ||
		  (how == UNSURE && prototype->result->size > word && arch->nargs &&
		   !arch->indirect.tracefs);
	for (i = 0; i < prototype->nparams; i++) {
		how = passed(params[i].type, word, version, &s);
		location = place(&r, how, &s);
		if (params[i].location.kind == RT_LOCATION_ABI || how == NOTHING)
			params[i].location = location;
	}
}

/* ---- types of Rust ---- */

/* Rust's types besides structures, and how it passes values. */

#define TAG_VARIANT_PART                                                                           \
	0x33 /* DW_TAG_variant_part and DW_TAG_variant: in old headers too, but named otherwise */
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
	if (!rt_dwarf_read_member(walk, &die, type, tag) || tag->type->size == 0 ||
	    tag->type->size > 8 || tag->offset + tag->type->size > type->ctype.size)
		return false;
	type->ctype.tag = tag;
	return true;
}

static uint64_t cut(uint64_t value, uint64_t bytes)
{
	return bytes < 8 ? value & ((1ull << bytes * 8) - 1) : value;
}

static bool read_variant(struct rt_dwarf_walk *walk, Dwarf_Die *die,
			 const struct rt_dwarf_type *type, struct rt_member *member)
{
	Dwarf_Die child;
	int64_t value;

	if (dwarf_tag(die) != TAG_VARIANT || !rt_die_child(die, &child) ||
	    !rt_dwarf_read_member(walk, &child, type, member))
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
	return name && strncmp(name, "__", 2) == 0 && isdigit((unsigned char)name[2]) ? name + 2
										      : name;
}

const struct rt_ctype *rt_dwarf_template(struct rt_dwarf_walk *walk, Dwarf_Die *die,
					 unsigned distance)
{
	const char *name;
	Dwarf_Die child;
	unsigned n = 0;

	if (!rt_die_child(die, &child))
		return NULL;
	do {
		name = dwarf_tag(&child) == DW_TAG_template_type_parameter
			       ? rt_die_name(walk->dwarf, &child)
			       : NULL;
		if (name && strcmp(name, "T") == 0)
			return rt_dwarf_type_of(walk, &child, distance);
	} while (++n < 64 && rt_die_next(&child));
	return NULL;
}
