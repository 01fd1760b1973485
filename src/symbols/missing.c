/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "dwarf/dwarf.h"
#include "go/go.h"
#include "symbols/match.h"
#include "elf/file.h"
#include "symbols/unnamed.h"
#include "process/images.h"
#include "symbols/private.h"

/* What to say where a name is not there: the next best thing that the user could have meant. */

#define MAX_LISTED 8

struct text {
	char buf[640];
	size_t n;
};

static void RT_PRINTF(2, 3) add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->n, sizeof(t->buf) - t->n, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->n += (size_t)n < sizeof(t->buf) - t->n ? (size_t)n : sizeof(t->buf) - t->n - 1;
}

static void add_libraries(struct text *t, const struct rt_images *images)
{
	size_t i;

	if (images->n < 2) {
		add(t, "%s", images->incomplete ? "" : ": it has none");
		return;
	}
	add(t, "; it has ");
	for (i = 1; i < images->n && i <= MAX_LISTED; i++)
		add(t, "%s%.100s", i > 1 ? ", " : "", rt_image_name(images->v[i]));
	if (i < images->n)
		add(t, " and %zu more", images->n - i);
}

static bool has_sdt(const struct rt_images *images)
{
	size_t i;

	for (i = 0; i < images->n && !images->v[i]->has_sdt; i++)
		;
	return i < images->n;
}

static bool loads_others(const struct rt_images *images)
{
	size_t i;

	for (i = 0; i < images->n; i++)
		if (rt_image_imports(images->v[i], "dlopen"))
			return true;
	return false;
}

int rt_no_library(const struct rt_images *images, const char *lib, struct rt_error *err)
{
	const char *program = rt_image_name(images->v[0]);
	struct text t = { .n = 0 };
	struct stat st;

	if (strchr(lib, '/') && stat(lib, &st) == 0)
		add(&t, "%.200s: does not load '%.200s'", program, lib);
	else
		add(&t, "%.200s: no library '%.200s'", program, lib);
	add_libraries(&t, images);
	if (images->incomplete)
		add(&t, " (the list is incomplete: %s)", images->incomplete);
	if (!strchr(lib, '/') && loads_others(images))
		add(&t, "; one that is loaded later (dlopen) goes by its path");
	if (!strchr(lib, '/') && has_sdt(images))
		add(&t, "; a USDT probe goes by its address, which readelf -n tells: LIBRARY:0xADDRESS");
	return rt_usage(err, "%s", t.buf);
}

/* The first name of `image` that the spec means, or NULL. */
static const char *has_match(struct rt_image *image, struct rt_matcher *matcher)
{
	const struct rt_symbol *v;
	size_t i, n;

	rt_image_symbols(image, &v, &n, NULL);
	for (i = 0; i < n; i++)
		if (v[i].kind != RT_SYM_NOTYPE && rt_matches(matcher, &v[i]))
			return v[i].name;
	return NULL;
}

static void add_other_image(struct text *t, const struct rt_images *images, const struct rt_image *image,
			    const struct rt_spec *spec)
{
	struct rt_matcher matcher;
	const char *name;
	size_t i;

	if (rt_matcher_begin(&matcher, spec) < 0)
		goto out;
	for (i = 0; i < images->n; i++) {
		if (images->v[i] == image || !has_match(images->v[i], &matcher))
			continue;
		name = rt_image_name(images->v[i]);
		add(t, ", but %.100s has %s: use '%.100s%s%.200s'", name, spec->glob ? "some" : "it",
		    i ? name : "", i ? ":" : "", spec->function);
		break;
	}
out:
	rt_matcher_free(&matcher);
}

/* A name of C++ or Rust without what stands before it: bar for ns::Foo::bar.  Written to `text`; false: there is none. */
static bool find_qualified(struct rt_text *text, const struct rt_symbol *v, size_t n, const char *name)
{
	struct rt_matcher matcher = { 0 };
	struct rt_spec spec = { .glob = true };
	bool found = false;
	size_t i;

	if (asprintf(&spec.function, "*::%s", name) < 0)
		return false;
	if (rt_matcher_begin(&matcher, &spec) == 0)
		for (i = 0; i < n && !found; i++)
			found = v[i].kind != RT_SYM_NOTYPE && rt_matches_written(&matcher, &v[i]) &&
				rt_demangle(text, v[i].name, matcher.parameters);
	rt_matcher_free(&matcher);
	free(spec.function);
	return found;
}

/* GCC's copy of a function, or what it did not inline of it: NAME.constprop.0, NAME.part.0.  NULL: there is none. */
static const char *find_copy(struct rt_image *image, char *name)
{
	const struct rt_spec spec = { .function = name };
	size_t length = strlen(name), i, n;
	const struct rt_symbol *v;
	struct rt_matcher matcher;
	const char *found = NULL;

	rt_image_symbols(image, &v, &n, NULL);
	for (i = 0; i < n && !found; i++)
		if (strncmp(v[i].name, name, length) == 0 && v[i].name[length] == '.' && v[i].name[strlen(v[i].name) - 1] < 'A')
			found = v[i].name;
	if (!found && rt_matcher_begin(&matcher, &spec) == 0) {
		for (i = 0; i < n && !found; i++)
			found = rt_matches_written(&matcher, &v[i]) ? v[i].name : NULL;
		rt_matcher_free(&matcher);
	}
	return found;
}

static int is_meant(void *ctx, const char *name)
{
	const struct rt_symbol symbol = { .name = name };

	return rt_matches(ctx, &symbol);
}

/* The name of C++ or Rust with what it stands in, as debug information has it: its entries have the last part, or the symbol's name. */
static bool is_qualified_inlined(struct rt_image *image, const struct rt_spec *spec)
{
	struct rt_matcher matcher;
	bool found = false;

	if (rt_matcher_begin(&matcher, spec) == 0)
		found = rt_dwarf_each_inlined(image, is_meant, &matcher) > 0;
	rt_matcher_free(&matcher);
	return found;
}

static bool is_inlined(struct rt_image *image, const struct rt_spec *spec)
{
	return rt_dwarf_inlined(image, spec->function) || (strstr(spec->function, "::") && is_qualified_inlined(image, spec));
}

static void add_names(struct text *t, const char *const *names, size_t n)
{
	struct rt_text written = { 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		const char *name = rt_demangle(&written, names[i], true);

		add(t, "%s'%.100s'", i == 0 ? "; did you mean " : i + 1 < n ? ", " : " or ", name ? name : names[i]);
	}
	add(t, "%s", n ? "?" : "");
	rt_text_free(&written);
}

int rt_no_function(const struct rt_images *images, struct rt_image *image, const struct rt_spec *spec,
		   struct rt_error *err)
{
	const char *nearest[RT_MAX_NEAREST], *copy = spec->glob ? NULL : find_copy(image, spec->function);
	const struct rt_symbol *v, *unnamed;
	struct text t = { .n = 0 };
	struct rt_text written = { 0 };
	size_t n, before, nunnamed = 0;
	bool go;

	rt_image_symbols(image, &v, &n, NULL);
	if (!spec->glob && !copy && is_inlined(image, spec)) {
		go = rt_image_go(image) && strchr(spec->function, '.');
		add(&t, "%.200s: '%.200s' is inlined everywhere: it has no code of its own to be probed; built with %s it has",
		    rt_image_name(image), spec->function, go ? "-gcflags=all=-l" : "-fno-inline");
		before = rt_nearest_go(spec->function, v, n, nearest);
		/* Go's short functions call one with a name like theirs: fmt.Println, fmt.Fprintln. */
		add_names(&t, nearest, before || !go ? before : rt_nearest(spec->function, v, n, nearest));
		return rt_usage(err, "%s", t.buf);
	}
	if (n == 0)
		add(&t, "%.200s: is stripped: no function names in it%s%.300s", rt_image_name(image),
		    rt_image_debug_remark(image) ? "; " : "", rt_image_debug_remark(image) ? rt_image_debug_remark(image) : "");
	else
		add(&t, "%.200s: no function %s'%.200s'", rt_image_name(image), spec->glob ? "matches " : "",
		    spec->function);
	if (n == 0 && rt_image_unnamed(image, &unnamed, &nunnamed) == 0 && nunnamed)
		add(&t, "; 'fn_*' are its %zu functions without names, %s the first of them", nunnamed, unnamed[0].name);
	before = t.n;
	add_other_image(&t, images, image, spec);
	if (t.n == before && copy)
		add_names(&t, &copy, 1);
	else if (t.n == before && !spec->glob && find_qualified(&written, v, n, spec->function)) {
		add(&t, "; did you mean '%.100s'?", written.v);
	} else if (t.n == before && !spec->glob) {
		add_names(&t, nearest, rt_nearest(spec->function, v, n, nearest));
	} else if (t.n == before && rt_image_is_go(image)) {
		/* Named types have the code of their underlying type. */
		add_names(&t, nearest, rt_nearest_go(spec->function, v, n, nearest));
	}
	if (t.n == before && n && !image->symtab.present && !image->has_more && !rt_image_go(image) &&
	    strncmp(spec->function, RT_UNNAMED_PREFIX, strlen(RT_UNNAMED_PREFIX)) != 0)
		add(&t, "; it is stripped: only what it exports has a name");
	if (t.n == before && spec->function[0] >= '0' && spec->function[0] <= '9')
		add(&t, "; the program's own arguments come after '--'");
	rt_text_free(&written);
	return rt_usage(err, "%s", t.buf);
}
