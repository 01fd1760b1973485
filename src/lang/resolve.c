/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lang/cursor.h"
#include "lang/print.h"

enum { DEPTH = 8 };

/* A type of which only the name was known, and "hex" or "flags" before it. */
static const struct rt_ctype *named(struct rt_types *types, const struct rt_ctype *type,
				    const struct rt_type_finder *finder)
{
	const struct rt_ctype *better = finder->find(finder->ctx, type->name);
	struct rt_ctype *copy;

	if (!better || (!type->style && !type->is_flags))
		return better ? better : type;
	copy = rt_types_alloc(types, sizeof(*copy));
	if (!copy)
		return type;
	*copy = *better;
	copy->style = type->style ? type->style : better->style;
	copy->is_flags |= type->is_flags;
	return copy;
}

/* The type with what it leads to looked up, where only names were known. */
static const struct rt_ctype *found(struct rt_types *types, const struct rt_ctype *type,
				    const struct rt_type_finder *finder, unsigned depth)
{
	const struct rt_ctype *target;
	struct rt_ctype *copy;

	if (!type || depth == 0)
		return type;
	if ((type->kind == RT_CT_UNKNOWN || (type->kind == RT_CT_ENUM && !type->nvalues)) &&
	    type->name)
		return named(types, type, finder);
	if (!type->target || (type->kind != RT_CT_POINTER && type->kind != RT_CT_REFERENCE &&
			      type->kind != RT_CT_ARRAY))
		return type;
	target = found(types, type->target, finder, depth - 1);
	if (target == type->target)
		return type;
	copy = rt_types_alloc(types, sizeof(*copy));
	if (!copy)
		return type;
	*copy = *type;
	copy->target = target;
	if (copy->kind == RT_CT_ARRAY && target->size && copy->count <= UINT32_MAX / target->size)
		copy->size = copy->count * target->size;
	return copy;
}

/*
 * Names that nobody knows, as those that are short in the function's own class: what debug
 * information has there.
 */
static const struct rt_ctype *or_known(const struct rt_ctype *type, const struct rt_ctype *known)
{
	const struct rt_ctype *t = type;

	while (t && t->target && (t->kind == RT_CT_POINTER || t->kind == RT_CT_REFERENCE))
		t = t->target;
	return t && t->kind == RT_CT_UNKNOWN && t->name ? known : type;
}

/* "Own" of a type that debug information calls Own, ns::Own or main.Own. */
static bool is_named(const struct rt_ctype *type, const char *name)
{
	size_t all = type && type->name ? strlen(type->name) : 0, n = strlen(name);

	return all >= n && strcmp(type->name + all - n, name) == 0 &&
	       (all == n || type->name[all - n - 1] == ':' || type->name[all - n - 1] == '.');
}

/*
 * A parameter by value of an unknown type has no size, so the places of those behind it are unknown
 * too.  A pointer to an unknown type is no problem.
 */
static int check_type(const struct rt_spec *spec, unsigned column, const struct rt_ctype *type,
		      const struct rt_ctype *known, const struct rt_type_finder *finder,
		      struct rt_error *err)
{
	if (!column || !type || type->kind != RT_CT_UNKNOWN || !type->name ||
	    is_named(known, type->name) || (finder && finder->has(finder->ctx, type->name)))
		return 0;
	return rt_spec_no_type(spec, column, type, err);
}

static int find_types(const struct rt_spec *spec, struct rt_prototype *p,
		      const struct rt_prototype *known, struct rt_types *types,
		      const struct rt_type_finder *finder, struct rt_error *err)
{
	bool same = known && known->origin == RT_ORIGIN_DWARF,
	     whole = same && p->nparams == known->nparams;
	struct rt_param *params = rt_types_alloc(types, (p->nparams + 1) * sizeof(*params));
	unsigned i;
	int r = 0;

	if (!params)
		return -ENOMEM;
	if (p->nparams)
		memcpy(params, p->params, p->nparams * sizeof(*params));
	for (i = 0; i < p->nparams && r == 0; i++) {
		if (finder)
			params[i].type = found(types, params[i].type, finder, DEPTH);
		r = check_type(spec, params[i].column, params[i].type,
			       whole ? known->params[i].type : NULL, finder, err);
		if (whole)
			params[i].type = or_known(params[i].type, known->params[i].type);
	}
	p->params = params;
	if (finder)
		p->result = found(types, p->result, finder, DEPTH);
	if (r == 0 && spec->result_given)
		r = check_type(spec, spec->prototype->result_column, p->result,
			       same ? known->result : NULL, finder, err);
	if (same)
		p->result = or_known(p->result, known->result);
	return r;
}

/*
 * A method's declaration has no `this`, so it comes from `known`.  If only the symbol and the code
 * tell of hidden pointers, the first may also be the place of the result.  A result that is a known
 * structure adds its pointer by itself.
 */
static int add_hidden(struct rt_prototype *p, const struct rt_prototype *known,
		      const struct rt_ctype *result, struct rt_types *types)
{
	bool certain = known && (known->origin == RT_ORIGIN_DWARF || !result ||
				 result->kind != RT_CT_STRUCT);
	struct rt_param *params;
	unsigned n = 0;

	while (certain && n < known->nparams && known->params[n].artificial)
		n++;
	if (!n || known->nparams != p->nparams + n)
		return 0;
	params = rt_types_alloc(types, known->nparams * sizeof(*params));
	if (!params)
		return -ENOMEM;
	memcpy(params, known->params, n * sizeof(*params));
	memcpy(params + n, p->params, p->nparams * sizeof(*params));
	p->params = params;
	p->nparams += n;
	return 0;
}

/* Use the compiler's places for the parameters, if the user gave those that it knows. */
static int keep_places(struct rt_prototype *p, const struct rt_prototype *known,
		       struct rt_types *types)
{
	struct rt_param *params;
	unsigned i;

	if (!known || known->nparams != p->nparams || !p->nparams ||
	    known->origin == RT_ORIGIN_GUESSED)
		return 0;
	params = rt_types_alloc(types, p->nparams * sizeof(*params));
	if (!params)
		return -ENOMEM;
	memcpy(params, p->params, p->nparams * sizeof(*params));
	for (i = 0; i < p->nparams; i++)
		params[i].location = known->params[i].location;
	p->params = params;
	p->convention = known->convention;
	return 0;
}

const struct rt_expr *rt_spec_expr(const struct rt_spec *spec, unsigned i)
{
	return i < spec->nshown ? &spec->shown[i].expr : &spec->conditions[i - spec->nshown].expr;
}

/* Nothing is known: argN is an int, as those before it. */
static int take_ints(const struct rt_spec *spec, struct rt_prototype *p, struct rt_types *types)
{
	struct rt_ctype *type = rt_types_add(types, RT_CT_INT, "int", 4);
	unsigned i, n = 0, number;
	struct rt_param *params;

	for (i = 0; i < spec->nshown + spec->nconditions; i++) {
		number = rt_spec_number(rt_spec_expr(spec, i)->param);
		n = number > n && number <= RT_MAX_VALUES ? number : n;
	}
	if (!spec->nshown && !rt_spec_tests_entry(spec))
		n = spec->nargs;
	params = rt_types_alloc(types, (n + 1) * sizeof(*params));
	if (!params || !type)
		return -ENOMEM;
	type->align = 4;
	type->is_signed = true;
	for (i = 0; i < n; i++)
		params[i].type = type;
	p->params = params;
	p->nparams = n;
	return 0;
}

bool rt_spec_knows_names(const struct rt_prototype *p)
{
	unsigned i;

	for (i = 0; i < p->nparams; i++)
		if (p->params[i].name)
			return true;
	return p->origin == RT_ORIGIN_GIVEN || p->origin == RT_ORIGIN_DWARF ||
	       p->origin == RT_ORIGIN_LIBRARY;
}

int rt_spec_prototype(const struct rt_spec *spec, const struct rt_prototype *known,
		      struct rt_types *types, const struct rt_type_finder *finder,
		      const struct rt_prototype **prototype, struct rt_error *err)
{
	unsigned i, all = spec->nshown + spec->nconditions, wrong = all;
	struct rt_prototype *p;
	int r = 0;

	*prototype = known;
	if (!spec->prototype && !all)
		return 0;
	p = rt_types_alloc(types, sizeof(*p));
	if (!p)
		return rt_nomem(err);
	if (known)
		*p = *known;
	if (spec->params_given) {
		p->origin = RT_ORIGIN_GIVEN;
		p->params = spec->prototype->params;
		p->nparams = spec->prototype->nparams;
		p->variadic = spec->prototype->variadic;
		r = add_hidden(p, known, spec->prototype->result, types);
		if (r == 0)
			r = keep_places(p, known, types);
	} else if (all && !known) {
		r = take_ints(spec, p, types);
	}
	for (i = 0; i < all; i++)
		if ((i < spec->nshown ||
		     spec->conditions[i - spec->nshown].subject == RT_OF_ARGUMENT) &&
		    rt_spec_param(p, rt_spec_expr(spec, i)->param) < 0 &&
		    (wrong == all ||
		     rt_spec_expr(spec, i)->column < rt_spec_expr(spec, wrong)->column))
			wrong = i;
	if (r == 0 && wrong < all)
		r = rt_spec_no_param(spec, wrong, p, err);
	if (!known)
		p->origin = RT_ORIGIN_GIVEN;
	if (spec->result_given) {
		p->result = spec->prototype->result;
		p->result_guessed = false;
	}
	if (spec->prototype) {
		p->sets_errno |= spec->prototype->sets_errno;
		if (spec->prototype->fails) {
			p->fails = true;
			p->fails_unless = spec->prototype->fails_unless;
			p->fails_at = spec->prototype->fails_at;
		}
		p->origin = RT_ORIGIN_GIVEN;
	}
	p->sets_errno |= rt_spec_condition(spec, RT_OF_ERRNO) != NULL;
	if (r == 0)
		r = find_types(spec, p, known, types, finder, err);
	*prototype = p;
	return r == -ENOMEM ? rt_nomem(err) : r;
}

/*
 * The result in a prototype: its type, before the name or behind the parameters, and the values
 * that mean a failure.
 */

/* "string" and "fd" alone are types. */
static int default_result(struct rt_cursor *c, struct rt_specifiers *s, const char *at)
{
	if (s->type)
		return 0;
	if (s->style != RT_STYLE_STRING && s->style != RT_STYLE_FD && s->style != RT_STYLE_ERRNO)
		return rt_expected(c, at, "the result's type");
	s->type = rt_default_type(c, s->style);
	return s->type ? 0 : rt_nomem(c->err);
}

int rt_parse_result(struct rt_cursor *c, const char *start, const char *name,
		    struct rt_prototype *prototype)
{
	struct rt_cursor part = *c;
	struct rt_specifiers s;
	const struct rt_ctype *type;
	int r;

	part.at = start;
	part.end = name;
	r = rt_parse_specifiers(&part, true, &s);
	if (r < 0)
		return r;
	if (!s.type && rt_peek(&part))
		return rt_expected(c, part.at, "a type");
	if (!s.type && !s.style)
		return 0;
	r = default_result(&part, &s, name);
	if (r < 0)
		return r;
	type = s.type;
	do {	/* of a macro in its place nothing is known, and nothing has to be */
		part.at += rt_identifier(&part, part.at, false);
		r = rt_parse_pointers(&part, &type, &s.is_const);
	} while (r == 0 && rt_peek(&part) && rt_identifier(&part, part.at, false));
	if (r < 0)
		return r;
	if (rt_peek(&part))
		return rt_expected(c, part.at, "the function's name");
	prototype->result_column = rt_cursor_column(c, s.at ? s.at : start);
	prototype->result = rt_styled(c, type, s.style);
	return prototype->result ? 0 : rt_nomem(c->err);
}

/* "-> TYPE [NAME]" */
static int parse_arrow(struct rt_cursor *c, struct rt_prototype *prototype)
{
	struct rt_specifiers s;
	struct rt_declarator d;
	const char *at;
	int r;

	rt_skip_blanks(c);
	at = c->at;
	if (prototype->result)
		return rt_expected(c, at, "one type for the result: there is one before the name");
	r = rt_parse_specifiers(c, false, &s);
	if (r < 0)
		return r;
	r = default_result(c, &s, at);
	if (r < 0)
		return r;
	r = rt_parse_pointers(c, &s.type, &s.is_const);
	if (r < 0)
		return r;
	/* A name says what it is, and is not printed. */
	if (!(rt_identifier(c, c->at, false) == 5 && memcmp(c->at, "errno", 5) == 0)) {
		r = rt_parse_declarator(c, s.type, s.is_const, &d);
		if (r < 0)
			return r;
		s.type = d.type;
	}
	prototype->result_column = rt_cursor_column(c, s.at ? s.at : at);
	prototype->result = rt_styled(c, s.type, s.style);
	return prototype->result ? 0 : rt_nomem(c->err);
}

static bool is_header_macro(const char *at, size_t n)
{
	size_t i;

	if (rt_is_word(at, n, "const") || rt_is_word(at, n, "noexcept") ||
	    rt_is_word(at, n, "throw") || rt_is_word(at, n, "override") ||
	    rt_is_word(at, n, "final") || rt_is_word(at, n, "volatile"))
		return true;
	for (i = 0; i < n && (isupper((unsigned char)at[i]) || isdigit((unsigned char)at[i]) ||
			      at[i] == '_');
	     i++)
		;
	return n && (i == n || (n > 2 && at[0] == '_' && at[1] == '_'));
}

/* "fails 0", "fails !0" */
static int parse_fails(struct rt_cursor *c, struct rt_prototype *prototype)
{
	const char *at;
	int64_t n;
	int r;

	prototype->fails = true;
	prototype->fails_unless = rt_take(c, "!");
	rt_skip_blanks(c);
	at = c->at;
	r = rt_parse_number(c, &n);
	if (r < 0)
		return r;
	prototype->fails_at = (int32_t)n;
	return n == (int32_t)n ? 0 : rt_expected(c, at, "a number of 32 bits");
}

int rt_parse_trailer(struct rt_cursor *c, struct rt_prototype *prototype)
{
	const char *close;
	size_t n;
	int r;

	while (rt_peek(c)) {
		if (rt_take(c, "->")) {
			r = parse_arrow(c, prototype);
			if (r < 0)
				return r;
			continue;
		}
		if (rt_skip_attribute(c) || rt_take(c, ";"))
			continue;
		n = rt_identifier(c, c->at, false);
		if (rt_is_word(c->at, n, "fails")) {
			c->at += n;
			r = parse_fails(c, prototype);
			if (r < 0)
				return r;
			continue;
		}
		if (rt_is_word(c->at, n, "errno"))
			prototype->sets_errno = true;
		else if (!is_header_macro(c->at, n))
			return rt_expected(
				c, c->at,
				"'->' and the result's type, 'errno', 'fails', or the end");
		c->at += n;
		close = rt_peek(c) == '(' ? rt_matching(c, c->at) : NULL;
		c->at = close ? close : c->at;
	}
	return 0;
}

/* Parameters as people write them, and as the names of C++'s symbols have them. */

enum { ALIAS_MAX = 1024 };

static void put_basic(FILE *file, const struct rt_basic *b)
{
	if (b->is_unsigned || (b->is_signed && b->is_char))
		fputs(b->is_unsigned ? "unsigned " : "signed ", file);
	fputs(b->is_char     ? "char"
	      : b->is_float  ? "float"
	      : b->is_double ? b->nlong ? "long double" : "double"
	      : b->is_void   ? "void"
	      : b->is_int128 ? "__int128"
	      : b->is_short  ? "short"
	      : b->nlong > 1 ? "long long"
	      : b->nlong     ? "long"
			     : "int",
	      file);
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
	return rt_is_word(at, n, "struct") || rt_is_word(at, n, "union") ||
	       rt_is_word(at, n, "enum") || rt_is_word(at, n, "class");
}

/* Put the type behind a typedef of the program in place of its name of `n` bytes. */
static bool put_alias(FILE *file, const char *at, size_t n, rt_spec_alias alias, void *ctx)
{
	char name[ALIAS_MAX], text[ALIAS_MAX];
	struct rt_cursor c = { .text = text, .at = text };

	if (!alias || n >= sizeof(name) || rt_is_word(at, n, "const") ||
	    rt_is_word(at, n, "volatile"))
		return false;
	memcpy(name, at, n);
	name[n] = '\0';
	if (!alias(ctx, name, text, sizeof(text)))
		return false;
	c.end = text + strlen(text);
	fputs(text + put_words(file, &c, text), file);
	return true;
}

static size_t put_type(FILE *file, const struct rt_cursor *c, const char *at, unsigned word,
		       rt_spec_alias alias, void *ctx)
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

int rt_spec_parameters(const char *text, const struct rt_arch *arch, struct rt_types *types,
		       struct rt_param *v, unsigned max, unsigned *n)
{
	struct rt_error ignored;
	struct rt_cursor c = { .text = text,
			       .at = text,
			       .end = text + strlen(text),
			       .arch = arch,
			       .types = types,
			       .err = &ignored };
	struct rt_specifiers s;
	struct rt_declarator d;
	int r;

	for (*n = 0; rt_peek(&c); ++*n) {
		if ((*n && !rt_take(&c, ",")) || *n == max)
			return -EINVAL;
		r = rt_parse_specifiers(&c, false, &s);
		if (r == 0 && s.type)
			r = rt_parse_declarator(&c, s.type, s.is_const, &d);
		if (r < 0 || !s.type || d.name || d.type->kind == RT_CT_FUNCTION ||
		    d.type->kind == RT_CT_ARRAY || d.type->kind == RT_CT_VOID)
			return r < 0 ? r : -EINVAL;
		v[*n] = (struct rt_param){ .type = d.type };
	}
	return 0;
}

char *rt_spec_overload(const char *name, const char *parameters, unsigned word, rt_spec_alias alias,
		       void *ctx)
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

/*
 * Names of parameters: their own, or argN.  And what a specification names and nothing knows: the
 * errors, with what to write.
 */

enum { NAMES = 12 };

unsigned rt_spec_number(const char *name)
{
	unsigned n = 0;

	name += *name == '$';
	if (strncmp(name, "arg", 3) != 0 || !isdigit((unsigned char)name[3]) || name[3] == '0')
		return 0;
	for (name += 3; isdigit((unsigned char)*name) && n <= RT_SPEC_PARAMS; name++)
		n = n * 10 + (unsigned)(*name - '0');
	return *name ? 0 : n;
}

int rt_spec_param(const struct rt_prototype *p, const char *name)
{
	unsigned i;

	for (i = 0; i < p->nparams; i++)
		if (p->params[i].name && strcmp(p->params[i].name, name) == 0)
			return (int)i;
	i = rt_spec_number(name);
	return i && i <= p->nparams ? (int)i - 1 : -1;
}

/*
 * "'fib(int n > 3)'": the item alone, between the function's name and the end; `type` before its
 * name, or `name` in place of it.
 */
static void print_item(FILE *file, const struct rt_spec *spec, unsigned item, const char *type,
		       const char *name)
{
	static const char *const styles[] = { "", "dec ", "hex ",    "oct ",
					      "", "fd ",  "string ", "errno " };
	const struct rt_shown *shown = item < spec->nshown ? &spec->shown[item] : NULL;
	struct rt_condition condition;
	unsigned i, first = UINT32_MAX;

	for (i = 0; i < spec->nshown + spec->nconditions; i++)
		if (rt_spec_expr(spec, i)->column < first)
			first = rt_spec_expr(spec, i)->column;
	while (first > 1 && spec->text[first - 1] != '(')
		first--;
	fprintf(file, "'%.*s%s", first < 160 ? (int)first : 0, spec->text,
		shown ? styles[shown->style] : "");
	fputs(type, file);
	if (shown) {
		fputs(name ? name : shown->expr.param, file);
	} else {
		condition = spec->conditions[item - spec->nshown];
		condition.join = RT_JOIN_ITEM;
		condition.expr.param = name ? name : condition.expr.param;
		rt_condition_print(file, &condition);
	}
	fputs(")'", file);
}

/* "a, b", or "arg1 to arg2" of those without names; `none`: there is not one. */
static void print_known(FILE *file, const struct rt_prototype *p, const char *none)
{
	unsigned i, n = 0;

	for (i = 0; i < p->nparams && n < NAMES; i++)
		if (p->params[i].name)
			fprintf(file, "%s%s", n++ ? ", " : "", p->params[i].name);
	if (n == 0 && p->nparams)
		fprintf(file, p->nparams > 1 ? "arg1 to arg%u" : "arg1", p->nparams);
	else if (n == 0)
		fputs(none, file);
}

/* "'fib(int n > 3)' or 'fib(arg1 > 3)'", where there may be an arg1. */
static void print_remedy(FILE *file, const struct rt_spec *spec, unsigned item,
			 const struct rt_prototype *p)
{
	const struct rt_condition *c = item < spec->nshown ? NULL
							   : &spec->conditions[item - spec->nshown];
	unsigned i, number = 1;
	char name[16];

	for (i = 0; i < spec->nshown + spec->nconditions; i++)
		number += rt_spec_expr(spec, i)->column < rt_spec_expr(spec, item)->column;
	print_item(file, spec, item, c && c->operand == RT_OPERAND_STRING ? "string " : "int ",
		   NULL);
	if (number > p->nparams && p->origin != RT_ORIGIN_NONE)
		return;
	snprintf(name, sizeof(name), "arg%u", number);
	fputs(" or ", file);
	print_item(file, spec, item, "", name);
}

static bool is_result(const char *name)
{
	name += *name == '$';
	return strcmp(name, "retval") == 0;
}

static void explain(FILE *file, const struct rt_spec *spec, unsigned item,
		    const struct rt_prototype *p)
{
	const struct rt_expr *expr = rt_spec_expr(spec, item);
	bool guessed = p->origin == RT_ORIGIN_GUESSED && !p->by_name;

	if (is_result(expr->param)) {
		fputs("a parameter, or 'return', the result, in a comparison", file);
	} else if (strcmp(expr->text, "time") == 0 && item >= spec->nshown) {
		fputs("a unit behind the number, as in 'time > 5ms'", file);
	} else if (rt_spec_number(expr->param) && p->origin == RT_ORIGIN_NONE) {
		fprintf(file, "arg1 to arg%d", RT_MAX_VALUES);
	} else if (guessed && rt_spec_number(expr->param)) {
		fputs("a parameter that the code shows: ", file);
		print_known(file, p, "there is none");
		fputs("; declare others, as in 'f(int a, int b)'", file);
	} else if (rt_spec_knows_names(p) || rt_spec_number(expr->param)) {
		fprintf(file, "the name of a parameter, of which there %s ",
			p->nparams > 1 ? "are" : "is");
		print_known(file, p, "none");
		if (spec->params_given)
			fprintf(file, "; declare '%s' too", expr->param);
	} else if (expr->nsteps) {
		fprintf(file, "a parameter of known type; declare '%s' before", expr->param);
	} else if (item < spec->nshown && strcmp(expr->param, "string") == 0) {
		fputs("a name behind 'string', as in 'f(string s)'", file);
	} else {
		fputs("a known parameter: ", file);
		print_known(file, p, "none is known");
		fprintf(file, p->nparams > 1 ? " have no names; write "
			      : p->nparams   ? " has no name; write "
					     : "; write ");
		print_remedy(file, spec, item, p);
	}
}

int rt_spec_no_param(const struct rt_spec *spec, unsigned item, const struct rt_prototype *p,
		     struct rt_error *err)
{
	char *text = NULL;
	size_t n;
	FILE *file = open_memstream(&text, &n);
	int r;

	if (!file)
		return rt_nomem(err);
	explain(file, spec, item, p);
	if (fclose(file) != 0) {
		free(text);
		return rt_nomem(err);
	}
	r = rt_spec_expected(spec, rt_spec_expr(spec, item)->column, err, "%s", text);
	free(text);
	return r;
}

int rt_spec_no_type(const struct rt_spec *spec, unsigned column, const struct rt_ctype *type,
		    struct rt_error *err)
{
	bool tagged = strncmp(type->name, "struct ", 7) == 0 ||
		      strncmp(type->name, "union ", 6) == 0;
	const char *near = rt_nearest_type(type->name);

	if (tagged)
		return rt_spec_expected(spec, column, err,
					"a type that is known, not '%.100s': its members "
					"are not; define them: %.100s { ... }",
					type->name, type->name);
	if (near)
		return rt_spec_expected(spec, column, err,
					"a type that is known, not '%.100s': did you mean '%s'?",
					type->name, near);
	return rt_spec_expected(spec, column, err,
				"a type that is known, not '%.100s': write the type that it means, "
				"such as int or void *",
				type->name);
}
