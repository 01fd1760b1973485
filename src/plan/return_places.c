/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/return_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Room for so many at once: a program may have 100,000 functions, which are copied for it. */
enum { ROOM = 2048 };

bool rt_return_place_suits(const struct rt_sites *sites, uint32_t of)
{
	const struct rt_plan *plan = &sites->plans[sites->exit_plan[of]];
	unsigned i;

	for (i = 0; i < plan->nvalues; i++)
		if (plan->values[i].base == RT_BASE_STACK || plan->values[i].base == RT_BASE_SAVED)
			return false;
	return !plan->goroutine && !plan->nsaved && plan->end == RT_BY_RETURN;
}

static void *copy(const void *v, size_t n, size_t room, size_t size)
{
	void *to = calloc(n + room, size);

	if (to && n)
		memcpy(to, v, n * size);
	return to;
}

static int make_room(struct rt_sites *sites, size_t more, struct rt_sites *replaced)
{
	size_t n = sites->functions.n, room = more < ROOM ? ROOM : more;
	struct rt_sites all = *sites;

	all.functions.v = copy(sites->functions.v, n, room, sizeof(*all.functions.v));
	all.shows = copy(sites->shows, n, room, sizeof(*all.shows));
	all.returns = copy(sites->returns, n, room, sizeof(*all.returns));
	all.exit_plan = copy(sites->exit_plan, n, room, sizeof(*all.exit_plan));
	all.v = copy(sites->v, sites->n, room, sizeof(*all.v));
	if (!all.functions.v || !all.shows || !all.returns || !all.exit_plan || !all.v) {
		free(all.functions.v);
		free(all.shows);
		free(all.returns);
		free(all.exit_plan);
		free(all.v);
		return -ENOMEM;
	}
	replaced->functions.v = sites->functions.v;
	replaced->shows = sites->shows;
	replaced->returns = sites->returns;
	replaced->exit_plan = sites->exit_plan;
	replaced->v = sites->v;
	all.functions.cap = n + room;
	all.room = room;
	*sites = all;
	return 0;
}

static void fill_exit(const struct rt_return_place *place, struct rt_exit *e)
{
	const struct rt_arch *arch = rt_image_arch(place->image);
	uint8_t bytes[16];
	size_t n = rt_image_read(place->image, place->addr, bytes, sizeof(bytes));

	e->at.addr = place->addr;
	e->at.form = arch->form ? (uint8_t)arch->form(bytes, n) : RT_FORM_OTHER;
	e->place = e->at;
	e->offset = place->offset;
	e->kind = RT_EXIT_RETURN;
	e->callee = UINT32_MAX;
}

static int add_place(struct rt_sites *sites, const struct rt_return_place *place)
{
	uint32_t at = (uint32_t)sites->functions.n;
	struct rt_function *f = &sites->functions.v[at];

	*f = (struct rt_function){
		.name = strdup("return site"),
		.image = place->image,
		.addr = place->addr,
		.offset = place->offset,
		.how = RT_HOW_INSN,
		.how_why = "return site",
		.hidden = true,
		.return_site = true,
		.exits_known = true,
		.exits = { .v = calloc(1, sizeof(*f->exits.v)), .n = 1, .cap = 1,
			   .image = place->image },
	};
	if (!f->name || !f->exits.v) {
		free(f->name);
		free(f->exits.v);
		return -ENOMEM;
	}
	fill_exit(place, f->exits.v);
	sites->returns[at] = true;
	sites->exit_plan[at] = sites->exit_plan[place->of];
	sites->v[sites->n++] = (struct rt_site){
		.function = at, .plan = sites->exit_plan[at], .kind = RT_SITE_EXIT
	};
	sites->functions.n++;
	sites->room--;
	return 0;
}

int rt_return_places_add(struct rt_sites *sites, const struct rt_return_place *v, size_t n,
			 struct rt_sites *replaced)
{
	size_t i;
	int r = sites->room < n ? make_room(sites, n, replaced) : 0;

	for (i = 0; i < n && r == 0; i++)
		r = add_place(sites, &v[i]);
	return r < 0 ? r : rt_sites_grow_roots(sites, NULL);
}
