/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/distance.h"
#include "dwarf/dwarf.h"
#include "elf/file.h"
#include "go/go.h"
#include "process/program.h"
#include "symbols/match.h"
#include "symbols/private.h"
#include "symbols/unnamed.h"

/* Messages for a name that is not there: the next best thing that the user could have meant. */

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

static void add_libraries(struct text *t, const struct rt_program *program)
{
	size_t i;

	if (program->n < 2) {
		add(t, "%s", program->incomplete ? "" : ": it has none");
		return;
	}
	add(t, "; it has ");
	for (i = 1; i < program->n && i <= MAX_LISTED; i++)
		add(t, "%s%.100s", i > 1 ? ", " : "", rt_image_name(program->v[i]));
	if (i < program->n)
		add(t, " and %zu more", program->n - i);
}

static bool has_sdt(const struct rt_program *program)
{
	size_t i;

	for (i = 0; i < program->n && !program->v[i]->has_sdt; i++)
		;
	return i < program->n;
}

static bool loads_others(const struct rt_program *program)
{
	size_t i;

	for (i = 0; i < program->n; i++)
		if (rt_image_imports(program->v[i], "dlopen"))
			return true;
	return false;
}

int rt_no_library(const struct rt_program *files, const char *lib, struct rt_error *err)
{
	const char *program = rt_image_name(rt_program_executable(files));
	struct text t = { .n = 0 };
	struct stat st;

	if (strchr(lib, '/') && stat(lib, &st) == 0)
		add(&t, "%.200s: does not load '%.200s'", program, lib);
	else
		add(&t, "%.200s: no library '%.200s'", program, lib);
	add_libraries(&t, files);
	if (files->incomplete)
		add(&t, " (the list is incomplete: %s)", files->incomplete);
	if (!strchr(lib, '/') && loads_others(files))
		add(&t, "; if it is loaded later (dlopen), give its path");
	if (!strchr(lib, '/') && has_sdt(files))
		add(&t, "; USDT probes: usdt:PROVIDER:NAME");
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

static void add_other_image(struct text *t, const struct rt_program *program,
			    const struct rt_image *image, const struct rt_spec *spec)
{
	struct rt_matcher matcher;
	const char *name;
	size_t i;

	if (rt_matcher_begin(&matcher, spec) < 0)
		goto out;
	for (i = 0; i < program->n; i++) {
		if (program->v[i] == image || !has_match(program->v[i], &matcher))
			continue;
		name = rt_image_name(program->v[i]);
		add(t, ", but %.100s has %s: use '%.100s%s%.200s'", name,
		    spec->glob ? "some" : "it", i ? name : "", i ? ":" : "", spec->function);
		break;
	}
out:
	rt_matcher_free(&matcher);
}

/*
 * A name of C++ or Rust without what is before it: bar for ns::Foo::bar.  Written to `text`;
 * false: there is none.
 */
static bool find_qualified(struct rt_text *text, const struct rt_symbol *v, size_t n,
			   const char *name)
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

/*
 * GCC's copy of a function, or what it did not inline of it: NAME.constprop.0, NAME.part.0.  NULL:
 * there is none.
 */
static const char *find_copy(struct rt_image *image, char *name)
{
	const struct rt_spec spec = { .function = name };
	size_t length = strlen(name), i, n;
	const struct rt_symbol *v;
	struct rt_matcher matcher;
	const char *found = NULL;

	rt_image_symbols(image, &v, &n, NULL);
	for (i = 0; i < n && !found; i++)
		if (strncmp(v[i].name, name, length) == 0 && v[i].name[length] == '.' &&
		    v[i].name[strlen(v[i].name) - 1] < 'A')
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

/*
 * The name of C++ or Rust with what it is in, as debug information has it: its entries have the
 * last part, or the symbol's name.
 */
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
	return rt_dwarf_inlined(image, spec->function) ||
	       (strstr(spec->function, "::") && is_qualified_inlined(image, spec));
}

static void add_names(struct text *t, const char *const *names, size_t n)
{
	struct rt_text written = { 0 };
	size_t i;

	for (i = 0; i < n; i++) {
		const char *name = rt_demangle(&written, names[i], true);

		add(t, "%s'%.100s'",
		    i == 0	? "; did you mean "
		    : i + 1 < n ? ", "
				: " or ",
		    name ? name : names[i]);
	}
	add(t, "%s", n ? "?" : "");
	rt_text_free(&written);
}

/*
 * Interpreters run functions that no symbol table has: they are data, or code that a compiler makes
 * as the program runs.
 */
static const char *interpreted(const struct rt_image *image)
{
	static const struct {
		const char *program, *text;
	} known[] = {
		{ "node", "; functions of JavaScript are no native functions" },
		{ "python", "; functions of Python are no native functions; its USDT probes may "
			    "have them: 'usdt:python:*'" },
		{ "java", "; methods of Java are no native functions; its USDT probes may have "
			  "them: 'usdt:hotspot:*'" },
	};
	const char *name = strrchr(image->name, '/');
	size_t i;

	name = name ? name + 1 : image->name;
	for (i = 0; i < RT_COUNT(known); i++)
		if (strncmp(name, known[i].program, strlen(known[i].program)) == 0)
			return known[i].text;
	return NULL;
}

/* A shell, make, env, find: the function may be of a program that it runs. */
static bool runs_others(struct rt_image *image)
{
	static const char *const names[] = { "execve", "execv",	 "execvp",	"execvpe",
					     "execl",  "execlp", "posix_spawn", "posix_spawnp" };
	size_t i;

	for (i = 0; i < RT_COUNT(names) && !rt_image_imports(image, names[i]); i++)
		;
	return i < RT_COUNT(names);
}

int rt_no_function(const struct rt_program *program, struct rt_image *image,
		   const struct rt_spec *spec, struct rt_error *err)
{
	const char *nearest[RT_MAX_NEAREST],
		*copy = spec->glob ? NULL : find_copy(image, spec->function);
	const struct rt_symbol *v, *unnamed;
	struct text t = { .n = 0 };
	struct rt_text written = { 0 };
	bool children = image == rt_program_executable(program) && runs_others(image);
	size_t n, before, nunnamed = 0;
	bool go, near;

	rt_image_symbols(image, &v, &n, NULL);
	if (!spec->glob && !copy && is_inlined(image, spec)) {
		go = rt_image_go(image) && strchr(spec->function, '.');
		add(&t, "%.200s: '%.200s' is inlined everywhere; try building with %s",
		    rt_image_name(image), spec->function, go ? "-gcflags=all=-l" : "-fno-inline");
		before = rt_nearest_go(spec->function, v, n, nearest);
		/*
		 * Go's short functions call one with a name like theirs: fmt.Println, fmt.Fprintln.
		 */
		add_names(&t, nearest,
			  before || !go ? before : rt_nearest(spec->function, v, n, nearest));
		return rt_usage(err, "%s", t.buf);
	}
	if (n == 0)
		add(&t, "%.200s: is stripped: no function names%s%.300s", rt_image_name(image),
		    rt_image_debug_remark(image) ? "; " : "",
		    rt_image_debug_remark(image) ? rt_image_debug_remark(image) : "");
	else
		add(&t, "%.200s: no function %s'%.200s'", rt_image_name(image),
		    spec->glob ? "matches " : "", spec->function);
	if (n == 0 && !children && rt_image_unnamed(image, &unnamed, &nunnamed) == 0 && nunnamed)
		add(&t, "; 'fn_*' are its %zu unnamed functions, such as %s", nunnamed,
		    unnamed[0].name);
	before = t.n;
	add_other_image(&t, program, image, spec);
	near = t.n != before;
	if (!near && children) {
		add(&t, "; in a child: -f PROGRAM:%.200s", spec->function);
		before = t.n;
	}
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
	near |= t.n != before && !children;
	if (t.n == before && n && rt_image_names_only_exports(image) &&
	    strncmp(spec->function, RT_UNNAMED_PREFIX, strlen(RT_UNNAMED_PREFIX)) != 0)
		add(&t, "; it is stripped and names only its exports");
	if (interpreted(rt_program_executable(program)))
		add(&t, "%s", interpreted(rt_program_executable(program)));
	rt_text_free(&written);
	rt_usage(err, "%s", t.buf);
	return near ? -EINVAL : -ENOENT;
}

/* ---- the nearest names ---- */

#define MAX_PLAIN 256

struct near {
	const char *name;
	unsigned score;		/* 0: the same but for case */
	size_t len;
};

/*
 * A name of Go without the brackets of pointers and of types: net/http.Client.Get.  false: it does
 * not fit.
 */
static bool without_brackets(const char *name, char text[MAX_PLAIN])
{
	size_t n = 0;
	int depth = 0;

	for (; *name && n + 1 < MAX_PLAIN; name++) {
		depth += (*name == '[') - (*name == ']');
		if (!depth && !strchr("(*)]", *name))
			text[n++] = *name;
	}
	text[n] = '\0';
	return !*name;
}

static bool ends_in(const char *name, size_t n, const char *part, size_t npart)
{
	return n >= npart && strncasecmp(name + n - npart, part, npart) == 0 &&
	       (n == npart || strchr("./", name[n - npart - 1]));
}

static const char *behind_package(const char *name)
{
	const char *slash = strrchr(name, '/');

	return strchr(slash ? slash : name, '.');
}

/*
 * Go: the same without its package or its receiver's type: fib for main.fib, Client.Get and
 * http.Get for net/http.(*Client).Get, which the plain function calls that is so short that it is
 * inlined.  Better where the case is the same.
 */
static unsigned score_go(const char *want, const char *name)
{
	char a[MAX_PLAIN], b[MAX_PLAIN];
	const char *pa, *pb, *last;

	if (!strchr(name, '.') || !without_brackets(want, a) || !without_brackets(name, b))
		return UINT32_MAX;
	if (strcmp(a, b) == 0)
		return 0;
	if (ends_in(b, strlen(b), a, strlen(a)))
		return strcmp(b + strlen(b) - strlen(a), a) == 0 ? 1 : 2;
	pa = behind_package(a);
	pb = behind_package(b);
	if (!pa || !pb)
		return UINT32_MAX;
	last = strrchr(pb, '.');
	return strcasecmp(last, pa) == 0 && ends_in(b, (size_t)(pb - b), a, (size_t)(pa - a))
		       ? 2
		       : UINT32_MAX;
}

/* The distance of `name` from `want`; UINT32_MAX: not near. */
static unsigned score(const char *want, size_t nwant, const char *name, size_t nname)
{
	unsigned d;
	size_t skip;

	if (strcasecmp(want, name) == 0)
		return 0;
	d = score_go(want, name);
	if (d != UINT32_MAX)
		return d;
	skip = strspn(name, "_");
	if (skip && strcmp(want, name + skip) == 0)
		return 1;
	d = rt_near(want, nwant, name, nname);
	if (d != UINT32_MAX)
		return 1 + d;
	if (nwant >= 3 && strncmp(want, name, nwant) == 0)
		return 10;
	/* A C++ or Rust name holds the plain one: _Z3fibi. */
	if (nwant >= 3 && strstr(name, want))
		return 11;
	if (nname >= 4 && strstr(want, name))
		return 12;
	return UINT32_MAX;
}

static bool better(const struct near *a, const struct near *b)
{
	if (a->score != b->score)
		return a->score < b->score;
	if (a->len != b->len)
		return a->len < b->len;
	return strcmp(a->name, b->name) < 0;
}

/* Keep `it` among the best `*n` if it belongs there and its name is new. */
static void keep(struct near *best, size_t *n, struct near it)
{
	struct near swap;
	size_t i;

	for (i = 0; i < *n; i++)
		if (strcmp(best[i].name, it.name) == 0)
			return;
	for (i = 0; i < *n; i++) {
		if (better(&it, &best[i])) {
			swap = best[i];
			best[i] = it;
			it = swap;
		}
	}
	if (*n < RT_MAX_NEAREST)
		best[(*n)++] = it;
}

static size_t find_best(const char *want, const struct rt_symbol *v, size_t n, bool go,
			const char *nearest[RT_MAX_NEAREST])
{
	struct near best[RT_MAX_NEAREST];
	size_t i, nbest = 0, nwant = strlen(want);

	for (i = 0; i < n; i++) {
		struct near it = { .name = v[i].name, .len = strlen(v[i].name) };

		it.score = go ? score_go(want, it.name) : score(want, nwant, it.name, it.len);
		if (it.score != UINT32_MAX && v[i].kind != RT_SYM_NOTYPE &&
		    !rt_name_fragment(it.name))
			keep(best, &nbest, it);
	}
	for (i = 0; i < nbest; i++)
		nearest[i] = best[i].name;
	return nbest;
}

size_t rt_nearest(const char *want, const struct rt_symbol *v, size_t n,
		  const char *nearest[RT_MAX_NEAREST])
{
	return find_best(want, v, n, false, nearest);
}

size_t rt_nearest_go(const char *want, const struct rt_symbol *v, size_t n,
		     const char *nearest[RT_MAX_NEAREST])
{
	return find_best(want, v, n, true, nearest);
}
