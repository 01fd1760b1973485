/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clean.h"
#include "base/search.h"
#include "elf/file.h"

#ifndef STB_GNU_UNIQUE
#define STB_GNU_UNIQUE 10
#endif

const char *rt_symbol_source_name(enum rt_symbol_source source)
{
	static const char *const names[] = {
		[RT_SOURCE_SYMTAB] = ".symtab",	  [RT_SOURCE_DYNSYM] = ".dynsym",
		[RT_SOURCE_DEBUG] = "debug file", [RT_SOURCE_MINIDEBUG] = ".gnu_debugdata",
		[RT_SOURCE_GO] = ".gopclntab",	  [RT_SOURCE_EH_FRAME] = ".eh_frame",
		[RT_SOURCE_USDT] = ".note.stapsdt",
	};

	return names[source];
}

/* A copy, valid as long as the image; NULL: no memory. */
static char *own(struct rt_image *image, const char *name)
{
	char *copy;

	if (RT_ROOM(&image->owned, image->nowned, &image->owned_cap))
		return NULL;
	copy = strdup(name);
	if (copy)
		image->owned[image->nowned++] = copy;
	return copy;
}

const char *rt_image_keep_name(struct rt_image *image, const char *name)
{
	char *copy = own(image, name);

	if (copy)
		rt_make_printable(copy);
	return copy;
}

const char *rt_image_clean_name(struct rt_image *image, const char *name)
{
	return rt_is_printable(name) ? name : rt_image_keep_name(image, name);
}

/*
 * Take off "@VERSION" or "@@VERSION", which .symtab has as part of the name.  Copied where there is
 * one: the string table may share the bytes with a longer name.
 */
static int split_name(struct rt_image *image, const char *name, struct rt_symbol *s)
{
	const char *at = strchr(name, '@');
	char *copy;

	s->name = rt_image_clean_name(image, name);
	if (!s->name)
		return -ENOMEM;
	if (!at || at == name)
		return 0;
	copy = own(image, s->name);
	if (!copy)
		return -ENOMEM;
	copy[at - name] = '\0';
	s->name = copy;
	s->default_version = at[1] == '@';
	s->version = copy + (at - name) + 1 + s->default_version;
	if (!*s->version)
		s->version = NULL;
	return 0;
}

/* Is it a function's symbol?  Says of which kind and whether it is global. */
static bool is_function(const struct rt_image *image, const GElf_Sym *sym, struct rt_symbol *out)
{
	unsigned bind = GELF_ST_BIND(sym->st_info);

	out->global = bind == STB_GLOBAL || bind == STB_WEAK || bind == STB_GNU_UNIQUE;
	out->hidden = GELF_ST_VISIBILITY(sym->st_other) == STV_HIDDEN ||
		      GELF_ST_VISIBILITY(sym->st_other) == STV_INTERNAL;
	/* SHN_ABS: not moved with the image, so no place in it. */
	if (sym->st_shndx == SHN_ABS || sym->st_shndx == SHN_COMMON)
		return false;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
		out->kind = RT_SYM_FUNC;
		break;
	case STT_GNU_IFUNC:
		out->kind = RT_SYM_IFUNC;
		break;
	case STT_NOTYPE:	/* local ones are the assembler's labels and mapping symbols */
		if (!out->global)
			return false;
		out->kind = RT_SYM_NOTYPE;
		break;
	default:
		return false;
	}
	return rt_image_is_code(image, sym->st_value);
}

static int take_symbol(struct rt_image *image, const GElf_Sym *sym, const char *name, size_t i,
		       enum rt_symbol_source source)
{
	struct rt_symbol s = { .addr = sym->st_value,
			       .size = sym->st_size,
			       .sized = sym->st_size != 0,
			       .source = source };
	bool dynamic = s.dynamic = source == RT_SOURCE_DYNSYM;

	if (sym->st_shndx == SHN_UNDEF) {
		if (!dynamic || !*name)
			return 0;
		if (RT_ROOM(&image->imports.v, image->imports.n, &image->imports.cap) ||
		    RT_ROOM(&image->import_versions.v, image->imports.n,
			    &image->import_versions.cap))
			return -ENOMEM;
		name = rt_image_clean_name(image, name);
		if (!name)
			return -ENOMEM;
		image->import_versions.v[image->imports.n] = rt_image_version(image, i,
									      &s.default_version);
		image->imports.v[image->imports.n++] = name;
		return 0;
	}
	if (!*name || !is_function(image, sym, &s))
		return 0;
	if (split_name(image, name, &s))
		return -ENOMEM;
	if (dynamic && !s.version)
		s.version = rt_image_version(image, i, &s.default_version);
	if (RT_ROOM(&image->symbols, image->nsymbols, &image->symbols_cap))
		return -ENOMEM;
	image->symbols[image->nsymbols++] = s;
	return 0;
}

/* A file with symbols: the image's own, or one that was found for it. */
struct file {
	Elf *elf;
	uint64_t size;
};

static bool holds(const struct file *file, uint64_t offset, uint64_t size)
{
	return offset <= file->size && size <= file->size - offset;
}

/* Visit one symbol of a table; 0, or a negative errno, which ends the walk. */
typedef int visit_symbol(void *ctx, const GElf_Sym *sym, const char *name, size_t i);

static int walk_table(struct rt_image *image, const struct file *file, const struct rt_table *t,
		      visit_symbol *visit, void *ctx, struct rt_error *err)
{
	Elf_Data *syms, *strings;
	const char *name;
	GElf_Sym sym;
	int i, r;

	if (!t->present || t->size == 0)
		return 0;
	if (t->entsize != gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT))
		return rt_image_damaged(image, "its symbols have an unknown size", err);
	if (!holds(file, t->offset, t->size) || !holds(file, t->str_offset, t->str_size))
		return rt_image_damaged(image, "a symbol table reaches past its end", err);
	syms = elf_getdata_rawchunk(file->elf, (int64_t)t->offset, t->size, ELF_T_SYM);
	strings = elf_getdata_rawchunk(file->elf, (int64_t)t->str_offset, t->str_size, ELF_T_BYTE);
	if (!syms || !strings || t->str_size == 0)
		return rt_image_damaged(image, "a symbol table cannot be read", err);
	for (i = 1; gelf_getsym(syms, i, &sym); i++) {
		name = (const char *)strings->d_buf + sym.st_name;
		if (sym.st_name >= strings->d_size ||
		    !memchr(name, '\0', strings->d_size - sym.st_name)) {
			if (t->guessed)
				continue;
			return rt_image_damaged(
				image, "a symbol's name lies outside its string table", err);
		}
		r = visit(ctx, &sym, name, (size_t)i);
		if (r < 0)
			return r == -ENOMEM ? rt_nomem(err) : r;
	}
	return 0;
}

struct taking {
	struct rt_image *image;
	enum rt_symbol_source source;
};

static int take_visited(void *ctx, const GElf_Sym *sym, const char *name, size_t i)
{
	const struct taking *taking = ctx;

	return take_symbol(taking->image, sym, name, i, taking->source) ? -ENOMEM : 0;
}

static int read_table(struct rt_image *image, const struct file *file, const struct rt_table *t,
		      enum rt_symbol_source source, struct rt_error *err)
{
	struct taking taking = { image, source };

	return walk_table(image, file, t, take_visited, &taking, err);
}

/* By version; one that is not known comes last. */
static int compare_versions(const struct rt_symbol *a, const struct rt_symbol *b)
{
	if (!a->version || !b->version)
		return a->version ? -1 : b->version ? 1 : 0;
	return strcmp(a->version, b->version);
}

/* By address, then name; of exact duplicates the one that knows most comes first. */
static int compare(const void *pa, const void *pb)
{
	const struct rt_symbol *a = pa, *b = pb;
	int ret;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	ret = strcmp(a->name, b->name);
	if (ret == 0)
		ret = compare_versions(a, b);
	if (ret)
		return ret;
	if (a->kind != b->kind)	/* RT_SYM_NOTYPE is the last */
		return a->kind < b->kind ? -1 : 1;
	if (a->global != b->global)
		return a->global ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return a->source < b->source ? -1 : a->source > b->source;
}

int rt_symbol_compare(const struct rt_symbol *a, const struct rt_symbol *b)
{
	size_t na = strspn(a->name, "_"), nb = strspn(b->name, "_");
	int ret;

	if ((a->kind == RT_SYM_NOTYPE) != (b->kind == RT_SYM_NOTYPE))
		return a->kind == RT_SYM_NOTYPE ? 1 : -1;
	/* Linkers' marks ("runtime.text") tell nothing of the function that begins there. */
	if (a->sized != b->sized)
		return a->sized ? -1 : 1;
	if (na != nb)
		return na < nb ? -1 : 1;
	if (a->global != b->global)
		return a->global ? -1 : 1;
	na = strlen(a->name);
	nb = strlen(b->name);
	if (na != nb)
		return na < nb ? -1 : 1;
	ret = strcmp(a->name, b->name);
	return ret ? ret : b->default_version - a->default_version;
}

static uint64_t code_end(const struct rt_image *image, uint64_t addr)
{
	const struct rt_segment *s;

	for (s = image->segments; s < image->segments + image->nsegments; s++)
		if (addr >= s->vaddr && addr - s->vaddr < s->filesz)
			return s->vaddr + s->filesz;
	return addr;
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/*
 * A symbol without a size reaches to the next symbol or section.  By symbols alone _init, in .init,
 * would have the stubs of .plt in it.  No symbol reaches past its segment.
 */
static void fill_sizes(struct rt_image *image)
{
	uint64_t next = UINT64_MAX, current = UINT64_MAX, section, end;
	size_t i;

	for (i = image->nsymbols; i-- > 0;) {
		struct rt_symbol *s = &image->symbols[i];

		if (s->addr != current) {
			next = current;
			current = s->addr;
		}
		end = code_end(image, s->addr);
		section = rt_image_next_section(image, s->addr);
		if (!s->sized)
			s->size = least(least(next, section), end) - s->addr;
		else if (s->size > end - s->addr)
			s->size = end - s->addr;
	}
}

static void sort_symbols(struct rt_image *image)
{
	struct rt_symbol *v = image->symbols;
	size_t i, n = 0;

	if (image->nsymbols == 0)
		return;
	qsort(v, image->nsymbols, sizeof(*v), compare);
	for (i = 1; i < image->nsymbols; i++)
		if (v[i].addr != v[n].addr || strcmp(v[i].name, v[n].name) != 0 ||
		    (v[i].version && compare_versions(&v[i], &v[n]) != 0))
			v[++n] = v[i];
		else
			v[n].dynamic |= v[i].dynamic;
	image->nsymbols = n + 1;
	fill_sizes(image);
}

static int read_symbols(struct rt_image *image, struct rt_error *err)
{
	const struct file own = { image->elf, image->size };
	int ret;

	/* Without section headers ("sstrip") the loader's own view is left. */
	if (!image->dynsym.present)
		rt_image_dynamic_symbols(image);
	if (rt_image_read_versions(image))
		return rt_nomem(err);
	ret = read_table(image, &own, &image->dynsym, RT_SOURCE_DYNSYM, err);
	if (ret == 0)
		ret = read_table(image, &own, &image->symtab, RT_SOURCE_SYMTAB, err);
	if (ret == 0 && image->sections_damage)
		ret = rt_image_damaged(image, image->sections_damage, err);
	if (ret == 0 && !image->symtab.present && rt_image_go_symbols(image))
		ret = rt_nomem(err);
	sort_symbols(image);
	return ret;
}

int rt_image_symbols(struct rt_image *image, const struct rt_symbol **v, size_t *n,
		     struct rt_error *err)
{
	if (!image->symbols_read) {
		image->symbols_read = true;
		image->symbols_code = read_symbols(image, &image->symbols_error);
	}
	*v = image->symbols;
	*n = image->nsymbols;
	if (image->symbols_code && err)
		*err = image->symbols_error;
	return image->symbols_code;
}

/* A damaged debug file is skipped; the symbols of the image itself remain. */
static int read_more(struct rt_image *image, struct rt_error *err)
{
	struct file file = { rt_image_debug_elf(image), image->debug.size };
	enum rt_symbol_source source = RT_SOURCE_DEBUG;
	size_t before = image->nsymbols;
	struct rt_error why;
	struct rt_table t;
	int ret;

	if (!file.elf || !rt_elf_symtab(file.elf, &t)) {
		file = (struct file){ rt_image_mini_elf(image), image->debug.mini_size };
		source = RT_SOURCE_MINIDEBUG;
		if (!file.elf || !rt_elf_symtab(file.elf, &t))
			return 0;
	}
	ret = read_table(image, &file, &t, source, &why);
	image->has_more = image->nsymbols > before;
	sort_symbols(image);
	return ret == -ENOMEM ? rt_nomem(err) : 0;
}

int rt_image_all_symbols(struct rt_image *image, const struct rt_symbol **v, size_t *n,
			 struct rt_error *err)
{
	int ret = rt_image_symbols(image, v, n, err);

	if (ret || image->symtab.present || image->more_read)
		return ret;
	image->more_read = true;
	ret = read_more(image, err);
	*v = image->symbols;
	*n = image->nsymbols;
	return ret;
}

/* The index of the first symbol at `addr` or behind it. */
static size_t first_from(const struct rt_image *image, uint64_t addr)
{
	size_t i;

	RT_SEARCH(i, image->nsymbols, image->symbols[i].addr < addr);
	return i;
}

const struct rt_symbol *rt_symbol_before(const struct rt_image *image, uint64_t addr)
{
	size_t i = first_from(image, addr);

	return i ? &image->symbols[i - 1] : NULL;
}

const struct rt_symbol *rt_symbols_at(const struct rt_image *image, uint64_t addr, size_t *n)
{
	size_t lo = first_from(image, addr), end;

	for (end = lo; end < image->nsymbols && image->symbols[end].addr == addr; end++)
		;
	*n = end - lo;
	return *n ? &image->symbols[lo] : NULL;
}

bool rt_image_imports(struct rt_image *image, const char *name)
{
	const struct rt_symbol *v;
	size_t i, n;

	/* The readable part of a damaged table is used. */
	rt_image_symbols(image, &v, &n, NULL);
	for (i = 0; i < image->imports.n; i++)
		if (strcmp(image->imports.v[i], name) == 0)
			return true;
	return false;
}

struct finding {
	const char *name;
	size_t n;
	bool found;
	uint64_t addr;
};

/* "name" is name@VERSION in .symtab. */
static int find_visited(void *ctx, const GElf_Sym *sym, const char *name, size_t i)
{
	struct finding *f = ctx;
	unsigned type = GELF_ST_TYPE(sym->st_info);

	(void)i;
	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx == SHN_ABS || type == STT_SECTION ||
	    type == STT_FILE || type == STT_TLS)
		return 0;
	if (strncmp(name, f->name, f->n) != 0 || (name[f->n] && name[f->n] != '@'))
		return 0;
	if (f->found && f->addr != sym->st_value)
		return -ENOTUNIQ;
	f->found = true;
	f->addr = sym->st_value;
	return 0;
}

int rt_image_find_symbol(struct rt_image *image, const char *name, size_t n, uint64_t *addr)
{
	const struct file own = { image->elf, image->size };
	struct finding f = { .name = name, .n = n };
	struct file debug;
	struct rt_table t;
	int r;

	if (!image->dynsym.present)
		rt_image_dynamic_symbols(image);
	r = walk_table(image, &own, &image->symtab, find_visited, &f, NULL);
	if (!f.found && r == 0)
		r = walk_table(image, &own, &image->dynsym, find_visited, &f, NULL);
	if (!f.found && r == 0 && !image->symtab.present) {
		debug = (struct file){ rt_image_debug_elf(image), image->debug.size };
		if (debug.elf && rt_elf_symtab(debug.elf, &t))
			r = walk_table(image, &debug, &t, find_visited, &f, NULL);
	}
	*addr = f.addr;
	return r == -ENOTUNIQ ? r : f.found ? 0 : -ENOENT;
}

/*
 * Symbol versions.  .gnu.version has an index for each symbol of .dynsym; what an index is called
 * is in .gnu.version_d (defined here) and .gnu.version_r (wanted from libraries).  The tables
 * are the same in 32 and 64 bits.
 */

enum { HIDDEN = 0x8000, FIRST = 2, MOST = 4096 };

static int name_version(struct rt_image *image, uint16_t index, uint32_t at)
{
	const char *name = rt_image_dynamic_string(image, at);
	const char **v;

	index &= HIDDEN - 1;
	if (!name || index < FIRST || index >= MOST)
		return 0;
	if (index >= image->versions.cap) {
		v = realloc(image->versions.v, MOST * sizeof(*v));
		if (!v)
			return -ENOMEM;
		memset(v, 0, MOST * sizeof(*v));
		image->versions.v = v;
		image->versions.cap = MOST;
	}
	image->versions.v[index] = rt_image_clean_name(image, name);
	return image->versions.v[index] ? 0 : -ENOMEM;
}

static bool read_at(const struct rt_image *image, uint64_t addr, void *to, size_t n)
{
	return rt_image_read(image, addr, to, n) == n;
}

static int read_defined(struct rt_image *image)
{
	uint64_t at = image->dynamic.verdef;
	Elf64_Verdef def;
	Elf64_Verdaux aux;
	unsigned i;
	int r = 0;

	for (i = 0; at && i < MOST && r == 0; i++) {
		if (!read_at(image, at, &def, sizeof(def)) ||
		    !read_at(image, at + def.vd_aux, &aux, sizeof(aux)))
			break;
		r = name_version(image, def.vd_ndx, aux.vda_name);
		if (!def.vd_next)
			break;
		at += def.vd_next;
	}
	return r;
}

static int read_wanted(struct rt_image *image)
{
	uint64_t at = image->dynamic.verneed, aux_at;
	Elf64_Verneed need;
	Elf64_Vernaux aux;
	unsigned i = 0, k;
	int r = 0;

	while (at && i < MOST && r == 0 && read_at(image, at, &need, sizeof(need))) {
		aux_at = at + need.vn_aux;
		for (k = 0; k < need.vn_cnt && i++ < MOST && r == 0 &&
			    read_at(image, aux_at, &aux, sizeof(aux));
		     k++) {
			r = name_version(image, aux.vna_other, aux.vna_name);
			aux_at += aux.vna_next;
		}
		if (!need.vn_next)
			break;
		at += need.vn_next;
		i++;
	}
	return r;
}

/* The indexes, one a symbol of .dynsym: as many as the file has bytes for. */
static void read_indexes(struct rt_image *image)
{
	uint64_t offset, n = image->dynsym.entsize ? image->dynsym.size / image->dynsym.entsize : 0;
	Elf_Data *data;

	if (rt_image_offset(image, image->dynamic.versym, &offset) ||
	    !rt_image_contains(image, offset, n * 2))
		return;
	data = n ? elf_getdata_rawchunk(image->elf, (int64_t)offset, n * 2, ELF_T_HALF) : NULL;
	if (!data)
		return;
	image->version_of = data->d_buf;
	image->nversion_of = data->d_size / 2;
}

int rt_image_read_versions(struct rt_image *image)
{
	int r;

	if (!image->dynamic.versym || image->versions.v)
		return 0;
	read_indexes(image);
	r = read_defined(image);
	return r ? r : read_wanted(image);
}

const char *rt_image_version(const struct rt_image *image, size_t i, bool *is_default)
{
	uint16_t index;

	*is_default = false;
	if (i >= image->nversion_of)
		return NULL;
	memcpy(&index, image->version_of + i, sizeof(index));
	*is_default = !(index & HIDDEN);
	index &= HIDDEN - 1;
	return index < image->versions.cap ? image->versions.v[index] : NULL;
}
