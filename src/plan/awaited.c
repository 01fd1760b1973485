/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of files that come later: `rawtrace python3 'libsqlite3*:sqlite3_open*'`.  Python maps
 * libsqlite3.so.0 when a script imports sqlite3.
 *
 * Until then the specification waits (struct rt_awaited).  When the file has come, its functions
 * get an rt_sites of their own, so that nothing is computed anew for those that are traced already.
 * Its probes go in by themselves too (session/awaited.c).  Then its arrays are added behind those
 * of the trace, so that all later stages see one list of functions.
 */
#include "plan/awaited.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lang/probes.h"
#include "plan/plans.h"
#include "process/command_words.h"
#include "symbols/usdt.h"

int rt_awaited_add(struct rt_wanted *wanted, const struct rt_spec *spec,
		   const struct rt_statement *statement, struct rt_error *err)
{
	if (RT_ROOM(&wanted->awaited, wanted->nawaited, &wanted->awaited_cap) < 0)
		return rt_nomem(err);
	wanted->awaited[wanted->nawaited++] = (struct rt_awaited){
		.spec = spec,
		.libraries = statement ? statement->libraries : NULL,
		.requires = statement ? statement->requires : NULL,
	};
	return 0;
}

/* A set's functions of no library are of programs. */
static bool is_program_of(const struct rt_awaited *a, const struct rt_image *image)
{
	const struct rt_statement of = { .requires = a->requires };
	void *ctx = (void *)image;

	return rt_image_interp(image) &&
	       (a->spec->glob || rt_file_has_function(ctx, a->spec->function)) &&
	       (!a->requires || rt_statement_is_met(&of, rt_file_has_function, ctx));
}

static bool is_named(const struct rt_awaited *a, const struct rt_image *image)
{
	const struct rt_statement of = { .libraries = a->libraries };

	if (a->libraries)
		return rt_image_soname(image) && rt_statement_is_of(&of, rt_image_soname(image));
	if (a->spec->lib && !rt_program_names(image, a->spec->lib))
		return false;
	if (a->set && !a->spec->provider)
		return is_program_of(a, image);
	return !a->spec->provider || rt_image_has_usdt(image, a->spec);
}

/* The specification that means the file, as a library or as a probe in it; NULL: none does. */
static const struct rt_spec *find_meaning(const struct rt_awaited *a, const struct rt_image *image)
{
	if (is_named(a, image))
		return a->spec;
	return a->probe && rt_image_has_usdt(image, a->probe) ? a->probe : NULL;
}

bool rt_awaited_fits(const struct rt_wanted *wanted, const struct rt_image *image)
{
	size_t i;

	for (i = 0; i < wanted->nawaited; i++)
		if (find_meaning(&wanted->awaited[i], image))
			return true;
	return false;
}

/* A glob, or a probe file, names more than each file has. */
static bool may_lack(const struct rt_awaited *a, const struct rt_spec *spec)
{
	return a->set || spec->provider || rt_program_is_glob(spec->lib);
}

static int add_functions(struct rt_wanted *wanted, const struct rt_traced *traced,
			 struct rt_image *image, struct rt_functions *functions,
			 struct rt_error *err)
{
	size_t i;
	int r = 0;

	for (i = 0; i < wanted->nawaited && r == 0; i++) {
		struct rt_awaited *a = &wanted->awaited[i];
		const struct rt_spec *spec = find_meaning(a, image);

		if (!spec)
			continue;
		a->came = true;
		a->needed = false;
		r = rt_functions_add_of(functions, &traced->program, image, spec, err);
		if (r < 0 && r != -ENOMEM && may_lack(a, spec))
			r = 0;
	}
	/* It is no error if no function is left. */
	if (r == 0 && rt_sites_exclude(wanted, traced, functions, err) == -ENOMEM)
		return -ENOMEM;
	return r;
}

static bool fits(const void *ctx, const struct rt_image *image)
{
	return rt_awaited_fits(ctx, image);
}

int rt_awaited_add_words(struct rt_wanted *wanted, struct rt_traced *traced,
			 struct rt_sites *sites, struct rt_error *err)
{
	size_t i = traced->program.n;
	int r = 0;

	if (!wanted->words || !wanted->nawaited)
		return 0;
	r = rt_program_add_words(&traced->program, wanted->words, fits, wanted, err);
	for (; i < traced->program.n && r == 0; i++)
		if (fits(wanted, traced->program.v[i]))
			r = add_functions(wanted, traced, traced->program.v[i], &sites->functions,
					  err);
	return r;
}

int rt_awaited_make(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_image *image,
		    unsigned most_plans, struct rt_sites *later, struct rt_error *err)
{
	struct rt_wanted exits = *wanted;
	int r;

	memset(later, 0, sizeof(*later));
	if (exits.want != RT_WANT_NONE)
		exits.want = RT_WANT_INSN;
	r = add_functions(wanted, traced, image, &later->functions, err);
	if (r < 0 || !later->functions.n)
		return r;
	r = rt_sites_add_hooks(&exits, traced, later, err);
	return r < 0 ? r : rt_sites_make(&exits, traced, later, most_plans, err);
}

/* `a` and behind it `b`, in a new array. */
static void *join(const void *a, size_t na, const void *b, size_t nb, size_t size)
{
	char *v = malloc((na + nb) * size + 1);

	if (v && na)
		memcpy(v, a, na * size);
	if (v && nb)
		memcpy(v + na * size, b, nb * size);
	return v;
}

/* The numbers of functions and plans count from the first of the trace. */
static void renumber(struct rt_sites *sites, size_t function, unsigned plan, unsigned site)
{
	struct rt_exit *e;
	size_t i, k;
	uint32_t t;

	for (i = function; i < sites->functions.n; i++)
		sites->exit_plan[i] = (uint16_t)(sites->exit_plan[i] + plan);
	for (i = function; i < sites->functions.n; i++)
		for (k = 0; k < sites->functions.v[i].exits.n; k++) {
			e = &sites->functions.v[i].exits.v[k];
			e->callee += e->callee == UINT32_MAX ? 0 : (uint32_t)function;
			for (t = 0; t < e->nthrough; t++)
				e->through[t] += (uint32_t)function;
		}
	for (i = site; i < sites->n; i++) {
		sites->v[i].function += (uint32_t)function;
		sites->v[i].plan = (uint16_t)(sites->v[i].plan + plan);
	}
}

/* Shows name their plan by a pointer, which becomes one into `plans`. */
static void move_shows(struct rt_shows *shows, size_t n, const struct rt_plan *from,
		       const struct rt_plan *plans)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (shows[i].entry.plan)
			shows[i].entry.plan = plans + (shows[i].entry.plan - from);
		if (shows[i].exit.plan)
			shows[i].exit.plan = plans + (shows[i].exit.plan - from);
	}
}

int rt_awaited_append(struct rt_sites *sites, struct rt_sites *later, struct rt_sites *replaced)
{
	size_t n = sites->functions.n, more = later->functions.n;
	struct rt_sites all = *sites;

	if (sites->nplans + later->nplans > UINT16_MAX)
		return -ENOMEM;
	all.functions.v = join(sites->functions.v, n, later->functions.v, more,
			       sizeof(*all.functions.v));
	all.shows = join(sites->shows, n, later->shows, more, sizeof(*all.shows));
	all.returns = join(sites->returns, n, later->returns, more, sizeof(*all.returns));
	all.plans = join(sites->plans, sites->nplans, later->plans, later->nplans,
			 sizeof(*all.plans));
	all.exit_plan = join(sites->exit_plan, n, later->exit_plan, more, sizeof(*all.exit_plan));
	all.v = join(sites->v, sites->n, later->v, later->n, sizeof(*all.v));
	if (!all.functions.v || !all.shows || !all.returns || !all.plans || !all.exit_plan ||
	    !all.v) {
		free(all.functions.v);
		free(all.shows);
		free(all.returns);
		free(all.plans);
		free(all.exit_plan);
		free(all.v);
		return -ENOMEM;
	}
	move_shows(all.shows, n, sites->plans, all.plans);
	move_shows(all.shows + n, more, later->plans, all.plans + sites->nplans);
	replaced->functions.v = sites->functions.v;
	replaced->shows = sites->shows;
	replaced->returns = sites->returns;
	replaced->plans = sites->plans;
	replaced->exit_plan = sites->exit_plan;
	replaced->v = sites->v;
	all.room = 0;
	all.functions.n = all.functions.cap = n + more;
	all.nplans += later->nplans;
	all.n += later->n;
	*sites = all;
	renumber(sites, n, sites->nplans - later->nplans,
		 sites->n - later->n);
	return rt_sites_grow_roots(sites, NULL);
}

void rt_awaited_free(struct rt_sites *later, bool appended)
{
	if (appended)
		later->functions.n = 0;
	rt_functions_free(&later->functions);
	free(later->returns);
	rt_plans_free(later);
	free(later->v);
	memset(later, 0, sizeof(*later));
}
