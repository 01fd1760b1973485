/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "list.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "image/demangle.h"
#include "image/dwarf.h"
#include "image/listing.h"
#include "output/out.h"
#include "spec/print.h"
#include "tracee.h"

struct list {
	const struct rt_options *options;
	FILE *file;
	struct rt_types *types;
	struct rt_text text, alias;
	char *prototype;	/* of the row, from a memory stream; NULL: not known */
	const struct rt_image *last;
	bool json;
	size_t rows;
};

/* ---- a row ---- */

static const char *trace_word(const struct rt_listing *l)
{
	return l->refused ? "no" : l->symbol->kind == RT_SYM_IFUNC ? "ifunc" : l->entry_only ? "entry" : "full";
}

static const char *why(const struct rt_listing *l)
{
	return l->refused ? l->refused : l->symbol->kind == RT_SYM_IFUNC ?
		"an IFUNC's resolver: the implementations that it chooses from are traced" : l->entry_only;
}

/* The name as it was written, with parameters where the name has them. */
static const char *written(struct list *list, struct rt_text *text, const struct rt_symbol *symbol)
{
	const char *name = list->options->raw_names ? NULL : rt_demangle(text, symbol->name, true);

	return name ? name : symbol->name;
}

/* What debug information says: "int fib(int n)".  Nothing of it is an error here. */
static int read_prototype(struct list *list, const struct rt_listing *l, struct rt_error *err)
{
	struct rt_prototype prototype = { 0 };
	const struct rt_symbol *s = l->symbol;
	struct rt_error ignored;
	char name[512];
	size_t n;
	FILE *f;

	free(list->prototype);
	list->prototype = NULL;
	/* A resolver's is not the function's. */
	if (s->kind == RT_SYM_IFUNC || rt_dwarf_prototype(l->image, s->addr, list->types, &prototype, &ignored) < 0 ||
	    (!prototype.result && !prototype.nparams))
		return 0;
	f = open_memstream(&list->prototype, &n);
	if (!f)
		return rt_nomem(err);
	snprintf(name, sizeof(name), "%s%s%s", s->name, !s->version ? "" : s->default_version ? "@@" : "@", s->version ? s->version : "");
	rt_prototype_print(f, &prototype, name);
	return fclose(f) == 0 ? 0 : rt_nomem(err);
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

static void print_text(struct list *list, const struct rt_listing *l)
{
	const struct rt_symbol *s = l->symbol;
	const char *reason = why(l);
	const char *name = written(list, &list->text, s), *alias, *separator = " = ";
	size_t i;

	if (list->last != l->image)
		fprintf(list->file, "%s%s\n%-18s %-10s %8s %-5s %-14s %s\n", list->last ? "\n" : "", rt_image_name(l->image), "ADDRESS", "OFFSET",
			"SIZE", "TRACE", "SOURCE", "FUNCTION");
	list->last = l->image;
	fprintf(list->file, "0x%016" PRIx64 " 0x%-8" PRIx64 " %8" PRIu64 " %-5s %-14s ", s->addr, l->offset, s->size, trace_word(l),
		rt_symbol_source_name(s->source));
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
		if (alias != l->names[i].name && strcmp(alias, name) == 0)	/* a constructor's or destructor's variants */
			continue;
		fprintf(list->file, "%s%s", separator, alias);
		print_version(list->file, &l->names[i]);
		separator = ", ";
	}
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
	const struct rt_symbol *s = l->symbol;
	FILE *file = list->file;
	bool any = false;
	size_t i;

	fprintf(file, "%s{\"address\":\"0x%" PRIx64 "\",\"offset\":\"0x%" PRIx64 "\",\"size\":%" PRIu64, list->rows ? ",\n" : "[\n", s->addr,
		l->offset, s->size);
	put_string(file, "file", rt_image_name(l->image));
	put_string(file, "symbol", s->name);
	put_string(file, "name", written(list, &list->text, s));
	if (s->version)
		put_string(file, s->default_version ? "default_version" : "version", s->version);
	put_string(file, "source", rt_symbol_source_name(s->source));
	put_string(file, "trace", trace_word(l));
	if (why(l))
		put_string(file, "why", why(l));
	if (list->prototype)
		put_string(file, "prototype", list->prototype);
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
	list->rows++;
	return ferror(list->file) ? -EIO : 0;
}

/* ---- the list ---- */

static int list_spec(struct list *list, const struct rt_images *images, const char *text, struct rt_error *err)
{
	struct rt_spec spec;
	int r = rt_spec_parse(text, rt_image_arch(images->v[0]), NULL, &spec, err);

	if (r < 0)
		return r;
	if (spec.has_address || spec.has_offset || spec.prototype || spec.nshown || spec.nwords)
		r = rt_usage(err, "'%s': list takes [LIBRARY:]NAME or a glob", text);
	if (r == 0)
		r = rt_listing_each(images, &spec, row, list, err);
	rt_spec_free(&spec);
	return r == -ENOMEM ? rt_nomem(err) : r;
}

static int open_images(const struct rt_options *o, struct rt_images *images, struct rt_error *err)
{
	char *path;
	int r;

	if (o->pid)
		return rt_images_of_pid(o->pid, images, err);
	r = rt_tracee_find(o->program, &path, err);
	if (r < 0)
		return r;
	r = rt_images_of_command(path, images, err);
	free(path);
	return r;
}

int rt_list(const struct rt_options *o, FILE *file, struct rt_error *err)
{
	struct list list = { .options = o, .file = file, .json = o->format && strcmp(o->format, "json") == 0, .types = rt_types_new() };
	struct rt_images images = { 0 };
	char process[512];
	int i, r;

	if (o->format && !list.json && strcmp(o->format, "text") != 0) {
		rt_types_free(list.types);
		return rt_usage(err, "--format=%s: the formats of list are: text, json", o->format);
	}
	r = list.types ? open_images(o, &images, err) : rt_nomem(err);
	if (r == 0 && rt_images_unwind(&images, process, sizeof(process)))
		fprintf(stderr, "rawtrace: a uretprobe could harm this program: %s\n", process);
	if (r == 0 && o->nspecs == 0)
		r = list_spec(&list, &images, "*", err);
	for (i = 0; i < o->nspecs && r == 0; i++)
		r = list_spec(&list, &images, o->specs[i], err);
	if (r == 0 && list.json)
		fputs(list.rows ? "\n]\n" : "[]\n", file);
	if ((r == 0 || r == -EIO) && (fflush(file) != 0 || ferror(file)))
		r = rt_fail(err, errno ? -errno : -EIO, "standard output: %s", strerror(errno ? errno : EIO));
	free(list.prototype);
	rt_text_free(&list.text);
	rt_text_free(&list.alias);
	rt_images_close(&images);
	rt_types_free(list.types);
	return r;
}
