/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sources of symbols are no table of ops: all of them end in one sorted list, and differ only
 * in which ELF file a .symtab is read from. Debug files are looked for when functions are
 * named, not when a process is judged: that looks at every library, and would ask a server
 * about each.
 */
#include "symbols/function.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/glob.h"
#include "code/prologue.h"
#include "dwarf/dwarf.h"
#include "elf/debug.h"
#include "elf/file.h"
#include "go/go.h"
#include "symbols/batch.h"
#include "symbols/demangle.h"
#include "symbols/private.h"
#include "symbols/unnamed.h"
#include "symbols/usdt.h"

/*
 * Go's names have '*' and '[' in them ("main.(*T).Method"): what is the whole name of a function is
 * no glob.
 */
static bool names_whole(const struct rt_spec *spec, const struct rt_symbol *v, size_t n)
{
	size_t i;

	for (i = 0; i < n && spec->glob; i++)
		if (strcmp(v[i].name, spec->function) == 0)
			return true;
	return false;
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

static struct known *index_known(const struct rt_functions *functions, const struct rt_image *image,
				 size_t *n)
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

static const char *entry_only(const struct rt_image *image, const struct rt_match *m)
{
	const char *why = m->inside ? "is a place inside a function, not its entry" :
			  rt_image_unsafe_return(image, m->symbol->name, m->addr);

	if (!why && m->symbol->source == RT_SOURCE_EH_FRAME)
		why = RT_UNNAMED_RETURN;
	return why ? why : m->notype ? "is a label, which need not be a function" : NULL;
}

/*
 * The name as it is printed, and the symbol's where that differs.  0 or -ENOMEM; what `f` had is
 * freed.
 */
static int name_function(struct rt_function *f, const struct rt_match *m, struct rt_text *text)
{
	const struct rt_symbol *s = m->symbol;
	const char *written = rt_demangle(text, s->name, false);
	char *name;

	if (m->versioned && s->version) {
		if (asprintf(&name, "%s%s%s", s->name, s->default_version ? "@@" : "@",
			     s->version) < 0)
			name = NULL;
	} else if (m->inside) {
		if (asprintf(&name, "%s+0x%x", written ? written : s->name, m->inside) < 0)
			name = NULL;
	} else if (m->also[0]) {
		if (asprintf(&name, "%s/%s%s%s%s%s", written ? written : s->name, m->also[0]->name,
			     m->also[1] ? "/" : "", m->also[1] ? m->also[1]->name : "",
			     m->also[2] ? "/" : "", m->also[2] ? m->also[2]->name : "") < 0)
			name = NULL;
	} else {
		name = strdup(written ? written : s->name);
	}
	if (!name)
		return -ENOMEM;
	free(f->name);
	f->name = name;
	f->symbol = strcmp(name, s->name) != 0 ? s->name : NULL;
	return 0;
}

/* The same for exit probes. */
static const char *no_exits(const struct rt_image *image, const struct rt_match *m)
{
	const char *why = m->inside ? "is a place inside a function, not its entry" :
			  rt_image_unsafe_exits(image, m->symbol->name, m->addr);

	return why ? why : m->notype ? "is a label, which need not be a function" : NULL;
}

/* A later exact name renames the function; a glob does not. */
static int rename_known(struct rt_function *f, struct rt_batch *b, const struct rt_match *m)
{
	if (b->spec->glob)
		return 0;
	f->named |= !b->several;
	if (!f->go && !f->inside)
		f->nargs = b->spec->nargs;
	f->spec = b->asked;
	return name_function(f, m, &b->matcher.demangled);
}

/* Its stack is moved, in the middle of its calls. */
static void judge_go(struct rt_function *f)
{
	const struct rt_go *go = rt_image_go(f->image);

	if (!f->go)
		f->nargs = 0;	/* nor are its arguments where C has them */
	if (!f->entry_only)
		f->entry_only = "is written in Go: the runtime moves stacks";
	if (!f->no_exits && !(f->go && go && rt_image_arch(f->image)->goroutine.tracefs &&
			      rt_go_goid_offset(f->image)))
		f->no_exits = "the running goroutine is not known, of this version of Go or on "
			      "this machine";
}

static int add_function(struct rt_functions *functions, struct rt_batch *b,
			const struct rt_match *m)
{
	struct rt_function *f;
	const char *why;
	bool call;

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
		f->placed = f->skip ? "past what Go can begin anew, as its check of the stack" :
			"Go makes no check of the stack there";
	}
	if (f->go) {
		why = rt_image_refuses(b->image, m->addr + f->skip, &call);
		f->refused = call ? why : NULL;
	}
	if (m->refused && !f->go) {
		f->refused = m->refused;
		f->skip = f->behind = m->behind;
		f->placed = "past what must not be probed";
	}
	if (rt_go_is_code(b->image, m->addr))
		judge_go(f);
	functions->n++;
	return 0;
}

/* For `n` more, and not one too many: a glob can mean a hundred thousand. */
static int reserve(struct rt_functions *functions, size_t n)
{
	struct rt_function *v;

	if (functions->cap - functions->n >= n)
		return 0;
	if (n > SIZE_MAX / sizeof(*v) - functions->n)
		return -ENOMEM;
	v = realloc(functions->v, (functions->n + n) * sizeof(*v));
	if (!v)
		return -ENOMEM;
	functions->v = v;
	functions->cap = functions->n + n;
	return 0;
}

static int merge_batch(struct rt_functions *functions, struct rt_batch *b, struct rt_error *err)
{
	struct known key, *known, *at;
	size_t i, n;
	int ret = 0;

	known = index_known(functions, b->image, &n);
	if (!known)
		return rt_nomem(err);
	ret = reserve(functions, b->n);
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
static int note_debug(struct rt_functions *functions, const struct rt_batch *b,
		      struct rt_error *err)
{
	const char *remark = rt_image_debug_remark(b->image);

	if (!remark || functions->note ||
	    asprintf(&functions->note, "%s: %s", rt_image_name(b->image), remark) >= 0)
		return 0;
	functions->note = NULL;
	return rt_nomem(err);
}

/* One remark is enough: the first is as true as the others. */
static int note_unseen(struct rt_functions *functions, const struct rt_batch *b,
		       struct rt_error *err)
{
	const char *const *vdso = b->in_vdso;
	char more[64] = "";
	int r = 0;

	if (functions->note)
		return 0;
	if (b->unseen_ifuncs > 1)
		snprintf(more, sizeof(more), ", and some of %zu more functions,",
			 b->unseen_ifuncs - 1);
	if (b->unseen)
		r = asprintf(&functions->note,
			     "%s: %zu of %zu implementations%s cannot be probed; "
			     "their calls are not seen",
			     b->unseen_name, b->unseen, b->unseen_of, more);
	else if (vdso[0] || vdso[1])
		r = asprintf(&functions->note,
			     "%s%s%s: calls that run the kernel's code (vDSO) are not seen",
			     vdso[0] ? vdso[0] : "", vdso[0] && vdso[1] ? ", " : "",
			     vdso[1] ? vdso[1] : "");
	functions->reason = b->unseen_why;
	if (r >= 0)
		return 0;
	functions->note = NULL;
	return rt_nomem(err);
}

int rt_functions_add_of(struct rt_functions *functions, const struct rt_program *program,
			struct rt_image *image, const struct rt_spec *spec, struct rt_error *err)
{
	struct rt_batch b = { .spec = spec, .asked = spec, .image = image };
	const struct rt_symbol *symbols, *unnamed;
	struct rt_spec whole;
	size_t n, nunnamed;
	int ret;

	if (spec->provider)
		return rt_functions_add_usdt_of(functions, program, image, spec, err);
	ret = rt_image_all_symbols(b.image, &symbols, &n, err);
	if (ret)
		return ret;
	if (names_whole(spec, symbols, n)) {
		whole = *spec;
		whole.glob = false;
		b.spec = spec = &whole;
	}
	ret = rt_matcher_begin(&b.matcher, spec) ? rt_nomem(err)
						 : rt_batch_find(&b, symbols, n, err);
	if (ret == 0 && rt_unnamed_meant(spec, n, b.named))
		ret = rt_image_unnamed(b.image, &unnamed, &nunnamed)
			      ? rt_nomem(err)
			      : rt_batch_find(&b, unnamed, nunnamed, err);
	if (ret)
		goto out;
	if (b.named == 0)
		ret = rt_no_function(program, b.image, spec, err);
	else if (b.n == 0)
		ret = rt_usage(err, "%s: no function that matches '%s' can be probed",
			       rt_image_name(b.image), spec->function);
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

/* A glob over libraries: of those that have none of the functions nothing is said. */
static int add_of_some(struct rt_functions *functions, const struct rt_program *program,
		       const struct rt_spec *spec, struct rt_error *err)
{
	struct rt_image *first = NULL;
	bool some = false;
	size_t i;
	int r;

	for (i = 0; i < program->n; i++) {
		if (!rt_program_fits(program->v[i], spec->lib))
			continue;
		first = first ? first : program->v[i];
		r = rt_functions_add_of(functions, program, program->v[i], spec, err);
		if (r == -ENOMEM)
			return r;
		some |= r == 0;
	}
	if (some)
		return 0;
	if (!first)
		return rt_no_library(program, spec->lib, err);
	return rt_usage(err, "%s: no function of '%s' (%s, ...) is '%s'",
			rt_image_name(rt_program_executable(program)), spec->lib,
			rt_image_name(first), spec->function);
}

int rt_functions_add(struct rt_functions *functions, const struct rt_program *program,
		     const struct rt_spec *spec, struct rt_error *err)
{
	struct rt_image *image;

	if (spec->provider)
		return rt_functions_add_usdt(functions, program, spec, err);
	if (spec->lib && rt_program_is_glob(spec->lib))
		return add_of_some(functions, program, spec, err);
	image = spec->lib ? rt_program_find(program, spec->lib) : rt_program_executable(program);
	if (!image)
		return rt_no_library(program, spec->lib, err);
	return rt_functions_add_of(functions, program, image, spec, err);
}

int rt_functions_add_libcalls(struct rt_functions *functions, struct rt_image *image,
			      const struct rt_symbol *symbols, size_t n, const struct rt_spec *spec,
			      size_t *named, struct rt_error *err)
{
	struct rt_batch b = { .image = image, .spec = spec, .asked = spec, .libcalls = true };
	int ret;

	ret = rt_matcher_begin(&b.matcher, spec) ? rt_nomem(err)
						 : rt_batch_fill(&b, symbols, n, err);
	if (ret == 0 && b.n)
		ret = merge_batch(functions, &b, err);
	if (ret == 0)
		ret = note_unseen(functions, &b, err);
	*named += b.named;
	rt_matcher_free(&b.matcher);
	free(b.v);
	return ret;
}

int rt_functions_add_hidden(struct rt_functions *functions, struct rt_image *image,
			    const struct rt_symbol *symbol, uint8_t role)
{
	struct rt_function f = {
		.image = image,
		.addr = symbol->addr,
		.size = symbol->size,
		.sized = symbol->sized,
		.source = symbol->source,
		.role = role,
		.hidden = true,
	};

	bool call;

	if (rt_image_offset(image, symbol->addr, &f.offset) < 0)
		return 0;
	f.refused = rt_image_refuses(image, symbol->addr, &call);
	if (!call)
		f.refused = NULL;
	else
		f.skip = f.behind = rt_prologue_behind(image, symbol->addr,
						       symbol->sized ? symbol->size : 0);
	if (f.refused && !f.behind)
		return 0;
	if (RT_ROOM(&functions->v, functions->n, &functions->cap) < 0)
		return -ENOMEM;
	f.name = strdup(symbol->name);
	if (!f.name)
		return -ENOMEM;
	functions->v[functions->n++] = f;
	return 1;
}

static void free_function(struct rt_function *f)
{
	free(f->name);
	rt_exits_free(&f->exits);
}

static bool is_meant(const struct rt_function *f, struct rt_matcher *matcher)
{
	const struct rt_spec *spec = matcher->spec;
	const struct rt_symbol symbol = { .name = (char *)rt_function_symbol(f) };

	if (spec->lib && !rt_program_names(f->image, spec->lib))
		return false;
	return rt_matches(matcher, &symbol) || rt_glob_match(spec->function, f->name);
}

int rt_functions_exclude(struct rt_functions *functions, const struct rt_spec *spec)
{
	struct rt_matcher matcher;
	size_t i, left = 0;
	int r = rt_matcher_begin(&matcher, spec);

	for (i = 0; r == 0 && i < functions->n; i++) {
		if (is_meant(&functions->v[i], &matcher))
			free_function(&functions->v[i]);
		else
			functions->v[left++] = functions->v[i];
	}
	if (r == 0)
		functions->n = left;
	rt_matcher_free(&matcher);
	return r;
}

void rt_functions_free(struct rt_functions *functions)
{
	size_t i;

	for (i = 0; i < functions->n; i++)
		free_function(&functions->v[i]);
	free(functions->v);
	free(functions->note);
	memset(functions, 0, sizeof(*functions));
}

/* ---- names as they are shown ---- */

static void print_unpacked(const struct rt_image *image, FILE *file)
{
	bool now;
	const char *path = rt_dwarf_unpacked(image, &now);

	if (path)
		fprintf(file, "rawtrace: %s: debug information %s %s\n", rt_image_name(image),
			now ? "unpacked into" : "read from", path);
}

void rt_functions_print_sources(const struct rt_functions *functions, FILE *file)
{
	enum { SOURCES = RT_SOURCE_EH_FRAME + 1 };	/* the last one */
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
				fprintf(file, "rawtrace: %s: %zu name%s from %s%s%s\n",
					rt_image_name(image), n[k], n[k] == 1 ? "" : "s",
					rt_symbol_source_name((enum rt_symbol_source)k),
					k == RT_SOURCE_DEBUG ? " " : "",
					k == RT_SOURCE_DEBUG ? rt_image_debug_path(image) : "");
		print_unpacked(image, file);
	}
}

static int rename_function(struct rt_function *f, const char *as)
{
	char *name = strdup(as);

	if (!name)
		return -ENOMEM;
	free(f->name);
	f->name = name;
	f->patterned = false;
	return 0;
}

int rt_function_set_pattern(struct rt_function *f, const char *pattern)
{
	size_t n = strlen(f->name) + 1, size = pattern ? strlen(pattern) + 1 : 0;
	char *name = size ? realloc(f->name, n + size) : f->name;

	if (!name)
		return -ENOMEM;
	if (size)
		memcpy(name + n, pattern, size);
	f->name = name;
	f->patterned = size;
	return 0;
}

uint32_t rt_functions_first_site(const struct rt_functions *functions, uint32_t function)
{
	const struct rt_function *v = functions->v;
	uint32_t i;

	if (!v[function].usdt)
		return function;
	for (i = 0; i < function && !(v[i].usdt && strcmp(v[i].name, v[function].name) == 0); i++)
		;
	return i;
}

int rt_functions_raw_names(struct rt_functions *functions)
{
	size_t i;

	for (i = 0; i < functions->n; i++) {
		struct rt_function *f = &functions->v[i];

		if (!f->symbol)
			continue;
		if (rename_function(f, f->symbol) < 0)
			return -ENOMEM;
		f->symbol = NULL;
	}
	return 0;
}

int rt_functions_full_names(struct rt_functions *functions)
{
	struct rt_text text = { 0 };
	const char *written;
	size_t i;
	int r = 0;

	for (i = 0; i < functions->n && r == 0; i++) {
		struct rt_function *f = &functions->v[i];

		written = f->symbol && !f->inside ? rt_demangle(&text, f->symbol, true) : NULL;
		if (written)
			r = rename_function(f, written);
	}
	rt_text_free(&text);
	return r;
}

/* Go's own table has no suffixes. */
bool rt_function_is_go_assembly(const struct rt_function *f)
{
	size_t n = strlen(f->name);
	const struct rt_go *go;
	struct rt_go_function own;

	if (f->source != RT_SOURCE_GO)
		return n > 5 && strcmp(f->name + n - 5, ".abi0") == 0;
	go = rt_image_go(f->image);
	return go && rt_pclntab_find(&go->table, f->addr, &own) && own.assembly;
}

bool rt_file_has_function(void *image, const char *name)
{
	const struct rt_symbol *v;
	size_t i, n;

	if (rt_image_all_symbols(image, &v, &n, NULL) < 0)
		return false;
	for (i = 0; i < n && strcmp(v[i].name, name) != 0; i++)
		;
	return i < n;
}
