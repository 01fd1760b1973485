/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elfgen.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "elf/image.h"
#include "unit.h"

#define MAX_SIZE	65536
#define TABLES		0x10000u	/* address of the dynamic tables, from base */

struct out {
	uint8_t *buf;
	size_t n;
	bool wide;
};

static void put(struct out *o, uint64_t value, size_t size)
{
	size_t i;

	for (i = 0; i < size && o->n < MAX_SIZE; i++)
		o->buf[o->n++] = (uint8_t)(value >> (8 * i));
}

static void put_word(struct out *o, uint64_t value)
{
	put(o, value, o->wide ? 8 : 4);
}

static void put_bytes(struct out *o, const void *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		put(o, ((const uint8_t *)p)[i], 1);
}

static void align(struct out *o, size_t to)
{
	while (o->n % to)
		put(o, 0, 1);
}

static size_t put_name(struct out *o, size_t start, const char *name)
{
	size_t at = o->n - start;

	put_bytes(o, name, strlen(name) + 1);
	return at;
}

static void put_symbol(struct out *o, size_t name, const struct elfgen_sym *s)
{
	put(o, name, 4);
	if (!o->wide) {
		put(o, s->value, 4);
		put(o, s->size, 4);
	}
	put(o, (uint8_t)(s->bind << 4 | s->type), 1);
	put(o, 0, 1);
	put(o, s->shndx, 2);
	if (o->wide) {
		put(o, s->value, 8);
		put(o, s->size, 8);
	}
}

/* A string table and a symbol table after it. */
struct tables {
	size_t str, str_size, sym, sym_size;
};

static struct tables put_symbols(struct out *o, const struct elfgen_sym *v, size_t n,
				 const char *const *more, size_t *more_at)
{
	static const struct elfgen_sym none;
	struct tables t = { .str = o->n };
	size_t at[64], i;

	put(o, 0, 1);
	for (i = 0; i < n && i < 64; i++)
		at[i] = put_name(o, t.str, v[i].name);
	for (i = 0; more && more[i]; i++)
		more_at[i] = put_name(o, t.str, more[i]);
	t.str_size = o->n - t.str;
	align(o, 8);
	t.sym = o->n;
	put_symbol(o, 0, &none);
	for (i = 0; i < n && i < 64; i++)
		put_symbol(o, at[i], &v[i]);
	t.sym_size = o->n - t.sym;
	return t;
}

struct layout {
	size_t tables, tables_size, interp, dynamic, dynamic_size, note, code, notes;
	struct tables dyn, sym;
};

static void put_tag(struct out *o, uint64_t tag, uint64_t value)
{
	put_word(o, tag);
	put_word(o, value);
}

static void put_dynamic(struct out *o, const struct elfgen *g, struct layout *l)
{
	const char *strings[18] = { NULL };
	size_t at[18], i, n = 0, hash, rela;
	uint64_t addr = g->base + TABLES - l->tables;

	for (i = 0; g->needed && g->needed[i]; i++)
		strings[n++] = g->needed[i];
	if (g->soname)
		strings[n] = g->soname;
	l->dyn = put_symbols(o, g->dynsyms, g->ndynsyms, strings, at);
	hash = o->n;
	if (g->gnu_hash) {	/* one empty bucket: nothing is exported */
		for (i = 0; i < 4; i++)
			put(o, i < 3, 4);
		put_word(o, 0);
		put(o, 0, 4);
	} else {
		put(o, 1, 4);
		put(o, g->ndynsyms + 1, 4);
		put(o, 0, 4);
	}
	align(o, 8);
	rela = o->n;
	put_word(o, g->base + TABLES);
	put_word(o, o->wide ? (uint64_t)g->ndynsyms << 32 | 1 : g->ndynsyms << 8 | 1);
	put_word(o, 0);
	l->dynamic = o->n;
	for (i = 0; i < n; i++)
		put_tag(o, DT_NEEDED, at[i]);
	if (g->soname)
		put_tag(o, DT_SONAME, at[n]);
	put_tag(o, g->gnu_hash ? DT_GNU_HASH : DT_HASH, addr + hash);
	put_tag(o, DT_STRTAB, addr + l->dyn.str);
	put_tag(o, DT_SYMTAB, addr + l->dyn.sym);
	put_tag(o, DT_STRSZ, l->dyn.str_size);
	put_tag(o, DT_SYMENT, o->wide ? 24 : 16);
	if (g->gnu_hash && g->ndynsyms) {
		put_tag(o, DT_RELA, addr + rela);
		put_tag(o, DT_RELASZ, o->wide ? 24 : 12);
	}
	put_tag(o, DT_NULL, 0);
	l->dynamic_size = o->n - l->dynamic;
}

static void put_phdr(struct out *o, uint32_t type, uint32_t flags, uint64_t offset, uint64_t addr,
		     uint64_t size)
{
	put(o, type, 4);
	if (o->wide)
		put(o, flags, 4);
	put_word(o, offset);
	put_word(o, addr);
	put_word(o, addr);
	put_word(o, size);
	put_word(o, size);
	if (!o->wide)
		put(o, flags, 4);
	put_word(o, 16);
}

static void put_shdr_at(struct out *o, size_t name, uint32_t type, uint64_t flags, uint64_t addr,
			uint64_t offset, uint64_t size, uint32_t link, uint64_t entsize)
{
	put(o, name, 4);
	put(o, type, 4);
	put_word(o, flags);
	put_word(o, addr);
	put_word(o, offset);
	put_word(o, size);
	put(o, link, 4);
	put(o, 0, 4);
	put_word(o, 1);
	put_word(o, entsize);
}

static void put_shdr(struct out *o, size_t name, uint32_t type, uint64_t offset, uint64_t size,
		     uint32_t link, uint64_t entsize)
{
	put_shdr_at(o, name, type, 0, 0, offset, size, link, entsize);
}

/* null, text, [dynsym, dynstr,] [symtab, strtab,] [one more,] [notes, base,] shstrtab */
static size_t put_sections(struct out *o, const struct elfgen *g, const struct layout *l,
			   size_t *shnum)
{
	size_t names = o->n, extra, notes, base, size, sym = o->wide ? 24 : 16, shoff;
	uint32_t i = 2;

	put(o, 0, 1);
	extra = g->section ? put_name(o, names, g->section) : 0;
	notes = g->notes ? put_name(o, names, ".note.stapsdt") : 0;
	base = g->notes_base ? put_name(o, names, ".stapsdt.base") : 0;
	size = o->n - names;
	align(o, 8);
	shoff = o->n;
	put_shdr(o, 0, SHT_NULL, 0, 0, 0, 0);
	put_shdr(o, 0, SHT_PROGBITS, l->code, 16, 0, 0);
	if (l->dynamic) {
		put_shdr(o, 0, SHT_DYNSYM, l->dyn.sym, l->dyn.sym_size, i + 1, sym);
		put_shdr(o, 0, SHT_STRTAB, l->dyn.str, l->dyn.str_size, 0, 0);
		i += 2;
	}
	if (g->syms) {
		put_shdr(o, 0, SHT_SYMTAB, l->sym.sym, l->sym.sym_size, i + 1, sym);
		put_shdr(o, 0, SHT_STRTAB, l->sym.str, l->sym.str_size, 0, 0);
		i += 2;
	}
	if (g->section) {
		put_shdr_at(o, extra, SHT_PROGBITS, g->section_at ? SHF_ALLOC | SHF_EXECINSTR : 0,
			    g->section_at, l->code, 16, 0, 0);
		i++;
	}
	if (g->notes) {
		put_shdr(o, notes, SHT_NOTE, l->notes, g->nnotes, 0, 0);
		i++;
	}
	if (g->notes_base) {
		put_shdr_at(o, base, SHT_PROGBITS, SHF_ALLOC, g->notes_base, l->code, 1, 0, 0);
		i++;
	}
	put_shdr(o, 0, SHT_STRTAB, names, size, 0, 0);
	*shnum = i + 1;
	return shoff;
}

static void put_headers(struct out *o, const struct elfgen *g, const struct layout *l, size_t ncode,
			size_t shoff, size_t shnum)
{
	static const uint8_t ident[] = { 0x7f, 'E', 'L', 'F', 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0 };
	size_t phnum = 2 + (g->interp != NULL) + (l->dynamic != 0) + g->go_note + (g->frames != 0);
	uint64_t moved = g->base + TABLES - l->tables;

	put_bytes(o, ident, sizeof(ident));
	o->buf[EI_CLASS] = o->wide ? ELFCLASS64 : ELFCLASS32;
	put(o, g->type ? g->type : ET_EXEC, 2);
	put(o, g->machine ? g->machine : rt_arch_native(), 2);
	put(o, 1, 4);
	put_word(o, g->entry);
	put_word(o, ELFGEN_CODE_PHDR(g->bits));
	put_word(o, shoff);
	put(o, 0, 4);
	put(o, ELFGEN_CODE_PHDR(g->bits), 2);
	put(o, o->wide ? 56 : 32, 2);
	put(o, phnum, 2);
	put(o, o->wide ? 64 : 40, 2);
	put(o, shnum, 2);
	put(o, shnum ? shnum - 1 : 0, 2);
	put_phdr(o, PT_LOAD, PF_R | PF_X, l->code, g->base + ELFGEN_CODE, ncode);
	put_phdr(o, PT_LOAD, PF_R | PF_W, l->tables, g->base + TABLES, l->tables_size);
	if (g->interp)
		put_phdr(o, PT_INTERP, PF_R, l->interp, l->interp + moved, strlen(g->interp) + 1);
	if (l->dynamic)
		put_phdr(o, PT_DYNAMIC, PF_R, l->dynamic, l->dynamic + moved, l->dynamic_size);
	if (g->go_note)
		put_phdr(o, PT_NOTE, PF_R, l->note, l->note + moved, 20);
	if (g->frames)
		put_phdr(o, PT_GNU_EH_FRAME, PF_R, l->code + g->frames,
			 g->base + ELFGEN_CODE + g->frames, 8);
}

uint8_t *elfgen_build(const struct elfgen *g, size_t *size)
{
	struct out o = { .buf = calloc(1, MAX_SIZE), .wide = g->bits != 32 };
	size_t ncode = g->ncode ? g->ncode : 256, shoff = 0, shnum = 0, i;
	struct layout l = { .tables = 0x200 };

	if (!o.buf)
		return NULL;
	o.n = l.tables;
	l.interp = o.n;
	put_bytes(&o, g->interp ? g->interp : "", g->interp ? strlen(g->interp) + 1 : 1);
	align(&o, 8);
	l.note = o.n;
	put(&o, 3, 4);
	put(&o, 4, 4);
	put(&o, 4, 4);
	put_bytes(&o, "Go\0\0id..", 8);
	align(&o, 8);
	if (g->dynamic || g->needed || g->soname || g->ndynsyms)
		put_dynamic(&o, g, &l);
	l.tables_size = o.n - l.tables;
	align(&o, 16);
	l.code = o.n;
	for (i = 0; i < ncode; i++)
		put(&o, g->code ? g->code[i] : 0x90, 1);
	if (g->syms)
		l.sym = put_symbols(&o, g->syms, g->nsyms, NULL, NULL);
	align(&o, 4);
	l.notes = o.n;
	put_bytes(&o, g->notes, g->nnotes);
	if (!g->no_sections)
		shoff = put_sections(&o, g, &l, &shnum);
	*size = o.n;
	o.n = 0;
	put_headers(&o, g, &l, ncode, shoff, shnum);
	return o.buf;
}

bool elfgen_file(const void *bytes, size_t size, char *path)
{
	const char *tmp = getenv("TMPDIR");
	ssize_t n;
	int fd;

	snprintf(path, 256, "%.200s/rawtrace-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return false;
	n = write(fd, bytes, size);
	close(fd);
	return n == (ssize_t)size;
}

struct rt_image *elfgen_open(const struct elfgen *g)
{
	struct rt_image *image = NULL;
	struct rt_error err;
	char path[256];
	size_t n;
	uint8_t *bytes = elfgen_build(g, &n);

	CU_ASSERT_TRUE_FATAL(bytes && elfgen_file(bytes, n, path));
	free(bytes);
	if (rt_image_open(path, "./x", &image, &err))
		printf("%s\n", err.text);
	unlink(path);
	CU_ASSERT_PTR_NOT_NULL_FATAL(image);
	return image;
}
