/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/runtimes.h"

#include <errno.h>
#include <string.h>

#include "go/go.h"
#include "base/array.h"

/*
 * A goroutine may end inside calls (runtime.Goexit), with nothing that tells of it but the
 * runtime's function that every goroutine ends with.  It is probed too, and not shown.
 */
static const char last[] = "runtime.goexit1";

static const struct rt_symbol *find_last(struct rt_image *image, bool shared)
{
	const struct rt_symbol *v;
	size_t i, n;

	if (rt_image_symbols(image, &v, &n, NULL) < 0)
		return NULL;
	for (i = 0; i < n; i++)
		if (strcmp(v[i].name, last) == 0 && (!shared || v[i].dynamic))
			return &v[i];
	return NULL;
}

/*
 * The runtime in a plugin is not the one that runs: the loader binds what a file has for others to
 * the first file that has it.  C's libraries keep theirs to themselves.
 */
static struct rt_image *find_location(const struct rt_program *program, struct rt_image *image)
{
	size_t i;

	if (find_last(image, false) && !find_last(image, true))
		return image;
	for (i = 0; i < program->n; i++)
		if (rt_image_go(program->v[i]) && find_last(program->v[i], true))
			return program->v[i];
	return image;
}

const struct rt_runtime *rt_runtime_of(const struct rt_traced *traced, const struct rt_image *image)
{
	size_t i;

	for (i = 0; i < traced->nruntimes; i++)
		if (traced->runtimes[i].image == image)
			return &traced->runtimes[i];
	return NULL;
}

bool rt_runtime_is_at(const struct rt_traced *traced, const struct rt_image *owner)
{
	const struct rt_runtime *r = rt_runtime_of(traced, owner);

	return r && r->owner == owner;
}

static int add_exit_hook(struct rt_sites *sites, struct rt_image *owner)
{
	const struct rt_symbol *at = find_last(owner, false);
	struct rt_function *f;
	size_t i;
	int r;

	for (i = 0; at && i < sites->functions.n; i++)
		if (sites->functions.v[i].image == owner && sites->functions.v[i].addr == at->addr)
			return 0;
	/* Without it such calls are closed at the end of the trace. */
	r = at ? rt_functions_add_hidden(&sites->functions, owner, at, RT_ROLE_CALL) : 0;
	if (r <= 0)
		return r;
	f = &sites->functions.v[sites->functions.n - 1];
	f->go = rt_go_place(owner, f->addr, &f->skip);
	return 0;
}

static unsigned number_of(const struct rt_traced *traced, const struct rt_image *owner)
{
	unsigned next = 0;
	size_t i;

	for (i = 0; i < traced->nruntimes; i++) {
		if (traced->runtimes[i].owner == owner)
			return traced->runtimes[i].number;
		if (traced->runtimes[i].number >= next)
			next = traced->runtimes[i].number + 1;
	}
	return next;
}

static int add(struct rt_traced *traced, struct rt_image *image, struct rt_image *owner)
{
	struct rt_runtime *r;

	if (rt_runtime_of(traced, image))
		return 0;
	if (RT_ROOM(&traced->runtimes, traced->nruntimes, &traced->runtimes_cap) < 0)
		return -ENOMEM;
	r = &traced->runtimes[traced->nruntimes];
	*r = (struct rt_runtime){ .image = image,
				  .owner = owner,
				  .number = number_of(traced, owner) };
	r->goid_offset = rt_image_arch(owner)->goroutine.tracefs ? rt_go_goid_offset(owner) : 0;
	traced->nruntimes++;
	traced->goroutines |= r->goid_offset != 0;
	return 0;
}

int rt_runtimes_find(struct rt_traced *traced, struct rt_sites *sites, struct rt_error *err)
{
	struct rt_image *image, *owner;
	size_t i, n = sites->functions.n;
	int r = 0;

	for (i = 0; i < n && r == 0; i++) {
		image = sites->functions.v[i].image;
		if (!sites->functions.v[i].go || rt_runtime_of(traced, image))
			continue;
		owner = find_location(&traced->program, image);
		r = add(traced, image, owner);
		if (r == 0)
			r = add(traced, owner, owner);
		if (r == 0 && rt_runtime_of(traced, owner)->goid_offset)
			r = add_exit_hook(sites, owner);
	}
	return r < 0 ? rt_nomem(err) : 0;
}
