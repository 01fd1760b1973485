/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lang/cursor.h"

enum { MEMBERS = 256 };

static uint64_t round_up(uint64_t v, uint32_t align)
{
	return align > 1 ? (v + align - 1) / align * align : v;
}

struct layout {
	struct rt_ctype *type;
	struct rt_member *members;	/* room for MEMBERS */
	uint64_t bit;			/* the next free one, of a struct */
	uint32_t align;
};

/* Where the member stands, by the System V ABI: a bit-field does not cross a border of its own type. */
static void lay_out(struct layout *l, struct rt_member *m, const struct rt_ctype *type, unsigned bits)
{
	bool is_union = l->type->kind == RT_CT_UNION;
	uint64_t unit = type->size * 8, at = is_union ? 0 : l->bit;
	uint32_t align = type->align ? type->align : 1;

	if (!bits) {
		at = round_up(at, align * 8);
		m->offset = (uint32_t)(at / 8);
		at += type->size * 8;
	} else {
		if (unit && at / unit != (at + bits - 1) / unit)
			at = round_up(at, (uint32_t)unit);
		m->offset = (uint32_t)(at / 8);
		m->bit_offset = (uint8_t)(at % 8);
		m->bit_size = (uint8_t)bits;
		at += bits;
	}
	m->type = type;
	l->align = align > l->align ? align : l->align;
	l->bit = is_union && at < l->bit ? l->bit : at;
}

static int bit_field(struct rt_cursor *c, const struct rt_ctype *type, unsigned *bits)
{
	int64_t n = 0;
	const char *at;
	int r;

	*bits = 0;
	if (!rt_take(c, ":"))
		return 0;
	rt_skip_blanks(c);
	at = c->at;
	r = rt_parse_number(c, &n);
	if (r < 0)
		return r;
	if (type->kind != RT_CT_INT && type->kind != RT_CT_CHAR && type->kind != RT_CT_BOOL && type->kind != RT_CT_ENUM)
		return rt_expected(c, at, "no bits: only integers have bit-fields");
	if (n < 1 || (uint64_t)n > type->size * 8)
		return rt_expected(c, at, "a number of bits, 1 to %u", (unsigned)type->size * 8);
	*bits = (unsigned)n;
	return 0;
}

static int member(struct rt_cursor *c, struct layout *l, const struct rt_specifiers *s)
{
	struct rt_declarator d;
	const struct rt_ctype *type;
	struct rt_member *m;
	unsigned bits;
	int r;

	rt_skip_blanks(c);
	r = rt_parse_declarator(c, s->type, s->is_const, &d);
	if (r < 0)
		return r;
	type = rt_styled(c, d.type, s->style);
	if (!type)
		return rt_nomem(c->err);
	if (d.length)
		return rt_expected(c, d.length, "a number of elements");
	if (type->kind == RT_CT_VOID || type->kind == RT_CT_FUNCTION)
		return rt_expected(c, d.at, "a member that has a size");
	if (type->kind == RT_CT_UNKNOWN && !type->size)
		return rt_expected(c, d.at, "a type whose size is known before a member, not %.60s", type->name ? type->name : "this");
	r = bit_field(c, type, &bits);
	if (r < 0)
		return r;
	if (!d.name && type->kind != RT_CT_STRUCT && type->kind != RT_CT_UNION && !bits)
		return rt_expected(c, c->at, "the member's name");
	if (l->type->nmembers == MEMBERS)
		return rt_expected(c, d.at, "at most %d members", MEMBERS);
	if (l->bit > (uint64_t)1 << 31)
		return rt_expected(c, d.at, "a smaller struct");
	m = &l->members[l->type->nmembers];
	m->name = d.name;
	lay_out(l, m, type, bits);
	l->type->nmembers += d.name || !bits;
	return 0;
}

static int members(struct rt_cursor *c, struct layout *l)
{
	struct rt_specifiers s;
	const char *at;
	int r;

	while (!rt_take(c, "}")) {
		at = c->at;
		r = rt_parse_specifiers(c, false, &s);
		if (r < 0)
			return r;
		if (!s.type)
			return rt_expected(c, at, "a member or '}'");
		if (rt_peek(c) == ';' && (s.type->kind == RT_CT_STRUCT || s.type->kind == RT_CT_UNION)) {
			r = member(c, l, &s);
			if (r < 0)
				return r;
		} else {
			do {
				r = member(c, l, &s);
				if (r < 0)
					return r;
			} while (rt_take(c, ","));
		}
		r = rt_want(c, ";", "';' behind the member");
		if (r < 0)
			return r;
	}
	return 0;
}

static int aggregate_body(struct rt_cursor *c, struct rt_ctype *type)
{
	struct layout l = { .type = type, .align = 1 };
	struct rt_member *kept;
	int r;

	l.members = rt_types_alloc(c->types, MEMBERS * sizeof(*l.members));
	if (!l.members)
		return rt_nomem(c->err);
	memset(l.members, 0, MEMBERS * sizeof(*l.members));
	type->nmembers = 0;
	type->members = NULL;
	r = members(c, &l);
	if (r < 0) {
		type->nmembers = 0;
		return r;
	}
	kept = l.members;
	type->members = kept;
	type->align = l.align;
	type->size = round_up((l.bit + 7) / 8, l.align);
	return 0;
}

/* "O_RDWR=2/3": of the two lowest bits, which are a number. */
static int take_mask(struct rt_cursor *c, const struct rt_ctype *type, uint64_t *mask)
{
	int64_t v = 0;
	int r;

	*mask = 0;
	if (!type->is_flags || !rt_take(c, "/"))
		return 0;
	r = rt_parse_constant(c, NULL, 0, &v);
	*mask = (uint64_t)v;
	return r;
}

static int enumerators(struct rt_cursor *c, struct rt_ctype *type)
{
	struct rt_enumerator *v = rt_types_alloc(c->types, MEMBERS * sizeof(*v));
	int64_t next = type->is_flags ? 1 : 0, largest = 0, smallest = 0;
	size_t n;
	int r;

	if (!v)
		return rt_nomem(c->err);
	for (type->nvalues = 0; !rt_take(c, "}");) {
		rt_skip_blanks(c);
		n = rt_identifier(c, c->at, false);
		if (!n)
			return rt_expected(c, c->at, "a name or '}'");
		if (type->nvalues == MEMBERS)
			return rt_expected(c, c->at, "at most %d names", MEMBERS);
		v[type->nvalues].name = rt_types_name(c->types, c->at, n);
		if (!v[type->nvalues].name)
			return rt_nomem(c->err);
		c->at += n;
		if (rt_take(c, "=")) {
			r = rt_parse_constant(c, v, type->nvalues, &next);
			if (r < 0)
				return r;
		}
		r = take_mask(c, type, &v[type->nvalues].mask);
		if (r < 0)
			return r;
		v[type->nvalues++].value = next;
		largest = next > largest ? next : largest;
		smallest = next < smallest ? next : smallest;
		next = (int64_t)((uint64_t)next + (type->is_flags ? (uint64_t)next : 1));
		if (!rt_take(c, ",")) {
			r = rt_want(c, "}", "',' or '}'");
			if (r < 0)
				return r;
			break;
		}
	}
	if (!type->nvalues)
		return rt_expected(c, c->at, "a name in the braces");
	type->values = v;
	type->size = type->align = largest > UINT32_MAX || smallest < INT32_MIN ? 8 : 4;
	type->is_signed = smallest < 0;
	return 0;
}

static const char *kind_word(enum rt_ctype_kind kind)
{
	return kind == RT_CT_STRUCT ? "struct" : kind == RT_CT_UNION ? "union" : "enum";
}

static int body(struct rt_cursor *c, struct rt_ctype *type)
{
	int r;

	if (c->depth >= RT_SPEC_DEPTH)
		return rt_expected(c, c->at, "less nesting");
	c->depth++;
	r = type->kind == RT_CT_ENUM ? enumerators(c, type) : aggregate_body(c, type);
	c->depth--;
	return r;
}

/* A type of that name which was defined or only named before, or NULL. */
static const struct rt_ctype *known_tag(const struct rt_cursor *c, const char *name)
{
	const struct rt_ctype *type = c->defines ? rt_scope_find(c->defines, name, strlen(name)) : NULL;

	return type ? type : rt_scope_find(c->scope, name, strlen(name));
}

int rt_parse_tagged(struct rt_cursor *c, enum rt_ctype_kind kind, bool is_flags, const struct rt_ctype **type)
{
	const struct rt_ctype *known = NULL;
	struct rt_ctype *new;
	char name[128] = "";
	const char *at;
	size_t n;

	while (rt_skip_attribute(c))
		;
	at = c->at;
	n = rt_identifier(c, c->at, true);
	if (n) {
		if (n > sizeof(name) - 16)
			return rt_expected(c, c->at, "a shorter name");
		snprintf(name, sizeof(name), "%s %.*s", kind_word(kind), (int)n, c->at);
		c->at += n;
		known = known_tag(c, name);
	}
	if (!n && rt_peek(c) != '{')
		return rt_expected(c, at, "a name or '{' behind '%s'", is_flags ? "flags" : kind_word(kind));
	if (known && rt_peek(c) != '{') {
		*type = known;
		return 0;
	}
	/* Named before, and defined now: what points to it is then right. */
	new = n && c->defines ? (struct rt_ctype *)rt_scope_find(c->defines, name, strlen(name)) : NULL;
	if (new && new->kind == RT_CT_UNKNOWN) {
		new->kind = kind;
		*type = new;
		return rt_take(c, "{") ? body(c, new) : 0;
	}
	new = rt_types_add(c->types, rt_peek(c) == '{' ? kind : RT_CT_UNKNOWN, n ? name : NULL, 0);
	if (!new)
		return rt_nomem(c->err);
	/* An enum is an int, whatever its names are. */
	if (new->kind == RT_CT_UNKNOWN && kind == RT_CT_ENUM) {
		new->kind = RT_CT_ENUM;
		new->size = new->align = 4;
		new->is_signed = true;	/* as its names' values are in C */
	}
	new->is_flags = is_flags;
	*type = new;
	/* Before its body, which may point to itself. */
	if (n && c->defines && rt_scope_add(c->defines, name, new) < 0)
		return rt_nomem(c->err);
	return rt_take(c, "{") ? body(c, new) : 0;
}
