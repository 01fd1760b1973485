/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -a traces no program and no process, so the specifications themselves name the files: by a path,
 * by a name, by a glob over ld.so.cache ('libssl*:SSL_*'), or as libraries of a set of probes
 * (@openssl).  Beside a set a file may be alone: redis-server @redis.
 */
#include "plan/named_files.h"

#include <stdlib.h>
#include <string.h>

#include "lang/probes.h"
#include "process/file_by_name.h"

/* The libraries of ld.so.cache that the globs mean, blanks between them. */
static int open_libraries(struct rt_traced *traced, const char *globs, struct rt_error *err)
{
	char *text = strdup(globs), *rest = text, *glob;
	int r = text ? 0 : rt_nomem(err);

	while (r == 0 && (glob = strsep(&rest, " ")))
		if (*glob)
			r = rt_program_add_cached(&traced->program, glob, err);
	free(text);
	return r;
}

/* @NAME: the libraries of its lines `library`. */
static int open_set(struct rt_traced *traced, const char *name, struct rt_error *err)
{
	struct rt_probes *set = rt_probes_new(rt_arch_of(rt_arch_native()));
	const struct rt_statement *v = NULL;
	const char *last = NULL;
	size_t i, n = 0;
	int r = set ? rt_probes_load(set, name, err) : rt_nomem(err);

	if (r == 0)
		v = rt_probes_statements(set, &n);
	for (i = 0; i < n && r == 0; i++) {
		if (v[i].libraries && v[i].libraries != last)
			r = open_libraries(traced, v[i].libraries, err);
		last = v[i].libraries;
	}
	rt_probes_free(set);
	return r;
}

static int open_file(struct rt_traced *traced, const char *name, struct rt_error *err)
{
	int r;

	if (!rt_program_is_glob(name))
		return rt_program_add_file(&traced->program, name, err);
	r = open_libraries(traced, name, err);
	return r == 0 && !traced->program.n
		       ? rt_usage(err, "%s: matches no library of ld.so.cache; give its path", name)
		       : r;
}

static bool is_set(const char *spec)
{
	return spec[0] == '@';
}

bool rt_is_file_for_sets(const char *spec, char *const *specs, int n)
{
	int i;

	for (i = 0; i < n && !is_set(specs[i]); i++)
		;
	return i < n && !is_set(spec) && !strchr(spec, ':');
}

int rt_open_named_files(struct rt_traced *traced, char *const *specs, int n, struct rt_error *err)
{
	struct rt_spec spec;
	int i, r = 0;

	for (i = 0; i < n && r == 0; i++) {
		if (is_set(specs[i]))
			continue;
		if (rt_is_file_for_sets(specs[i], specs, n)) {
			r = open_file(traced, specs[i], err);
			continue;
		}
		r = rt_spec_parse(specs[i], rt_arch_of(rt_arch_native()), NULL, &spec, err);
		if (r < 0)
			return r;
		if (spec.lib)
			r = open_file(traced, spec.lib, err);
		else if (spec.provider)
			r = rt_usage(err, "%s: -a takes the probe's file, too: FILE:%s", specs[i],
				     specs[i]);
		else
			r = rt_usage(err, "%s: -a takes FILE:FUNCTION, such as ./prog:main",
				     specs[i]);
		rt_spec_free(&spec);
	}
	/* The first file is the one of functions that are of no library. */
	for (i = 0; i < n && r == 0; i++)
		r = is_set(specs[i]) ? open_set(traced, specs[i] + 1, err) : 0;
	if (r == 0 && !traced->program.n)
		r = rt_usage(err, "%s: no library of it is in ld.so.cache; try: -a FILE %s",
			     specs[0], specs[0]);
	return r;
}
