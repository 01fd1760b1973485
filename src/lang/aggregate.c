/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/distance.h"
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
	struct rt_declarator counted;	/* T *name[length]; without a length: none is there */
};

/* Place the member by the System V ABI: a bit-field does not cross a boundary of its own type. */
static void lay_out(struct layout *l, struct rt_member *m, const struct rt_ctype *type,
		    unsigned bits)
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
	if (type->kind != RT_CT_INT && type->kind != RT_CT_CHAR && type->kind != RT_CT_BOOL &&
	    type->kind != RT_CT_ENUM)
		return rt_expected(c, at, "no bits: only integers have bit-fields");
	if (n < 1 || (uint64_t)n > type->size * 8)
		return rt_expected(c, at, "a number of bits, 1 to %u", (unsigned)type->size * 8);
	*bits = (unsigned)n;
	return 0;
}

static const struct rt_ctype *pointer_to(struct rt_cursor *c, const struct rt_ctype *target)
{
	struct rt_ctype *type = rt_types_add(c->types, RT_CT_POINTER, NULL, c->arch->word);

	if (type) {
		type->align = c->arch->word;
		type->target = target;
	}
	return type;
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
	if (d.length) {
		if (l->counted.length || l->type->kind == RT_CT_UNION || d.most ||
		    type->kind != RT_CT_ARRAY)
			return rt_expected(c, d.length, "a number of elements");
		l->counted = d;
		type = pointer_to(c, type->target);
		if (!type)
			return rt_nomem(c->err);
	}
	if (type->kind == RT_CT_VOID || type->kind == RT_CT_FUNCTION)
		return rt_expected(c, d.at, "a member that has a size");
	if (type->kind == RT_CT_UNKNOWN && !type->size)
		return rt_expected(c, d.at, "a type of known size before a member, not %.60s",
				   type->name ? type->name : "this");
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
		if (rt_peek(c) == ';' &&
		    (s.type->kind == RT_CT_STRUCT || s.type->kind == RT_CT_UNION)) {
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

/*
 * { const char text[length]; long length; }, as Go's string: a pointer and the number of elements
 * there.  { const char text[end]; const char *end; }, as nginx' ngx_buf_t: the elements between.
 */
static int count_elements(struct rt_cursor *c, struct layout *l)
{
	const struct rt_declarator *d = &l->counted;
	const struct rt_member *text = l->members, *length = l->members;
	const struct rt_ctype *element = d->type->target;
	bool by_end;

	text += text[0].name != d->name;
	length += text == length;
	by_end = length->type && length->type->kind == RT_CT_POINTER;
	if (l->type->nmembers != 2 || !length->name ||
	    !rt_is_word(d->length, d->length_n, length->name) || length->bit_size ||
	    (length->type->kind != RT_CT_INT && !by_end) || length->type->size != c->arch->word)
		return rt_expected(c, d->length,
				   "the other of two members: its end, or a long");
	l->type->sequence = (struct rt_sequence){ .element = element,
						  .pointer = (uint16_t)text->offset,
						  .length = (uint16_t)length->offset,
						  .by_end = by_end };
	return 0;
}

static int aggregate_body(struct rt_cursor *c, struct rt_ctype *type)
{
	struct layout l = { .type = type, .align = 1 };
	int r;

	l.members = rt_types_alloc(c->types, MEMBERS * sizeof(*l.members));
	if (!l.members)
		return rt_nomem(c->err);
	memset(l.members, 0, MEMBERS * sizeof(*l.members));
	type->nmembers = 0;
	type->members = NULL;
	r = members(c, &l);
	if (r == 0 && l.counted.length)
		r = count_elements(c, &l);
	if (r < 0) {
		type->nmembers = 0;
		return r;
	}
	type->members = l.members;
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
	const struct rt_ctype *type = c->defines ? rt_scope_find(c->defines, name, strlen(name))
						 : NULL;

	return type ? type : rt_scope_find(c->scope, name, strlen(name));
}

int rt_parse_tagged(struct rt_cursor *c, enum rt_ctype_kind kind, bool is_flags,
		    const struct rt_ctype **type)
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
		return rt_expected(c, at, "a name or '{' behind '%s'",
				   is_flags ? "flags" : kind_word(kind));
	if (known && rt_peek(c) != '{') {
		*type = known;
		return 0;
	}
	/* Named before, and defined now: what points to it is then right. */
	new = n && c->defines ? (struct rt_ctype *)rt_scope_find(c->defines, name, strlen(name))
			      : NULL;
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

/* ---- typedefs ---- */

/*
 * Integer types of the headers of C, POSIX and Linux.  WORD: the size of a long, which is the size
 * of a pointer on all architectures here.
 */
enum { WORD = 0, UNSIGNED = 0, SIGNED = 1 };

static const struct standard {
	char name[16];		/* a pointer to it would take as much */
	uint8_t kind, size, is_signed, style;
} standard[] = {
	{ "size_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "ssize_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "ptrdiff_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "rsize_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "intptr_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "uintptr_t", RT_CT_INT, WORD, UNSIGNED, RT_STYLE_HEX },
	{ "int8_t", RT_CT_INT, 1, SIGNED, 0 },
	{ "uint8_t", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "int16_t", RT_CT_INT, 2, SIGNED, 0 },
	{ "uint16_t", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "int32_t", RT_CT_INT, 4, SIGNED, 0 },
	{ "uint32_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "int64_t", RT_CT_INT, 8, SIGNED, 0 },
	{ "uint64_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "intmax_t", RT_CT_INT, 8, SIGNED, 0 },
	{ "uintmax_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "int_least8_t", RT_CT_INT, 1, SIGNED, 0 },
	{ "uint_least8_t", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "int_least16_t", RT_CT_INT, 2, SIGNED, 0 },
	{ "uint_least16_t", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "int_least32_t", RT_CT_INT, 4, SIGNED, 0 },
	{ "uint_least32_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "int_least64_t", RT_CT_INT, 8, SIGNED, 0 },
	{ "uint_least64_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "int_fast8_t", RT_CT_INT, 1, SIGNED, 0 },
	{ "uint_fast8_t", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "int_fast16_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "uint_fast16_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "int_fast32_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "uint_fast32_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "int_fast64_t", RT_CT_INT, 8, SIGNED, 0 },
	{ "uint_fast64_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "__int8", RT_CT_INT, 1, SIGNED, 0 },
	{ "__int16", RT_CT_INT, 2, SIGNED, 0 },
	{ "__int32", RT_CT_INT, 4, SIGNED, 0 },
	{ "__int64", RT_CT_INT, 8, SIGNED, 0 },
	{ "__int128_t", RT_CT_INT, 16, SIGNED, 0 },
	{ "__uint128_t", RT_CT_INT, 16, UNSIGNED, 0 },
	{ "u_int8_t", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "u_int16_t", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "u_int32_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "u_int64_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "__s8", RT_CT_INT, 1, SIGNED, 0 },
	{ "__u8", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "__s16", RT_CT_INT, 2, SIGNED, 0 },
	{ "__u16", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "__s32", RT_CT_INT, 4, SIGNED, 0 },
	{ "__u32", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "__s64", RT_CT_INT, 8, SIGNED, 0 },
	{ "__u64", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "u_char", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "u_short", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "u_int", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "u_long", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "uchar", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "ushort", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "uint", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "ulong", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "quad_t", RT_CT_INT, 8, SIGNED, 0 },
	{ "u_quad_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "off_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "off64_t", RT_CT_INT, 8, SIGNED, 0 },
	{ "loff_t", RT_CT_INT, 8, SIGNED, 0 },
	{ "time_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "suseconds_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "useconds_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "clock_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "clockid_t", RT_CT_INT, 4, SIGNED, 0 },
	{ "timer_t", RT_CT_INT, WORD, UNSIGNED, RT_STYLE_HEX },
	{ "pid_t", RT_CT_INT, 4, SIGNED, 0 },
	{ "id_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "uid_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "gid_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "mode_t", RT_CT_INT, 4, UNSIGNED, RT_STYLE_OCT },
	{ "dev_t", RT_CT_INT, 8, UNSIGNED, RT_STYLE_HEX },
	{ "ino_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "ino64_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "nlink_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "blksize_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "blkcnt_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "blkcnt64_t", RT_CT_INT, 8, SIGNED, 0 },
	{ "key_t", RT_CT_INT, 4, SIGNED, RT_STYLE_HEX },
	{ "rlim_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "nfds_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "socklen_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "sa_family_t", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "in_port_t", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "in_addr_t", RT_CT_INT, 4, UNSIGNED, RT_STYLE_HEX },
	{ "wchar_t", RT_CT_INT, 4, SIGNED, 0 },
	{ "wint_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "wctype_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "char16_t", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "char32_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "pthread_t", RT_CT_INT, WORD, UNSIGNED, RT_STYLE_HEX },
	{ "pthread_key_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "pthread_once_t", RT_CT_INT, 4, SIGNED, 0 },
	{ "sig_atomic_t", RT_CT_INT, 4, SIGNED, 0 },
	{ "bool", RT_CT_BOOL, 1, UNSIGNED, 0 },
	{ "_Bool", RT_CT_BOOL, 1, UNSIGNED, 0 },
	{ "char8_t", RT_CT_CHAR, 1, UNSIGNED, 0 },
	{ "float_t", RT_CT_FLOAT, 4, SIGNED, 0 },
	{ "double_t", RT_CT_FLOAT, 8, SIGNED, 0 },
};

/*
 * Texts of libstdc++, by the whole names that symbols have: what is in them is part of its ABI.  A
 * view's members are for its convention.
 */
static const struct rt_ctype *standard_text(struct rt_cursor *c, const char *name, size_t n)
{
	bool string = rt_is_word(
		name, n,
		"std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >");
	struct rt_ctype *type, *element, *length;
	struct rt_member *members;

	if (c->arch->word != 8 ||
	    !(string ||
	      rt_is_word(name, n, "std::basic_string_view<char, std::char_traits<char> >")))
		return NULL;
	type = rt_types_add(c->types, RT_CT_STRUCT, string ? "std::string" : "std::string_view",
			    string ? 32 : 16);
	element = rt_types_add(c->types, RT_CT_CHAR, NULL, 1);
	length = rt_types_add(c->types, RT_CT_INT, NULL, 8);
	members = rt_types_alloc(c->types, 2 * sizeof(*members));
	if (!type || !element || !length || !members)
		return NULL;
	length->align = type->align = 8;
	members[0].type = members[1].type = length;
	members[1].offset = 8;
	type->members = members;
	type->nmembers = 2;
	type->by_reference = string;
	type->sequence = (struct rt_sequence){ .element = element,
					       .pointer = string ? 0 : 8,
					       .length = string ? 8 : 0 };
	return type;
}

const struct rt_ctype *rt_standard_type(struct rt_cursor *c, const char *name, size_t n)
{
	const struct rt_ctype *text = standard_text(c, name, n);
	struct rt_ctype *type;
	size_t i;

	if (text)
		return text;
	for (i = 0; i < RT_COUNT(standard) && !rt_is_word(name, n, standard[i].name); i++)
		;
	if (i == RT_COUNT(standard))
		return NULL;
	type = rt_types_add(c->types, (enum rt_ctype_kind)standard[i].kind, standard[i].name,
			    standard[i].size ? standard[i].size : c->arch->word);
	if (!type)
		return NULL;
	/* The i386 ABI aligns nothing to more than its word. */
	type->align = (uint32_t)(type->size > c->arch->word && c->arch->word < 8 ? c->arch->word
										 : type->size);
	type->is_signed = standard[i].is_signed;
	type->style = (enum rt_style)standard[i].style;
	return type;
}

const char *rt_nearest_type(const char *name)
{
	static const char *const words[] = { "int",    "char", "short",	   "long",  "float",
					     "double", "void", "unsigned", "signed" };
	unsigned d, best = UINT32_MAX;
	const char *other, *found = NULL;
	size_t i;

	for (i = 0; i < RT_COUNT(words) + RT_COUNT(standard); i++) {
		other = i < RT_COUNT(words) ? words[i] : standard[i - RT_COUNT(words)].name;
		d = rt_near(name, strlen(name), other, strlen(other));
		if (d >= best)
			continue;
		best = d;
		found = other;
	}
	return found;
}

const char *rt_standard_basic(const char *name, size_t n, unsigned word)
{
	static const char *const names[2][4] = {
		{ "unsigned char", "unsigned short", "unsigned int", "unsigned long" },
		{ "signed char", "short", "int", "long" },
	};
	const struct standard *s = standard;
	bool is_int;

	while (s < standard + RT_COUNT(standard) && !rt_is_word(name, n, s->name))
		s++;
	/* C++ has types of their own for characters. */
	if (s == standard + RT_COUNT(standard) || s->kind != RT_CT_INT || s->size == 16 ||
	    strncmp(name, "char", 4) == 0 || name[0] == 'w')
		return NULL;
	/*
	 * size_t and integers of a pointer's size are long in 64-bit programs, and int in others.
	 */
	is_int = word < 8 && (strstr(s->name, "size_t") || strstr(s->name, "ptr"));
	if (word < 8 && s->size == 8)
		return s->is_signed ? "long long" : "unsigned long long";
	return names[s->is_signed][s->size == 1		    ? 0
				   : s->size == 2	    ? 1
				   : s->size == 4 || is_int ? 2
							    : 3];
}
