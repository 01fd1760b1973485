/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of parameters: their own, or argN.  And what a specification names and nothing knows: the errors, with what to write. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lang/cursor.h"
#include "lang/print.h"

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

/* "'fib(int n > 3)'": the item alone, between the function's name and the end; `type` before its name, or `name` in place of it. */
static void print_item(FILE *file, const struct rt_spec *spec, unsigned item, const char *type, const char *name)
{
	static const char *const styles[] = { "", "dec ", "hex ", "oct ", "", "fd ", "string ", "errno " };
	const struct rt_shown *shown = item < spec->nshown ? &spec->shown[item] : NULL;
	struct rt_condition condition;
	unsigned i, first = UINT32_MAX;

	for (i = 0; i < spec->nshown + spec->nconditions; i++)
		if (rt_spec_expr(spec, i)->column < first)
			first = rt_spec_expr(spec, i)->column;
	while (first > 1 && spec->text[first - 1] != '(')
		first--;
	fprintf(file, "'%.*s%s", first < 160 ? (int)first : 0, spec->text, shown ? styles[shown->style] : "");
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
static void print_remedy(FILE *file, const struct rt_spec *spec, unsigned item, const struct rt_prototype *p)
{
	const struct rt_condition *c = item < spec->nshown ? NULL : &spec->conditions[item - spec->nshown];
	unsigned i, number = 1;
	char name[16];

	for (i = 0; i < spec->nshown + spec->nconditions; i++)
		number += rt_spec_expr(spec, i)->column < rt_spec_expr(spec, item)->column;
	print_item(file, spec, item, c && c->operand == RT_OPERAND_STRING ? "string " : "int ", NULL);
	if (number > p->nparams && p->origin != RT_ORIGIN_NONE)
		return;
	snprintf(name, sizeof(name), "arg%u", number);
	fputs(" or ", file);
	print_item(file, spec, item, "", name);
}

static bool is_result(const char *name)
{
	name += *name == '$';
	return strcmp(name, "retval") == 0 || strcmp(name, "return") == 0;
}

static void explain(FILE *file, const struct rt_spec *spec, unsigned item, const struct rt_prototype *p)
{
	const struct rt_expr *expr = rt_spec_expr(spec, item);
	bool guessed = p->origin == RT_ORIGIN_GUESSED && !p->by_name;

	if (is_result(expr->param)) {
		fprintf(file, "a parameter, not '%s': the result cannot be named here yet", expr->param);
	} else if (rt_spec_number(expr->param) && p->origin == RT_ORIGIN_NONE) {
		fprintf(file, "arg1 to arg%d", RT_MAX_VALUES);
	} else if (guessed && rt_spec_number(expr->param)) {
		fputs("a parameter that the code shows: ", file);
		print_known(file, p, "there is none");
		fputs("; declare others, as in 'f(int a, int b)'", file);
	} else if (rt_spec_knows_names(p) || rt_spec_number(expr->param)) {
		fprintf(file, "the name of a parameter, of which there %s ", p->nparams > 1 ? "are" : "is");
		print_known(file, p, "none");
		if (spec->params_given)
			fprintf(file, "; declare '%s' too", expr->param);
	} else if (expr->nsteps) {
		fprintf(file, "a parameter whose type is known: nothing tells that of '%s'; declare it before", expr->param);
	} else if (item < spec->nshown && strcmp(expr->param, "string") == 0) {
		fputs("a name behind 'string', as in 'f(string s)'", file);
	} else {
		fputs("a known parameter: ", file);
		print_known(file, p, "nothing tells any");
		fprintf(file, p->nparams > 1 ? " have no names; write " : p->nparams ? " has no name; write " : "; write ");
		print_remedy(file, spec, item, p);
	}
}

int rt_spec_no_param(const struct rt_spec *spec, unsigned item, const struct rt_prototype *p, struct rt_error *err)
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

int rt_spec_no_type(const struct rt_spec *spec, unsigned column, const struct rt_ctype *type, struct rt_error *err)
{
	bool tagged = strncmp(type->name, "struct ", 7) == 0 || strncmp(type->name, "union ", 6) == 0;
	const char *near = rt_nearest_type(type->name);

	if (tagged)
		return rt_spec_expected(spec, column, err, "a type that is known, not '%.100s': nothing tells its members; define them: %.100s { ... }",
					type->name, type->name);
	if (near)
		return rt_spec_expected(spec, column, err, "a type that is known, not '%.100s': did you mean '%s'?", type->name, near);
	return rt_spec_expected(spec, column, err, "a type that is known, not '%.100s': write what it stands for, such as int or void *",
				type->name);
}
