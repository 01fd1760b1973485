/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/usdt.h"

#include <errno.h>
#include <string.h>

#include "symbols/usdt.h"

/* The arguments of a site; others behind the last of so many are not shown. */
struct arguments {
	struct rt_operand *v;		/* in the memory of the types */
	unsigned n;
};

static int read_arguments(const struct rt_function *f, struct rt_types *memory,
			  struct arguments *arguments)
{
	const struct rt_usdt_site *site = rt_function_usdt(f);
	const struct rt_arch *arch = rt_image_arch(f->image);
	const char *at = site->args;
	unsigned n = 0;

	/* One more is for parameters that the site lacks. */
	arguments->v = rt_types_alloc(memory, (RT_OPERANDS_MAX + 1) * sizeof(*arguments->v));
	if (!arguments->v)
		return -ENOMEM;
	while (n < RT_OPERANDS_MAX && rt_operand_next(arch, &at, &arguments->v[n])) {
		rt_usdt_resolve(f->image, site, &arguments->v[n]);
		n++;
	}
	arguments->n = n;
	memset(&arguments->v[n], 0, sizeof(arguments->v[n]));
	return 0;
}

static const struct rt_ctype *number_type(struct rt_types *memory, const struct rt_arch *arch,
					  const struct rt_operand *operand)
{
	unsigned size = operand->size ? operand->size : arch->word;
	struct rt_ctype *type = rt_types_add(memory, operand->is_float ? RT_CT_FLOAT : RT_CT_INT,
					     NULL, size);

	if (!type)
		return NULL;
	type->align = size;
	type->is_signed = operand->is_signed;
	/* sizeof a pointer, and unsigned as those are. */
	if (size == arch->word && !operand->is_signed && !operand->is_float)
		type->style = RT_STYLE_GUESSED;
	return type;
}

static int make_numbers(const struct rt_function *f, const struct arguments *arguments,
			struct rt_types *memory, struct rt_prototype *p)
{
	struct rt_param *params = rt_types_alloc(memory, (arguments->n + 1) * sizeof(*params));
	unsigned i;

	if (!params)
		return -ENOMEM;
	for (i = 0; i < arguments->n; i++) {
		params[i].type = number_type(memory, rt_image_arch(f->image), &arguments->v[i]);
		if (!params[i].type)
			return -ENOMEM;
	}
	p->origin = RT_ORIGIN_NOTE;
	p->params = params;
	p->nparams = arguments->n;
	if (f->spec && f->spec->nargs_given && f->spec->nargs < p->nparams)
		p->nparams = f->spec->nargs;
	return 0;
}

/* Put each parameter where the note has the argument of its number. */
static int locate(const struct arguments *arguments, struct rt_types *memory,
		  struct rt_prototype *p)
{
	struct rt_param *params = rt_types_alloc(memory, (p->nparams + 1) * sizeof(*params));
	unsigned i;

	if (!params)
		return -ENOMEM;
	memcpy(params, p->params, p->nparams * sizeof(*params));
	for (i = 0; i < p->nparams; i++)
		params[i].location = (struct rt_location){
			.kind = RT_LOCATION_OPERAND,
			.operand = &arguments->v[i < arguments->n ? i : arguments->n],
		};
	p->params = params;
	p->convention = RT_CONVENTION_C;
	return 0;
}

int rt_usdt_signature(const struct rt_function *f, struct rt_types *memory,
		      const struct rt_type_finder *finder, struct rt_prototype *prototype,
		      struct rt_error *err)
{
	struct rt_prototype *known = rt_types_alloc(memory, sizeof(*known));
	const struct rt_prototype *all = known;
	struct arguments arguments;
	int r = 0;

	if (!known || read_arguments(f, memory, &arguments) < 0 ||
	    make_numbers(f, &arguments, memory, known) < 0)
		return rt_nomem(err);
	if (f->spec)
		r = rt_spec_prototype(f->spec, known, memory, finder, &all, err);
	if (r < 0)
		return r;
	*prototype = *all;
	return locate(&arguments, memory, prototype) < 0 ? rt_nomem(err) : 0;
}
