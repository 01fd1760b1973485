/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C's basic types. */
#include <string.h>

#include "lang/cursor.h"
#include "base/array.h"

/* C11 6.7.2: which of the words go together, and once each. */
static bool goes_together(const struct rt_basic *b)
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
		{ "signed", offsetof(struct rt_basic, is_signed) }, { "__signed__", offsetof(struct rt_basic, is_signed) },
		{ "unsigned", offsetof(struct rt_basic, is_unsigned) }, { "short", offsetof(struct rt_basic, is_short) },
		{ "char", offsetof(struct rt_basic, is_char) }, { "int", offsetof(struct rt_basic, is_int) },
		{ "float", offsetof(struct rt_basic, is_float) }, { "double", offsetof(struct rt_basic, is_double) },
		{ "void", offsetof(struct rt_basic, is_void) }, { "__int128", offsetof(struct rt_basic, is_int128) },
		{ "_Complex", offsetof(struct rt_basic, is_complex) }, { "__complex__", offsetof(struct rt_basic, is_complex) },
	};
	bool *word;
	size_t i;

	if (rt_is_word(at, n, "long")) {
		b->nlong++;
		b->clash = !goes_together(b);
		return b->any = true;
	}
	for (i = 0; i < RT_COUNT(words); i++) {
		if (!rt_is_word(at, n, words[i].name))
			continue;
		word = (bool *)b + words[i].offset;
		b->clash = *word;
		*word = true;
		b->clash |= !goes_together(b);
		return b->any = true;
	}
	return false;
}

static const struct rt_ctype *add_basic(struct rt_cursor *c, enum rt_ctype_kind kind, const char *name, unsigned size, bool is_signed)
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
	const char *name = b->is_float ? "float _Complex" : b->nlong ? "long double _Complex" : "double _Complex";
	struct rt_member *members = rt_types_alloc(c->types, 2 * sizeof(*members));
	struct rt_ctype *type = rt_types_add(c->types, RT_CT_STRUCT, name, 0);
	struct rt_basic of = *b;

	/* Of integers: GCC's, of which nobody says how they are passed. */
	if (b->is_short || b->is_int || b->is_int128 || b->is_signed || b->is_unsigned || (b->nlong && !b->is_double))
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
		{ "unsigned short", "unsigned int", "unsigned long", "unsigned long long", "unsigned __int128" },
	};
	bool is_unsigned = b->is_unsigned;

	if (b->is_complex)
		return complex_type(c, b);
	if (b->is_void)
		return rt_types_add(c->types, RT_CT_VOID, "void", 0);
	/* Plain char has no sign on aarch64. */
	if (b->is_char)
		return add_basic(c, RT_CT_CHAR, is_unsigned ? "unsigned char" : b->is_signed ? "signed char" : "char", 1,
				 b->is_signed || (!is_unsigned && c->arch->machine != 183));
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
		return add_basic(c, RT_CT_INT, names[is_unsigned][b->nlong > 1 ? 3 : 2], b->nlong > 1 ? 8 : c->arch->word, !is_unsigned);
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
	if (!b->is_float && !b->is_double && !(rt_basic_word(next.at, n, &of) && (of.is_float || of.is_double || of.nlong)))
		return false;
	return rt_basic_word("_Complex", 8, b);
}

const char *rt_basic_misspelt(const char *at, size_t n)
{
	static const char *const words[] = { "unsigned", "signed", "double", "volatile", "short", "float", "const", "union", "struct", "enum", "void", "long", "char", "int" };
	size_t i, k, m;

	for (i = 0; i < RT_COUNT(words); i++) {
		m = strlen(words[i]);
		for (k = 0; k < n && k < m && at[k] == words[i][k]; k++)
			;
		/* Two letters exchanged, or one left out.  Other slips could be names: "float4", "cost". */
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

const struct rt_ctype *rt_styled(struct rt_cursor *c, const struct rt_ctype *type, enum rt_style style)
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
