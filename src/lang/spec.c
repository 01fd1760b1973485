/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lang/spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/cursor.h"
#include "lang/name.h"
#include "lang/scope.h"

/*
 * No function's name begins with a digit or a sign, so such a last field is meant to be a number.
 */
static bool is_number(const char *field, const char *end)
{
	return field < end && (isdigit((unsigned char)*field) || *field == '+' || *field == '-') &&
	       !(end - field > 2 && field[0] == '0' && (field[1] | 32) == 'x');
}

static int parse_nargs(const struct rt_cursor *c, const char *field, const char *end,
		       struct rt_spec *spec)
{
	unsigned n = 0;
	const char *p;

	for (p = field; p < end && isdigit((unsigned char)*p) && n <= RT_MAX_VALUES; p++)
		n = n * 10 + (unsigned)(*p - '0');
	if (p == field || p < end || n > RT_MAX_VALUES)
		return rt_expected(c, field, "the number of arguments, 0 to %d", RT_MAX_VALUES);
	spec->nargs = n;
	spec->nargs_given = true;
	return 0;
}

/* [start, end) is [LIBRARY:]NAME.  A library's path may hold ':' itself. */
static int parse_names(const struct rt_cursor *c, const char *start, const char *end,
		       struct rt_spec *spec)
{
	const char *colon = rt_last_colon(start, end);
	const char *function = colon ? colon + 1 : start;
	const char *other;

	if (colon && spec->provider)
		return rt_expected(c, colon, "the end of the probe's name, or '('");
	if (function == end)
		return rt_expected(c, function, "the name of a function");
	if (colon == start)
		return rt_expected(c, start, "the name of a library before ':'");
	other = colon ? rt_last_colon(start, colon) : NULL;
	if (other && !memchr(start, '/', (size_t)(colon - start)))
		return rt_expected(c, function, "the number of arguments: LIBRARY:FUNCTION:NARGS");
	if (colon && rt_take_library(c, start, colon, spec) < 0)
		return -ENOMEM;
	return rt_take_name(c, function, end, spec);
}

/* [LIBRARY:]NAME[:NARGS] */
static int parse_plain(const struct rt_cursor *c, const char *end, struct rt_spec *spec)
{
	const char *colon = rt_last_colon(c->at, end);
	int r;

	if (colon && colon + 1 == end)
		return rt_expected(c, end,
				   "the name of a function or the number of arguments after ':'");
	if (colon && is_number(colon + 1, end)) {
		r = parse_nargs(c, colon + 1, end, spec);
		if (r < 0)
			return r;
		end = colon;
	}
	return parse_names(c, c->at, end, spec);
}

/* ---- NAME WORD... ---- */

static int parse_with_words(struct rt_cursor *c, const char *words, struct rt_spec *spec)
{
	const char *end = words;
	int r;

	while (end > c->at && isspace((unsigned char)end[-1]))
		end--;
	r = parse_plain(c, end, spec);
	if (r == 0 && spec->nargs_given)
		return rt_expected(c, end,
				   "either a number of arguments or the kernel's words, not both");
	c->at = words;
	return r < 0 ? r : rt_parse_words(c, spec);
}

/* ---- prototypes ---- */

/* the parts of a prototype, as places in the text */
struct head {
	const char *start, *name, *name_end;	/* of the result's type, and of the name */
	const char *open;			/* '(' of the parameters */
	bool has_result;
};

/*
 * The name in "[LIBRARY:][TYPE ]NAME(": the last word, or from "operator" on, without what belongs
 * to a pointer.
 */
static void find_name(struct head *h, const char *end)
{
	const char *p, *operator = NULL;
	int depth = 0;

	while (end > h->start && isspace((unsigned char)end[-1]))
		end--;
	h->name_end = end;
	for (p = h->start; p + 8 < end && !operator; p++)
		if (memcmp(p, "operator", 8) == 0 &&
		    (p == h->start || !isalnum((unsigned char)p[-1])))
			operator = p;
	for (p = operator ? operator : end; p > h->start; p--) {
		depth += p[-1] == '>' || p[-1] == ')' ? 1 : p[-1] == '<' || p[-1] == '(' ? -1 : 0;
		if (depth <= 0 && isspace((unsigned char)p[-1]))
			break;
	}
	h->name = p;
	h->has_result = p > h->start;
	while (h->has_result && h->name < end && (*h->name == '*' || *h->name == '&'))
		h->name++;
}

/* "int (*signal(int sig, void (*f)(int)))(int)" and "LUA_API int (lua_gettop) (lua_State *L)". */
static bool find_nested_name(struct rt_cursor *c, struct head *h, const char **after)
{
	const char *close = rt_matching(c, h->open), *p, *end;
	struct rt_cursor probe = *c;

	if (!close)
		return false;
	probe.at = close;
	if (rt_peek(&probe) != '(')
		return false;
	for (p = h->open + 1; p < close && (isspace((unsigned char)*p) || *p == '*'); p++)
		;
	end = p + rt_identifier(c, p, true);
	if (end == p)
		return false;
	h->has_result = true;
	h->name = p;
	h->name_end = end;
	probe.at = end;
	if (rt_peek(&probe) == '(') {		/* it returns a pointer to a function */
		*after = h->open;
		h->open = probe.at;
		return rt_matching(c, h->open) != NULL;
	}
	probe.at = close;
	rt_skip_blanks(&probe);
	*after = NULL;
	h->open = probe.at;
	return end + strspn(end, " \t") == close - 1;
}

static int function_result(struct rt_cursor *c, const char *outer, struct rt_prototype *prototype)
{
	const struct rt_ctype *type;
	const char *open, *close;

	c->at = rt_matching(c, outer);
	close = rt_peek(c) == '(' ? rt_matching(c, c->at) : NULL;
	if (!close)
		return rt_expected(c, c->at, "'(' and the parameters of what is returned");
	open = c->at + 1;
	c->at = close;
	type = rt_function_type(c->types, prototype->result, open, (size_t)(close - 1 - open));
	prototype->result = type ? rt_types_pointer(c->types, type, c->arch->word) : NULL;
	return prototype->result ? 0 : rt_nomem(c->err);
}

/*
 * Only types, as in a C++ name that tells one overloaded function from others: Foo::bar(int, char
 * const*).
 */
static bool is_overload(const struct rt_cursor *c, const struct head *h, const struct rt_spec *spec,
			const struct rt_prototype *prototype)
{
	unsigned i;

	if (h->has_result || c->at != c->end || spec->nconditions)
		return false;
	for (i = 0; i < prototype->nparams; i++)
		if (prototype->params[i].name)
			return false;
	for (i = 0; i < spec->nshown; i++)
		if (spec->shown[i].expr.nsteps || spec->shown[i].style)
			return false;
	return true;
}

static bool has_unknown(const struct rt_prototype *prototype)
{
	const struct rt_ctype *type;
	unsigned i;

	for (i = 0; i < prototype->nparams; i++) {
		for (type = prototype->params[i].type; type->target; type = type->target)
			;
		if (type->kind == RT_CT_UNKNOWN)
			return true;
	}
	return false;
}

static int parse_parts(struct rt_cursor *c, struct head *h, const char *outer, struct rt_spec *spec,
		       struct rt_prototype *prototype)
{
	const char *name = outer ? outer : h->name;
	int r = 0;

	if (outer || h->has_result) {
		/* "int (name) (...)": the parenthesis is before the name. */
		while (!outer && name > h->start &&
		       (isspace((unsigned char)name[-1]) || name[-1] == '('))
			name--;
		r = rt_parse_result(c, h->start, name, prototype);
	}
	c->at = h->open + 1;
	if (r == 0)
		r = rt_parse_items(c, spec, prototype, h->has_result && prototype->result);
	if (r == 0 && outer)
		r = function_result(c, outer, prototype);
	return r < 0 ? r : rt_parse_trailer(c, prototype);
}

static int parse_prototype(struct rt_cursor *c, const char *open, struct rt_spec *spec)
{
	struct rt_prototype *prototype = rt_types_alloc(c->types, sizeof(*prototype));
	struct head h = { .start = c->at, .open = open };
	const char *colon = rt_last_colon(c->at, open), *outer = NULL;
	bool cxx, types_only;
	int r;

	if (!prototype)
		return rt_nomem(c->err);
	if (colon && spec->provider)
		return rt_expected(c, colon, "the end of the probe's name, or '('");
	if (colon == c->at)
		return rt_expected(c, c->at, "the name of a library before ':'");
	if (colon && rt_take_library(c, c->at, colon, spec) < 0)
		return -ENOMEM;
	h.start = colon ? colon + 1 : c->at;
	while (h.start < open && isspace((unsigned char)*h.start))
		h.start++;
	if (!find_nested_name(c, &h, &outer)) {
		h.open = open;
		outer = NULL;
		find_name(&h, open);
	}
	if (h.name == h.name_end)
		return rt_expected(c, h.name_end, "the name of a function");
	prototype->origin = RT_ORIGIN_GIVEN;
	r = parse_parts(c, &h, outer, spec, prototype);
	cxx = !h.has_result && rt_matching(c, h.open) && (rt_has_double_colon(h.name, h.name_end) ||
		(r < 0 && rt_has_double_colon(h.open, c->end)));
	types_only = r == 0 && is_overload(c, &h, spec, prototype);
	if (r != -ENOMEM && cxx && (r < 0 || types_only)) {
		spec->overload_only = r == 0 && !spec->nshown && !has_unknown(prototype);
		/* The symbol has the types: parse the text as a name alone. */
		c->at = c->end;
		spec->params_given = false;
		spec->nshown = spec->nconditions = 0;
		if ((size_t)(h.name_end - h.name) > strcspn(h.name, "*?[@") ||
		    strstr(h.name, "operator"))
			return rt_take_name(c, h.name, c->end, spec);
		/* Types that may be the program's own have other names in symbols. */
		spec->overload = strndup(h.name, (size_t)(c->end - h.name));
		return spec->overload ? rt_take_name(c, h.name, h.name_end, spec)
				      : rt_nomem(c->err);
	}
	if (r < 0)
		return r;
	spec->result_given = prototype->result != NULL;
	if (spec->params_given || spec->result_given || prototype->sets_errno || prototype->fails)
		spec->prototype = prototype;
	spec->types_only = types_only && spec->params_given;
	if (!outer && spec->params_given && !spec->nshown && !spec->nconditions) {
		r = rt_take_overload(c, h.name, h.name_end, h.open, prototype, spec);
		if (r < 0)
			return r;
	}
	return rt_take_name(c, h.name, h.name_end, spec);
}

/* ---- /regex/ ---- */

static int parse_regex(struct rt_cursor *c, const char *slash, const char *close,
		       struct rt_spec *spec)
{
	struct rt_prototype *prototype;
	int r;

	if (slash > c->at && rt_take_library(c, c->at, slash - 1, spec) < 0)
		return -ENOMEM;
	r = rt_take_regex(c, slash, close, spec);
	c->at = close;
	if (r < 0 || c->at == c->end)
		return r;
	if (*c->at == ':')
		return parse_nargs(c, c->at + 1, c->end, spec);
	if (rt_peek(c) != '(')
		return rt_parse_words(c, spec);
	prototype = rt_types_alloc(c->types, sizeof(*prototype));
	if (!prototype)
		return rt_nomem(c->err);
	prototype->origin = RT_ORIGIN_GIVEN;
	c->at++;
	r = rt_parse_items(c, spec, prototype, false);
	if (r == 0)
		r = rt_parse_trailer(c, prototype);
	spec->result_given = prototype->result != NULL;
	if (spec->params_given || spec->result_given || prototype->sets_errno || prototype->fails)
		spec->prototype = prototype;
	return r;
}

/* [LIBRARY:]usdt:PROVIDER:NAME, and behind it what a function may have, but no result */
static int parse_usdt(struct rt_cursor *c, const char *usdt, struct rt_spec *spec)
{
	const struct rt_prototype *p;
	const char *name, *at;
	unsigned i;
	int r = rt_take_usdt(c, usdt, spec);

	if (r < 0)
		return r;
	name = c->at;
	at = rt_find_words(c);
	if (at)
		return parse_with_words(c, at, spec);
	at = rt_find_items(c);
	r = at ? parse_prototype(c, at, spec) : parse_plain(c, c->end, spec);
	p = spec->prototype;
	if (r == 0 && (spec->result_given || (p && (p->sets_errno || p->fails))))
		return rt_expected(c, name, "a probe without a result");
	for (i = 0; i < spec->nconditions && r == 0; i++)
		if (spec->conditions[i].subject != RT_OF_ARGUMENT)
			return rt_spec_expected(spec, spec->conditions[i].expr.column, c->err,
						"an argument: a probe has no end");
	return r;
}

static int parse(struct rt_cursor *c, struct rt_spec *spec)
{
	const char *slash, *close, *at;

	rt_skip_blanks(c);
	while (c->end > c->at && isspace((unsigned char)c->end[-1]))
		c->end--;
	at = rt_find_usdt(c);
	if (at)
		return parse_usdt(c, at, spec);
	slash = rt_find_regex(c, &close);
	if (slash)
		return parse_regex(c, slash, close, spec);
	at = rt_find_words(c);
	if (at)
		return parse_with_words(c, at, spec);
	at = rt_find_items(c);
	return at ? parse_prototype(c, at, spec) : parse_plain(c, c->end, spec);
}

static int check_length(const struct rt_spec *spec, struct rt_error *err)
{
	size_t n = spec->function ? strlen(spec->function) : 0,
	       more = spec->overload ? strlen(spec->overload) : 0;

	if (n <= RT_NAME_MOST && more <= RT_NAME_MOST)
		return 0;
	return rt_usage(err, "'%.40s...': name of %zu characters; at most %d", spec->function,
			n > more ? n : more, RT_NAME_MOST);
}

int rt_spec_parse(const char *text, const struct rt_arch *arch, const struct rt_scope *scope,
		  struct rt_spec *spec, struct rt_error *err)
{
	struct rt_cursor c = { .arch = arch, .scope = scope, .err = err };
	int r;

	memset(spec, 0, sizeof(*spec));
	spec->nargs = 1;
	spec->word = arch->word;
	spec->text = strdup(text);
	spec->types = rt_types_new();
	if (!spec->text || !spec->types) {
		rt_spec_free(spec);
		return rt_nomem(err);
	}
	c.text = c.at = spec->text;
	c.end = c.at + strlen(c.at);
	c.types = spec->types;
	/* A struct that is declared may point to itself. */
	c.defines = rt_scope_new();
	r = c.defines ? parse(&c, spec) : rt_nomem(err);
	rt_scope_free(c.defines);
	if (r == 0)
		r = check_length(spec, err);
	if (r < 0)
		rt_spec_free(spec);
	return r;
}

const struct rt_condition *rt_spec_condition(const struct rt_spec *spec, enum rt_subject subject)
{
	unsigned i;

	for (i = 0; i < spec->nconditions; i++)
		if (spec->conditions[i].subject == subject)
			return &spec->conditions[i];
	return NULL;
}

bool rt_spec_tests_entry(const struct rt_spec *spec)
{
	return rt_spec_condition(spec, RT_OF_ARGUMENT);
}

bool rt_spec_tests_end(const struct rt_spec *spec)
{
	return rt_spec_condition(spec, RT_OF_RESULT) || rt_spec_condition(spec, RT_OF_ERRNO) ||
	       rt_spec_condition(spec, RT_OF_TIME);
}

void rt_spec_free(struct rt_spec *spec)
{
	free(spec->text);
	free(spec->lib);
	free(spec->provider);
	free(spec->function);
	free(spec->file);
	free(spec->overload);
	rt_free_regex(spec);
	rt_types_free(spec->types);
	memset(spec, 0, sizeof(*spec));
}

int rt_spec_expected(const struct rt_spec *spec, unsigned column, struct rt_error *err,
		     const char *fmt, ...)
{
	struct rt_cursor c = { .text = spec->text, .err = err };
	char what[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return rt_expected(&c, c.text + (column ? column - 1 : 0), "%s", what);
}
