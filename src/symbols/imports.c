/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/imports.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "lang/spec.h"
#include "symbols/function.h"
#include "symbols/private.h"

/* ---- the order in which a loader searches ---- */

struct scope {
	struct rt_image **v;
	size_t n;
};

static void put(struct scope *scope, struct rt_image *image)
{
	size_t i;

	for (i = 0; i < scope->n; i++)
		if (scope->v[i] == image)
			return;
	scope->v[scope->n++] = image;
}

static const char *base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_called(const struct rt_image *image, const char *name)
{
	return strcmp(image->soname ? image->soname : base(image->name), base(name)) == 0 ||
	       strcmp(base(image->name), base(name)) == 0;
}

/*
 * The value of `name` ("LD_PRELOAD=") in the environment of a process, in a buffer of malloc; NULL:
 * not set.
 */
static char *environment(pid_t pid, const char *name)
{
	char path[64], *line = NULL, *value = NULL;
	size_t room = 0, n = strlen(name);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	f = fopen(path, "re");
	while (f && !value && getdelim(&line, &room, '\0', f) > 0)
		if (strncmp(line, name, n) == 0)
			value = strdup(line + n);
	free(line);
	if (f)
		fclose(f);
	return value;
}

static void put_preloaded(struct scope *scope, const struct rt_program *program, pid_t pid)
{
	char *list = environment(pid, "LD_PRELOAD="), *rest = list, *name;
	size_t i;

	while (rest && (name = strsep(&rest, ": ")))
		for (i = 1; i < program->n && *name; i++)
			if (is_called(program->v[i], name))
				put(scope, program->v[i]);
	free(list);
}

/*
 * Breadth first: the libraries that the program needs, then those that these need.  The rest was
 * opened by dlopen.
 */
static void put_needed(struct scope *scope, const struct rt_program *program)
{
	size_t i, k, m;

	for (i = 0; i < scope->n; i++)
		for (k = 0; k < scope->v[i]->needed.n; k++)
			for (m = 1; m < program->n; m++)
				if (is_called(program->v[m], scope->v[i]->needed.v[k]))
					put(scope, program->v[m]);
	for (m = 1; m < program->n; m++)
		put(scope, program->v[m]);
}

static int make_scope(struct scope *scope, const struct rt_program *program, pid_t pid)
{
	size_t i;

	scope->v = calloc(program->n, sizeof(*scope->v));
	if (!scope->v)
		return -ENOMEM;
	put(scope, rt_program_executable(program));
	if (pid) {
		put_preloaded(scope, program, pid);
		put_needed(scope, program);
	} else {
		for (i = 1; i < program->n; i++)	/* a loader lists them in its order */
			put(scope, program->v[i]);
	}
	return 0;
}

/* ---- names ---- */

static int compare(const void *pa, const void *pb)
{
	return strcmp(((const struct rt_import *)pa)->name, ((const struct rt_import *)pb)->name);
}

/* The first import of that name. */
static struct rt_import *find(struct rt_import *v, size_t n, const char *name)
{
	const struct rt_import key = { .name = name };
	struct rt_import *at = bsearch(&key, v, n, sizeof(*v), compare);

	while (at && at > v && strcmp(at[-1].name, name) == 0)
		at--;
	return at;
}

/* A library without versions serves any; who asks for none gets the default one. */
static bool fits(const struct rt_import *import, const struct rt_symbol *symbol)
{
	if (!symbol->version)
		return true;
	return import->version ? strcmp(import->version, symbol->version) == 0
			       : symbol->default_version;
}

static int look_through(struct rt_image *image, struct rt_import *v, size_t n, struct rt_error *err)
{
	const struct rt_symbol *symbols;
	struct rt_import *at;
	size_t i, nsymbols;
	int r = rt_image_symbols(image, &symbols, &nsymbols, err);

	for (i = 0; i < nsymbols && r == 0; i++) {
		if (!symbols[i].global)
			continue;
		for (at = find(v, n, symbols[i].name);
		     at && at < v + n && strcmp(at->name, symbols[i].name) == 0; at++) {
			if ((at->image && at->image != image) || !fits(at, &symbols[i]))
				continue;
			/* The version itself is better than a name without one. */
			if (!at->image || (symbols[i].version && !at->symbol.version))
				at->symbol = symbols[i];
			at->image = image;
		}
	}
	return r;
}

int rt_program_imports(const struct rt_program *program, pid_t pid, struct rt_import **out,
		      size_t *nout, struct rt_error *err)
{
	struct rt_image *executable = rt_program_executable(program);
	struct scope scope = { .n = 0 };
	const struct rt_symbol *symbols;
	struct rt_import *v;
	size_t i, n;
	int r;

	*out = NULL;
	*nout = 0;
	r = rt_image_symbols(executable, &symbols, &n, err);
	if (r < 0)
		return r;
	n = executable->imports.n;
	v = calloc(n + 1, sizeof(*v));
	if (!v || make_scope(&scope, program, pid) < 0) {
		free(v);
		return rt_nomem(err);
	}
	for (i = 0; i < n; i++)
		v[i] = (struct rt_import){ .name = executable->imports.v[i],
					   .version = executable->import_versions.v[i] };
	qsort(v, n, sizeof(*v), compare);
	for (i = 1; i < scope.n && r == 0; i++)
		r = look_through(scope.v[i], v, n, err);
	free(scope.v);
	if (r < 0) {
		free(v);
		return r;
	}
	*out = v;
	*nout = n;
	return 0;
}

/* Functions that the C run time calls: at the beginning in static programs, and at the end. */
static bool is_runtime(const char *name)
{
	return strcmp(name, "__libc_start_main") == 0 || strcmp(name, "__cxa_finalize") == 0;
}

static int add_library(struct rt_functions *functions, struct rt_image *image,
		       const struct rt_import *v, size_t n, const struct rt_spec *spec,
		       size_t *named, struct rt_error *err)
{
	struct rt_symbol *symbols = calloc(n + 1, sizeof(*symbols));
	size_t i, count = 0;
	int r;

	if (!symbols)
		return rt_nomem(err);
	for (i = 0; i < n; i++)
		if (v[i].image == image && v[i].symbol.kind != RT_SYM_NOTYPE &&
		    !(spec->glob && is_runtime(v[i].name)))
			symbols[count++] = v[i].symbol;
	r = count ? rt_functions_add_libcalls(functions, image, symbols, count, spec, named, err)
		  : 0;
	free(symbols);
	return r;
}

/* Does a library have any function that the program imports, beside what the C run time calls? */
static bool imports_some(const struct rt_import *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].image && v[i].symbol.kind != RT_SYM_NOTYPE && !is_runtime(v[i].name))
			return true;
	return false;
}

int rt_functions_add_imports(struct rt_functions *functions, const struct rt_program *program,
			     pid_t pid, const struct rt_spec *spec, struct rt_error *err)
{
	struct rt_image *only = spec->lib ? rt_program_find(program, spec->lib) : NULL;
	size_t i, n, named = 0, before = functions->n;
	struct rt_import *v;
	bool some;
	int r;

	if (spec->lib && !only)
		return rt_no_library(program, spec->lib, err);
	r = rt_program_imports(program, pid, &v, &n, err);
	if (r < 0)
		return r;
	for (i = 1; i < program->n && r == 0; i++)
		if (!only || program->v[i] == only)
			r = add_library(functions, program->v[i], v, n, spec, &named, err);
	some = imports_some(v, n);
	free(v);
	if (r < 0 || functions->n > before)
		return r;
	if (!some && before && !program->incomplete)
		return 1;
	if (!n)
		return rt_usage(err, "%s: is linked statically; it imports nothing",
				rt_image_name(rt_program_executable(program)));
	if (program->incomplete && !named)
		return rt_usage(err, "%s: no import '%s' from the known libraries: %s",
				rt_image_name(rt_program_executable(program)), spec->function,
				program->incomplete);
	return rt_usage(
		err, named ? "%s: no import that matches '%s' can be probed" : "%s: no import '%s'",
		rt_image_name(rt_program_executable(program)), spec->function);
}
