/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands/list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "commands/list_usdt.h"
#include "symbols/demangle.h"
#include "dwarf/dwarf.h"
#include "symbols/listing.h"
#include "symbols/usdt.h"
#include "symbols/unnamed.h"
#include "output/print.h"
#include "plan/guessing.h"
#include "plan/returns.h"
#include "plan/signature.h"
#include "lang/print.h"

/* Functions with returns that are seen in one way, for one reason. */
struct way {
	enum rt_how how;
	const char *why;
	bool harmful;
	size_t n;
};

enum {
	WAYS_MAX = 8,
	GUESSES_MAX = 20000,	/* some 0.1 ms each */
};

struct list {
	struct way ways[WAYS_MAX];
	size_t nways;
	const struct rt_options *options;
	FILE *file;
	struct rt_wanted wanted;
	struct rt_traced traced;
	struct rt_sites sites;
	const struct rt_function **functions;	/* the traced ones, by image and address */
	struct rt_types *types;
	struct rt_text text, alias;
	char why[512];
	struct rt_signatures *signatures;
	struct rt_guessing guessing;
	char *prototype;	/* of the row, from a memory stream; NULL: not known */
	enum rt_origin origin;	/* of that */
	const char *declared;	/* by a set of probes, which is listed; NULL: none is */
	size_t guesses;
	const struct rt_image *last;	/* the file of the rows printed before */
	const struct rt_image *last_usdt; /* the same for USDT probes */
	bool json;
	size_t rows;
};

/* ---- a row ---- */

static int compare_functions(const void *pa, const void *pb);

/* The function as it would be traced; NULL: it would not, by a glob. */
static const struct rt_function *function_of(const struct list *list, const struct rt_listing *l)
{
	const struct rt_function key = { .image = l->image, .addr = l->symbol->addr }, *p = &key,
				 **at;

	at = bsearch(&p, list->functions, list->sites.functions.n, sizeof(*list->functions),
		     compare_functions);
	return at ? *at : NULL;
}

static const char *const words[] = {
	[RT_HOW_NONE] = "entry", [RT_HOW_URETPROBE] = "uretprobe", [RT_HOW_INSN] = "insn"
};

/* The probes that a trace of the function would have, in one word, and why not more, or NULL. */
static const char *judge(struct list *list, const struct rt_listing *l, const char **why)
{
	const struct rt_function *f = function_of(list, l);

	*why = l->refused;
	if (l->refused)
		return "no";
	*why = "an IFUNC's resolver: the implementations that it chooses from are traced";
	if (l->symbol->kind == RT_SYM_IFUNC)
		return "ifunc";
	*why = f ? NULL : l->entry_only;
	if (f && f->how == RT_HOW_NONE)
		*why = rt_returns_why(f, list->why, sizeof(list->why)) + strlen("none: ");
	return words[f ? f->how : RT_HOW_NONE];
}

/* The name as it was written, with parameters where the name has them. */
static const char *written(struct list *list, struct rt_text *text, const struct rt_symbol *symbol)
{
	const char *name = list->options->raw_names ? NULL : rt_demangle(text, symbol->name, true);

	return name ? name : symbol->name;
}

/*
 * The prototype by debug information, else by rawtrace's own files, else by the code: "int fib(int
 * n)".  Failures are no error here.  C++ and Rust names have more than a guess.
 */
static bool find_prototype(struct list *list, const struct rt_listing *l,
			   struct rt_prototype *prototype)
{
	const struct rt_function *f = function_of(list, l);
	const struct rt_symbol *s = l->symbol;
	struct rt_error ignored;

	/* A resolver's is not the function's. */
	if (s->kind == RT_SYM_IFUNC)
		return false;
	if (rt_dwarf_prototype(l->image, s->addr, list->types, prototype, &ignored) == 0)
		return prototype->result || prototype->nparams;
	if (!f || f->go || rt_is_mangled(s->name) || list->guesses >= GUESSES_MAX ||
	    rt_signature_of(list->signatures, f, rt_program_executable(&list->traced.program),
			    list->types, prototype, &ignored) < 0)
		return false;
	list->guesses += prototype->origin == RT_ORIGIN_GUESSED;
	return prototype->origin != RT_ORIGIN_NONE;
}

static int read_prototype(struct list *list, const struct rt_listing *l, struct rt_error *err)
{
	struct rt_prototype prototype = { 0 };
	const struct rt_symbol *s = l->symbol;
	char name[512];
	size_t n;
	FILE *f;

	free(list->prototype);
	list->prototype = NULL;
	if (list->declared) {
		list->origin = RT_ORIGIN_GIVEN;
		list->prototype = strdup(list->declared);
		return list->prototype ? 0 : rt_nomem(err);
	}
	if (!find_prototype(list, l, &prototype))
		return 0;
	list->origin = prototype.origin;
	f = open_memstream(&list->prototype, &n);
	if (!f)
		return rt_nomem(err);
	snprintf(name, sizeof(name), "%s%s%s", s->name,
		 !s->version	      ? ""
		 : s->default_version ? "@@"
				      : "@",
		 s->version ? s->version : "");
	rt_prototype_print(f, &prototype, name);
	return fclose(f) == 0 ? 0 : rt_nomem(err);
}

static void note_way(struct list *list, const struct rt_function *f)
{
	size_t i;

	if (!f || f->how == RT_HOW_NONE || !f->how_why)
		return;
	for (i = 0; i < list->nways; i++)
		if (list->ways[i].how == f->how && strcmp(list->ways[i].why, f->how_why) == 0)
			break;
	if (i == list->nways && i < WAYS_MAX)
		list->ways[list->nways++] = (struct way){ .how = f->how,
							  .why = f->how_why,
							  .harmful = f->harmful };
	if (i < list->nways)
		list->ways[i].n++;
}

static void print_ways(const struct list *list)
{
	size_t i;

	for (i = 0; i < list->nways && !list->json; i++)
		fprintf(list->file, "%s%s, %zu function%s: %s%s\n", i ? "" : "\n",
			words[list->ways[i].how], list->ways[i].n, list->ways[i].n == 1 ? "" : "s",
			list->ways[i].harmful ? "a uretprobe could harm: " : "", list->ways[i].why);
}

static bool is_alias(const struct rt_listing *l, size_t i)
{
	size_t k;

	if (strcmp(l->names[i].name, l->symbol->name) == 0 && !l->names[i].version)
		return false;
	for (k = 0; k < i; k++)	/* NAME@V1 and NAME@@V2 are two */
		if (strcmp(l->names[k].name, l->names[i].name) == 0 && !l->names[i].version)
			return false;
	return &l->names[i] != l->symbol;
}

static void print_version(FILE *file, const struct rt_symbol *symbol)
{
	if (symbol->version)
		fprintf(file, "%s%s", symbol->default_version ? "@@" : "@", symbol->version);
}

/* Above the first row of each file. */
static void print_head(struct list *list, const struct rt_image *image)
{
	if (list->last != image)
		fprintf(list->file, "%s%s\n%-18s %-10s %8s %-9s %-14s %s\n", list->last ? "\n" : "",
			rt_image_name(image), "ADDRESS", "OFFSET", "SIZE", "TRACE", "SOURCE",
			"FUNCTION");
	list->last = image;
}

static void print_text(struct list *list, const struct rt_listing *l)
{
	const struct rt_symbol *s = l->symbol;
	const char *reason, *word = judge(list, l, &reason);
	const char *name = written(list, &list->text, s), *alias, *separator = " = ";
	size_t i;

	print_head(list, l->image);
	fprintf(list->file, "0x%016" PRIx64 " 0x%-8" PRIx64 " %8" PRIu64 " %-9s %-14s ", s->addr,
		l->offset, s->size, word, rt_symbol_source_name(s->source));
	if (list->prototype && !rt_is_mangled(s->name))
		fputs(list->prototype, list->file);
	else
		fputs(name, list->file);
	if (!list->prototype || rt_is_mangled(s->name))
		print_version(list->file, s);
	for (i = 0; i < l->nnames; i++) {
		if (!is_alias(l, i))
			continue;
		alias = written(list, &list->alias, &l->names[i]);
		if (alias != l->names[i].name &&
		    strcmp(alias, name) == 0) /* a constructor's or destructor's variants */
			continue;
		fprintf(list->file, "%s%s", separator, alias);
		print_version(list->file, &l->names[i]);
		separator = ", ";
	}
	if (list->prototype && list->origin == RT_ORIGIN_GUESSED)
		fputs("  (guessed)", list->file);
	if (reason)
		fprintf(list->file, "  [%s]", reason);
	putc('\n', list->file);
}

/* ---- JSON ---- */

static void put_string(FILE *file, const char *key, const char *text)
{
	fprintf(file, ",\"%s\":", key);
	rt_json_string(file, text, strlen(text));
}

static void print_json(struct list *list, const struct rt_listing *l)
{
	const struct rt_function *f = function_of(list, l);
	const struct rt_symbol *s = l->symbol;
	const char *reason, *word = judge(list, l, &reason);
	FILE *file = list->file;
	bool any = false;
	size_t i;

	fprintf(file,
		"%s{\"address\":\"0x%" PRIx64 "\",\"offset\":\"0x%" PRIx64 "\",\"size\":%" PRIu64,
		list->rows ? ",\n" : "[\n", s->addr, l->offset, s->size);
	put_string(file, "file", rt_image_name(l->image));
	put_string(file, "symbol", s->name);
	put_string(file, "name", written(list, &list->text, s));
	if (s->version)
		put_string(file, s->default_version ? "default_version" : "version", s->version);
	put_string(file, "source", rt_symbol_source_name(s->source));
	put_string(file, "trace", word);
	if (reason)
		put_string(file, "why", reason);
	if (f && f->how != RT_HOW_NONE)
		put_string(file, "returns", rt_returns_why(f, list->why, sizeof(list->why)));
	if (list->prototype) {
		put_string(file, "prototype", list->prototype);
		put_string(file, "prototype_from", rt_origin_name(list->origin));
	}
	for (i = 0; i < l->nnames; i++) {
		if (!is_alias(l, i))
			continue;
		fputs(any ? "," : ",\"aliases\":[", file);
		rt_json_string(file, l->names[i].name, strlen(l->names[i].name));
		any = true;
	}
	fputs(any ? "]}" : "}", file);
}

static int row(void *ctx, const struct rt_listing *l)
{
	struct list *list = ctx;
	struct rt_error err;
	int r = read_prototype(list, l, &err);

	if (r < 0)
		return r;
	if (list->json)
		print_json(list, l);
	else
		print_text(list, l);
	note_way(list, function_of(list, l));
	list->rows++;
	return ferror(list->file) ? -EIO : 0;
}

/* ---- the list ---- */

static bool is_listable(const struct rt_spec *spec)
{
	return !(spec->has_address || spec->has_offset || spec->file || spec->prototype ||
		 spec->nshown || spec->nconditions || spec->nwords);
}

/* Tracing it shows how its returns would be seen; what cannot be traced is no error here. */
static int add_spec(struct list *list, const char *text, struct rt_spec *spec, struct rt_error *err)
{
	const struct rt_program *program = &list->traced.program;
	struct rt_error why;
	int r = rt_spec_parse(text, rt_image_arch(rt_program_executable(program)), NULL, spec, err);

	if (r < 0)
		return r;
	rt_spec_take_usdt(spec, program);
	if (!is_listable(spec))
		return rt_usage(err, "'%s': list takes [LIBRARY:]NAME or a glob", text);
	r = spec->lib ? rt_program_add_path(&list->traced.program, spec->lib,
					    rt_pids_first(&list->traced.pids), err)
		      : 0;
	if (r < 0)
		return r;
	spec->c_runtime = true;
	r = rt_functions_add(&list->sites.functions, program, spec, &why);
	if (r < 0 && spec->provider)
		*err = why;
	return r == -ENOMEM ? rt_nomem(err) : spec->provider ? r : 0;
}

static int compare_functions(const void *pa, const void *pb)
{
	const struct rt_function *a = *(const struct rt_function *const *)pa,
				 *b = *(const struct rt_function *const *)pb;

	if (a->image != b->image)
		return a->image < b->image ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static int index_functions(struct list *list, struct rt_error *err)
{
	const struct rt_functions *functions = &list->sites.functions;
	size_t i;

	list->functions = calloc(functions->n + 1, sizeof(*list->functions));
	if (!list->functions)
		return rt_nomem(err);
	for (i = 0; i < functions->n; i++)
		list->functions[i] = &functions->v[i];
	qsort(list->functions, functions->n, sizeof(*list->functions), compare_functions);
	return 0;
}

#define INLINED "inlined everywhere: it has no code of its own"

static int report_inlined(void *ctx, const struct rt_image *image, const char *name)
{
	struct list *list = ctx;
	const char *text = list->options->raw_names ? NULL : rt_demangle(&list->text, name, true);

	if (list->json) {
		fputs(list->rows ? ",\n{\"symbol\":" : "[\n{\"symbol\":", list->file);
		rt_json_string(list->file, name, strlen(name));
		put_string(list->file, "name", text ? text : name);
		put_string(list->file, "source", "debug information");
		put_string(list->file, "trace", "no");
		put_string(list->file, "why", INLINED);
		putc('}', list->file);
	} else {
		print_head(list, image);
		fprintf(list->file, "%-18s %-10s %8s %-9s %-14s %s  [%s]\n", "-", "-", "-", "no",
			"debug info", text ? text : name, INLINED);
	}
	list->rows++;
	return ferror(list->file) ? -EIO : 0;
}

static int list_usdt(struct list *list, const struct rt_spec *spec)
{
	const struct rt_usdt_list usdt = { .program = &list->traced.program,
					   .file = list->file,
					   .json = list->json,
					   .rows = &list->rows,
					   .declared = list->declared,
					   .last = &list->last_usdt };

	return rt_usdt_list_print(&usdt, spec);
}

/* A glob may mean only what was inlined. */
static int list_one(struct list *list, const struct rt_spec *spec, struct rt_error *err)
{
	int r = rt_listing_each(&list->traced.program, spec, row, list, err), inlined;
	size_t before = list->rows;
	struct rt_error other;

	if ((r < 0 && r != -EINVAL && r != -ENOENT) || r > 0)
		return r;
	inlined = rt_listing_inlined(&list->traced.program, spec, report_inlined, list, &other);
	if (inlined == -EFBIG) {
		inlined = 0;
		if (!list->json && list->rows)
			fputs("\nnot all of the debug information was looked through for what was "
			      "inlined\n",
			      list->file);
	}
	if (inlined < 0)
		*err = other;
	return inlined < 0 ? inlined : list->rows > before ? 0 : r;
}

/* All functions were asked for, and those with names were meant. */
static int mention_unnamed(struct list *list, const struct rt_spec *spec)
{
	const struct rt_program *program = &list->traced.program;
	struct rt_image *image = spec->lib ? rt_program_find(program, spec->lib)
					   : rt_program_executable(program);
	const struct rt_symbol *v;
	size_t n;

	if (list->json || strcmp(spec->function, "*") != 0 ||
	    rt_image_symbols(image, &v, &n, NULL) < 0 || n == 0)
		return 0;
	if (rt_image_unnamed(image, &v, &n) < 0)
		return -ENOMEM;
	if (n)
		fprintf(list->file, "\n%zu more function%s no name: '%s%s" RT_UNNAMED_PREFIX "*'\n",
			n, n == 1 ? " has" : "s have", spec->lib ? spec->lib : "",
			spec->lib ? ":" : "");
	return 0;
}

/* ---- the work before the rows: guesses, and how returns are seen ---- */

/* A verdict on a function.  Its strings are at the same place in the child and its parent. */
struct verdict {
	bool known, by_child;
	bool harmful;
	enum rt_how how;
	const char *how_why, *why_not;
	size_t exits;
};

/*
 * A child makes the guesses.  Then it judges functions as this process does: each takes the next
 * ones that nobody has taken.
 */
struct work {
	struct list *list;
	const struct rt_spec *specs;
	int nspecs;
	bool child;
	size_t at, end;		/* functions that were taken */
	size_t *taken;		/* shared: how many were in all */
	struct verdict *v;	/* shared */
};

enum { TAKEN = 64 };

static int ask_row(void *ctx, const struct rt_listing *l)
{
	struct rt_prototype prototype;

	find_prototype(ctx, l, &prototype);
	return 0;
}

static void note_verdict(const struct work *work, size_t i)
{
	const struct rt_function *f = &work->list->sites.functions.v[i];

	work->v[i] = (struct verdict){ .known = true,
				       .by_child = work->child,
				       .harmful = f->harmful,
				       .how = f->how,
				       .how_why = f->how_why,
				       .why_not = f->why_not,
				       .exits = f->exits.n };
}

/* After the verdict on the function before. */
static size_t next_function(void *ctx)
{
	struct work *work = ctx;

	if (work->at < work->end)
		note_verdict(work, work->at++);
	if (work->at < work->end)
		return work->at;
	work->at = __atomic_fetch_add(work->taken, TAKEN, __ATOMIC_RELAXED);
	work->end = work->at + TAKEN;
	if (work->end > work->list->sites.functions.n)
		work->end = work->list->sites.functions.n;
	return work->at;
}

/* The functions that a child has left when it failed. */
static size_t next_left(void *ctx)
{
	struct work *work = ctx;

	while (work->at < work->list->sites.functions.n && work->v[work->at].known)
		work->at++;
	return work->at < work->list->sites.functions.n ? work->at++ : SIZE_MAX;
}

/* In a child: the prototypes of the rows, in their order. */
static void ask_all(void *ctx, struct rt_signatures *signatures)
{
	struct work *work = ctx;
	struct rt_error ignored;
	int i;

	work->child = true;
	work->list->signatures = signatures;
	for (i = 0; i < work->nspecs; i++)
		if (work->specs[i].function && !work->specs[i].provider)
			rt_listing_each(&work->list->traced.program, &work->specs[i], ask_row,
					work->list, &ignored);
	rt_returns_judge(&work->list->wanted, &work->list->traced, &work->list->sites,
			 next_function, work, &ignored);
}

static int take_verdict(struct rt_function *f, const struct verdict *v)
{
	f->exits.v = v->exits ? calloc(v->exits, sizeof(*f->exits.v)) : NULL;
	if (v->exits && !f->exits.v)
		return -ENOMEM;
	f->exits.n = v->exits;
	f->harmful = v->harmful;
	f->how = v->how;
	f->how_why = v->how_why;
	f->why_not = v->why_not;
	return 0;
}

static int judge_some(struct work *work, struct rt_error *err)
{
	struct list *list = work->list;
	size_t i;
	int r;

	rt_guessing_begin(&list->guessing, &list->sites.functions, ask_all, work);
	r = rt_returns_judge(&list->wanted, &list->traced, &list->sites, next_function, work, err);
	rt_guessing_take(&list->guessing, list->signatures);
	work->at = 0;
	if (r == 0)
		r = rt_returns_judge(&list->wanted, &list->traced, &list->sites, next_left, work,
				     err);
	for (i = 0; i < list->sites.functions.n && r == 0; i++)
		if (work->v[i].by_child)
			r = take_verdict(&list->sites.functions.v[i], &work->v[i]);
	return r == -ENOMEM ? rt_nomem(err) : r;
}

static int judge_all(struct list *list, const struct rt_spec *specs, int n, struct rt_error *err)
{
	struct work work = { .list = list, .specs = specs, .nspecs = n };
	size_t size = sizeof(*work.taken) + list->sites.functions.n * sizeof(*work.v);
	int r = index_functions(list, err);

	if (r < 0)
		return r;
	work.taken = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (work.taken == MAP_FAILED)
		return rt_nomem(err);
	work.v = (struct verdict *)(work.taken + 1);
	r = judge_some(&work, err);
	munmap(work.taken, size);
	return r;
}

/* @NAME: the functions that the program has of the sets, as the sets declare them. */
static int list_sets(struct list *list)
{
	struct rt_error ignored;
	size_t i;
	int r = 0;

	for (i = 0; i < list->wanted.nspecs && (r == 0 || r == -ENOENT || r == -EINVAL); i++) {
		list->declared = list->wanted.specs[i]->text;
		r = list->wanted.specs[i]->provider
			    ? list_usdt(list, list->wanted.specs[i])
			    : rt_listing_each(&list->traced.program, list->wanted.specs[i], row,
					      list, &ignored);
	}
	list->declared = NULL;
	return r == -ENOENT || r == -EINVAL ? 0 : r;
}

static int list_all(struct list *list, char *const *texts, int n, struct rt_spec *specs,
		    struct rt_error *err)
{
	int i, r = 0;

	for (i = 0; i < n && r == 0; i++)
		r = texts[i][0] == '@'
			    ? rt_sites_add_functions(&list->wanted, &list->traced, &list->sites,
						     &texts[i], 1, err)
			    : add_spec(list, texts[i], &specs[i], err);
	if (r == 0)
		r = judge_all(list, specs, n, err);
	for (i = 0; i < n && r == 0; i++)
		r = specs[i].provider	? list_usdt(list, &specs[i])
		    : specs[i].function ? list_one(list, &specs[i], err)
					: 0;
	if (r == 0)
		r = list_sets(list);
	if (r == 0)
		print_ways(list);
	for (i = 0; i < n && r == 0; i++)
		r = specs[i].function && !specs[i].provider ? mention_unnamed(list, &specs[i]) : 0;
	if (r == 0 && list->json)
		fputs(list->rows ? "\n]\n" : "[]\n", list->file);
	return r == -ENOMEM ? rt_nomem(err) : r;
}

static void release(struct list *list)
{
	free(list->prototype);
	free(list->functions);
	rt_text_free(&list->text);
	rt_text_free(&list->alias);
	rt_sites_free(&list->wanted, &list->traced, &list->sites);
	rt_signatures_free(list->signatures);
	rt_types_free(list->types);
}

int rt_list(const struct rt_options *o, FILE *file, struct rt_error *err)
{
	struct list list = { .options = o, .file = file };
	char *all[] = { (char *)"*" }, *const *texts = o->nspecs ? o->specs : all;
	int i, r, n = o->nspecs ? o->nspecs : 1;
	struct rt_spec *specs;

	/*
	 * Not in the initializer: glibc 2.23's strcmp is a macro; for its braces gcc 5 warns of a
	 * member that is missing.
	 */
	list.json = o->format && strcmp(o->format, "json") == 0;
	if (o->format && !list.json && strcmp(o->format, "text") != 0)
		return rt_usage(err, "--format=%s: expected text or json", o->format);
	specs = calloc((size_t)n, sizeof(*specs));
	list.types = rt_types_new();
	list.signatures = rt_signatures_new();
	r = specs && list.types && list.signatures
		    ? rt_sites_resolve(&list.wanted, &list.traced, &list.sites, o->program,
				       &o->pids, NULL, 0, err)
		    : rt_nomem(err);
	list.wanted.want = o->returns;
	if (r == 0)
		r = list_all(&list, texts, n, specs, err);
	release(&list);
	for (i = 0; i < n && specs; i++)
		rt_spec_free(&specs[i]);
	free(specs);
	return r;
}
