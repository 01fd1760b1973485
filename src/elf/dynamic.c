/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>

#include "elf/file.h"
#include "base/array.h"
#include "base/clean.h"

static void take_tag(struct rt_dynamic *d, const GElf_Dyn *dyn)
{
	switch (dyn->d_tag) {
	case DT_SYMTAB: d->symtab = dyn->d_un.d_ptr; break;
	case DT_SYMENT: d->syment = dyn->d_un.d_val; break;
	case DT_STRTAB: d->strtab = dyn->d_un.d_ptr; break;
	case DT_STRSZ: d->strsz = dyn->d_un.d_val; break;
	case DT_HASH: d->hash = dyn->d_un.d_ptr; break;
	case DT_GNU_HASH: d->gnu_hash = dyn->d_un.d_ptr; break;
	case DT_RELA: d->rela = dyn->d_un.d_ptr; break;
	case DT_RELASZ: d->relasz = dyn->d_un.d_val; break;
	case DT_REL: d->rel = dyn->d_un.d_ptr; break;
	case DT_RELSZ: d->relsz = dyn->d_un.d_val; break;
	case DT_JMPREL: d->jmprel = dyn->d_un.d_ptr; break;
	case DT_PLTRELSZ: d->pltrelsz = dyn->d_un.d_val; break;
	case DT_VERSYM: d->versym = dyn->d_un.d_ptr; break;
	case DT_VERDEF: d->verdef = dyn->d_un.d_ptr; break;
	case DT_VERNEED: d->verneed = dyn->d_un.d_ptr; break;
	case DT_PLTGOT: d->pltgot = dyn->d_un.d_ptr; break;
	case DT_PLTREL: d->plt_is_rela = dyn->d_un.d_val == DT_RELA; break;
	case DT_FLAGS_1: d->no_default_folders = dyn->d_un.d_val & DF_1_NODEFLIB; break;
	default: break;
	}
}

/* A string of the dynamic string table, or NULL where it is not one. */
static const char *string(const Elf_Data *strings, uint64_t at)
{
	const char *s;

	if (!strings || at >= strings->d_size)
		return NULL;
	s = (const char *)strings->d_buf + at;
	return memchr(s, '\0', strings->d_size - at) ? s : NULL;
}

static Elf_Data *dynamic_strings(struct rt_image *image)
{
	uint64_t offset, size = image->dynamic.strsz;

	if (size == 0 || rt_image_offset(image, image->dynamic.strtab, &offset) ||
	    !rt_image_contains(image, offset, size))
		return NULL;
	return elf_getdata_rawchunk(image->elf, (int64_t)offset, size, ELF_T_BYTE);
}

const char *rt_image_dynamic_string(struct rt_image *image, uint64_t at)
{
	return string(dynamic_strings(image), at);
}

static int take_needed(struct rt_image *image, const char *name, struct rt_error *err)
{
	if (RT_ROOM(&image->needed.v, image->needed.n, &image->needed.cap))
		return rt_nomem(err);
	image->needed.v[image->needed.n++] = name;
	return 0;
}

static int take_soname(struct rt_image *image, const char *name, struct rt_error *err)
{
	if (image->soname)
		return 0;
	image->soname = strdup(name);
	if (!image->soname)
		return rt_nomem(err);
	rt_make_printable(image->soname);
	return 0;
}

/* Take a tag with a string. */
static int take_string(struct rt_image *image, const GElf_Dyn *dyn, const Elf_Data *strings,
		       struct rt_error *err)
{
	struct rt_dynamic *d = &image->dynamic;
	const char *s = string(strings, dyn->d_un.d_val);
	bool named = dyn->d_tag == DT_NEEDED || dyn->d_tag == DT_SONAME;

	if (named && !s)
		return rt_image_damaged(image, "a library's name lies outside the string table",
					err);
	if (!s || !*s)
		return 0;
	switch (dyn->d_tag) {
	case DT_NEEDED:
	case DT_FILTER:
	case DT_AUXILIARY:
		return take_needed(image, s, err);
	case DT_SONAME: return take_soname(image, s, err);
	case DT_RPATH: d->rpath = s; break;
	case DT_RUNPATH: d->runpath = s; break;
	case DT_AUDIT: d->audit = s; break;
	case DT_DEPAUDIT: d->depaudit = s; break;
	default: break;
	}
	return 0;
}

int rt_image_read_dynamic(struct rt_image *image, uint64_t offset, uint64_t size,
			  struct rt_error *err)
{
	Elf_Data *data, *strings;
	int i, ret = 0;
	GElf_Dyn dyn;

	if (!rt_image_contains(image, offset, size))
		return rt_image_damaged(image, "the dynamic section reaches past its end", err);
	data = elf_getdata_rawchunk(image->elf, (int64_t)offset, size, ELF_T_DYN);
	if (!data)
		return rt_image_damaged(image, "the dynamic section cannot be read", err);
	for (i = 0; gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		take_tag(&image->dynamic, &dyn);
	strings = dynamic_strings(image);
	for (i = 0; ret == 0 && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		ret = take_string(image, &dyn, strings, err);
	return ret;
}

static bool word_at(const struct rt_image *image, uint64_t addr, uint32_t *word)
{
	return rt_image_read(image, addr, word, sizeof(*word)) == sizeof(*word);
}

/*
 * The number of symbols by DT_GNU_HASH: it ends with the longest chain's end.  It leaves out what
 * is only imported.
 */
static uint64_t gnu_hash_count(const struct rt_image *image)
{
	uint64_t at = image->dynamic.gnu_hash, chains, last = 0;
	uint32_t nbuckets, first, nbloom, word, i;

	if (!at || !word_at(image, at, &nbuckets) || !word_at(image, at + 4, &first) ||
	    !word_at(image, at + 8, &nbloom))
		return 0;
	at += 16 + (uint64_t)nbloom * image->arch->word;
	chains = at + 4 * (uint64_t)nbuckets;
	for (i = 0; i < nbuckets; i++) {
		if (!word_at(image, at + 4 * (uint64_t)i, &word))
			return 0;
		if (word > last)
			last = word;
	}
	if (last < first)
		return 0;
	do
		if (!word_at(image, chains + 4 * (last++ - first), &word))
			return 0;
	while (!(word & 1));
	return last;
}

/* One more than the highest symbol that relocations use: what is imported is used by one. */
static uint64_t relocation_count(const struct rt_image *image, uint64_t addr, uint64_t size,
				 bool rela)
{
	uint64_t offset, count = 0, symbol;
	Elf_Data *data;
	GElf_Rela ra;
	GElf_Rel r;
	int i;

	if (!addr || !size || rt_image_offset(image, addr, &offset) ||
	    !rt_image_contains(image, offset, size))
		return 0;
	data = elf_getdata_rawchunk(image->elf, (int64_t)offset, size,
				    rela ? ELF_T_RELA : ELF_T_REL);
	for (i = 0; data && (rela ? !!gelf_getrela(data, i, &ra) : !!gelf_getrel(data, i, &r));
	     i++) {
		symbol = GELF_R_SYM(rela ? ra.r_info : r.r_info);
		if (symbol >= count)
			count = symbol + 1;
	}
	return count;
}

static uint64_t symbol_count(const struct rt_image *image)
{
	const struct rt_dynamic *d = &image->dynamic;
	uint64_t count, v[4];
	uint32_t nchain;
	size_t i;

	if (d->hash && word_at(image, d->hash + 4, &nchain))
		return nchain;
	v[0] = gnu_hash_count(image);
	v[1] = relocation_count(image, d->rela, d->relasz, true);
	v[2] = relocation_count(image, d->rel, d->relsz, false);
	v[3] = relocation_count(image, d->jmprel, d->pltrelsz, d->plt_is_rela);
	for (count = 0, i = 0; i < RT_COUNT(v); i++)
		if (v[i] > count)
			count = v[i];
	return count;
}

void rt_image_dynamic_symbols(struct rt_image *image)
{
	size_t entsize = gelf_fsize(image->elf, ELF_T_SYM, 1, EV_CURRENT);
	struct rt_table *t = &image->dynsym;
	uint64_t offset, str_offset, count;

	if (!image->dynamic.symtab || image->dynamic.syment != entsize ||
	    rt_image_offset(image, image->dynamic.symtab, &offset) ||
	    rt_image_offset(image, image->dynamic.strtab, &str_offset) ||
	    !rt_image_contains(image, str_offset, image->dynamic.strsz))
		return;
	count = symbol_count(image);
	if (count > (image->size - offset) / entsize)
		count = (image->size - offset) / entsize;
	t->present = count > 0;
	t->guessed = true;
	t->offset = offset;
	t->size = count * entsize;
	t->entsize = entsize;
	t->str_offset = str_offset;
	t->str_size = image->dynamic.strsz;
}
