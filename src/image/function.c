/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/function.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image/dwarf.h"
#include "image/go.h"
#include "image/inside.h"
#include "image/match.h"
#include "image/private.h"
#include "util/array.h"

/* A place that the spec means, before aliases are sorted out. */
struct match {
	const struct rt_symbol *symbol;	/* that has the name */
	uint64_t addr, size;
	bool notype, sized;
	bool versioned;			/* its version must be shown: the name has several */
	const struct rt_symbol *also[3];	/* libcalls: other names of the place that the program imports */
	uint32_t inside;		/* `addr` is so many bytes behind the symbol's; 0: it is the entry */
};

struct batch {
	struct rt_image *image;
	const struct rt_spec *spec, *asked;	/* the second is the caller's, and lives on */
	struct rt_matcher matcher;
	bool libcalls;			/* the symbols are what the program imports */
	bool several;			/* the spec can mean several functions: what cannot be probed is passed over */
	struct match *v;
	size_t n, cap;
	size_t named;			/* symbols whose name matched, whether or not they were taken */
	size_t unseen, unseen_of;	/* so many of the IFUNC `unseen_name`'s implementations cannot be probed */
	const char *unseen_name, *unseen_why;
	struct rt_symbol made;		/* stands for an address that has none */
};

/* Go's names have '*' and '[' in them ("main.(*T).Method"): what is the whole name of a function is no glob. */
static bool names_whole(const struct rt_spec *spec, const struct rt_symbol *v, size_t n)
{
	size_t i;

	for (i = 0; i < n && spec->glob; i++)
		if (strcmp(v[i].name, spec->function) == 0)
			return true;
	return false;
}

static int take(struct batch *b, const struct rt_symbol *symbol, uint64_t addr, uint64_t size, bool sized)
{
	struct match *m;

	if (RT_ROOM(&b->v, b->n, &b->cap))
		return -ENOMEM;
	m = &b->v[b->n++];
	memset(m, 0, sizeof(*m));
	m->symbol = symbol;
	m->addr = addr;
	m->size = size;
	m->sized = sized;
	m->notype = symbol->kind == RT_SYM_NOTYPE;
	return 0;
}

/* An implementation, with its size where a symbol tells it. */
static int take_implementation(struct batch *b, const struct rt_symbol *symbol, uint64_t addr)
{
	const struct rt_symbol *v;
	size_t n;

	v = rt_symbols_at(b->image, addr, &n);
	return take(b, symbol, addr, n ? v[0].size : 0, n && v[0].sized);
}

static int take_ifunc(struct batch *b, const struct rt_symbol *symbol, struct rt_error *err)
{
	uint64_t v[RT_MAX_IMPLEMENTATIONS];
	size_t i, n = rt_ifunc_implementations(b->image, symbol, v), taken = 0;
	const char *why = NULL, *no;

	for (i = 0; i < n; i++) {
		no = rt_image_refuses(b->image, v[i]);
		if (no) {
			why = no;
			continue;
		}
		taken++;
		if (take_implementation(b, symbol, v[i]))
			return rt_nomem(err);
	}
	if (why && (taken || b->several) && !b->unseen) {
		b->unseen = n - taken;
		b->unseen_of = n;
		b->unseen_name = symbol->name;
		b->unseen_why = why;
	}
	if (taken || b->several)
		return 0;
	if (why)
		return rt_fail(err, -ENOTSUP, "%s: '%s' is an IFUNC, resolved at run time, and none of its "
			       "implementations can be probed: one %s", rt_image_name(b->image), symbol->name, why);
	return rt_fail(err, -ENOENT, "%s: '%s' is an IFUNC, resolved at run time, and its implementations could not be "
		       "found", rt_image_name(b->image), symbol->name);
}

static int take_symbol(struct batch *b, const struct rt_symbol *symbol, struct rt_error *err)
{
	const char *why;

	if (symbol->kind == RT_SYM_IFUNC)
		return take_ifunc(b, symbol, err);
	if (b->several && (symbol->kind == RT_SYM_NOTYPE || strstr(symbol->name, ".cold")))
		return 0;
	why = rt_image_refuses(b->image, symbol->addr);
	if (why && b->several)
		return 0;
	if (why)
		return rt_fail(err, -ENOTSUP, "%s: '%s' %s", rt_image_name(b->image), symbol->name, why);
	return take(b, symbol, symbol->addr, symbol->size, symbol->sized) ? rt_nomem(err) : 0;
}

static int compare_matches(const void *pa, const void *pb)
{
	const struct match *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return rt_symbol_compare(a->symbol, b->symbol);
}

/* The symbols that the spec means: with `written`, by what their mangled names stand for. */
static int match_symbols(struct batch *b, const struct rt_symbol *symbols, size_t n, bool written, struct rt_error *err)
{
	size_t i;
	int ret;

	for (i = 0; i < n; i++) {
		if (b->spec->glob ? !rt_matches(&b->matcher, &symbols[i]) :
		    written ? !rt_matches_written(&b->matcher, &symbols[i]) : !rt_matches_raw(&b->matcher, &symbols[i]))
			continue;
		b->named++;
		ret = take_symbol(b, &symbols[i], err);
		if (ret)
			return ret;
	}
	return 0;
}

/* Versions are shown where they were asked for, and where a name has several. */
static void mark_versions(struct batch *b)
{
	size_t i, k;

	for (i = 0; i < b->n; i++) {
		const struct rt_symbol *s = b->v[i].symbol;

		b->v[i].versioned |= s->version && b->matcher.version;
		if (!s->version || s->default_version)
			continue;
		for (k = 0; k < b->n; k++)
			if (k != i && strcmp(s->name, b->v[k].symbol->name) == 0)
				b->v[i].versioned = b->v[k].versioned = true;
	}
}

/* memcpy and memmove can be one place, and both be imported: nobody can say which was called. */
static void add_name(struct match *m, const struct rt_symbol *symbol)
{
	size_t i;

	if (strcmp(m->symbol->name, symbol->name) == 0)
		return;
	for (i = 0; i < RT_COUNT(m->also); i++) {
		if (m->also[i] && strcmp(m->also[i]->name, symbol->name) != 0)
			continue;
		m->also[i] = symbol;
		return;
	}
}

static int fill_batch(struct batch *b, const struct rt_symbol *symbols, size_t n, struct rt_error *err)
{
	size_t i, kept = 0;
	int ret;

	b->several = b->spec->glob || b->libcalls;
	ret = match_symbols(b, symbols, n, false, err);
	if (ret == 0 && !b->named && !b->spec->glob) {
		b->several = true;
		ret = match_symbols(b, symbols, n, true, err);
	}
	if (ret || b->n == 0)
		return ret;
	qsort(b->v, b->n, sizeof(*b->v), compare_matches);
	for (i = 1; i < b->n; i++) {
		if (b->v[i].addr != b->v[kept].addr)
			b->v[++kept] = b->v[i];
		else if (b->libcalls)
			add_name(&b->v[kept], b->v[i].symbol);
	}
	b->n = kept + 1;
	mark_versions(b);
	return 0;
}

/* ---- places: FUNC+OFFSET, 0xADDRESS, FUNC@file.c ---- */

static int not_there(const struct batch *b, const char *name, uint64_t behind, const char *why, struct rt_error *err)
{
	char offset[24] = "";

	if (behind)
		snprintf(offset, sizeof(offset), "+0x%llx", (unsigned long long)behind);
	return rt_fail(err, -ENOTSUP, "%s: '%s%s' cannot be probed: it %s", rt_image_name(b->image), name, offset, why);
}

static int move_inside(struct batch *b, uint32_t offset, struct rt_error *err)
{
	const char *why;
	size_t i;

	for (i = 0; i < b->n; i++) {
		struct match *m = &b->v[i];

		why = m->size && offset >= m->size ? "is behind the function's end" : rt_inside(b->image, m->addr, m->addr + offset);
		if (!why)
			why = rt_image_refuses(b->image, m->addr + offset);
		if (why)
			return not_there(b, m->symbol->name, offset, why, err);
		m->inside = offset;
		m->addr += offset;
		m->size -= m->size ? offset : 0;
	}
	return 0;
}

static int match_address(struct batch *b, struct rt_error *err)
{
	uint64_t addr = b->spec->address;
	const struct rt_symbol *v, *before;
	const char *why;
	size_t i, n;
	int ret = 0;

	b->named = 1;
	v = rt_symbols_at(b->image, addr, &n);
	for (i = 0; i < n && ret == 0; i++)
		if (v[i].kind != RT_SYM_IFUNC)
			ret = take_symbol(b, &v[i], err);
	if (ret || b->n) {
		qsort(b->v, b->n, sizeof(*b->v), compare_matches);
		b->n = b->n ? 1 : 0;
		return ret;
	}
	before = rt_symbol_before(b->image, addr);
	if (before && addr - before->addr < before->size && addr - before->addr <= UINT32_MAX) {
		if (take(b, before, before->addr, before->size, before->sized))
			return rt_nomem(err);
		return move_inside(b, (uint32_t)(addr - before->addr), err);
	}
	why = rt_inside_nothing(b->image, addr);
	if (!why)
		why = rt_image_refuses(b->image, addr);
	if (why)
		return not_there(b, b->spec->function, 0, why, err);
	b->made = (struct rt_symbol){ .name = b->spec->function, .addr = addr, .kind = RT_SYM_NOTYPE };
	return take(b, &b->made, addr, 0, false) ? rt_nomem(err) : 0;
}

/* Of the functions of that name those of the source file. */
static int keep_file(struct batch *b, struct rt_error *err)
{
	const char *other = NULL, *path;
	size_t i, n = 0;

	for (i = 0; i < b->n; i++) {
		path = rt_dwarf_file(b->image, b->v[i].addr);
		other = path ? path : other;
		if (rt_same_file(path, b->spec->file))
			b->v[n++] = b->v[i];
	}
	if (!n && !other)
		return rt_usage(err, "%s: no debug information tells which file '%s' is of", rt_image_name(b->image), b->spec->function);
	if (!n)
		return rt_usage(err, "%s: no function '%s' in a file '%s'; there is one in %s", rt_image_name(b->image), b->spec->function,
				b->spec->file, other);
	b->n = n;
	return 0;
}

static int find_places(struct batch *b, const struct rt_symbol *symbols, size_t n, struct rt_error *err)
{
	int ret;

	if (b->spec->has_address)
		return match_address(b, err);
	ret = fill_batch(b, symbols, n, err);
	if (ret == 0 && b->n && b->spec->file)
		ret = keep_file(b, err);
	if (ret == 0 && b->spec->has_offset)
		ret = move_inside(b, b->spec->offset, err);
	return ret;
}

/* The functions of earlier specs, findable by address. */
struct known {
	uint64_t addr;
	size_t index;
};

static int compare_known(const void *pa, const void *pb)
{
	const struct known *a = pa, *b = pb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static struct known *index_known(const struct rt_functions *functions, const struct rt_image *image, size_t *n)
{
	struct known *v = calloc(functions->n + 1, sizeof(*v));
	size_t i;

	*n = 0;
	if (!v)
		return NULL;
	for (i = 0; i < functions->n; i++) {
		if (functions->v[i].image == image) {
			v[*n].addr = functions->v[i].addr;
			v[(*n)++].index = i;
		}
	}
	qsort(v, *n, sizeof(*v), compare_known);
	return v;
}

static const char *entry_only(const struct rt_image *image, const struct match *m)
{
	const char *why = m->inside ? "is a place inside a function, not its entry" :
			  rt_image_unsafe_return(image, m->symbol->name, m->addr);

	return why ? why : m->notype ? "is a label, which need not be a function" : NULL;
}

/* The name as it is printed, and the symbol's where that differs.  0 or -ENOMEM; what `f` had is freed. */
static int name_function(struct rt_function *f, const struct match *m, struct rt_text *text)
{
	const struct rt_symbol *s = m->symbol;
	const char *written = rt_demangle(text, s->name, false);
	char *name, *symbol = NULL;

	if (m->versioned && s->version) {
		if (asprintf(&name, "%s%s%s", s->name, s->default_version ? "@@" : "@", s->version) < 0)
			name = NULL;
	} else if (m->inside) {
		if (asprintf(&name, "%s+0x%x", written ? written : s->name, m->inside) < 0)
			name = NULL;
	} else if (m->also[0]) {
		if (asprintf(&name, "%s/%s%s%s%s%s", written ? written : s->name, m->also[0]->name, m->also[1] ? "/" : "",
			     m->also[1] ? m->also[1]->name : "", m->also[2] ? "/" : "", m->also[2] ? m->also[2]->name : "") < 0)
			name = NULL;
	} else {
		name = strdup(written ? written : s->name);
	}
	if (written)
		symbol = strdup(s->name);
	if (!name || (written && !symbol)) {
		free(name);
		free(symbol);
		return -ENOMEM;
	}
	free(f->name);
	free(f->symbol);
	f->name = name;
	f->symbol = symbol;
	return 0;
}

/* The same for probes on the instructions that leave it. */
static const char *no_exits(const struct rt_image *image, const struct match *m)
{
	const char *why = m->inside ? "is a place inside a function, not its entry" :
			  rt_image_unsafe_exits(image, m->symbol->name, m->addr);

	return why ? why : m->notype ? "is a label, which need not be a function" : NULL;
}

/* An exact name asked for later names the function anew; a glob leaves it as it is. */
static int rename_known(struct rt_function *f, struct batch *b, const struct match *m)
{
	if (b->spec->glob)
		return 0;
	f->named |= !b->several;
	if (!f->go && !f->inside)
		f->nargs = b->spec->nargs;
	f->spec = b->asked;
	return name_function(f, m, &b->matcher.demangled);
}

static int add_function(struct rt_functions *functions, struct batch *b, const struct match *m)
{
	struct rt_function *f;

	if (RT_ROOM(&functions->v, functions->n, &functions->cap))
		return -ENOMEM;
	f = &functions->v[functions->n];
	memset(f, 0, sizeof(*f));
	if (rt_image_offset(b->image, m->addr, &f->offset))
		return 0;
	if (name_function(f, m, &b->matcher.demangled))
		return -ENOMEM;
	f->image = b->image;
	f->addr = m->addr;
	f->size = m->size;
	f->named = !b->several;
	f->sized = m->sized;
	f->libcall = b->libcalls;
	f->source = m->symbol->source;
	f->spec = b->asked;
	f->nargs = b->spec->nargs;
	f->entry_only = entry_only(b->image, m);
	f->no_exits = no_exits(b->image, m);
	f->inside = m->inside != 0;
	if (f->inside)
		f->nargs = 0;	/* what is in the registers there, only the user knows */
	f->go = !f->inside && rt_go_place(b->image, m->addr, &f->skip);
	if (f->go) {
		f->nargs = 0;	/* C's registers would tell nothing of its arguments */
		f->placed = f->skip ? "past Go's check of the stack, which can come back to the entry" :
			"Go makes no check of the stack there";
	}
	functions->n++;
	return 0;
}

static int merge_batch(struct rt_functions *functions, struct batch *b, struct rt_error *err)
{
	struct known key, *known, *at;
	size_t i, n;
	int ret = 0;

	known = index_known(functions, b->image, &n);
	if (!known)
		return rt_nomem(err);
	for (i = 0; i < b->n && ret == 0; i++) {
		key.addr = b->v[i].addr;
		at = bsearch(&key, known, n, sizeof(*known), compare_known);
		if (at)
			ret = rename_known(&functions->v[at->index], b, &b->v[i]);
		else
			ret = add_function(functions, b, &b->v[i]);
	}
	free(known);
	return ret ? rt_nomem(err) : 0;
}

/* Another build's debug file lies where the right one should be, or it is damaged. */
static int note_debug(struct rt_functions *functions, const struct batch *b, struct rt_error *err)
{
	const char *remark = rt_image_debug_remark(b->image);

	if (!remark || functions->note || asprintf(&functions->note, "%s: %s", rt_image_name(b->image), remark) >= 0)
		return 0;
	functions->note = NULL;
	return rt_nomem(err);
}

/* One remark is kept: the first is as true as the others, and the user needs to be told once. */
static int note_unseen(struct rt_functions *functions, const struct batch *b, struct rt_error *err)
{
	if (!b->unseen || functions->note)
		return 0;
	if (asprintf(&functions->note, "%s: %zu of its %zu implementations cannot be probed (one %s); where the "
		     "processor makes the program use such a one, no call is seen", b->unseen_name, b->unseen,
		     b->unseen_of, b->unseen_why) < 0) {
		functions->note = NULL;
		return rt_nomem(err);
	}
	return 0;
}

int rt_functions_add(struct rt_functions *functions, const struct rt_images *images, const struct rt_spec *spec,
		     struct rt_error *err)
{
	struct batch b = { .spec = spec, .asked = spec };
	const struct rt_symbol *symbols;
	struct rt_spec whole;
	size_t n;
	int ret;

	b.image = spec->lib ? rt_images_find(images, spec->lib) : images->v[0];
	if (!b.image)
		return rt_no_library(images, spec->lib, err);
	ret = rt_image_all_symbols(b.image, &symbols, &n, err);
	if (ret)
		return ret;
	if (names_whole(spec, symbols, n)) {
		whole = *spec;
		whole.glob = false;
		b.spec = spec = &whole;
	}
	ret = rt_matcher_begin(&b.matcher, spec) ? rt_nomem(err) : find_places(&b, symbols, n, err);
	if (ret)
		goto out;
	if (b.named == 0)
		ret = rt_no_function(images, b.image, spec, err);
	else if (b.n == 0)
		ret = rt_usage(err, "%s: nothing that '%s' matches can be probed", rt_image_name(b.image),
			       spec->function);
	else
		ret = merge_batch(functions, &b, err);
	if (ret == 0)
		ret = note_unseen(functions, &b, err);
	if (ret == 0)
		ret = note_debug(functions, &b, err);
out:
	rt_matcher_free(&b.matcher);
	free(b.v);
	return ret;
}

int rt_functions_add_libcalls(struct rt_functions *functions, struct rt_image *image, const struct rt_symbol *symbols, size_t n,
			      const struct rt_spec *spec, size_t *named, struct rt_error *err)
{
	struct batch b = { .image = image, .spec = spec, .asked = spec, .libcalls = true };
	int ret;

	ret = rt_matcher_begin(&b.matcher, spec) ? rt_nomem(err) : fill_batch(&b, symbols, n, err);
	if (ret == 0 && b.n)
		ret = merge_batch(functions, &b, err);
	if (ret == 0)
		ret = note_unseen(functions, &b, err);
	*named += b.named;
	rt_matcher_free(&b.matcher);
	free(b.v);
	return ret;
}

void rt_functions_print_sources(const struct rt_functions *functions, FILE *file)
{
	enum { SOURCES = RT_SOURCE_MINIDEBUG + 1 };
	const struct rt_function *f;
	size_t i, k, n[SOURCES];

	for (i = 0; i < functions->n; i++) {
		const struct rt_image *image = functions->v[i].image;

		memset(n, 0, sizeof(n));
		for (f = functions->v; f < functions->v + i && f->image != image; f++)
			;
		if (f < functions->v + i)
			continue;
		for (; f < functions->v + functions->n; f++)
			n[f->source] += f->image == image;
		for (k = 0; k < SOURCES; k++)
			if (n[k])
				fprintf(file, "rawtrace: %s: %zu name%s from %s%s%s\n", rt_image_name(image), n[k], n[k] == 1 ? "" : "s",
					rt_symbol_source_name((enum rt_symbol_source)k), k == RT_SOURCE_DEBUG ? " " : "",
					k == RT_SOURCE_DEBUG ? rt_image_debug_path(image) : "");
	}
}

void rt_functions_raw_names(struct rt_functions *functions)
{
	size_t i;

	for (i = 0; i < functions->n; i++) {
		struct rt_function *f = &functions->v[i];

		if (!f->symbol)
			continue;
		free(f->name);
		f->name = f->symbol;
		f->symbol = NULL;
	}
}

void rt_functions_free(struct rt_functions *functions)
{
	size_t i;

	for (i = 0; i < functions->n; i++) {
		free(functions->v[i].name);
		rt_exits_free(&functions->v[i].exits);
		free(functions->v[i].symbol);
	}
	free(functions->v);
	free(functions->note);
	memset(functions, 0, sizeof(*functions));
}
