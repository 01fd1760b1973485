/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/listing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "code/prologue.h"
#include "dwarf/dwarf.h"
#include "elf/file.h"
#include "symbols/match.h"
#include "symbols/private.h"
#include "symbols/unnamed.h"

/* The state of one listing. */
struct listing {
	struct rt_image *image;
	struct rt_matcher matcher;
	bool written;			/* no symbol has that name: by what was written */
	size_t reported;
	rt_listing_row row;
	void *ctx;
};

static bool means(struct listing *l, const struct rt_symbol *symbol)
{
	if (l->matcher.spec->glob)
		return rt_matches(&l->matcher, symbol);
	return l->written ? rt_matches_written(&l->matcher, symbol)
			  : rt_matches_raw(&l->matcher, symbol);
}

static int report_symbol(struct listing *l, const struct rt_symbol *symbol,
			 const struct rt_symbol *names, size_t n)
{
	struct rt_listing row = {
		.image = l->image, .symbol = symbol, .names = names, .nnames = n
	};

	if (rt_image_offset(l->image, symbol->addr, &row.offset))
		return 0;
	l->reported++;
	/* An IFUNC's resolver is not what is probed. */
	if (symbol->kind != RT_SYM_IFUNC) {
		row.refused = rt_image_refuses(l->image, symbol->addr, NULL);
		if (row.refused &&
		    rt_prologue_behind(l->image, symbol->addr, symbol->sized ? symbol->size : 0))
			row.refused = NULL;
		row.entry_only = rt_image_unsafe_return(l->image, symbol->name, symbol->addr);
		if (!row.entry_only && symbol->kind == RT_SYM_NOTYPE)
			row.entry_only = "is a label, which need not be a function";
		if (!row.entry_only && symbol->source == RT_SOURCE_EH_FRAME)
			row.entry_only = RT_UNNAMED_RETURN;
	}
	return l->row(l->ctx, &row);
}

/*
 * The names of one address: the first that is meant, in the order in which a person would choose.
 */
static int report_group(struct listing *l, const struct rt_symbol *v, size_t n)
{
	const struct rt_symbol *best = NULL;
	size_t i;

	for (i = 0; i < n; i++)
		if (means(l, &v[i]) && (!best || rt_symbol_compare(&v[i], best) < 0))
			best = &v[i];
	return best ? report_symbol(l, best, v, n) : 0;
}

static int each(struct listing *l, const struct rt_symbol *v, size_t n)
{
	size_t i, end;
	int r = 0;

	for (i = 0; i < n && r == 0; i = end) {
		for (end = i + 1; end < n && v[end].addr == v[i].addr; end++)
			;
		r = report_group(l, v + i, end - i);
	}
	return r;
}

int rt_listing_each(const struct rt_program *program, const struct rt_spec *spec,
		    rt_listing_row row, void *ctx, struct rt_error *err)
{
	struct listing l = { .row = row, .ctx = ctx };
	const struct rt_symbol *v, *unnamed;
	size_t n, nunnamed;
	int r;

	l.image = spec->lib ? rt_program_find(program, spec->lib) : rt_program_executable(program);
	if (!l.image)
		return rt_no_library(program, spec->lib, err);
	r = rt_image_all_symbols(l.image, &v, &n, err);
	if (r < 0)
		return r;
	r = rt_matcher_begin(&l.matcher, spec) ? rt_nomem(err) : each(&l, v, n);
	if (r == 0 && !l.reported && !spec->glob) {
		l.written = true;
		r = each(&l, v, n);
		l.matcher.loose = true;
		if (r == 0 && !l.reported)
			r = each(&l, v, n);
	}
	if (r == 0 && rt_unnamed_meant(spec, n, l.reported)) {
		l.written = false;
		r = rt_image_unnamed(l.image, &unnamed, &nunnamed) ? rt_nomem(err)
								   : each(&l, unnamed, nunnamed);
	}
	rt_matcher_free(&l.matcher);
	if (r == 0 && !l.reported)
		r = rt_no_function(program, l.image, spec, err);
	return r;
}

/* ---- inlined functions ---- */

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
	/*
	 * A name sorted between NAME and NAME. would begin with NAME and a character below the dot,
	 * which no name has.
	 */
	return lo < symbols->n && strncmp(symbols->v[lo], name, length) == 0 &&
	       (!symbols->v[lo][length] || symbols->v[lo][length] == '.');
}

static int report_matches(const struct rt_image *image, struct rt_matcher *matcher,
			  const struct rt_strings *names, const struct rt_strings *symbols,
			  rt_listing_name report, void *ctx)
{
	size_t i;
	int r = 0;

	for (i = 0; i < names->n && r == 0; i++) {
		const struct rt_symbol symbol = { .name = names->v[i] };

		if ((i && strcmp(names->v[i], names->v[i - 1]) == 0) ||
		    !rt_matches(matcher, &symbol) || has_code(symbols, names->v[i]))
			continue;
		r = report(ctx, image, names->v[i]);
	}
	return r;
}

int rt_listing_inlined(const struct rt_program *program, const struct rt_spec *spec,
		       rt_listing_name report, void *ctx, struct rt_error *err)
{
	struct rt_image *image = spec->lib ? rt_program_find(program, spec->lib)
					   : rt_program_executable(program);
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
		r = report_matches(image, &matcher, &names, &symbols, report, ctx);
		rt_matcher_free(&matcher);
	}
	free(names.v);
	free(symbols.v);
	if (r == 0 && more)
		r = -EFBIG;
	return r == -ENOMEM ? rt_nomem(err) : r;
}
