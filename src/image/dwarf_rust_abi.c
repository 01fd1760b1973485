/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "image/dwarf_private.h"
#include "util/array.h"

/*
 * How Rust passes values, without optimization (rustc's fn_abi_adjust_for_abi and its layouts).  It promises nothing; this is what 1.63
 * to 1.95 have in common.  A value of one or two scalars is passed as these, each in a register of its own; what else fits into a
 * register as that; what is larger than two, by a pointer.  Between these, versions differ.
 */

enum { DEPTH_MAX = 8 };

struct scalar {
	uint64_t offset, size;
	bool is_float, is_pointer;
};

struct scalars {
	struct scalar v[2];
	unsigned n;
	bool unsure;		/* versions, or attributes that debug information does not have, make a difference */
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
	return type->kind == RT_CT_STRUCT || type->kind == RT_CT_UNION || type->kind == RT_CT_VARIANT || type->kind == RT_CT_ARRAY;
}

static bool add_scalar(const struct rt_ctype *type, uint64_t at, struct scalars *s)
{
	s->unsure |= type->kind == RT_CT_UNKNOWN || type->size > 8;
	if (s->n == RT_COUNT(s->v) || s->unsure)
		return false;
	s->v[s->n++] = (struct scalar){ .offset = at, .size = type->size, .is_float = type->kind == RT_CT_FLOAT, .is_pointer = rt_ctype_is_pointer(type) };
	return true;
}

static bool flatten(const struct rt_ctype *type, uint64_t at, struct scalars *s, unsigned depth);

/* A structure of one field, a tuple, a slice.  Of others with two fields it is not known whether they are #[repr(C)]. */
static bool flatten_struct(const struct rt_ctype *type, uint64_t at, struct scalars *s, unsigned depth)
{
	bool pair = type->sequence.element || (type->name && type->name[0] == '(');
	unsigned i, filled = 0;

	for (i = 0; i < type->nmembers; i++) {
		if (type->members[i].type->size == 0)
			continue;
		filled++;
		if (!flatten(type->members[i].type, at + type->members[i].offset, s, depth + 1))
			return false;
	}
	s->unsure |= filled > 1 && !pair;
	return !s->unsure;
}

static bool same_scalar(const struct scalar *a, const struct scalar *b, bool *unsure)
{
	bool same = a->offset == b->offset && a->size == b->size && a->is_float == b->is_float;

	/* A number and a pointer are the same for some versions. */
	*unsure |= same && a->is_pointer != b->is_pointer;
	return same && !*unsure;
}

/* The tag, and what all variants that have anything have at one place; or where the tag is a part of the only one, that one. */
static bool flatten_variant(const struct rt_ctype *type, uint64_t at, struct scalars *s, unsigned depth)
{
	struct scalars one = { .n = 0 }, all = { .n = 0 };
	bool niche = false;
	unsigned i, filled = 0;

	for (i = 0; i < type->nmembers; i++) {
		one.n = 0;
		if (type->members[i].type->nmembers && !flatten(type->members[i].type, at + type->members[i].offset, &one, depth + 1)) {
			s->unsure |= one.unsure;
			return false;
		}
		if (one.n == 0)
			continue;
		niche |= type->members[i].tag_default;
		if (filled++ && (one.n != all.n || !same_scalar(&one.v[0], &all.v[0], &s->unsure) || one.n > 1))
			return false;
		all = one;
	}
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

static enum passed passed(const struct rt_ctype *type, unsigned word, struct scalars *s)
{
	memset(s, 0, sizeof(*s));
	if (type->kind == RT_CT_VOID)
		return NOTHING;
	if (flatten(type, 0, s, 0)) {
		/* Rust lays the lower one out first. */
		if (s->n == 2 && (s->v[1].offset < s->v[0].offset + s->v[0].size || s->v[0].offset))
			return UNSURE;
		return s->n == 0 ? NOTHING : s->n == 1 ? WORD : PAIR;
	}
	if (!is_aggregate(type) || (s->unsure && type->size <= 2 * word))
		return UNSURE;
	if (type->size > word)
		return type->size > 2 * word ? INDIRECT : UNSURE;
	s->v[0] = (struct scalar){ .size = type->size };
	return WORD;
}

/* ---- registers ---- */

struct registers {
	const uint8_t *general, *result;	/* DWARF's numbers */
	uint8_t indirect;		/* the address of a result in memory */
	unsigned ngeneral, floating, nfloating;
	unsigned used, used_floating;
	bool lost;			/* where the rest is, is not known */
};

static bool registers_of(unsigned machine, struct registers *r)
{
	static const uint8_t x86_64[] = { 5, 4, 1, 2, 8, 9 }, x86_64_result[] = { 0, 1 };
	static const uint8_t aarch64[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

	memset(r, 0, sizeof(*r));
	r->general = machine == EM_X86_64 ? x86_64 : aarch64;
	r->ngeneral = machine == EM_X86_64 ? RT_COUNT(x86_64) : RT_COUNT(aarch64);
	r->result = machine == EM_X86_64 ? x86_64_result : aarch64;
	r->indirect = machine == EM_X86_64 ? 5 : 8;
	r->floating = machine == EM_X86_64 ? 17 : 64;
	r->nfloating = 8;
	return machine == EM_X86_64 || machine == EM_AARCH64;
}

static unsigned next_register(struct registers *r, bool is_float)
{
	if (is_float ? r->used_floating == r->nfloating : r->used == r->ngeneral) {
		r->lost = true;
		return 0;
	}
	return is_float ? r->floating + r->used_floating++ : r->general[r->used++];
}

static struct rt_where place(struct registers *r, enum passed how, const struct scalars *s)
{
	struct rt_where where = { .kind = RT_WHERE_REG };

	switch (how) {
	case NOTHING:
		return (struct rt_where){ .kind = RT_WHERE_ABI };
	case WORD:
		where.reg = next_register(r, s->v[0].is_float);
		break;
	case PAIR:
		where.kind = s->v[0].is_float || s->v[1].is_float ? RT_WHERE_UNKNOWN : RT_WHERE_REGS;
		where.reg = next_register(r, s->v[0].is_float);
		where.reg2 = next_register(r, s->v[1].is_float);
		where.second = (unsigned)s->v[1].offset;
		break;
	case INDIRECT:
		where.kind = RT_WHERE_AT;
		where.reg = next_register(r, false);
		break;
	default:
		r->lost = true;
	}
	if (r->lost)
		where.kind = RT_WHERE_UNKNOWN;
	return where;
}

/* For a result in memory: by the address that the function was given, which optimized code, other than C's, does not return. */
static void place_result(struct rt_prototype *prototype, const struct registers *r, enum passed how, const struct scalars *s)
{
	struct rt_where *where = &prototype->result_where;

	if (how == UNSURE || (how == PAIR && (s->v[0].is_float || s->v[1].is_float))) {
		where->kind = RT_WHERE_UNKNOWN;
	} else if (how == PAIR || (how == WORD && !s->v[0].is_float)) {
		where->kind = how == PAIR ? RT_WHERE_REGS : RT_WHERE_REG;
		where->reg = r->result[0];
		where->reg2 = r->result[1];
		where->second = how == PAIR ? (unsigned)s->v[1].offset : 0;
	} else if (how == INDIRECT) {
		where->kind = RT_WHERE_AT;
		where->reg = r->indirect;
	}
}

/* Its first argument, what it has captured, has no entry. */
static bool is_closure(struct rt_dwarf *dwarf, Dwarf_Die *func)
{
	const char *name = rt_die_name(dwarf, func);

	return !name || name[0] == '{';
}

/*
 * Has LLVM taken arguments away or the result, as nobody needs them?  Which, it does not say, and before LLVM 15 (rustc 1.65) not even
 * that; but then an argument has no place, or none that is known.
 */
static bool is_less(struct rt_dwarf *dwarf, Dwarf_Die *func, const struct rt_param *params, unsigned n)
{
	const char *producer, *version;
	Dwarf_Die unit;

	if (rt_dwarf_is_changed(func))
		return true;
	producer = dwarf_diecu(func, &unit, NULL, NULL) ? rt_die_string(dwarf, &unit, DW_AT_producer) : NULL;
	version = producer ? strstr(producer, "rustc version 1.") : NULL;
	if (!version || version[16] > '6' || (version[16] == '6' && version[17] > '4'))
		return false;
	while (n && params[n - 1].where.kind != RT_WHERE_NOWHERE && params[n - 1].where.kind != RT_WHERE_UNKNOWN)
		n--;
	return n > 0;
}

void rt_dwarf_rust_abi(struct rt_dwarf *dwarf, Dwarf_Die *func, struct rt_prototype *prototype, struct rt_param *params)
{
	unsigned word = dwarf->image->arch->word, machine = dwarf->image->arch->machine, i;
	struct registers r;
	struct scalars s;
	struct rt_where where;
	enum passed how;

	how = passed(prototype->result, word, &s);
	r.lost = !registers_of(machine, &r);
	if (r.lost)
		how = UNSURE;
	if ((how == WORD || how == PAIR) && is_less(dwarf, func, params, prototype->nparams))
		prototype->result_where.kind = RT_WHERE_UNKNOWN;
	else
		place_result(prototype, &r, how, &s);
	prototype->result_unsure &= how == WORD || how == PAIR;
	/* The hidden pointer of a result in memory is the first argument; aarch64 has a register for it. */
	r.used = how == INDIRECT && machine == EM_X86_64;
	r.lost |= is_closure(dwarf, func) || (how == UNSURE && prototype->result->size > word && machine == EM_X86_64);
	for (i = 0; i < prototype->nparams; i++) {
		how = passed(params[i].type, word, &s);
		where = place(&r, how, &s);
		if (params[i].where.kind == RT_WHERE_ABI || how == NOTHING)
			params[i].where = where;
	}
}
