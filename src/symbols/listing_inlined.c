/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf.h"
#include "symbols/listing.h"
#include "symbols/match.h"
#include "elf/file.h"
#include "base/array.h"

static int keep(void *ctx, const char *name)
{
	struct rt_strings *names = ctx;

	if (RT_ROOM(&names->v, names->n, &names->cap))
		return -ENOMEM;
	names->v[names->n++] = name;
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int sort_symbols(struct rt_strings *names, const struct rt_symbol *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (keep(names, v[i].name))
			return -ENOMEM;
	if (names->n)
		qsort(names->v, names->n, sizeof(*names->v), compare);
	return 0;
}

/* Is there code of that name, or of a copy of it (NAME.constprop.0)? */
static bool has_code(const struct rt_strings *symbols, const char *name)
{
	size_t lo = 0, hi = symbols->n, mid, length = strlen(name);

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (strcmp(symbols->v[mid], name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	/* What is sorted between NAME and NAME. begins with NAME and a character below the dot, which no name has. */
	return lo < symbols->n && strncmp(symbols->v[lo], name, length) == 0 && (!symbols->v[lo][length] || symbols->v[lo][length] == '.');
}

static int tell_meant(const struct rt_image *image, struct rt_matcher *matcher, const struct rt_strings *names,
		      const struct rt_strings *symbols, rt_listing_name told, void *ctx)
{
	size_t i;
	int r = 0;

	for (i = 0; i < names->n && r == 0; i++) {
		const struct rt_symbol symbol = { .name = names->v[i] };

		if ((i && strcmp(names->v[i], names->v[i - 1]) == 0) || !rt_matches(matcher, &symbol) || has_code(symbols, names->v[i]))
			continue;
		r = told(ctx, image, names->v[i]);
	}
	return r;
}

int rt_listing_inlined(const struct rt_images *images, const struct rt_spec *spec, rt_listing_name told, void *ctx, struct rt_error *err)
{
	struct rt_image *image = spec->lib ? rt_images_find(images, spec->lib) : images->v[0];
	struct rt_strings names = { 0 }, symbols = { 0 };
	struct rt_matcher matcher;
	const struct rt_symbol *v;
	size_t n;
	bool more;
	int r;

	if (!image || !spec->glob || rt_image_all_symbols(image, &v, &n, NULL) < 0)
		return 0;
	r = rt_dwarf_each_inlined(image, keep, &names);
	more = r == -EFBIG;
	if (r == 0 || more)
		r = sort_symbols(&symbols, v, n);
	if (r == 0)
		r = rt_matcher_begin(&matcher, spec);
	if (r == 0) {
		if (names.n)
			qsort(names.v, names.n, sizeof(*names.v), compare);
		r = tell_meant(image, &matcher, &names, &symbols, told, ctx);
		rt_matcher_free(&matcher);
	}
	free(names.v);
	free(symbols.v);
	if (r == 0 && more)
		r = -EFBIG;
	return r == -ENOMEM ? rt_nomem(err) : r;
}
