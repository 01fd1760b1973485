/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "spec/cursor.h"

enum { DEPTH = 8, NAMES = 12 };

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

static int find_types(struct rt_prototype *p, const struct rt_prototype *known, struct rt_types *types, const struct rt_type_finder *finder)
{
	bool same = known && known->origin == RT_ORIGIN_DWARF;
	struct rt_param *params = rt_types_alloc(types, (p->nparams + 1) * sizeof(*params));
	unsigned i;

	if (!params)
		return -ENOMEM;
	if (p->nparams)
		memcpy(params, p->params, p->nparams * sizeof(*params));
	for (i = 0; i < p->nparams; i++) {
		params[i].type = found(types, params[i].type, finder, DEPTH);
		if (same && p->nparams == known->nparams)
			params[i].type = or_known(params[i].type, known->params[i].type);
	}
	p->params = params;
	p->result = found(types, p->result, finder, DEPTH);
	if (same)
		p->result = or_known(p->result, known->result);
	return 0;
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

static bool has_name(const struct rt_prototype *p, const char *name)
{
	unsigned i;

	for (i = 0; i < p->nparams; i++)
		if (p->params[i].name && strcmp(p->params[i].name, name) == 0)
			return true;
	return false;
}

static int no_name(const struct rt_spec *spec, const struct rt_expr *expr, const struct rt_prototype *p, struct rt_error *err)
{
	char names[256] = "";
	size_t at = 0;
	unsigned i;

	for (i = 0; i < p->nparams && i < NAMES; i++)
		if (p->params[i].name && at + strlen(p->params[i].name) + 8 < sizeof(names))
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s", at ? ", " : "", p->params[i].name);
	return rt_spec_expected(spec, expr->column, err, "the name of a parameter, of which there %s %s", strchr(names, ',') ? "are" : "is",
				at ? names : "none");
}

static const struct rt_expr *name_at(const struct rt_spec *spec, unsigned i)
{
	return i < spec->nshown ? &spec->shown[i].expr : &spec->conditions[i - spec->nshown].expr;
}

/* Nothing knows names: those in the text are the parameters in order, each an int unless a type is known of it. */
static int take_names(const struct rt_spec *spec, struct rt_prototype *p, struct rt_types *types, struct rt_error *err)
{
	unsigned i, n = 0, all = spec->nshown + spec->nconditions;
	struct rt_param *params = rt_types_alloc(types, (p->nparams + all + 1) * sizeof(*params));
	struct rt_ctype *type = rt_types_add(types, RT_CT_INT, "int", 4);

	if (!params || !type)
		return rt_nomem(err);
	type->align = 4;
	type->is_signed = true;
	if (p->nparams)
		memcpy(params, p->params, p->nparams * sizeof(*params));
	p->params = params;
	for (i = 0; i < all; i++) {
		const struct rt_expr *expr = name_at(spec, i);

		if (has_name(p, expr->param))
			continue;
		if (expr->nsteps)
			return rt_spec_expected(spec, expr->column, err,
						"a parameter whose type is known: nothing tells that of '%s'; declare it before", expr->param);
		if (n >= p->nparams) {
			memset(&params[n], 0, sizeof(params[n]));
			params[n].type = type;
			p->nparams = n + 1;
		}
		params[n++].name = expr->param;
	}
	p->nparams = n;
	return 0;
}

static bool knows_names(const struct rt_prototype *known)
{
	unsigned i;

	for (i = 0; known && i < known->nparams; i++)
		if (known->params[i].name)
			return true;
	return known && known->origin != RT_ORIGIN_NONE && known->origin != RT_ORIGIN_GUESSED;
}

int rt_spec_prototype(const struct rt_spec *spec, const struct rt_prototype *known, struct rt_types *types,
		      const struct rt_type_finder *finder, const struct rt_prototype **prototype, struct rt_error *err)
{
	unsigned i, all = spec->nshown + spec->nconditions;
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
	} else if (all && !knows_names(known)) {
		r = take_names(spec, p, types, err);
		p->origin = RT_ORIGIN_GIVEN;
	}
	if (spec->result_given)
		p->result = spec->prototype->result;
	if (spec->prototype) {
		p->sets_errno |= spec->prototype->sets_errno;
		if (spec->prototype->fails) {
			p->fails = true;
			p->fails_unless = spec->prototype->fails_unless;
			p->fails_at = spec->prototype->fails_at;
		}
		p->origin = RT_ORIGIN_GIVEN;
	}
	if (r == 0 && finder)
		r = find_types(p, known, types, finder);
	for (i = 0; i < all && r == 0; i++)
		if (!has_name(p, name_at(spec, i)->param))
			r = no_name(spec, name_at(spec, i), p, err);
	*prototype = p;
	return r == -ENOMEM ? rt_nomem(err) : r;
}
