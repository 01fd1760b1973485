/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "lang/cursor.h"
#include "base/array.h"
#include "base/errnos.h"
#include "base/scan.h"

/* The items that were parsed so far. */
struct items {
	struct rt_param params[RT_SPEC_PARAMS];
	/* the name of the parameter that tells this one's length, or NULL */
	const char *length_at[RT_SPEC_PARAMS];
	size_t length_n[RT_SPEC_PARAMS];
	const char *most_at[RT_SPEC_PARAMS];	/* and that of its bound */
	size_t most_n[RT_SPEC_PARAMS];
	unsigned nparams;
	struct rt_shown shown[RT_SPEC_PARAMS];
	unsigned nshown;
	struct rt_condition conditions[RT_SPEC_PARAMS];
	unsigned nconditions;
	bool variadic, is_void;
};

/* ---- p->next->id, *p, v[2] ---- */

static int add_step(struct rt_cursor *c, struct rt_step *v, unsigned *n, enum rt_step_kind kind,
		    const char *at)
{
	size_t length;

	if (*n == RT_SPEC_STEPS)
		return rt_expected(c, at, "at most %d steps from an argument", RT_SPEC_STEPS);
	v[*n] = (struct rt_step){ .kind = kind, .column = rt_cursor_column(c, at) };
	if (kind == RT_STEP_MEMBER || kind == RT_STEP_ARROW) {
		rt_skip_blanks(c);
		length = rt_identifier(c, c->at, false);
		if (!length)
			return rt_expected(c, c->at, "the name of a member");
		v[*n].name = rt_types_name(c->types, c->at, length);
		v[*n].column = rt_cursor_column(c, c->at);
		c->at += length;
		if (!v[*n].name)
			return rt_nomem(c->err);
	}
	(*n)++;
	return 0;
}

static int index_step(struct rt_cursor *c, struct rt_step *v, unsigned *n, const char *at)
{
	const char *number;
	int r = add_step(c, v, n, RT_STEP_INDEX, at);

	if (r < 0)
		return r;
	rt_skip_blanks(c);
	number = c->at;
	r = rt_parse_number(c, &v[*n - 1].index);
	if (r == 0 && (v[*n - 1].index < 0 || v[*n - 1].index > 1 << 20))
		return rt_expected(c, number, "an index, 0 to %d", 1 << 20);
	return r < 0 ? r : rt_want(c, "]", "']'");
}

static int postfix(struct rt_cursor *c, struct rt_step *v, unsigned *n)
{
	const char *at;
	int r = 0;

	while (r == 0) {
		rt_skip_blanks(c);
		at = c->at;
		if (rt_take(c, "->"))
			r = add_step(c, v, n, RT_STEP_ARROW, at);
		else if (rt_take(c, "."))
			r = add_step(c, v, n, RT_STEP_MEMBER, at);
		else if (rt_take(c, "["))
			r = index_step(c, v, n, at);
		else
			break;
	}
	return r;
}

static int keep_steps(struct rt_cursor *c, const struct rt_step *v, unsigned n,
		      struct rt_expr *expr)
{
	struct rt_step *steps = n ? rt_types_alloc(c->types, n * sizeof(*v)) : NULL;

	if (n && !steps)
		return rt_nomem(c->err);
	if (n)
		memcpy(steps, v, n * sizeof(*v));
	expr->steps = steps;
	expr->nsteps = n;
	return 0;
}

static int expression(struct rt_cursor *c, struct rt_expr *expr)
{
	struct rt_step v[RT_SPEC_STEPS];
	unsigned n = 0, stars = 0;
	const char *start, *star;
	size_t length;
	int r;

	rt_skip_blanks(c);
	start = star = c->at;
	while (rt_take(c, "*"))
		if (++stars > RT_SPEC_STEPS)
			return rt_expected(c, start, "at most %d steps from an argument",
					   RT_SPEC_STEPS);
	rt_skip_blanks(c);
	length = rt_identifier(c, c->at, false);
	if (!length)
		return rt_expected(c, c->at, "a parameter: a type and a name, a name, or ')'");
	memset(expr, 0, sizeof(*expr));
	expr->param = rt_types_name(c->types, c->at, length);
	expr->column = rt_cursor_column(c, c->at);
	if (!expr->param)
		return rt_nomem(c->err);
	c->at += length;
	r = postfix(c, v, &n);
	for (; stars && r == 0; stars--)
		r = add_step(c, v, &n, RT_STEP_DEREF, star);
	if (r < 0)
		return r;
	length = (size_t)(c->at - start);
	while (length && start[length - 1] == ' ')
		length--;
	expr->text = rt_types_name(c->types, start, length);
	return expr->text ? keep_steps(c, v, n, expr) : rt_nomem(c->err);
}

/* ---- n > 3 && path == "/etc" || n < 0 ---- */

static bool comparison(struct rt_cursor *c, enum rt_op *op)
{
	static const struct {
		const char *text;
		enum rt_op op;
	} ops[] = {
		{ "==", RT_OP_EQ }, { "!=", RT_OP_NE }, { "^=", RT_OP_BEGINS }, { "<=", RT_OP_LE },
		{ ">=", RT_OP_GE }, { "<", RT_OP_LT },	{ ">", RT_OP_GT },
	};
	size_t i;

	for (i = 0; i < RT_COUNT(ops); i++) {
		if (!rt_take(c, ops[i].text))
			continue;
		*op = ops[i].op;
		return true;
	}
	rt_skip_blanks(c);
	if (c->end - c->at < 2 || c->at[0] != '&' || c->at[1] == '&')
		return false;
	c->at++;
	*op = RT_OP_AND;
	return true;
}

/* "errno == ENOENT" and "time > 5ms" behind the operator.  0: it is no time. */
static int take_errno(struct rt_cursor *c, struct rt_condition *condition)
{
	size_t n = rt_identifier(c, c->at, false);

	if (!n)
		return rt_parse_number(c, &condition->number);
	condition->number = rt_errno_number(c->at, n);
	if (!condition->number)
		return rt_expected(c, c->at, "the name of an error, such as ENOENT, or its number");
	condition->operand = RT_OPERAND_NAME;
	condition->string = rt_types_name(c->types, c->at, n);
	condition->length = n;
	c->at += n;
	return condition->string ? 0 : rt_nomem(c->err);
}

static int take_time(struct rt_cursor *c, struct rt_condition *condition)
{
	const char *at = c->at;
	uint64_t ns;

	if (!rt_scan_time(&at, &ns) || at > c->end)
		return 0;
	if (strcmp(condition->expr.text, "time") != 0)
		return rt_expected(c, c->at, "a number without a unit: only 'time' has one");
	if (condition->op != RT_OP_LT && condition->op != RT_OP_LE && condition->op != RT_OP_GT &&
	    condition->op != RT_OP_GE)
		return rt_expected(c, c->at, "'time' with '<', '<=', '>' or '>='");
	condition->subject = RT_OF_TIME;
	condition->number = (int64_t)ns;
	c->at = at;
	return 1;
}

static int operand(struct rt_cursor *c, struct rt_condition *condition)
{
	char first = rt_peek(c);
	size_t n = rt_identifier(c, c->at, false);
	int r;

	condition->column = rt_cursor_column(c, c->at);
	if (condition->subject == RT_OF_ERRNO)
		return take_errno(c, condition);
	r = take_time(c, condition);
	if (r)
		return r < 0 ? r : 0;
	if (first == '"') {
		if (condition->op != RT_OP_EQ && condition->op != RT_OP_NE &&
		    condition->op != RT_OP_BEGINS)
			return rt_expected(c, c->at,
					   "a number: strings can be the same (==) or not (!=), or "
					   "begin with one (^=)");
		condition->operand = RT_OPERAND_STRING;
		return rt_parse_string(c, &condition->string, &condition->length);
	}
	if (condition->op == RT_OP_BEGINS)
		return rt_expected(c, c->at, "a string");
	if (!n)
		return rt_parse_number(c, &condition->number);
	if (rt_is_word(c->at, n, "NULL") || rt_is_word(c->at, n, "nullptr") ||
	    rt_is_word(c->at, n, "false") || rt_is_word(c->at, n, "true")) {
		condition->number = *c->at == 't';
	} else {
		condition->operand = RT_OPERAND_NAME;
		condition->string = rt_types_name(c->types, c->at, n);
		condition->length = n;
		if (!condition->string)
			return rt_nomem(c->err);
	}
	c->at += n;
	return 0;
}

/* "OP CONSTANT" behind `expr`, if that comes; 1: it did. */
static int condition_on(struct rt_cursor *c, struct items *items, enum rt_join join,
			const struct rt_expr *expr)
{
	struct rt_condition *condition = &items->conditions[items->nconditions];
	enum rt_op op;
	int r;

	if (!comparison(c, &op))
		return rt_peek(c) != '='
			       ? 0
			       : rt_expected(c, c->at, "a comparison: == != < <= > >= & ^=");
	if (items->nconditions == RT_SPEC_PARAMS)
		return rt_expected(c, c->at, "at most %d conditions", RT_SPEC_PARAMS);
	memset(condition, 0, sizeof(*condition));
	condition->join = join;
	condition->op = op;
	condition->expr = *expr;
	condition->subject = strcmp(expr->param, "return") == 0	 ? RT_OF_RESULT
			     : strcmp(expr->text, "errno") == 0 ? RT_OF_ERRNO
								 : RT_OF_ARGUMENT;
	r = operand(c, condition);
	if (r < 0)
		return r;
	items->nconditions++;
	return 1;
}

/*
 * Arguments are compared at the entry, all else at the end of the call.  So neither could decide
 * an alternative of both.
 */
static int check_alternatives(struct rt_cursor *c, const struct items *items, unsigned first)
{
	bool any = false;
	unsigned i, other = items->nconditions;

	for (i = first; i < items->nconditions; i++) {
		any |= items->conditions[i].join == RT_JOIN_OR;
		if (other == items->nconditions &&
		    (items->conditions[i].subject == RT_OF_ARGUMENT) !=
			    (items->conditions[first].subject == RT_OF_ARGUMENT))
			other = i;
	}
	if (!any || other == items->nconditions)
		return 0;
	return rt_expected(c, c->text + items->conditions[other].expr.column - 1,
			   "'&&' between an argument and '%s', which is known later: no '||'",
			   items->conditions[other].subject == RT_OF_ARGUMENT
				   ? items->conditions[first].expr.param
				   : items->conditions[other].expr.param);
}

static int more_conditions(struct rt_cursor *c, struct items *items)
{
	unsigned first = items->nconditions - 1;
	enum rt_join join;
	struct rt_expr expr;
	int r;

	for (;;) {
		join = rt_take(c, "&&")	  ? RT_JOIN_AND
		       : rt_take(c, "||") ? RT_JOIN_OR
					  : RT_JOIN_ITEM;
		if (join == RT_JOIN_ITEM)
			break;
		r = expression(c, &expr);
		if (r == 0)
			r = condition_on(c, items, join, &expr);
		if (r == 0)
			return rt_expected(c, c->at, "a comparison: == != < <= > >= & ^=");
		if (r < 0)
			return r;
	}
	if (rt_peek(c) == '|')
		return rt_expected(c, c->at, "'||', '&&', ',' or ')'");
	return check_alternatives(c, items, first);
}

/* ---- items ---- */

static int shown_item(struct rt_cursor *c, struct items *items, enum rt_style style)
{
	struct rt_expr expr;
	int r = expression(c, &expr);

	if (r < 0)
		return r;
	r = condition_on(c, items, RT_JOIN_ITEM, &expr);
	if (r)
		return r < 0 ? r : more_conditions(c, items);
	if (strcmp(expr.param, "return") == 0)
		return rt_expected(c, c->at, "a comparison behind 'return': == != < <= > >= & ^=");
	if (items->nshown == RT_SPEC_PARAMS)
		return rt_expected(c, c->at, "at most %d items", RT_SPEC_PARAMS);
	items->shown[items->nshown++] = (struct rt_shown){ .expr = expr, .style = style };
	return 0;
}

/*
 * As C adjusts parameters: an array is a pointer to its first element, or here to all where their
 * number is known.
 */
static const struct rt_ctype *adjusted(struct rt_cursor *c, const struct rt_ctype *type)
{
	struct rt_ctype *pointer;

	if (type->kind == RT_CT_FUNCTION)
		return rt_types_pointer(c->types, type, c->arch->word);
	if (type->kind != RT_CT_ARRAY)
		return type;
	pointer = (struct rt_ctype *)rt_types_pointer(c->types, type->count ? type : type->target,
						      c->arch->word);
	if (pointer) {
		pointer->const_target = !type->count && type->const_target;
		pointer->is_decayed = type->count != 0;
	}
	return pointer;
}

static bool is_taken(const struct items *items, const char *name, size_t n)
{
	unsigned i;

	for (i = 0; i < items->nparams; i++)
		if (items->params[i].name && rt_is_word(name, n, items->params[i].name))
			return true;
	return false;
}

/*
 * "int m[3], m[1]": a parameter's name is no type, unless it is before another name
 * ("fd fd").
 */
static bool is_parameter(const struct rt_cursor *c, const struct items *items)
{
	struct rt_cursor next = *c;

	next.at += rt_identifier(c, c->at, false);
	return is_taken(items, c->at, (size_t)(next.at - c->at)) && rt_peek(&next) != '*' &&
	       !rt_identifier(&next, next.at, true);
}

static int declaration(struct rt_cursor *c, struct items *items)
{
	struct rt_specifiers s;
	struct rt_declarator d;
	struct rt_param *p = &items->params[items->nparams];
	struct rt_expr expr = { 0 };
	const struct rt_ctype *base;
	const char *start = c->at;
	int r = rt_parse_specifiers(c, false, &s);

	if (r < 0)
		return r;
	if (!s.any_type && !s.is_out && s.style != RT_STYLE_STRING)
		return s.style ? shown_item(c, items, s.style) : rt_expected(c, c->at, "a type");
	if (items->nparams == RT_SPEC_PARAMS)
		return rt_expected(c, start, "at most %d parameters", RT_SPEC_PARAMS);
	base = s.type;
	if (!base) {	/* "string s", "out s" */
		if (s.is_out)
			return rt_expected(c, c->at, "the type of what the function fills in");
		base = rt_default_type(c, s.style);
	}
	r = base ? rt_parse_declarator(c, base, s.is_const, &d) : rt_nomem(c->err);
	if (r < 0)
		return r;
	if (d.name && is_taken(items, d.name, strlen(d.name)))
		return rt_expected(c, d.at, "another name: there is a parameter '%s' before",
				   d.name);
	memset(p, 0, sizeof(*p));
	p->name = d.name;
	p->column = rt_cursor_column(c, s.at ? s.at : start);
	p->is_out = s.is_out;
	p->is_in = s.is_in;
	items->length_at[items->nparams] = d.length;
	items->length_n[items->nparams] = d.length_n;
	items->most_at[items->nparams] = d.most;
	items->most_n[items->nparams] = d.most_n;
	p->type = adjusted(c, d.type);
	p->type = p->type ? rt_styled(c, p->type, s.style) : NULL;
	if (!p->type)
		return rt_nomem(c->err);
	if (p->is_out && p->type->kind != RT_CT_POINTER && p->type->kind != RT_CT_REFERENCE)
		return rt_expected(c, start,
				   "a pointer behind 'out': what it leads to is filled in");
	if (p->type->kind == RT_CT_VOID) {
		items->is_void = true;
		return !d.name && !items->nparams && rt_peek(c) == ')'
			       ? 0
			       : rt_expected(c, start,
					     "a type that a parameter can have, not void");
	}
	items->nparams++;
	if (!d.name)
		return 0;
	expr.param = d.name;
	expr.column = rt_cursor_column(c, d.at);
	expr.text = d.name;
	r = condition_on(c, items, RT_JOIN_ITEM, &expr);
	return r > 0 ? more_conditions(c, items) : r;
}

/* "return" is a word of C; "errno" before a name is the style of that. */
static bool begins_late_condition(struct rt_cursor *c)
{
	struct rt_cursor next = *c;
	size_t n = rt_identifier(c, c->at, false);
	enum rt_op op;

	next.at += n;
	return rt_is_word(c->at, n, "return") ||
	       (rt_is_word(c->at, n, "errno") && comparison(&next, &op));
}

static int item(struct rt_cursor *c, struct items *items, bool full)
{
	rt_skip_blanks(c);
	if (items->variadic)
		return rt_expected(c, c->at, "')' behind '...'");
	if (rt_take(c, "...")) {
		items->variadic = true;
		return 0;
	}
	if (is_parameter(c, items) || begins_late_condition(c) || !rt_begins_declaration(c, full))
		return shown_item(c, items, RT_STYLE_TYPE);
	return declaration(c, items);
}

/* Which parameter is meant, counted from 1. */
static int find_length(struct rt_cursor *c, const struct items *items, const char *at, size_t n,
		       unsigned *length)
{
	unsigned k;

	for (k = 0; k < items->nparams; k++)
		if (items->params[k].name && rt_is_word(at, n, items->params[k].name))
			break;
	if (k == items->nparams)
		return rt_expected(c, at, "a number, the name of another parameter or 'return'");
	if (items->params[k].type->kind != RT_CT_INT &&
	    items->params[k].type->kind != RT_CT_UNKNOWN)
		return rt_expected(c, at, "the name of a parameter that is an integer");
	*length = k + 1;
	return 0;
}

static int find_lengths(struct rt_cursor *c, struct items *items)
{
	struct rt_param *p;
	unsigned i;
	int r = 0;

	for (i = 0; i < items->nparams && r == 0; i++) {
		p = &items->params[i];
		if (items->most_at[i])
			r = find_length(c, items, items->most_at[i], items->most_n[i], &p->most);
		if (r < 0 || !items->length_at[i])
			continue;
		if (!rt_is_word(items->length_at[i], items->length_n[i], "return"))
			r = find_length(c, items, items->length_at[i], items->length_n[i],
					&p->length);
		else if (p->is_out)
			p->length = RT_LENGTH_RESULT;
		else
			r = rt_expected(c, items->length_at[i],
					"'out' before a parameter with the result as its length");
		/* A string ends at its NUL, or there. */
		if (p->type->style == RT_STYLE_STRING && !p->most) {
			p->most = p->length;
			p->length = 0;
		}
	}
	return r;
}

/* `n` elements of `size` bytes in the types' memory. */
static void *keep(struct rt_cursor *c, const void *v, unsigned n, size_t size)
{
	void *copy = rt_types_alloc(c->types, n * size + 1);

	if (copy)
		memcpy(copy, v, n * size);
	return copy;
}

static int keep_items(struct rt_cursor *c, const struct items *items, struct rt_spec *spec,
		      struct rt_prototype *prototype)
{
	spec->params_given = items->nparams || items->is_void || items->variadic ||
			     (!items->nshown && !items->nconditions);
	prototype->params = keep(c, items->params, items->nparams, sizeof(*items->params));
	prototype->nparams = items->nparams;
	prototype->variadic = items->variadic;
	spec->shown = keep(c, items->shown, items->nshown, sizeof(*items->shown));
	spec->nshown = items->nshown;
	spec->conditions = keep(c, items->conditions, items->nconditions,
				sizeof(*items->conditions));
	spec->nconditions = items->nconditions;
	return prototype->params && spec->shown && spec->conditions ? 0 : rt_nomem(c->err);
}

int rt_parse_items(struct rt_cursor *c, struct rt_spec *spec, struct rt_prototype *prototype,
		   bool full)
{
	struct items items = { .nparams = 0 };
	int r = 0;

	if (!rt_take(c, ")")) {
		do {
			r = item(c, &items, full);
			if (r < 0)
				return r;
		} while (rt_take(c, ","));
		r = rt_want(c, ")", "',' or ')'");
	}
	if (r == 0)
		r = find_lengths(c, &items);
	return r < 0 ? r : keep_items(c, &items, spec, prototype);
}
