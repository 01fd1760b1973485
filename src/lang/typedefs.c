/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "lang/cursor.h"
#include "base/array.h"
#include "base/distance.h"

/* What the names of C's, POSIX's and Linux's headers mean.  WORD: as large as a long, which is as large as a pointer on all of ours. */
enum { WORD = 0, UNSIGNED = 0, SIGNED = 1 };

static const struct standard {
	char name[16];		/* a pointer to it would take as much */
	uint8_t kind, size, is_signed, style;
} standard[] = {
	{ "size_t", RT_CT_INT, WORD, UNSIGNED, 0 }, { "ssize_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "ptrdiff_t", RT_CT_INT, WORD, SIGNED, 0 }, { "rsize_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "intptr_t", RT_CT_INT, WORD, SIGNED, 0 }, { "uintptr_t", RT_CT_INT, WORD, UNSIGNED, RT_STYLE_HEX },
	{ "int8_t", RT_CT_INT, 1, SIGNED, 0 }, { "uint8_t", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "int16_t", RT_CT_INT, 2, SIGNED, 0 }, { "uint16_t", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "int32_t", RT_CT_INT, 4, SIGNED, 0 }, { "uint32_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "int64_t", RT_CT_INT, 8, SIGNED, 0 }, { "uint64_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "intmax_t", RT_CT_INT, 8, SIGNED, 0 }, { "uintmax_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "int_least8_t", RT_CT_INT, 1, SIGNED, 0 }, { "uint_least8_t", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "int_least16_t", RT_CT_INT, 2, SIGNED, 0 }, { "uint_least16_t", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "int_least32_t", RT_CT_INT, 4, SIGNED, 0 }, { "uint_least32_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "int_least64_t", RT_CT_INT, 8, SIGNED, 0 }, { "uint_least64_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "int_fast8_t", RT_CT_INT, 1, SIGNED, 0 }, { "uint_fast8_t", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "int_fast16_t", RT_CT_INT, WORD, SIGNED, 0 }, { "uint_fast16_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "int_fast32_t", RT_CT_INT, WORD, SIGNED, 0 }, { "uint_fast32_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "int_fast64_t", RT_CT_INT, 8, SIGNED, 0 }, { "uint_fast64_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "__int8", RT_CT_INT, 1, SIGNED, 0 }, { "__int16", RT_CT_INT, 2, SIGNED, 0 }, { "__int32", RT_CT_INT, 4, SIGNED, 0 },
	{ "__int64", RT_CT_INT, 8, SIGNED, 0 }, { "__int128_t", RT_CT_INT, 16, SIGNED, 0 },
	{ "__uint128_t", RT_CT_INT, 16, UNSIGNED, 0 },
	{ "u_int8_t", RT_CT_INT, 1, UNSIGNED, 0 }, { "u_int16_t", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "u_int32_t", RT_CT_INT, 4, UNSIGNED, 0 }, { "u_int64_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "__s8", RT_CT_INT, 1, SIGNED, 0 }, { "__u8", RT_CT_INT, 1, UNSIGNED, 0 },
	{ "__s16", RT_CT_INT, 2, SIGNED, 0 }, { "__u16", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "__s32", RT_CT_INT, 4, SIGNED, 0 }, { "__u32", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "__s64", RT_CT_INT, 8, SIGNED, 0 }, { "__u64", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "u_char", RT_CT_INT, 1, UNSIGNED, 0 }, { "u_short", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "u_int", RT_CT_INT, 4, UNSIGNED, 0 }, { "u_long", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "uchar", RT_CT_INT, 1, UNSIGNED, 0 }, { "ushort", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "uint", RT_CT_INT, 4, UNSIGNED, 0 }, { "ulong", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "quad_t", RT_CT_INT, 8, SIGNED, 0 }, { "u_quad_t", RT_CT_INT, 8, UNSIGNED, 0 },
	{ "off_t", RT_CT_INT, WORD, SIGNED, 0 }, { "off64_t", RT_CT_INT, 8, SIGNED, 0 }, { "loff_t", RT_CT_INT, 8, SIGNED, 0 },
	{ "time_t", RT_CT_INT, WORD, SIGNED, 0 }, { "suseconds_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "useconds_t", RT_CT_INT, 4, UNSIGNED, 0 }, { "clock_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "clockid_t", RT_CT_INT, 4, SIGNED, 0 }, { "timer_t", RT_CT_INT, WORD, UNSIGNED, RT_STYLE_HEX },
	{ "pid_t", RT_CT_INT, 4, SIGNED, 0 }, { "id_t", RT_CT_INT, 4, UNSIGNED, 0 }, { "uid_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "gid_t", RT_CT_INT, 4, UNSIGNED, 0 }, { "mode_t", RT_CT_INT, 4, UNSIGNED, RT_STYLE_OCT },
	{ "dev_t", RT_CT_INT, 8, UNSIGNED, RT_STYLE_HEX }, { "ino_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "ino64_t", RT_CT_INT, 8, UNSIGNED, 0 }, { "nlink_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "blksize_t", RT_CT_INT, WORD, SIGNED, 0 }, { "blkcnt_t", RT_CT_INT, WORD, SIGNED, 0 },
	{ "blkcnt64_t", RT_CT_INT, 8, SIGNED, 0 }, { "key_t", RT_CT_INT, 4, SIGNED, RT_STYLE_HEX },
	{ "rlim_t", RT_CT_INT, WORD, UNSIGNED, 0 }, { "nfds_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "socklen_t", RT_CT_INT, 4, UNSIGNED, 0 }, { "sa_family_t", RT_CT_INT, 2, UNSIGNED, 0 },
	{ "in_port_t", RT_CT_INT, 2, UNSIGNED, 0 }, { "in_addr_t", RT_CT_INT, 4, UNSIGNED, RT_STYLE_HEX },
	{ "wchar_t", RT_CT_INT, 4, SIGNED, 0 }, { "wint_t", RT_CT_INT, 4, UNSIGNED, 0 }, { "wctype_t", RT_CT_INT, WORD, UNSIGNED, 0 },
	{ "char16_t", RT_CT_INT, 2, UNSIGNED, 0 }, { "char32_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "pthread_t", RT_CT_INT, WORD, UNSIGNED, RT_STYLE_HEX }, { "pthread_key_t", RT_CT_INT, 4, UNSIGNED, 0 },
	{ "pthread_once_t", RT_CT_INT, 4, SIGNED, 0 }, { "sig_atomic_t", RT_CT_INT, 4, SIGNED, 0 },
	{ "bool", RT_CT_BOOL, 1, UNSIGNED, 0 }, { "_Bool", RT_CT_BOOL, 1, UNSIGNED, 0 },
	{ "char8_t", RT_CT_CHAR, 1, UNSIGNED, 0 }, { "float_t", RT_CT_FLOAT, 4, SIGNED, 0 }, { "double_t", RT_CT_FLOAT, 8, SIGNED, 0 },
};

/* Texts of libstdc++, by the whole names that symbols have: what is in them is part of its ABI.  A view's members are for its convention. */
static const struct rt_ctype *standard_text(struct rt_cursor *c, const char *name, size_t n)
{
	bool string = rt_is_word(name, n, "std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >");
	struct rt_ctype *type, *element, *length;
	struct rt_member *members;

	if (c->arch->word != 8 || !(string || rt_is_word(name, n, "std::basic_string_view<char, std::char_traits<char> >")))
		return NULL;
	type = rt_types_add(c->types, RT_CT_STRUCT, string ? "std::string" : "std::string_view", string ? 32 : 16);
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
	type->sequence = (struct rt_sequence){ .element = element, .pointer = string ? 0 : 8, .length = string ? 8 : 0 };
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
	type->align = (uint32_t)(type->size > c->arch->word && c->arch->word < 8 ? c->arch->word : type->size);
	type->is_signed = standard[i].is_signed;
	type->style = (enum rt_style)standard[i].style;
	return type;
}

const char *rt_nearest_type(const char *name)
{
	static const char *const words[] = { "int", "char", "short", "long", "float", "double", "void", "unsigned", "signed" };
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
		{ "unsigned char", "unsigned short", "unsigned int", "unsigned long" }, { "signed char", "short", "int", "long" },
	};
	const struct standard *s = standard;
	bool is_int;

	while (s < standard + RT_COUNT(standard) && !rt_is_word(name, n, s->name))
		s++;
	/* C++ has types of their own for characters. */
	if (s == standard + RT_COUNT(standard) || s->kind != RT_CT_INT || s->size == 16 || strncmp(name, "char", 4) == 0 || name[0] == 'w')
		return NULL;
	/* What is a long in 64-bit programs: in others size_t and what goes with pointers are ints. */
	is_int = word < 8 && (strstr(s->name, "size_t") || strstr(s->name, "ptr"));
	if (word < 8 && s->size == 8)
		return s->is_signed ? "long long" : "unsigned long long";
	return names[s->is_signed][s->size == 1 ? 0 : s->size == 2 ? 1 : s->size == 4 || is_int ? 2 : 3];
}
