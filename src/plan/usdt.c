/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/usdt.h"

#include <errno.h>
#include <stdlib.h>
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

/* ---- calls ---- */

/* The text that the '*' of `pattern` matches in `name`; false: the pattern does not fit. */
static bool capture(const char *pattern, const char *name, const char **text, size_t *n)
{
	const char *star = strchr(pattern, '*');
	size_t before = star ? (size_t)(star - pattern) : strlen(pattern);
	size_t behind = star ? strlen(star + 1) : 0, length = strlen(name);

	*text = name + before;
	*n = length - before - behind;
	if (!star)
		return strcmp(pattern, name) == 0;
	return length >= before + behind && strncmp(pattern, name, before) == 0 &&
	       strcmp(star + 1, name + length - behind) == 0;
}

/* The name of the probe that the pair's `closes` belongs to, to be freed. */
static char *opening_name(const struct rt_pair *pair, const char *text, size_t n)
{
	const char *star = strchr(pair->opens, '*');
	int before = star ? (int)(star - pair->opens) : 0;
	char *name;

	if (!star)
		return strdup(pair->opens);
	if (asprintf(&name, "%.*s%.*s%s", before, pair->opens, (int)n, text, star + 1) < 0)
		return NULL;
	return name;
}

/* The probe of the same file that opens what the pair closes; NULL: it is not traced. */
static struct rt_function *find_opening(struct rt_functions *functions,
					const struct rt_function *closing, const char *name)
{
	const struct rt_usdt_site *site;
	size_t i, provider;

	for (i = 0; i < functions->n; i++) {
		struct rt_function *f = &functions->v[i];

		if (!f->usdt || f->image != closing->image)
			continue;
		site = rt_function_usdt(f);
		provider = strlen(site->provider);
		if (strncmp(name, site->provider, provider) == 0 && name[provider] == ':' &&
		    strcmp(name + provider + 1, site->name) == 0)
			return f;
	}
	return NULL;
}

/*
 * "hotspot:method" of "hotspot:method__entry" and "hotspot:method__return"; "php:request" of
 * "php:request__startup" and "php:request__shutdown", of which "s" is no word.
 */
static int rename_call(struct rt_function *f, const char *opens, const char *closes)
{
	size_t n = 0;
	char *name;

	while (opens[n] && opens[n] == closes[n])
		n++;
	while (n && opens[n] && closes[n] && opens[n - 1] != '_' && opens[n - 1] != ':')
		n--;
	while (n && opens[n - 1] == '_')
		n--;
	if (!n || opens[n - 1] == ':')
		return 0;
	name = strndup(opens, n);
	if (!name)
		return -ENOMEM;
	free(f->name);
	f->name = name;
	return 0;
}

/* All sites of the probe that opens, which have one number. */
static int mark_openings(struct rt_functions *functions, const struct rt_function *first,
			 const struct rt_pair *pair, const char *opens, const char *closes,
			 bool rename)
{
	const struct rt_usdt_site *site = rt_function_usdt(first);
	uint32_t number = (uint32_t)(first - functions->v) + 1;
	size_t i;

	for (i = number - 1; i < functions->n; i++) {
		struct rt_function *f = &functions->v[i];

		if (!f->usdt || f->image != first->image || f->pair ||
		    !rt_usdt_is_same(rt_function_usdt(f), site))
			continue;
		f->pair = number;
		f->pair_first = (uint8_t)pair->first;
		f->pair_last = (uint8_t)pair->last;
		f->inlined = pair->inlined;
		if (rename && (rename_call(f, opens, closes) < 0 ||
			       rt_function_set_pattern(f, pair->pattern) < 0))
			return -ENOMEM;
	}
	return 0;
}

static int pair_closing(struct rt_functions *functions, struct rt_function *f,
			const struct rt_pair *pair, bool rename)
{
	struct rt_function *opening;
	const char *text;
	char *name;
	size_t n;
	int r = 0;

	if (f->pair || !capture(pair->closes, f->name, &text, &n))
		return 0;
	name = opening_name(pair, text, n);
	if (!name)
		return -ENOMEM;
	opening = find_opening(functions, f, name);
	if (opening && !opening->closes) {
		r = mark_openings(functions, opening, pair, name, f->name, rename);
		f->pair = opening->pair;
		f->closes = true;
		f->pair_first = (uint8_t)pair->first;
		f->pair_last = (uint8_t)pair->last;
	}
	free(name);
	return r;
}

static int pair_up(struct rt_functions *functions, const struct rt_probes *probes, bool rename)
{
	size_t i, k, n;
	const struct rt_pair *pairs = rt_probes_pairs(probes, &n);
	int r = 0;

	for (i = 0; i < functions->n; i++)
		for (k = 0; k < n && r == 0 && functions->v[i].usdt; k++)
			r = pair_closing(functions, &functions->v[i], &pairs[k], rename);
	return r;
}

int rt_usdt_pair_up(struct rt_functions *functions, const struct rt_arch *arch,
		    const struct rt_probes *sets, bool rename, struct rt_error *err)
{
	struct rt_probes *built_in;
	size_t i;
	int r;

	for (i = 0; i < functions->n && !functions->v[i].usdt; i++)
		;
	if (i == functions->n)
		return 0;
	built_in = rt_probes_new(arch);
	if (!built_in)
		return rt_nomem(err);
	r = rt_probes_load_all(built_in, err);
	if (r == 0 && ((sets && pair_up(functions, sets, rename) < 0) ||
		       pair_up(functions, built_in, rename) < 0))
		r = rt_nomem(err);
	rt_probes_free(built_in);
	return r;
}
