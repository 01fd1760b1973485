/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of probes: `rawtrace java @jvm`.  A set has more than each program and each version of it
 * has, so that what is not there is no error, and libraries that the program loads later.
 */
#include "plan/sets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lang/probes.h"
#include "plan/awaited.h"
#include "process/search.h"
#include "symbols/usdt.h"

static bool is_of(const struct rt_statement *s, const struct rt_image *image)
{
	const char *soname = rt_image_soname(image);

	return soname && rt_statement_is_of(s, soname);
}

/*
 * The library that the statement's globs mean, by its DT_SONAME; NULL: the process has none of
 * them.  `n`: the number of files that it has, before those that may come.
 */
static const char *library_of(const struct rt_traced *traced, size_t n,
			      const struct rt_statement *s)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (is_of(s, traced->program.v[i]))
			return rt_image_soname(traced->program.v[i]);
	return NULL;
}

/*
 * The library's file before it is loaded, so that no call is missed: java maps libjvm.so from
 * ../lib/server.
 */
static int find_library(const struct rt_wanted *wanted, struct rt_traced *traced, const char *globs,
			struct rt_error *err)
{
	char *text = strdup(globs), *rest = text, *glob, *near;
	const char *bound;
	size_t before = traced->program.n;
	int r = text ? 0 : rt_nomem(err);

	while (r == 0 && (glob = strsep(&rest, " "))) {
		if (!*glob)
			continue;
		r = rt_program_add_cached(&traced->program, glob, err);
		if (r < 0 || traced->program.n > before)
			break;
		r = rt_program_search(&traced->program, glob, wanted->children, &near, &bound,
				      err);
		free(near);
		r = r > 0 ? 0 : r;
	}
	free(text);
	return r;
}

/* The program or, with -f, a child may load libraries. */
static bool may_load(const struct rt_wanted *wanted, const struct rt_traced *traced)
{
	return wanted->children || rt_program_can_load(&traced->program);
}

/* With -p a library is found when it is mapped. */
static int find_libraries(const struct rt_wanted *wanted, struct rt_traced *traced,
			  const struct rt_statement *v, size_t n, struct rt_error *err)
{
	size_t i, known = traced->program.n;
	const char *last = NULL;
	int r = 0;

	if (wanted->all || traced->pids.n || !may_load(wanted, traced))
		return 0;
	for (i = 0; i < n && r == 0; i++) {
		if (v[i].libraries && v[i].libraries != last &&
		    !library_of(traced, known, &v[i]))
			r = find_library(wanted, traced, v[i].libraries, err);
		last = v[i].libraries;
	}
	return r;
}

/* A library that is not there yet meets nothing: its version is not known. */
static bool is_met(const struct rt_traced *traced, const struct rt_statement *s,
		   const char *library)
{
	struct rt_image *image = library ? rt_program_find(&traced->program, library)
					 : rt_program_executable(&traced->program);

	return !s->requires || ((library || !s->libraries) && image &&
				rt_statement_is_met(s, rt_file_has_function, image));
}

/* Files name more than every kernel can probe: what it refuses is left out, as of a glob. */
static void unname(struct rt_functions *functions, const struct rt_spec *spec)
{
	size_t i;

	for (i = 0; i < functions->n; i++)
		functions->v[i].named &= functions->v[i].spec != spec;
}

/* Await a library that is not loaded yet: -ENOENT where no file of it was found. */
static int await_library(struct rt_wanted *wanted, const struct rt_traced *traced,
			 struct rt_sites *sites, size_t known, const struct rt_statement *s,
			 const struct rt_spec *spec, struct rt_error *err)
{
	int r = rt_awaited_add(wanted, spec, s, err);
	bool some = false;
	size_t i;

	for (i = known; i < traced->program.n && r == 0; i++) {
		if (!is_of(s, traced->program.v[i]))
			continue;
		r = rt_functions_add_of(&sites->functions, &traced->program, traced->program.v[i],
					spec, NULL);
		some |= r == 0;
		r = r == -ENOMEM ? rt_nomem(err) : 0;
	}
	unname(&sites->functions, spec);
	return r < 0 || some ? r : -ENOENT;
}

/*
 * One specification of a file: -ENOENT where the function is not there, as files name more than
 * every version of a program has, or where its library may come later.
 */
static int add_statement(struct rt_wanted *wanted, const struct rt_traced *traced,
			 struct rt_sites *sites, size_t known, const struct rt_statement *s,
			 struct rt_error *err)
{
	const char *library = s->libraries ? library_of(traced, known, s) : NULL;
	bool met = is_met(traced, s, library), other = wanted->children && !s->libraries;
	struct rt_spec *spec;
	int r;

	if (s->libraries && !library && (wanted->all || !may_load(wanted, traced)))
		return -ENOENT;
	if (!met && !other)
		return -ENOENT;
	r = rt_wanted_keep_spec(wanted, traced, s->text, &spec, err);
	if (r < 0)
		return rt_probes_at(s, r, err);
	if (s->libraries && !library) {
		rt_wanted_note_conditions(wanted, spec);
		return await_library(wanted, traced, sites, known, s, spec, err);
	}
	/* -f: another program may have it too, and its conditions. */
	if (other) {
		rt_wanted_note_conditions(wanted, spec);
		r = rt_awaited_add(wanted, spec, s, err);
	}
	if (r < 0 || !met)
		return r < 0 ? r : -ENOENT;
	if (!library)
		rt_spec_take_usdt(spec, &traced->program);
	if (library && !spec->lib) {
		spec->lib = strdup(library);
		if (!spec->lib)
			return rt_nomem(err);
	}
	r = rt_functions_add(&sites->functions, &traced->program, spec, NULL);
	unname(&sites->functions, spec);
	if (r == 0)
		rt_wanted_note_conditions(wanted, spec);
	return r == -ENOMEM ? rt_nomem(err) : r < 0 ? -ENOENT : 0;
}

/* -a: a library that is not in ld.so.cache has a path. */
static int fail_without_functions(const struct rt_wanted *wanted, const struct rt_traced *traced,
				  const char *name, const char *libraries, struct rt_error *err)
{
	const char *file = rt_image_name(rt_program_executable(&traced->program));

	if (wanted->all && libraries)
		return rt_usage(err,
				"@%s: none of its functions is in %s; try: rawtrace -a "
				"FOLDER/%.*s @%s",
				name, file, (int)strcspn(libraries, " "), libraries, name);
	return rt_usage(err, "@%s: none of its functions is in %s", name, file);
}

int rt_sites_add_set(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_sites *sites,
		     const char *name, struct rt_error *err)
{
	const struct rt_statement *v;
	size_t i, n, before = 0, awaited = wanted->nawaited, known = traced->program.n;
	bool some = false;
	int r;

	if (!wanted->sets)
		wanted->sets = rt_probes_new(
			rt_image_arch(rt_program_executable(&traced->program)));
	if (!wanted->sets)
		return rt_nomem(err);
	rt_probes_statements(wanted->sets, &before);
	r = rt_probes_load(wanted->sets, name, err);
	if (r < 0)
		return r;
	v = rt_probes_statements(wanted->sets, &n);
	r = find_libraries(wanted, traced, v + before, n - before, err);
	if (r < 0)
		return r;
	for (i = before; i < n; i++) {
		r = add_statement(wanted, traced, sites, known, &v[i], err);
		if (r < 0 && r != -ENOENT)
			return r;
		some |= r == 0;
	}
	for (i = awaited; i < wanted->nawaited; i++) {
		wanted->awaited[i].set = name;
		wanted->awaited[i].needed = !some;
	}
	if (some || awaited < wanted->nawaited)
		return 0;
	return fail_without_functions(wanted, traced, name, n > before ? v[before].libraries : NULL,
				      err);
}
