/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/print.h"

#include <inttypes.h>

enum { DEPTH = 16 };

static const char *style_name(enum rt_style style)
{
	static const char *const names[] = { "", "dec ", "hex ", "oct ", "char ", "fd ", "string ", "errno " };

	return (unsigned)style < sizeof(names) / sizeof(*names) ? names[style] : "";
}

static void print_values(FILE *file, const struct rt_ctype *type)
{
	unsigned i;

	fputs(type->is_flags ? "flags {" : "enum {", file);
	for (i = 0; i < type->nvalues; i++)
		fprintf(file, "%s%s=%" PRId64, i ? ", " : "", type->values[i].name, type->values[i].value);
	putc('}', file);
}

/* What stands before all pointers: the innermost type's name. */
static void print_base(FILE *file, const struct rt_ctype *type)
{
	if (type->name)
		fputs(type->name, file);
	else if (type->kind == RT_CT_ENUM && type->nvalues)
		print_values(file, type);
	else if (type->kind == RT_CT_INT)
		fprintf(file, "%sint%u_t", type->is_signed ? "" : "u", (unsigned)type->size * 8);
	else
		fputs(type->kind == RT_CT_VOID ? "void" : type->kind == RT_CT_STRUCT ? "struct" : type->kind == RT_CT_UNION ? "union" :
		      type->kind == RT_CT_BOOL ? "bool" : type->kind == RT_CT_VARIANT ? "enum" : "?", file);
}

static bool leads_on(const struct rt_ctype *type)
{
	return !type->name && type->target &&
	       (type->kind == RT_CT_POINTER || type->kind == RT_CT_REFERENCE || type->kind == RT_CT_ARRAY);
}

void rt_ctype_print(FILE *file, const struct rt_ctype *type, const char *name)
{
	const struct rt_ctype *chain[DEPTH];
	unsigned n = 0, i;
	bool array = false;

	if (!type) {
		fprintf(file, "?%s%s", name ? " " : "", name ? name : "");
		return;
	}
	fputs(style_name(type->style), file);
	for (; leads_on(type) && n < DEPTH; type = type->target)
		chain[n++] = type;
	if (type->kind == RT_CT_FUNCTION && !type->name)
		fputs("function", file);
	else
		print_base(file, type);
	if (n || name)
		putc(' ', file);
	/* From the innermost on: char *v[4] is an array of pointers, char (*v)[4] a pointer to an array. */
	for (i = n; i-- > 0 && chain[i]->kind != RT_CT_ARRAY;)
		putc(chain[i]->kind == RT_CT_POINTER ? '*' : '&', file);
	for (i = 0; i < n; i++)
		array |= chain[i]->kind == RT_CT_ARRAY;
	if (array && chain[0]->kind != RT_CT_ARRAY)
		putc('(', file);
	for (i = 0; array && i < n && chain[i]->kind != RT_CT_ARRAY; i++)
		putc('*', file);
	if (name)
		fputs(name, file);
	if (array && chain[0]->kind != RT_CT_ARRAY)
		putc(')', file);
	for (i = 0; i < n; i++)
		if (chain[i]->kind == RT_CT_ARRAY && chain[i]->count)
			fprintf(file, "[%" PRIu64 "]", chain[i]->count);
		else if (chain[i]->kind == RT_CT_ARRAY)
			fputs("[]", file);
}

static void print_param(FILE *file, const struct rt_prototype *prototype, const struct rt_param *p)
{
	const char *length = p->length == RT_LENGTH_RESULT ? "return" :
			     p->length && p->length <= prototype->nparams ? prototype->params[p->length - 1].name : NULL;

	if (p->is_out)
		fputs(p->is_in ? "inout " : "out ", file);
	if (length && p->type && p->type->target && leads_on(p->type) && !leads_on(p->type->target)) {
		rt_ctype_print(file, p->type->target, p->name);
		fprintf(file, "[%s]", length);
		return;
	}
	rt_ctype_print(file, p->type, p->name);
}

void rt_prototype_print(FILE *file, const struct rt_prototype *prototype, const char *name)
{
	unsigned i;

	/* Go's results stand behind. */
	if (!prototype->result && prototype->nresults)
		fputs(name, file);
	else
		rt_ctype_print(file, prototype->result, name);
	putc('(', file);
	for (i = 0; i < prototype->nparams; i++) {
		if (i)
			fputs(", ", file);
		print_param(file, prototype, &prototype->params[i]);
	}
	if (prototype->variadic)
		fputs(prototype->nparams ? ", ..." : "...", file);
	putc(')', file);
	for (i = 0; i < prototype->nresults; i++) {
		fputs(i ? ", " : " -> ", file);
		rt_ctype_print(file, prototype->results[i].type, prototype->results[i].name);
	}
	if (prototype->sets_errno)
		fputs(" errno", file);
}

void rt_expr_print(FILE *file, const struct rt_expr *expr)
{
	unsigned i;

	for (i = 0; i < expr->nsteps; i++)
		if (expr->steps[i].kind == RT_STEP_DEREF)
			putc('*', file);
	fputs(expr->param, file);
	for (i = 0; i < expr->nsteps; i++) {
		const struct rt_step *s = &expr->steps[i];

		if (s->kind == RT_STEP_INDEX)
			fprintf(file, "[%" PRId64 "]", s->index);
		else if (s->kind != RT_STEP_DEREF)
			fprintf(file, "%s%s", s->kind == RT_STEP_ARROW ? "->" : ".", s->name);
	}
}

void rt_condition_print(FILE *file, const struct rt_condition *condition)
{
	static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=", "&", "^=" };
	static const char *const joins[] = { "", "&& ", "|| " };

	fputs(joins[condition->join], file);
	rt_expr_print(file, &condition->expr);
	fprintf(file, " %s ", ops[condition->op]);
	if (condition->operand == RT_OPERAND_NUMBER)
		fprintf(file, "%" PRId64, condition->number);
	else if (condition->operand == RT_OPERAND_NAME)
		fputs(condition->string, file);
	else
		fprintf(file, "\"%s\"", condition->string);
}

static void print_word_type(FILE *file, const struct rt_word *w)
{
	static const char letters[] = "usx";

	putc(':', file);
	if (w->type == RT_WORD_CHAR)
		fputs("char", file);
	else if (w->type == RT_WORD_STRING)
		fputs("string", file);
	else if (w->type == RT_WORD_BITS)
		fprintf(file, "b%u@%u/%u", w->bits, w->bit, w->size * 8);
	else
		fprintf(file, "%c%u", letters[w->type], w->size * 8);
	if (w->count)
		fprintf(file, "[%u]", w->count);
}

void rt_word_print(FILE *file, const struct rt_word *w)
{
	unsigned i;

	if (w->name)
		fprintf(file, "%s=", w->name);
	for (i = w->nderef; i-- > (w->base == RT_WORD_CONSTANT);)
		fprintf(file, "%+d(", (int)w->deref[i]);
	if (w->base == RT_WORD_REG)
		fprintf(file, "%%%s", w->reg);
	else if (w->base == RT_WORD_RESULT)
		fputs("$retval", file);
	else if (w->base == RT_WORD_COMM)
		fputs("$comm", file);
	else if (w->base == RT_WORD_CONSTANT && w->nderef)
		fprintf(file, "@0x%" PRIx64, w->constant);
	else if (w->base == RT_WORD_CONSTANT)
		fprintf(file, "\\%" PRId64, (int64_t)w->constant);
	else
		fputs(w->base == RT_WORD_ARGUMENT ? "$arg" : "$stack", file);
	if (w->base == RT_WORD_STACK_SLOT || w->base == RT_WORD_ARGUMENT)
		fprintf(file, "%u", w->slot);
	for (i = w->base == RT_WORD_CONSTANT; i < w->nderef; i++)
		putc(')', file);
	print_word_type(file, w);
}
