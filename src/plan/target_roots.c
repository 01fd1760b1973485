/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/returns.h"

/* --only-under: which of a target's functions it names, the roots. */

static bool same_function(const struct rt_function *a, const struct rt_function *b)
{
	return a->image == b->image && a->addr == b->addr;
}

static bool is_bare(const struct rt_spec *spec)
{
	return !spec->nargs_given && !spec->prototype && !spec->nshown && !spec->nconditions && !spec->nwords;
}

/* Trace `text` too.  A name alone leaves what has been said of the function: its arguments and conditions. */
static int add_roots(struct rt_target *t, const char *text, bool bare, struct rt_error *err)
{
	size_t n = t->functions.n, i;
	struct rt_function *said = malloc((n + 1) * sizeof(*said));
	int r;

	if (!said)
		return rt_nomem(err);
	if (n)
		memcpy(said, t->functions.v, n * sizeof(*said));
	r = rt_target_add_functions(t, (char *const *)&text, 1, err);
	for (i = 0; i < n && bare; i++) {
		t->functions.v[i].spec = said[i].spec;
		t->functions.v[i].nargs = said[i].nargs;
	}
	free(said);
	return r;
}

static int set_roots(struct rt_target *t, const char *under, struct rt_error *err)
{
	struct rt_functions roots = { 0 };
	struct rt_spec parsed;
	bool bare = false;
	size_t i, k;
	int r;

	r = rt_spec_parse(under, rt_image_arch(t->images.v[0]), NULL, &parsed, err);
	if (r == 0) {
		bare = is_bare(&parsed);
		r = rt_functions_add(&roots, &t->images, &parsed, err);
		rt_spec_free(&parsed);
	}
	if (r == 0)
		r = add_roots(t, under, bare, err);
	if (r == 0)
		t->roots = calloc(t->functions.n, sizeof(*t->roots));
	t->nroots = t->functions.n;
	if (r == 0 && !t->roots)
		r = rt_nomem(err);
	for (i = 0; i < t->functions.n && r == 0; i++)
		for (k = 0; k < roots.n; k++)
			t->roots[i] |= same_function(&t->functions.v[i], &roots.v[k]);
	rt_functions_free(&roots);
	return r;
}

int rt_target_set_limit(struct rt_target *t, unsigned depth, const char *under, uint64_t min_time, struct rt_error *err)
{
	t->limit.min_time = min_time;
	t->limit.depth = depth;
	t->limit.under = under;
	return under ? set_roots(t, under, err) : 0;
}

int rt_target_grow_roots(struct rt_target *t, struct rt_error *err)
{
	bool *v;

	if (!t->roots || t->nroots == t->functions.n)
		return 0;
	v = realloc(t->roots, t->functions.n * sizeof(*v));
	if (!v)
		return rt_nomem(err);
	memset(v + t->nroots, 0, (t->functions.n - t->nroots) * sizeof(*v));
	t->roots = v;
	t->nroots = t->functions.n;
	return 0;
}

int rt_target_check_roots(const struct rt_target *t, struct rt_error *err)
{
	char why[1024];
	size_t i;

	for (i = 0; t->roots && i < t->functions.n; i++) {
		const struct rt_function *f = &t->functions.v[i];

		if (t->roots[i] && !t->returns[i])
			return rt_fail(err, -ENOTSUP, "--only-under: the return of %s cannot be probed, so what is inside it is not known: %s",
				       f->name, rt_returns_why(f, why, sizeof(why)));
	}
	return 0;
}
