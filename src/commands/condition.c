/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording has values as they are printed, and neither registers nor types.  So conditions
 * compare these: a number, a string, the name of an enumerator, one of some flags.  Numbers that
 * were recorded by name (O_RDONLY) are compared by name alone.
 */
#include "commands/condition.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/glob.h"
#include "output/value_code.h"

struct rt_conditions {
	const struct rt_functions *functions;
	const struct rt_spec **of;	/* by function; NULL: none names it */
	struct rt_spec **v;
	size_t n, cap;
	bool failed;
	uint64_t unknown;
};

/* ---- the specifications ---- */

struct rt_conditions *rt_conditions_new(const struct rt_functions *functions, bool failed)
{
	struct rt_conditions *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->functions = functions;
	c->failed = failed;
	c->of = calloc(functions->n + 1, sizeof(*c->of));
	if (!c->of) {
		free(c);
		return NULL;
	}
	return c;
}

void rt_conditions_free(struct rt_conditions *c)
{
	if (!c)
		return;
	while (c->n) {
		rt_spec_free(c->v[--c->n]);
		free(c->v[c->n]);
	}
	free(c->v);
	free(c->of);
	free(c);
}

/* Only conditions have a meaning here. */
static int check(const struct rt_spec *spec, struct rt_error *err)
{
	unsigned i;

	if (spec->lib || spec->provider || spec->regex || spec->has_address || spec->has_offset ||
	    spec->file)
		return rt_spec_expected(spec, spec->column, err,
					"a function's name or a glob, as report prints it");
	if (!spec->nconditions || spec->nshown || spec->nwords || spec->prototype)
		return rt_spec_expected(spec, spec->column, err,
					"conditions alone, such as '%s(return < 0)'",
					spec->function);
	for (i = 0; i < spec->nconditions; i++)
		if (spec->conditions[i].subject == RT_OF_ARGUMENT &&
		    spec->conditions[i].expr.nsteps)
			return rt_spec_expected(spec, spec->conditions[i].expr.column, err,
						"an argument itself: a recording has no memory");
	return 0;
}

static int take_functions(struct rt_conditions *c, const struct rt_spec *spec,
			  struct rt_error *err)
{
	bool any = false;
	size_t i;

	for (i = 0; i < c->functions->n; i++) {
		const char *name = c->functions->v[i].name;

		if (strcmp(spec->function, name) != 0 && !rt_glob_match(spec->function, name))
			continue;
		any = true;
		if (!c->of[i])
			c->of[i] = spec;
	}
	return any ? 0
		   : rt_usage(err, "%s: the recording has no such function", spec->function);
}

int rt_conditions_add(struct rt_conditions *c, const char *text, struct rt_error *err)
{
	struct rt_spec *spec;
	int r;

	if (RT_ROOM(&c->v, c->n, &c->cap) != 0)
		return rt_nomem(err);
	spec = calloc(1, sizeof(*spec));
	if (!spec)
		return rt_nomem(err);
	r = rt_spec_parse(text, rt_arch_of(rt_arch_native()), NULL, spec, err);
	if (r < 0) {
		free(spec);
		return r;
	}
	c->v[c->n++] = spec;
	r = check(spec, err);
	return r < 0 ? r : take_functions(c, spec, err);
}

bool rt_conditions_test_end(const struct rt_conditions *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (rt_spec_tests_end(c->v[i]))
			return true;
	return c->failed;
}

bool rt_conditions_name(const struct rt_conditions *c, uint32_t function)
{
	return function < c->functions->n && c->of[function];
}

uint64_t rt_conditions_unknown(const struct rt_conditions *c)
{
	return c->unknown;
}

/* ---- a value ---- */

enum answer { NO, YES, UNKNOWN };

static enum answer to_answer(bool yes)
{
	return yes ? YES : NO;
}

/* -1, 0, 1 as strcmp(3). */
static int order_numbers(const struct rt_value *value, int64_t number)
{
	uint64_t n = value->negative ? 0 - value->number : value->number;
	bool is_hex = value->kind == RT_VALUE_HEX || value->kind == RT_VALUE_BAD;

	if (!is_hex && value->negative != (number < 0))
		return value->negative ? -1 : 1;
	if (value->negative)
		return (int64_t)n < number ? -1 : (int64_t)n > number;
	return n < (uint64_t)number ? -1 : n > (uint64_t)number;
}

static enum answer compare_number(const struct rt_condition *c, const struct rt_value *value)
{
	int order = order_numbers(value, c->number);

	switch (c->op) {
	case RT_OP_EQ:
		return to_answer(order == 0);
	case RT_OP_NE:
		return to_answer(order != 0);
	case RT_OP_LT:
		return to_answer(order < 0);
	case RT_OP_LE:
		return to_answer(order <= 0);
	case RT_OP_GT:
		return to_answer(order > 0);
	case RT_OP_GE:
		return to_answer(order >= 0);
	case RT_OP_AND:
		return to_answer((value->negative ? 0 - value->number : value->number) &
				 (uint64_t)c->number);
	case RT_OP_BEGINS:
		break;
	}
	return UNKNOWN;
}

static enum answer compare_string(const struct rt_condition *c, const struct rt_value *value)
{
	size_t both = value->len < c->length ? value->len : c->length;
	bool same = memcmp(value->bytes, c->string, both) == 0;

	/* The rest of it was not read. */
	if (same && value->cut && c->length > value->len)
		return UNKNOWN;
	if (c->op == RT_OP_BEGINS)
		return to_answer(same && value->len >= c->length);
	same = same && value->len == c->length && !value->cut;
	return to_answer(c->op == RT_OP_EQ ? same : !same);
}

static bool is_name(const struct rt_condition *c, const char *name)
{
	return c->operand == RT_OPERAND_NAME && strcmp(name, c->string) == 0;
}

static enum answer compare_word(const struct rt_condition *c, const struct rt_value *value)
{
	bool same = is_name(c, value->text);

	if (c->operand != RT_OPERAND_NAME || (c->op != RT_OP_EQ && c->op != RT_OP_NE))
		return UNKNOWN;
	return to_answer(c->op == RT_OP_EQ ? same : !same);
}

static enum answer compare(const struct rt_condition *c, const struct rt_value *value)
{
	switch (value->kind) {
	case RT_VALUE_NUMBER: case RT_VALUE_HEX: case RT_VALUE_OCTAL: case RT_VALUE_BOOL:
	case RT_VALUE_CHAR: case RT_VALUE_UNICODE: case RT_VALUE_ERRNO: case RT_VALUE_FD:
	case RT_VALUE_NULL: case RT_VALUE_NIL: case RT_VALUE_BAD: case RT_VALUE_BITS:
		return c->operand == RT_OPERAND_NUMBER ? compare_number(c, value) : UNKNOWN;
	case RT_VALUE_TEXT:
		return c->operand == RT_OPERAND_STRING ? compare_string(c, value) : UNKNOWN;
	case RT_VALUE_WORD:
		return compare_word(c, value);
	default:
		return UNKNOWN;
	}
}

/* ---- the values of a call ---- */

struct looking {
	const struct rt_condition *condition;
	enum answer answer;
	bool found;
	unsigned depth;			/* of groups */
	bool in_flags, has_flag;	/* the value is flags; the condition's is among them */
	unsigned flags;			/* their number */
};

/* The argument's name, or its number from 1. */
static bool is_argument(const char *param, const struct rt_value *value)
{
	const char *number = param + (*param == '$');
	char *end;

	if (value->name && strcmp(value->name, param) == 0)
		return true;
	return strncmp(number, "arg", 3) == 0 && number[3] > '0' && number[3] <= '9' &&
	       strtoul(number + 3, &end, 10) == value->index + 1ul && !*end;
}

static void look_at_flag(struct looking *l, const struct rt_value *value)
{
	l->flags++;
	l->has_flag |= value->kind == RT_VALUE_FLAG && is_name(l->condition, value->text);
}

static enum answer compare_flags(const struct looking *l)
{
	const struct rt_condition *c = l->condition;
	bool same = l->has_flag && l->flags == 1;

	if (c->operand != RT_OPERAND_NAME)
		return UNKNOWN;
	switch (c->op) {
	case RT_OP_EQ:
		return to_answer(same);
	case RT_OP_NE:
		return to_answer(!same);
	case RT_OP_AND:
		return to_answer(l->has_flag);
	default:
		return UNKNOWN;
	}
}

static void look_at(void *ctx, const struct rt_value *value)
{
	struct looking *l = ctx;
	const struct rt_condition *c = l->condition;
	bool is_group = value->kind >= RT_VALUE_ARGS && value->kind <= RT_VALUE_FLAGS;
	unsigned depth = l->depth;

	if (is_group)
		l->depth += value->end ? -1u : 1;
	if (c->subject == RT_OF_ERRNO && value->kind == RT_VALUE_FAILED)
		l->answer = compare_number(c, value);
	if (l->in_flags && depth == 1 && !value->end) {
		look_at_flag(l, value);
	} else if (l->in_flags && depth == 1) {
		l->answer = compare_flags(l);
		l->in_flags = false;
	}
	if (depth || l->found || c->subject == RT_OF_ERRNO || value->kind >= RT_VALUE_FAILED)
		return;
	if (c->subject == RT_OF_ARGUMENT && !is_argument(c->expr.param, value))
		return;
	l->found = true;
	l->in_flags = value->kind == RT_VALUE_FLAGS;
	if (!is_group)
		l->answer = compare(c, value);
}

static enum answer holds(const struct rt_condition *c, const struct rt_values *values, uint64_t ns)
{
	const struct rt_value time = { .kind = RT_VALUE_NUMBER, .number = ns };
	const struct rt_value no_errno = { .kind = RT_VALUE_NUMBER };
	struct looking l = { .condition = c, .answer = UNKNOWN };

	if (c->subject == RT_OF_TIME)
		return compare_number(c, &time);
	if (c->subject == RT_OF_ERRNO)
		l.answer = compare_number(c, &no_errno);
	rt_values_decode(values->data, values->coded, look_at, &l);
	return l.answer;
}

/* All items with conditions on this end of the call. */
static bool all_hold(struct rt_conditions *conditions, const struct rt_spec *spec, bool at_end,
		     const struct rt_values *values, uint64_t ns)
{
	bool all = true, any = false, part = true, begun = false;
	unsigned i;

	for (i = 0; i < spec->nconditions; i++) {
		const struct rt_condition *c = &spec->conditions[i];
		enum answer answer;

		if ((c->subject != RT_OF_ARGUMENT) != at_end)
			continue;
		if (begun && c->join == RT_JOIN_ITEM) {
			all &= any || part;
			any = false;
			part = true;
		} else if (begun && c->join == RT_JOIN_OR) {
			any |= part;
			part = true;
		}
		begun = true;
		answer = holds(c, values, ns);
		conditions->unknown += answer == UNKNOWN;
		part &= answer == YES;
	}
	return all && (any || part);
}

/* ---- for the outcome ---- */

static const struct rt_spec *spec_of(const struct rt_conditions *c, uint32_t function)
{
	return function < c->functions->n ? c->of[function] : NULL;
}

static bool tests_end(void *ctx, const struct rt_frame *frame, const struct rt_values *result)
{
	const struct rt_conditions *c = ctx;
	const struct rt_spec *spec = spec_of(c, frame->function);

	(void)result;
	return spec ? rt_spec_tests_end(spec) : c->failed;
}

static bool passes_entry(void *ctx, const struct rt_frame *frame, const struct rt_values *args)
{
	struct rt_conditions *c = ctx;
	const struct rt_spec *spec = spec_of(c, frame->function);

	return !spec || all_hold(c, spec, false, args, 0);
}

static void look_for_failure(void *ctx, const struct rt_value *value)
{
	bool *failed = ctx;

	*failed |= value->kind == RT_VALUE_FAILED;
}

static bool passes_end(void *ctx, const struct rt_frame *frame, const struct rt_values *result,
		       uint64_t ns)
{
	struct rt_conditions *c = ctx;
	const struct rt_spec *spec = spec_of(c, frame->function);
	bool failed = false;

	if (spec && rt_spec_tests_end(spec))
		return all_hold(c, spec, true, result, ns);
	rt_values_decode(result->data, result->coded, look_for_failure, &failed);
	return failed;
}

struct rt_outcome_tests rt_conditions_tests(struct rt_conditions *conditions)
{
	return (struct rt_outcome_tests){ tests_end, passes_entry, passes_end, conditions };
}
