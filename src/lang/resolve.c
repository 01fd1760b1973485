/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "lang/cursor.h"

enum { DEPTH = 8 };

/* A type of which only the name was known, and "hex" or "flags" before it. */
static const struct rt_ctype *named(struct rt_types *types, const struct rt_ctype *type, const struct rt_type_finder *finder)
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
static const struct rt_ctype *found(struct rt_types *types, const struct rt_ctype *type, const struct rt_type_finder *finder, unsigned depth)
{
	const struct rt_ctype *target;
	struct rt_ctype *copy;

	if (!type || depth == 0)
		return type;
	if ((type->kind == RT_CT_UNKNOWN || (type->kind == RT_CT_ENUM && !type->nvalues)) && type->name)
		return named(types, type, finder);
	if (!type->target || (type->kind != RT_CT_POINTER && type->kind != RT_CT_REFERENCE && type->kind != RT_CT_ARRAY))
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

/* Names that nobody knows, as those that are short in the function's own class: what debug information has there. */
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

	return all >= n && strcmp(type->name + all - n, name) == 0 && (all == n || type->name[all - n - 1] == ':' || type->name[all - n - 1] == '.');
}

/*
 * A parameter by value of an unknown type has no size, so the places of those behind it are unknown too.
 * A pointer to an unknown type is no problem.
 */
static int check_type(const struct rt_spec *spec, unsigned column, const struct rt_ctype *type, const struct rt_ctype *known,
		      const struct rt_type_finder *finder, struct rt_error *err)
{
	if (!column || !type || type->kind != RT_CT_UNKNOWN || !type->name || is_named(known, type->name) ||
	    (finder && finder->has(finder->ctx, type->name)))
		return 0;
	return rt_spec_no_type(spec, column, type, err);
}

static int find_types(const struct rt_spec *spec, struct rt_prototype *p, const struct rt_prototype *known, struct rt_types *types,
		      const struct rt_type_finder *finder, struct rt_error *err)
{
	bool same = known && known->origin == RT_ORIGIN_DWARF, whole = same && p->nparams == known->nparams;
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
		r = check_type(spec, params[i].column, params[i].type, whole ? known->params[i].type : NULL, finder, err);
		if (whole)
			params[i].type = or_known(params[i].type, known->params[i].type);
	}
	p->params = params;
	if (finder)
		p->result = found(types, p->result, finder, DEPTH);
	if (r == 0 && spec->result_given)
		r = check_type(spec, spec->prototype->result_column, p->result, same ? known->result : NULL, finder, err);
	if (same)
		p->result = or_known(p->result, known->result);
	return r;
}

/*
 * A method's declaration has no `this`.  What only the symbol's name and the code tell of may also be where to put a result; a structure
 * that is known brings that with it.
 */
static int add_hidden(struct rt_prototype *p, const struct rt_prototype *known, const struct rt_ctype *result, struct rt_types *types)
{
	bool certain = known && (known->origin == RT_ORIGIN_DWARF || !result || result->kind != RT_CT_STRUCT);
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

/* Where the compiler put the parameters, if those given are the ones that it knows. */
static int keep_places(struct rt_prototype *p, const struct rt_prototype *known, struct rt_types *types)
{
	struct rt_param *params;
	unsigned i;

	if (!known || known->nparams != p->nparams || !p->nparams || known->origin == RT_ORIGIN_GUESSED)
		return 0;
	params = rt_types_alloc(types, p->nparams * sizeof(*params));
	if (!params)
		return -ENOMEM;
	memcpy(params, p->params, p->nparams * sizeof(*params));
	for (i = 0; i < p->nparams; i++)
		params[i].where = known->params[i].where;
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
	return p->origin == RT_ORIGIN_GIVEN || p->origin == RT_ORIGIN_DWARF || p->origin == RT_ORIGIN_LIBRARY;
}

int rt_spec_prototype(const struct rt_spec *spec, const struct rt_prototype *known, struct rt_types *types,
		      const struct rt_type_finder *finder, const struct rt_prototype **prototype, struct rt_error *err)
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
		if (rt_spec_param(p, rt_spec_expr(spec, i)->param) < 0 &&
		    (wrong == all || rt_spec_expr(spec, i)->column < rt_spec_expr(spec, wrong)->column))
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
	if (r == 0)
		r = find_types(spec, p, known, types, finder, err);
	*prototype = p;
	return r == -ENOMEM ? rt_nomem(err) : r;
}
