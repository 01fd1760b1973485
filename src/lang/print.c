/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lang/print.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DEPTH = 16 };

static const char *style_name(enum rt_style style)
{
	static const char *const names[] = { "",      "dec ", "hex ",	 "oct ",
					     "char ", "fd ",  "string ", "errno " };

	return (unsigned)style < sizeof(names) / sizeof(*names) ? names[style] : "";
}

static void print_values(FILE *file, const struct rt_ctype *type)
{
	unsigned i;

	fputs(type->is_flags ? "flags {" : "enum {", file);
	for (i = 0; i < type->nvalues; i++)
		fprintf(file, "%s%s=%" PRId64, i ? ", " : "", type->values[i].name,
			type->values[i].value);
	putc('}', file);
}

/* The innermost type's name, which comes before all '*'. */
static void print_base(FILE *file, const struct rt_ctype *type)
{
	if (type->name)
		fputs(type->name, file);
	else if (type->kind == RT_CT_ENUM && type->nvalues)
		print_values(file, type);
	else if (type->kind == RT_CT_INT)
		fprintf(file, "%sint%u_t", type->is_signed ? "" : "u", (unsigned)type->size * 8);
	else
		fputs(type->kind == RT_CT_VOID	    ? "void"
		      : type->kind == RT_CT_STRUCT  ? "struct"
		      : type->kind == RT_CT_UNION   ? "union"
		      : type->kind == RT_CT_BOOL    ? "bool"
		      : type->kind == RT_CT_VARIANT ? "enum"
						    : "?",
		      file);
}

static bool is_pointer(const struct rt_ctype *type)
{
	return type->kind == RT_CT_POINTER || type->kind == RT_CT_REFERENCE;
}

static bool leads_on(const struct rt_ctype *type)
{
	return !type->name && (type->kind == RT_CT_FUNCTION ||
			       (type->target && (is_pointer(type) || type->kind == RT_CT_ARRAY)));
}

/*
 * A pointer to an array or a function has parentheses around it: char *v[4] is an array of
 * pointers, char (*v)[4] a pointer to an array.
 */
static bool in_parentheses(const struct rt_ctype *const *chain, unsigned n, unsigned i)
{
	return is_pointer(chain[i]) && i + 1 < n && !is_pointer(chain[i + 1]);
}

static void print_suffix(FILE *file, const struct rt_ctype *type)
{
	if (type->kind == RT_CT_FUNCTION)
		fprintf(file, "(%s)", type->parameters ? type->parameters : "...");
	else if (type->kind == RT_CT_ARRAY && type->count)
		fprintf(file, "[%" PRIu64 "]", type->count);
	else if (type->kind == RT_CT_ARRAY)
		fputs("[]", file);
}

void rt_ctype_print(FILE *file, const struct rt_ctype *type, const char *name)
{
	const struct rt_ctype *chain[DEPTH];
	const char *base = NULL;
	unsigned n = 0, i;

	if (!type) {
		fprintf(file, "?%s%s", name ? " " : "", name ? name : "");
		return;
	}
	fputs(style_name(type->style), file);
	for (; type && !base && leads_on(type) && n < DEPTH; type = type->target) {
		base = type->target_name;
		chain[n++] = type;
	}
	if (n && chain[n - 1]->const_target)
		fputs("const ", file);
	if (base || !type)
		fputs(base ? base : "?", file);
	else if (n && type->kind == RT_CT_UNKNOWN && !type->name)
		fputs("void", file);	/* a pointer to who knows what */
	else
		print_base(file, type);
	if (n || name)
		putc(' ', file);
	for (i = n; i-- > 0;) {
		if (in_parentheses(chain, n, i))
			putc('(', file);
		if (is_pointer(chain[i]))
			putc(chain[i]->kind == RT_CT_POINTER ? '*' : '&', file);
		if (is_pointer(chain[i]) && i && chain[i - 1]->const_target)
			fputs("const ", file);
	}
	if (name)
		fputs(name, file);
	for (i = 0; i < n; i++) {
		if (in_parentheses(chain, n, i))
			putc(')', file);
		print_suffix(file, chain[i]);
	}
}

static const char *length_name(const struct rt_prototype *prototype, unsigned length)
{
	return length == RT_LENGTH_RESULT		? "return"
	       : length && length <= prototype->nparams ? prototype->params[length - 1].name
							: NULL;
}

static void print_param(FILE *file, const struct rt_prototype *prototype, const struct rt_param *p)
{
	const char *length = length_name(prototype, p->length),
		   *most = length_name(prototype, p->most);

	if (p->is_out)
		fputs(p->is_in ? "inout " : "out ", file);
	if ((length || most) && p->type && p->type->target && leads_on(p->type) &&
	    !leads_on(p->type->target)) {
		fputs(p->type->const_target ? "const " : "", file);
		if (!length)
			fputs("string ", file);
		rt_ctype_print(file, p->type->target, p->name);
		fprintf(file, "[%s%s%s]", length ? length : "", length && most ? " <= " : "",
			most ? most : "");
		return;
	}
	rt_ctype_print(file, p->type, p->name);
}

static void print_params(FILE *file, const struct rt_prototype *prototype, const char *name)
{
	unsigned i;

	fprintf(file, "%s(", name);
	for (i = 0; i < prototype->nparams; i++) {
		if (i)
			fputs(", ", file);
		print_param(file, prototype, &prototype->params[i]);
	}
	if (prototype->variadic)
		fputs(prototype->nparams ? ", ..." : "...", file);
	putc(')', file);
}

void rt_prototype_print(FILE *file, const struct rt_prototype *prototype, const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *inner;
	unsigned i;

	/*
	 * A result that is a pointer to a function has all that inside its own type; Go's results
	 * stand behind.
	 */
	inner = prototype->result || !prototype->nresults ? open_memstream(&text, &size) : NULL;
	if (inner)
		print_params(inner, prototype, name);
	else
		print_params(file, prototype, name);
	if (inner && fclose(inner) == 0)
		rt_ctype_print(file, prototype->result, text);
	free(text);
	for (i = 0; i < prototype->nresults; i++) {
		fputs(i ? ", " : " -> ", file);
		rt_ctype_print(file, prototype->results[i].type, prototype->results[i].name);
	}
	if (prototype->sets_errno)
		fputs(" errno", file);
	if (prototype->fails)
		fprintf(file, " fails %s%d", prototype->fails_unless ? "!" : "",
			prototype->fails_at);
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
		fprintf(file, "%" PRId64 "%s", condition->number,
			condition->subject == RT_OF_TIME ? "ns" : "");
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
