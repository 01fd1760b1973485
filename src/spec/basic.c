/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C's basic types. */
#include <string.h>

#include "spec/cursor.h"
#include "util/array.h"

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
	size_t i;

	if (rt_is_word(at, n, "long")) {
		b->nlong++;
		return b->any = true;
	}
	for (i = 0; i < RT_COUNT(words); i++) {
		if (!rt_is_word(at, n, words[i].name))
			continue;
		*((bool *)b + words[i].offset) = true;
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

const struct rt_ctype *rt_basic_type(struct rt_cursor *c, const struct rt_basic *b)
{
	static const char *const names[2][5] = {
		{ "short", "int", "long", "long long", "__int128" },
		{ "unsigned short", "unsigned int", "unsigned long", "unsigned long long", "unsigned __int128" },
	};
	bool is_unsigned = b->is_unsigned;

	if (b->is_complex)	/* two of them: no single register or word holds it */
		return add_basic(c, RT_CT_UNKNOWN, "_Complex", 0, false);
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
