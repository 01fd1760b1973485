/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/usdt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "elf/file.h"
#include "symbols/private.h"

const struct rt_usdt_site *rt_function_usdt(const struct rt_function *f)
{
	return &rt_image_usdt_sites(f->image)->v[f->usdt - 1];
}

bool rt_image_has_usdt(const struct rt_image *image, const struct rt_spec *spec)
{
	struct rt_usdt usdt;
	bool has = false;
	size_t i;

	if (rt_image_usdt(image, &usdt, NULL) == 0)
		for (i = 0; i < usdt.n && !has; i++)
			has = rt_usdt_fits(&usdt.v[i], spec->provider, spec->function);
	rt_usdt_free(&usdt);
	return has;
}

/* ---- a probe that is not there ---- */

static char *name_site(const struct rt_usdt_site *site)
{
	char *name;

	return asprintf(&name, "%s:%s", site->provider, site->name) < 0 ? NULL : name;
}

struct names {
	struct rt_symbol *v;
	size_t n, cap;
};

static int add_names(struct names *names, struct rt_image *image)
{
	const struct rt_usdt *usdt = rt_image_usdt_sites(image);
	size_t i;

	for (i = 0; usdt && i < usdt->n; i++) {
		if (i && rt_usdt_is_same(&usdt->v[i], &usdt->v[i - 1]))
			continue;
		if (RT_ROOM(&names->v, names->n, &names->cap) < 0)
			return -ENOMEM;
		names->v[names->n] =
			(struct rt_symbol){ .name = name_site(&usdt->v[i]), .kind = RT_SYM_FUNC };
		if (!names->v[names->n].name)
			return -ENOMEM;
		names->n++;
	}
	return usdt ? 0 : -ENOMEM;
}

static int say_nearest(const char *file, const struct rt_spec *spec, const struct names *names,
		       struct rt_error *err)
{
	const char *nearest[RT_MAX_NEAREST];
	char want[512], text[400] = "";
	size_t i, n, at = 0;

	snprintf(want, sizeof(want), "%s:%s", spec->provider, spec->function);
	n = spec->glob ? 0 : rt_nearest(want, names->v, names->n, nearest);
	for (i = 0; i < n && at < sizeof(text) - 1; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s'usdt:%.90s'",
				       i == 0	   ? "; did you mean "
				       : i + 1 < n ? ", "
						   : " or ",
				       nearest[i]);
	if (!names->n)
		return rt_usage(err, "%s: no USDT probes", file);
	return rt_usage(err, "%s: no USDT probe %s'%.200s'%s%s", file, spec->glob ? "matches " : "",
			want, text, n ? "?" : "");
}

/* In `image`, or with NULL in any file of the program. */
static int no_usdt(const struct rt_program *program, struct rt_image *image,
		   const struct rt_spec *spec, struct rt_error *err)
{
	struct names names = { 0 };
	size_t i;
	int r = image ? add_names(&names, image) : 0;

	for (i = 0; !image && i < program->n && r == 0; i++)
		r = add_names(&names, program->v[i]);
	r = r < 0 ? rt_nomem(err)
		  : say_nearest(rt_image_name(image ? image : rt_program_executable(program)), spec,
				&names, err);
	for (i = 0; i < names.n; i++)
		free((char *)names.v[i].name);
	free(names.v);
	return r;
}

/* ---- sites ---- */

static struct rt_function *find_site(const struct rt_functions *functions,
				     const struct rt_image *image, size_t site)
{
	size_t i;

	for (i = 0; i < functions->n; i++)
		if (functions->v[i].usdt == site + 1 && functions->v[i].image == image)
			return &functions->v[i];
	return NULL;
}

static int add_site(struct rt_functions *functions, struct rt_image *image, size_t i,
		    const struct rt_spec *spec)
{
	const struct rt_usdt_site *site = &rt_image_usdt_sites(image)->v[i];
	struct rt_function *known = find_site(functions, image, i);
	const char *refused;
	bool call;

	if (known) {
		known->spec = spec->glob ? known->spec : spec;
		known->named |= !spec->glob;
		return 0;
	}
	if (RT_ROOM(&functions->v, functions->n, &functions->cap) < 0)
		return -ENOMEM;
	/* The next instruction may be the target of a jump around the site. */
	refused = rt_image_refuses(image, site->address, &call);
	if (refused && call)
		refused = "is a nop that this kernel replaces by a call, which can crash it";
	functions->v[functions->n] = (struct rt_function){
		.name = name_site(site),
		.image = image,
		.addr = site->address,
		.offset = site->offset,
		.refused = refused,
		.spec = spec,
		.entry_only = RT_USDT_NO_END,
		.no_exits = RT_USDT_NO_END,
		.source = RT_SOURCE_USDT,
		.usdt = (uint32_t)i + 1,
		.named = !spec->glob,
		.inside = true,
	};
	return functions->v[functions->n++].name ? 0 : -ENOMEM;
}

/* Returns the number of sites that the file has of it, or -ENOMEM. */
static long add_sites(struct rt_functions *functions, struct rt_image *image,
		      const struct rt_spec *spec)
{
	const struct rt_usdt *usdt = rt_image_usdt_sites(image);
	long n = 0;
	size_t i;

	for (i = 0; usdt && i < usdt->n; i++) {
		if (!rt_usdt_fits(&usdt->v[i], spec->provider, spec->function))
			continue;
		if (add_site(functions, image, i, spec) < 0)
			return -ENOMEM;
		n++;
	}
	return usdt ? n : -ENOMEM;
}

int rt_functions_add_usdt_of(struct rt_functions *functions, const struct rt_program *program,
			     struct rt_image *image, const struct rt_spec *spec,
			     struct rt_error *err)
{
	long n = add_sites(functions, image, spec);

	if (n < 0)
		return rt_nomem(err);
	return n ? 0 : no_usdt(program, image, spec, err);
}

int rt_functions_add_usdt(struct rt_functions *functions, const struct rt_program *program,
			  const struct rt_spec *spec, struct rt_error *err)
{
	bool glob = spec->lib && rt_program_is_glob(spec->lib), some = false;
	struct rt_image *one = spec->lib && !glob ? rt_program_find(program, spec->lib) : NULL;
	size_t i;
	long n;

	if (spec->lib && !glob)
		return one ? rt_functions_add_usdt_of(functions, program, one, spec, err)
			   : rt_no_library(program, spec->lib, err);
	for (i = 0; i < program->n; i++) {
		if (glob && !rt_program_fits(program->v[i], spec->lib))
			continue;
		n = add_sites(functions, program->v[i], spec);
		if (n < 0)
			return rt_nomem(err);
		some |= n > 0;
	}
	return some ? 0 : no_usdt(program, NULL, spec, err);
}

/* ---- PROVIDER:NAME ---- */

static bool is_library(const struct rt_program *program, const char *lib)
{
	size_t i;

	if (strchr(lib, '/') || rt_program_find(program, lib))
		return true;
	for (i = 0; i < program->n && rt_program_is_glob(lib); i++)
		if (rt_program_fits(program->v[i], lib))
			return true;
	return false;
}

bool rt_program_has_provider(const struct rt_program *program, const char *provider)
{
	const struct rt_spec any = { .provider = (char *)provider, .function = (char *)"*" };
	size_t i;

	for (i = 0; i < program->n && !rt_image_has_usdt(program->v[i], &any); i++)
		;
	return i < program->n;
}

bool rt_spec_may_be_usdt(const struct rt_spec *spec)
{
	return spec->lib && !strchr(spec->lib, '/') && !spec->provider && !spec->regex &&
	       !spec->has_address && !spec->has_offset && !spec->file && !spec->result_given;
}

void rt_spec_make_usdt(struct rt_spec *spec)
{
	spec->provider = spec->lib;
	spec->lib = NULL;
	spec->glob |= strpbrk(spec->provider, "*?[") != NULL;
}

void rt_spec_take_usdt(struct rt_spec *spec, const struct rt_program *program)
{
	if (rt_spec_may_be_usdt(spec) && !is_library(program, spec->lib) &&
	    rt_program_has_provider(program, spec->lib))
		rt_spec_make_usdt(spec);
}
