/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/array.h"
#include "lang/cursor.h"

static bool is_one_of(const char *at, size_t n, const char *const *words)
{
	for (; *words; words++)
		if (rt_is_word(at, n, *words))
			return true;
	return false;
}

static bool is_storage(const char *at, size_t n)
{
	static const char *const words[] = {
		"extern",    "static",	     "inline",	      "__inline",   "__inline__",
		"register",  "auto",	     "const",	      "__const",    "__const__",
		"volatile",  "__volatile__", "restrict",      "__restrict", "__restrict__",
		"_Noreturn", "noreturn",     "_Thread_local", "__thread",   "__extension__",
		"constexpr", "virtual",	     "explicit",      "friend",	    "typename",
		"_Atomic",   "_Nullable",    "_Nonnull",      NULL,
	};

	return is_one_of(at, n, words);
}

static bool is_const_word(const char *at, size_t n)
{
	return rt_is_word(at, n, "const") || rt_is_word(at, n, "__const") ||
	       rt_is_word(at, n, "__const__");
}

static bool is_attribute(const char *at, size_t n)
{
	static const char *const words[] = { "__attribute__", "__attribute", "__declspec",
					     "_Alignas",      "alignas",     "__asm__",
					     "__asm",	      "asm",	     NULL };

	return is_one_of(at, n, words);
}

bool rt_skip_attribute(struct rt_cursor *c)
{
	const char *close;
	size_t n;

	rt_skip_blanks(c);
	if (c->end - c->at >= 2 && c->at[0] == '[' && c->at[1] == '[') { /* C23's and C++'s */
		close = rt_matching(c, c->at);
		c->at = close ? close : c->at;
		return close != NULL;
	}
	n = rt_identifier(c, c->at, false);
	if (!is_attribute(c->at, n))
		return false;
	c->at += n;
	close = rt_peek(c) == '(' ? rt_matching(c, c->at) : NULL;
	c->at = close ? close : c->at;
	return true;
}

static enum rt_style style_word(const char *at, size_t n)
{
	static const struct {
		const char *name;
		enum rt_style style;
	} words[] = {
		{ "hex", RT_STYLE_HEX }, { "oct", RT_STYLE_OCT },	{ "dec", RT_STYLE_DEC },
		{ "fd", RT_STYLE_FD },	 { "string", RT_STYLE_STRING }, { "errno", RT_STYLE_ERRNO },
	};
	size_t i;

	for (i = 0; i < RT_COUNT(words); i++)
		if (rt_is_word(at, n, words[i].name))
			return words[i].style;
	return RT_STYLE_TYPE;
}

static bool is_tag(const char *at, size_t n, enum rt_ctype_kind *kind, bool *is_flags)
{
	*is_flags = false;
	if (rt_is_word(at, n, "struct") || rt_is_word(at, n, "class"))
		*kind = RT_CT_STRUCT;
	else if (rt_is_word(at, n, "union"))
		*kind = RT_CT_UNION;
	else if (rt_is_word(at, n, "enum"))
		*kind = RT_CT_ENUM;
	else if (rt_is_word(at, n, "flags")) {
		*kind = RT_CT_ENUM;
		*is_flags = true;
	} else
		return false;
	return true;
}

/* The first character behind the identifier of `n` bytes that is no blank. */
static char behind(const struct rt_cursor *c, size_t n)
{
	struct rt_cursor probe = *c;

	probe.at += n;
	return rt_peek(&probe);
}

static bool starts_identifier(char ch)
{
	return isalpha((unsigned char)ch) || ch == '_' || ch == '$' || (unsigned char)ch >= 0x80;
}

/* Words that mean something only before another one, since they may be names of parameters too. */
static bool is_prefix_word(const struct rt_cursor *c, const char *at, size_t n)
{
	char next = behind(c, n);

	if (rt_is_word(at, n, "flags"))
		return starts_identifier(next) || next == '{';
	return (rt_is_word(at, n, "out") || rt_is_word(at, n, "inout") ||
		style_word(at, n) != RT_STYLE_TYPE) &&
	       (starts_identifier(next) || !next);
}

static const struct rt_ctype *named_type(struct rt_cursor *c, const char *at, size_t n)
{
	const struct rt_ctype *type = rt_scope_find(c->scope, at, n);
	const struct rt_ctype *own = c->defines ? rt_scope_find(c->defines, at, n) : NULL;

	type = own ? own : type;
	if (!type)
		type = rt_standard_type(c, at, n);
	return type;
}

static const struct rt_ctype *unknown_type(struct rt_cursor *c, const char *at, size_t n)
{
	struct rt_ctype *type = rt_types_add(c->types, RT_CT_UNKNOWN, NULL, 0);

	if (type)
		type->name = rt_types_name(c->types, at, n);
	return type && type->name ? type : NULL;
}

/*
 * An identifier that is no known word: a macro of the library's header, a type, or the declarator's
 * name.  Macros are known by what follows: of names in a row the last is the declarator's, unless a
 * '*' follows, and the last before it the type.
 */
static bool is_type_here(const struct rt_cursor *c, size_t n, bool head, bool have_type)
{
	struct rt_cursor probe = *c;
	enum rt_ctype_kind kind;
	struct rt_basic basic = { 0 };
	bool is_flags;
	size_t next;

	if (have_type)
		return false;
	probe.at += n;
	rt_skip_blanks(&probe);
	next = rt_identifier(&probe, probe.at, true);
	if (!next)
		return true;
	if (is_storage(probe.at, next) || is_attribute(probe.at, next))
		return !head || !rt_basic_word(probe.at, next, &basic);
	if (rt_basic_word(probe.at, next, &basic) || is_tag(probe.at, next, &kind, &is_flags) ||
	    named_type(&probe, probe.at, next))
		return false;		/* a macro before a type */
	/*
	 * Another unknown name: it is the type, and this one a macro, where a third follows or a
	 * pointer, or in a head.
	 */
	probe.at += next;
	return !(head || rt_peek(&probe) == '*' || starts_identifier(rt_peek(&probe)));
}

/*
 * Does an unknown name belong to the words before the declarator, now that there is a type?  Not
 * before another type: a comma is missing.
 */
static bool is_macro_here(const struct rt_cursor *c, size_t n, bool head)
{
	struct rt_cursor probe = *c;
	enum rt_ctype_kind kind;
	struct rt_basic basic = { 0 };
	bool is_flags;
	size_t next;

	probe.at += n;
	rt_skip_blanks(&probe);
	next = rt_identifier(&probe, probe.at, true);
	if (!head && next &&
	    (rt_basic_word(probe.at, next, &basic) || is_tag(probe.at, next, &kind, &is_flags) ||
	     named_type(&probe, probe.at, next)))
		return false;
	return head || next || rt_peek(&probe) == '*';
}

/* A word that cannot be at its place. */
static int misplaced(const struct rt_cursor *c, const char *at, size_t n, bool have_type)
{
	const char *meant = rt_basic_misspelt(at, n);
	struct rt_basic basic = { 0 };

	if (meant)
		return rt_expected(c, at, "a type, not '%.*s': did you mean '%s'?", (int)n, at,
				   meant);
	if (have_type && rt_basic_word(at, n, &basic))
		return rt_expected(c, at,
				   "a name, ',' or ')': '%.*s' does not go with the type before it",
				   (int)n, at);
	return 0;
}

static int take_word(struct rt_cursor *c, bool head, struct rt_specifiers *s, struct rt_basic *b,
		     bool *stop)
{
	size_t n = rt_identifier(c, c->at, true);
	const char *at = c->at;
	struct rt_basic other = { 0 };
	enum rt_ctype_kind kind;
	bool is_flags, prefix;

	if (!n) {
		*stop = true;
		return 0;
	}
	prefix = !s->type && !b->any && is_prefix_word(c, at, n);
	if (is_storage(at, n) || (prefix && !rt_is_word(at, n, "flags"))) {
		s->is_out |= prefix && (rt_is_word(at, n, "out") || rt_is_word(at, n, "inout"));
		s->is_in |= prefix && rt_is_word(at, n, "inout");
		s->is_const |= is_const_word(at, n);
		s->style = prefix && style_word(at, n) ? style_word(at, n) : s->style;
		c->at += n;
		return 0;
	}
	if (!s->type && (rt_basic_word(at, n, b) || rt_basic_complex(c, at, n, b))) {
		c->at += n;
		return b->clash ? misplaced(c, at, n, true) : 0;
	}
	if (!s->type)
		s->at = at;
	if (!s->type && !b->any && is_tag(at, n, &kind, &is_flags) && (!is_flags || prefix)) {
		c->at += n;
		return rt_parse_tagged(c, kind, is_flags, &s->type);
	}
	if (!s->type && !b->any) {
		s->type = named_type(c, at, n);
		/* "hex x" */
		if (!s->type && s->style && !starts_identifier(behind(c, n)) &&
		    behind(c, n) != '*') {
			*stop = true;
			return 0;
		}
		if (!s->type && misplaced(c, at, n, false))
			return -EINVAL;
		if (!s->type && is_type_here(c, n, head, false)) {
			s->type = unknown_type(c, at, n);
			if (!s->type)
				return rt_nomem(c->err);
		}
		c->at += n;
		return 0;
	}
	*stop = !is_macro_here(c, n, head);
	if (!*stop || rt_basic_word(at, n, &other))
		if (misplaced(c, at, n, true))
			return -EINVAL;
	c->at += *stop ? 0 : n;
	return 0;
}

int rt_parse_specifiers(struct rt_cursor *c, bool head, struct rt_specifiers *s)
{
	struct rt_basic b = { 0 };
	bool stop = false;
	int r = 0;

	memset(s, 0, sizeof(*s));
	while (r == 0 && !stop) {
		while (rt_skip_attribute(c))
			;
		r = take_word(c, head, s, &b, &stop);
	}
	if (r < 0)
		return r;
	s->any_type = s->type || b.any;
	if (!s->type && b.any) {
		s->type = rt_basic_type(c, &b);
		if (!s->type)
			return rt_nomem(c->err);
	}
	return 0;
}

static const struct rt_ctype *lead_to(struct rt_cursor *c, enum rt_ctype_kind kind,
				      const struct rt_ctype *type, bool is_const)
{
	struct rt_ctype *pointer = rt_types_add(c->types, kind, NULL, c->arch->word);

	if (pointer) {
		pointer->align = c->arch->word;
		pointer->target = type;
		pointer->const_target = is_const;
	}
	return pointer;
}

int rt_parse_pointers(struct rt_cursor *c, const struct rt_ctype **type, bool *is_const)
{
	unsigned nested = 0;
	size_t n;

	for (;;) {
		char next = rt_peek(c);

		if (next == '*') {
			*type = lead_to(c, RT_CT_POINTER, *type, *is_const);
			c->at++;
		} else if (next == '&') {
			c->at += c->end - c->at > 1 && c->at[1] == '&' ? 2 : 1;
			*type = lead_to(c, RT_CT_REFERENCE, *type, *is_const);
		} else {
			n = rt_identifier(c, c->at, false);
			if (n && is_storage(c->at, n)) {
				*is_const |= is_const_word(c->at, n);
				c->at += n;
				continue;
			}
			if (n && nested && is_macro_here(c, n, false)) { /* char * FAR name */
				c->at += n;
				continue;
			}
			if (!rt_skip_attribute(c))
				return 0;
			continue;
		}
		*is_const = false;
		if (!*type)
			return rt_nomem(c->err);
		if (++nested > RT_SPEC_DEPTH)
			return rt_expected(c, c->at, "fewer pointers");
	}
}

/* "[...]"; `outer`: of a parameter, where a name may stand that tells the length. */
static int array_suffix(struct rt_cursor *c, struct rt_declarator *d, bool outer, int64_t *count)
{
	const char *start;
	size_t n;
	int r = 0;

	c->at++;
	*count = 0;
	for (;;) {
		rt_skip_blanks(c);
		n = rt_identifier(c, c->at, false);
		if (!n || (!is_storage(c->at, n)))
			break;
		c->at += n;
	}
	start = c->at;
	if (n && outer) {
		d->length = c->at;
		d->length_n = n;
		c->at += n;
		if (rt_take(c, "<=")) {
			rt_skip_blanks(c);
			d->most = c->at;
			d->most_n = rt_identifier(c, c->at, false);
			c->at += d->most_n;
		}
	} else if (rt_peek(c) != ']') {
		r = rt_parse_constant(c, NULL, 0, count);
		if (r == 0 && (*count < 1 || *count > 1 << 20))
			r = rt_expected(c, start, "a number of elements, 1 to %d", 1 << 20);
	}
	return r < 0 ? r
		     : rt_want(c, "]",
			       outer ? "']' behind the length: a number or a parameter's name"
				     : "']'");
}

static const struct rt_ctype *array_of(struct rt_cursor *c, const struct rt_ctype *element,
				       int64_t count, bool is_const)
{
	struct rt_ctype *type = rt_types_add(c->types, RT_CT_ARRAY, NULL,
					     element->size * (uint64_t)count);

	if (type) {
		type->align = element->align;
		type->target = element;
		type->count = (uint64_t)count;
		type->is_open = !count;
		type->const_target = is_const;
	}
	return type;
}

const struct rt_ctype *rt_function_type(struct rt_types *types, const struct rt_ctype *result,
					const char *parameters, size_t n)
{
	struct rt_ctype *type = rt_types_add(types, RT_CT_FUNCTION, NULL, 0);

	if (!type)
		return NULL;
	type->target = result;
	type->parameters = rt_types_name(types, parameters, n);
	return type->parameters ? type : NULL;
}

/* "[4][2]" and "(int, int)" behind the name. */
static int suffixes(struct rt_cursor *c, const struct rt_ctype **type, bool is_const,
		    struct rt_declarator *d)
{
	const char *open;
	int64_t counts[8];
	unsigned n = 0;
	const char *close;
	int r;

	if (rt_peek(c) == '(') {
		close = rt_matching(c, c->at);
		if (!close)
			return rt_expected(c, c->end, "')', the end of what begins at column %u",
					   rt_cursor_column(c, c->at));
		open = c->at + 1;
		c->at = close;
		*type = rt_function_type(c->types, *type, open, (size_t)(close - 1 - open));
		return *type ? 0 : rt_nomem(c->err);
	}
	for (; rt_peek(c) == '[' && !(c->end - c->at > 1 && c->at[1] == '['); n++) {
		if (n == RT_COUNT(counts))
			return rt_expected(c, c->at, "fewer dimensions");
		r = array_suffix(c, d, n == 0, &counts[n]);
		if (r < 0)
			return r;
	}
	while (n-- > 0) {
		if (counts[n] && (*type)->size > (1u << 30) / (uint64_t)counts[n])
			return rt_expected(c, c->at, "a smaller array");
		*type = array_of(c, *type, counts[n], is_const);
		is_const = false;
		if (!*type)
			return rt_nomem(c->err);
	}
	return 0;
}

/* Is the parenthesis at the cursor that of "(*name)", and no list of parameters? */
static bool is_nested(const struct rt_cursor *c)
{
	struct rt_cursor probe = *c;

	probe.at++;
	return rt_peek(&probe) == '*' || rt_peek(&probe) == '^' || rt_peek(&probe) == '&';
}

int rt_parse_declarator(struct rt_cursor *c, const struct rt_ctype *base, bool is_const,
			struct rt_declarator *d)
{
	struct rt_cursor inner;
	const char *close;
	int r;

	memset(d, 0, sizeof(*d));
	d->type = base;
	r = rt_parse_pointers(c, &d->type, &is_const);
	if (r < 0)
		return r;
	if (rt_peek(c) == '(' && is_nested(c)) {
		close = rt_matching(c, c->at);
		if (!close)
			return rt_expected(c, c->end, "')', the end of what begins at column %u",
					   rt_cursor_column(c, c->at));
		if (c->depth >= RT_SPEC_DEPTH)
			return rt_expected(c, c->at, "less nesting");
		inner = *c;
		inner.at++;
		inner.end = close - 1;
		inner.depth++;
		c->at = close;
		base = d->type;
		r = suffixes(c, &base, is_const, d);
		if (r < 0)
			return r;
		r = rt_parse_declarator(
			&inner, base,
			is_const && base->kind != RT_CT_ARRAY && base->kind != RT_CT_FUNCTION, d);
		if (r == 0 && rt_peek(&inner))
			return rt_expected(c, inner.at, "')'");
		return r;
	}
	d->at = c->at;
	close = c->at + rt_identifier(c, c->at, false);
	if (close > c->at) {
		d->name = rt_types_name(c->types, c->at, (size_t)(close - c->at));
		if (!d->name)
			return rt_nomem(c->err);
		c->at = close;
	}
	return suffixes(c, &d->type, is_const, d);
}

bool rt_begins_declaration(struct rt_cursor *c, bool full)
{
	struct rt_cursor probe = *c;
	enum rt_ctype_kind kind;
	struct rt_basic basic = { 0 };
	bool is_flags;
	char next;
	size_t n;

	if (rt_skip_attribute(&probe))
		return true;
	n = rt_identifier(&probe, probe.at, true);
	if (!n)
		return false;
	if (is_storage(probe.at, n) || rt_basic_word(probe.at, n, &basic) ||
	    is_prefix_word(&probe, probe.at, n))
		return true;
	next = behind(&probe, n);
	if (is_tag(probe.at, n, &kind, &is_flags) && !is_flags)
		return true;
	if (starts_identifier(next))
		return true;
	if (next == '*' || (next == '&' && full))
		return true;
	return (full || named_type(&probe, probe.at, n)) &&
	       (next == ',' || next == ')' || next == '\0' || next == '[');
}

/* C's basic types. */

/* C11 6.7.2: which of the words go together, and once each. */
static bool is_valid_basic(const struct rt_basic *b)
{
	bool sign = b->is_signed || b->is_unsigned, real = b->is_float || b->is_double;
	int kinds = b->is_char + b->is_float + b->is_double + b->is_void + b->is_int128;

	if (kinds > 1 || (b->is_signed && b->is_unsigned) || b->nlong > 2)
		return false;
	if ((sign && (real || b->is_void)) || (b->is_int && kinds))
		return false;
	if (b->is_short && (kinds || b->nlong))
		return false;
	if (b->nlong && kinds && !(b->is_double && b->nlong == 1))
		return false;
	return !b->is_complex || !(b->is_char || b->is_void);
}

bool rt_basic_word(const char *at, size_t n, struct rt_basic *b)
{
	static const struct {
		const char *name;
		size_t offset;
	} words[] = {
		{ "signed", offsetof(struct rt_basic, is_signed) },
		{ "__signed__", offsetof(struct rt_basic, is_signed) },
		{ "unsigned", offsetof(struct rt_basic, is_unsigned) },
		{ "short", offsetof(struct rt_basic, is_short) },
		{ "char", offsetof(struct rt_basic, is_char) },
		{ "int", offsetof(struct rt_basic, is_int) },
		{ "float", offsetof(struct rt_basic, is_float) },
		{ "double", offsetof(struct rt_basic, is_double) },
		{ "void", offsetof(struct rt_basic, is_void) },
		{ "__int128", offsetof(struct rt_basic, is_int128) },
		{ "_Complex", offsetof(struct rt_basic, is_complex) },
		{ "__complex__", offsetof(struct rt_basic, is_complex) },
	};
	bool *word;
	size_t i;

	if (rt_is_word(at, n, "long")) {
		b->nlong++;
		b->clash = !is_valid_basic(b);
		return b->any = true;
	}
	for (i = 0; i < RT_COUNT(words); i++) {
		if (!rt_is_word(at, n, words[i].name))
			continue;
		word = (bool *)b + words[i].offset;
		b->clash = *word;
		*word = true;
		b->clash |= !is_valid_basic(b);
		return b->any = true;
	}
	return false;
}

static const struct rt_ctype *add_basic(struct rt_cursor *c, enum rt_ctype_kind kind,
					const char *name, unsigned size, bool is_signed)
{
	struct rt_ctype *type = rt_types_add(c->types, kind, name, size);

	if (!type)
		return NULL;
	type->align = size > c->arch->word && c->arch->word < 8 ? c->arch->word : size;
	type->is_signed = is_signed;
	return type;
}

/* C passes it like a structure of its two parts. */
static const struct rt_ctype *complex_type(struct rt_cursor *c, const struct rt_basic *b)
{
	const char *name = b->is_float ? "float _Complex"
			   : b->nlong  ? "long double _Complex"
				       : "double _Complex";
	struct rt_member *members = rt_types_alloc(c->types, 2 * sizeof(*members));
	struct rt_ctype *type = rt_types_add(c->types, RT_CT_STRUCT, name, 0);
	struct rt_basic of = *b;

	/* GCC also has complex integers, but no ABI says how they are passed. */
	if (b->is_short || b->is_int || b->is_int128 || b->is_signed || b->is_unsigned ||
	    (b->nlong && !b->is_double))
		return rt_types_add(c->types, RT_CT_UNKNOWN, "_Complex", 0);
	of.is_complex = false;
	of.is_double |= !b->is_float;
	if (!members || !type)
		return NULL;
	members[0].name = "re";
	members[1].name = "im";
	members[0].type = members[1].type = rt_basic_type(c, &of);
	if (!members[0].type)
		return NULL;
	members[1].offset = (uint32_t)members[0].type->size;
	type->size = 2 * members[0].type->size;
	type->align = members[0].type->align;
	type->members = members;
	type->nmembers = 2;
	type->is_complex = true;
	return type;
}

const struct rt_ctype *rt_basic_type(struct rt_cursor *c, const struct rt_basic *b)
{
	static const char *const names[2][5] = {
		{ "short", "int", "long", "long long", "__int128" },
		{ "unsigned short", "unsigned int", "unsigned long", "unsigned long long",
		  "unsigned __int128" },
	};
	bool is_unsigned = b->is_unsigned;

	if (b->is_complex)
		return complex_type(c, b);
	if (b->is_void)
		return rt_types_add(c->types, RT_CT_VOID, "void", 0);
	if (b->is_char)
		return add_basic(c, RT_CT_CHAR,
				 is_unsigned	? "unsigned char"
				 : b->is_signed ? "signed char"
						: "char",
				 1, b->is_signed || (!is_unsigned && !c->arch->char_is_unsigned));
	if (b->is_float)
		return add_basic(c, RT_CT_FLOAT, "float", 4, true);
	if (b->is_double && b->nlong)
		return add_basic(c, RT_CT_FLOAT, "long double", c->arch->word == 4 ? 12 : 16, true);
	if (b->is_double)
		return add_basic(c, RT_CT_FLOAT, "double", 8, true);
	if (b->is_int128)
		return add_basic(c, RT_CT_INT, names[is_unsigned][4], 16, !is_unsigned);
	if (b->is_short)
		return add_basic(c, RT_CT_INT, names[is_unsigned][0], 2, !is_unsigned);
	if (b->nlong)
		return add_basic(c, RT_CT_INT, names[is_unsigned][b->nlong > 1 ? 3 : 2],
				 b->nlong > 1 ? 8 : c->arch->word, !is_unsigned);
	return add_basic(c, RT_CT_INT, names[is_unsigned][1], 4, !is_unsigned);
}

bool rt_basic_complex(const struct rt_cursor *c, const char *at, size_t n, struct rt_basic *b)
{
	struct rt_cursor next = *c;
	struct rt_basic of = { 0 };

	if (!rt_is_word(at, n, "complex"))
		return false;
	next.at = at + n;
	rt_skip_blanks(&next);
	n = rt_identifier(&next, next.at, false);
	if (!b->is_float && !b->is_double &&
	    !(rt_basic_word(next.at, n, &of) && (of.is_float || of.is_double || of.nlong)))
		return false;
	return rt_basic_word("_Complex", 8, b);
}

const char *rt_basic_misspelt(const char *at, size_t n)
{
	static const char *const words[] = { "unsigned", "signed", "double", "volatile", "short",
					     "float",	 "const",  "union",  "struct",	 "enum",
					     "void",	 "long",   "char",   "int" };
	size_t i, k, m;

	for (i = 0; i < RT_COUNT(words); i++) {
		m = strlen(words[i]);
		for (k = 0; k < n && k < m && at[k] == words[i][k]; k++)
			;
		/*
		 * Two letters exchanged, or one left out.  Other slips could be names: "float4",
		 * "cost".
		 */
		if (n + 1 == m && m > 5 && memcmp(at + k, words[i] + k + 1, n - k) == 0)
			return words[i];
		if (n == m && k + 2 <= n && at[k] == words[i][k + 1] && at[k + 1] == words[i][k] &&
		    memcmp(at + k + 2, words[i] + k + 2, n - k - 2) == 0)
			return words[i];
	}
	return NULL;
}

const struct rt_ctype *rt_default_type(struct rt_cursor *c, enum rt_style style)
{
	const struct rt_ctype *type;

	if (style == RT_STYLE_FD || style == RT_STYLE_ERRNO)
		return add_basic(c, RT_CT_INT, "int", 4, true);
	type = add_basic(c, RT_CT_CHAR, "char", 1, true);
	return type ? rt_types_pointer(c->types, type, c->arch->word) : NULL;
}

const struct rt_ctype *rt_styled(struct rt_cursor *c, const struct rt_ctype *type,
				 enum rt_style style)
{
	struct rt_ctype *copy;

	if (style == RT_STYLE_TYPE || type->style == style)
		return type;
	copy = rt_types_alloc(c->types, sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *type;
	copy->style = style;
	/* "hex char" is a small number. */
	if (copy->kind == RT_CT_CHAR && style != RT_STYLE_STRING)
		copy->kind = RT_CT_INT;
	return copy;
}
