/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parameters as people write them, and as the names of C++'s symbols have them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/cursor.h"
#include "base/array.h"

enum { ALIAS_MAX = 1024 };

static void put_basic(FILE *file, const struct rt_basic *b)
{
	if (b->is_unsigned || (b->is_signed && b->is_char))
		fputs(b->is_unsigned ? "unsigned " : "signed ", file);
	fputs(b->is_char ? "char" : b->is_float ? "float" : b->is_double ? b->nlong ? "long double" : "double" : b->is_void ? "void" :
	      b->is_int128 ? "__int128" : b->is_short ? "short" : b->nlong > 1 ? "long long" : b->nlong ? "long" : "int", file);
}

/* "long unsigned int": how much of it is one type; 0: none. */
static size_t put_words(FILE *file, const struct rt_cursor *c, const char *at)
{
	struct rt_basic b = { 0 };
	const char *end = at, *p = at;
	size_t n;

	while ((n = rt_identifier(c, p, false)) && rt_basic_word(p, n, &b)) {
		end = p + n;
		p = end + strspn(end, " \t");
	}
	if (b.clash || b.is_complex || end == at)
		return 0;
	put_basic(file, &b);
	return (size_t)(end - at);
}

/* Words that C needs, and a symbol's name has not. */
static bool is_tag(const char *at, size_t n)
{
	return rt_is_word(at, n, "struct") || rt_is_word(at, n, "union") || rt_is_word(at, n, "enum") || rt_is_word(at, n, "class");
}

/* What a typedef of the program stands for, instead of its name of so many bytes. */
static bool put_alias(FILE *file, const char *at, size_t n, rt_spec_alias alias, void *ctx)
{
	char name[ALIAS_MAX], text[ALIAS_MAX];
	struct rt_cursor c = { .text = text, .at = text };

	if (!alias || n >= sizeof(name) || rt_is_word(at, n, "const") || rt_is_word(at, n, "volatile"))
		return false;
	memcpy(name, at, n);
	name[n] = '\0';
	if (!alias(ctx, name, text, sizeof(text)))
		return false;
	c.end = text + strlen(text);
	fputs(text + put_words(file, &c, text), file);
	return true;
}

static size_t put_type(FILE *file, const struct rt_cursor *c, const char *at, unsigned word, rt_spec_alias alias, void *ctx)
{
	const char *bare = strncmp(at, "std::", 5) == 0 ? at + 5 : at, *name;
	size_t n = rt_identifier(c, bare, false), all = rt_identifier(c, at, true);

	name = rt_standard_basic(bare, n, word);
	if (name && bare + n == at + all) {
		fputs(name, file);
		return all;
	}
	if (is_tag(at, all) && (at[all] == ' ' || at[all] == '\t'))
		return all + strspn(at + all, " \t");
	n = put_words(file, c, at);
	if (n)
		return n;
	if (put_alias(file, at, all, alias, ctx))
		return all;
	/* Its parts one by one: a template's arguments are types, too. */
	n = rt_identifier(c, at, false);
	while (n && strncmp(at + n, "::", 2) == 0)
		n += 2 + rt_identifier(c, at + n + 2, false);
	fwrite(at, 1, n, file);
	return n;
}

int rt_spec_parameters(const char *text, const struct rt_arch *arch, struct rt_types *types, struct rt_param *v, unsigned max, unsigned *n)
{
	struct rt_error ignored;
	struct rt_cursor c = { .text = text, .at = text, .end = text + strlen(text), .arch = arch, .types = types, .err = &ignored };
	struct rt_specifiers s;
	struct rt_declarator d;
	int r;

	for (*n = 0; rt_peek(&c); ++*n) {
		if ((*n && !rt_take(&c, ",")) || *n == max)
			return -EINVAL;
		r = rt_parse_specifiers(&c, false, &s);
		if (r == 0 && s.type)
			r = rt_parse_declarator(&c, s.type, s.is_const, &d);
		if (r < 0 || !s.type || d.name || d.type->kind == RT_CT_FUNCTION || d.type->kind == RT_CT_ARRAY || d.type->kind == RT_CT_VOID)
			return r < 0 ? r : -EINVAL;
		v[*n] = (struct rt_param){ .type = d.type };
	}
	return 0;
}

char *rt_spec_overload(const char *name, const char *parameters, unsigned word, rt_spec_alias alias, void *ctx)
{
	struct rt_cursor c = { .text = name, .at = parameters, .end = name + strlen(name) };
	char *text = NULL;
	size_t n;
	FILE *file = open_memstream(&text, &n);

	if (!file)
		return NULL;
	fwrite(name, 1, (size_t)(parameters - name), file);
	while (c.at < c.end) {
		n = rt_identifier(&c, c.at, false) ? put_type(file, &c, c.at, word, alias, ctx) : 0;
		if (!n)
			putc(*c.at, file);
		c.at += n ? n : 1;
	}
	if (fclose(file) == 0)
		return text;
	free(text);
	return NULL;
}
