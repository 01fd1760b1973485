/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan/signature.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "dwarf/dwarf.h"
#include "code/guess.h"
#include "elf/image.h"
#include "lang/probes.h"
#include "base/array.h"

/* The guesses of one file. */
struct guesses {
	struct rt_image *image;
	struct rt_guesser *guesser;
};

struct rt_signatures {
	struct rt_probes *probes;
	bool no_probes;			/* they could not be read */
	struct guesses *guesses;
	size_t nguesses, guesses_cap;
	unsigned named;			/* names of C++ that were looked at for types, each of which takes a kilobyte and more */
};

enum { NAMED_MAX = 10000 };

struct rt_signatures *rt_signatures_new(void)
{
	return calloc(1, sizeof(struct rt_signatures));
}

void rt_signatures_free(struct rt_signatures *s)
{
	size_t i;

	if (!s)
		return;
	for (i = 0; i < s->nguesses; i++)
		rt_guesser_close(s->guesses[i].guesser);
	free(s->guesses);
	rt_probes_free(s->probes);
	free(s);
}

const char *rt_origin_name(enum rt_origin origin)
{
	static const char *const names[] = {
		"nothing", "what was given", "debug information", "the prototypes of its library",
		"what Go keeps for its own tracebacks", "a guess from its code",
	};

	return (unsigned)origin < RT_COUNT(names) ? names[origin] : names[0];
}

/* The library's function by any of its names. */
static const struct rt_prototype *of_library(struct rt_signatures *s, const struct rt_function *f)
{
	const char *soname = rt_image_soname(f->image);
	const struct rt_prototype *p;
	const struct rt_symbol *v;
	size_t i, n;

	if (!soname || s->no_probes)
		return NULL;
	if (!s->probes) {
		s->probes = rt_probes_new(rt_image_arch(f->image));
		s->no_probes = !s->probes || rt_probes_load_all(s->probes, NULL) < 0;
		if (s->no_probes)
			return NULL;
	}
	p = rt_probes_prototype(s->probes, soname, rt_function_symbol(f));
	if (p || rt_image_symbols(f->image, &v, &n, NULL) < 0)
		return p;
	v = rt_symbols_at(f->image, f->addr, &n);
	for (i = 0; i < n && !p; i++)
		p = rt_probes_prototype(s->probes, soname, v[i].name);
	return p;
}

static struct rt_guesser *guesser_of(struct rt_signatures *s, struct rt_image *image)
{
	size_t i;

	for (i = 0; i < s->nguesses; i++)
		if (s->guesses[i].image == image)
			return s->guesses[i].guesser;
	if (RT_ROOM(&s->guesses, s->nguesses, &s->guesses_cap) < 0)
		return NULL;
	s->guesses[s->nguesses] = (struct guesses){ .image = image, .guesser = rt_guesser_open(image) };
	return s->guesses[s->nguesses++].guesser;
}

/* What the compiler's own files bring into each program; their code reads registers that nobody has set for them. */
static bool is_startup(const char *name)
{
	static const char *const names[] = {
		"_start", "_init", "_fini", "frame_dummy", "register_tm_clones", "deregister_tm_clones", "__do_global_dtors_aux",
	};
	size_t i;

	for (i = 0; i < RT_COUNT(names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* A result that the code does not give: what is in the register then is nothing. */
static void check_result(struct rt_signatures *s, const struct rt_function *f, struct rt_prototype *told)
{
	static const struct rt_ctype unknown = { .kind = RT_CT_UNKNOWN };
	struct rt_guesser *guesser = guesser_of(s, f->image);
	struct rt_guess guess;

	if (!guesser || !told->result || told->result->kind == RT_CT_VOID || told->result->kind == RT_CT_FLOAT)
		return;
	rt_guess(guesser, f->addr, f->size, &guess);
	if (!(guess.decided && guess.not_integer) && !rt_guess_ignored(guesser, f->addr))
		return;
	told->result = &unknown;
	told->result_where.kind = RT_WHERE_UNKNOWN;	/* Rust's may be known */
}

/*
 * What a function does not read its callers in the same file need not set: there is something else then.  A library's calls of its own
 * functions may go by its PLT.
 */
static void check_unread(struct rt_signatures *s, const struct rt_function *f, const struct rt_image *program, struct rt_prototype *told)
{
	/* What debug information gave is in the caller's memory. */
	struct rt_param *params = (struct rt_param *)told->params;
	struct rt_guesser *guesser;
	unsigned i, n = 0;

	for (i = 0; i < told->nparams; i++)
		n += params[i].unread != 0;
	guesser = n ? guesser_of(s, f->image) : NULL;
	if (!n || (f->image == program && guesser && !rt_guess_called(guesser, f->addr)))
		return;
	for (i = 0; i < told->nparams; i++)
		if (params[i].unread == RT_UNREAD_ALL)
			params[i].where.kind = RT_WHERE_NOWHERE;
		else
			params[i].where.unset = params[i].unread;
}

static bool find_known(struct rt_signatures *s, const struct rt_function *f, const struct rt_image *program, struct rt_types *memory,
		       struct rt_prototype *told)
{
	/* Damaged debug information is no reason to trace less than without it. */
	bool has = rt_dwarf_prototype(f->image, f->addr, memory, told, NULL) == 0;
	const struct rt_prototype *p;
	struct rt_guesser *guesser;
	struct rt_guess guess;

	if (f->go)
		return has;
	/* The file says more than the types do, as which numbers are flags; but not of another function of that name. */
	p = of_library(s, f);
	if (p && (!has || p->nparams == told->nparams || !told->result)) {
		*told = *p;
		return true;
	}
	if (has && told->result_unsure)
		check_result(s, f, told);
	if (has)
		check_unread(s, f, program, told);
	if (has)
		return true;
	guesser = guesser_of(s, f->image);
	if (!guesser || rt_guess_prototype(guesser, f->addr, f->size, memory, told) < 0)
		return false;
	if (s->named < NAMED_MAX && rt_is_mangled(rt_function_symbol(f))) {
		s->named++;
		rt_guess(guesser, f->addr, f->size, &guess);
		if (rt_signature_cxx(rt_function_symbol(f), rt_image_arch(f->image), &guess, memory, told) < 0)
			return false;
	}
	if (is_startup(rt_function_symbol(f))) {
		told->nparams = 0;
		told->result = rt_types_add(memory, RT_CT_VOID, "void", 0);
		told->result_guessed = false;
	}
	return true;
}

struct finder {
	struct rt_image *image, *program;
	const char *symbol;
	struct rt_types *memory;
};

/* A type of the function's own class or namespace, by its short name: of ns::Foo::bar ns::Foo::Own, then ns::Own. */
static const struct rt_ctype *find_in_scope(const struct finder *f, const char *name)
{
	const struct rt_ctype *type = NULL;
	struct rt_text scope = { 0 };
	char whole[1024];
	size_t n;

	if (!rt_is_mangled(f->symbol) || !rt_demangle(&scope, f->symbol, false))
		goto out;
	for (n = strcspn(scope.v, "<("); n && !type; n -= n >= 2 ? 2 : n) {
		while (n && scope.v[n - 1] != ':')
			n--;
		if (n && n + strlen(name) < sizeof(whole)) {
			snprintf(whole, sizeof(whole), "%.*s%s", (int)n, scope.v, name);
			type = rt_dwarf_type(f->image, f->memory, whole);
		}
	}
out:
	rt_text_free(&scope);
	return type;
}

/* A library mostly comes without debug information, but the program that is built with its header has its types. */
static const struct rt_ctype *find_type(void *ctx, const char *name)
{
	const struct finder *f = ctx;
	const struct rt_ctype *type = rt_dwarf_type(f->image, f->memory, name);

	if (!type && f->program != f->image)
		type = rt_dwarf_type(f->program, f->memory, name);
	return type ? type : find_in_scope(f, name);
}

/* Names of C++'s own types are abbreviated in symbols. */
static bool has_type(void *ctx, const char *name)
{
	const struct finder *f = ctx;
	const char *last = name, *p;
	char part[256];

	for (p = name; *p && *p != '<'; p++)
		last = *p == ':' ? p + 1 : last;
	snprintf(part, sizeof(part), "%.*s", (int)(p - last < 255 ? p - last : 255), last);
	return rt_is_mangled(f->symbol) && (strncmp(name, "std::", 5) == 0 || strstr(f->symbol, part));
}

/* A glob means many: of which is the error? */
static void name_function(const struct rt_function *f, struct rt_error *err)
{
	size_t n = err ? strlen(err->text) : 0;

	if (n)
		snprintf(err->text + n, sizeof(err->text) - n, " (%.200s)", f->name);
}

int rt_signature_of(struct rt_signatures *s, const struct rt_function *f, struct rt_image *program, struct rt_types *memory,
		    struct rt_prototype *prototype, struct rt_error *err)
{
	struct finder finder = { .image = f->image, .program = program, .symbol = rt_function_symbol(f), .memory = memory };
	const struct rt_type_finder types = { .find = find_type, .has = has_type, .ctx = &finder };
	const struct rt_prototype *known = NULL, *all = NULL;
	struct rt_prototype told;
	int r;

	memset(prototype, 0, sizeof(*prototype));
	/* As many ints as the user says; inside a function the registers are anything. */
	if (!f->spec || f->inside || (f->spec->nargs_given && !f->spec->prototype))
		return f->go ? rt_signature_go(f, memory, prototype, err) : 0;
	if (find_known(s, f, program, memory, &told))
		known = &told;
	else if (f->go && !f->spec->params_given && f->spec->nshown + f->spec->nconditions) {
		memset(&told, 0, sizeof(told));
		if (rt_signature_go(f, memory, &told, err) < 0)
			return -ENOMEM;
		known = &told;
	}
	if (f->spec->types_only && rt_is_mangled(rt_function_symbol(f))) {
		if (known)
			*prototype = *known;
		return 0;
	}
	r = rt_spec_prototype(f->spec, known, memory, &types, &all, err);
	if (r == 0 && all)
		*prototype = *all;
	if (r == -EINVAL && f->spec->glob)
		name_function(f, err);
	return r == 0 && f->go ? rt_signature_go(f, memory, prototype, err) : r;
}
