/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "base/array.h"
#include "base/search.h"

static void find_table(struct rt_image *image, const GElf_Shdr *shdr, struct rt_table *table)
{
	Elf_Scn *scn = elf_getscn(image->elf, shdr->sh_link);
	GElf_Shdr strings;

	if (table->present)
		return;
	if (!scn || !gelf_getshdr(scn, &strings) || strings.sh_type != SHT_STRTAB) {
		image->sections_damage = "a symbol table has no strings";
		return;
	}
	table->present = true;
	table->offset = shdr->sh_offset;
	table->size = shdr->sh_size;
	table->entsize = shdr->sh_entsize;
	table->str_offset = strings.sh_offset;
	table->str_size = strings.sh_size;
}

static void find_stubs(struct rt_image *image, const char *name, const GElf_Shdr *shdr)
{
	if ((strcmp(name, ".plt") != 0 && strncmp(name, ".plt.", 5) != 0 &&
	     strcmp(name, ".iplt") != 0) ||
	    image->nstubs == RT_STUB_SECTIONS || !shdr->sh_size ||
	    shdr->sh_addr + shdr->sh_size < shdr->sh_addr)
		return;
	image->stubs[image->nstubs++] = (struct rt_range){ .addr = shdr->sh_addr,
							   .size = shdr->sh_size };
}

/*
 * From the first section of code to the last one: older linkers have data in the segments of code,
 * before and behind.
 */
static void find_code(struct rt_image *image, const GElf_Shdr *shdr)
{
	struct rt_range *code = &image->code;
	uint64_t end = code->addr + code->size, last = shdr->sh_addr + shdr->sh_size;

	if (!(shdr->sh_flags & SHF_EXECINSTR) || !shdr->sh_addr || !shdr->sh_size ||
	    last < shdr->sh_addr)
		return;
	if (!code->size || shdr->sh_addr < code->addr)
		code->addr = shdr->sh_addr;
	code->size = (last > end ? last : end) - code->addr;
}

/*
 * Note the addresses of the sections in memory.  Out of memory, functions without a size are
 * longer.
 */
static void find_start(struct rt_image *image, const GElf_Shdr *shdr)
{
	if (!(shdr->sh_flags & SHF_ALLOC) || !shdr->sh_size)
		return;
	if (RT_ROOM(&image->starts, image->nstarts, &image->starts_cap) < 0)
		return;
	image->starts[image->nstarts++] = shdr->sh_addr;
}

static int compare_starts(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void find_mark(struct rt_image *image, const char *name, const GElf_Shdr *shdr)
{
	const struct rt_range range = { .addr = shdr->sh_addr,
					.size = shdr->sh_type == SHT_NOBITS ? 0 : shdr->sh_size };

	/* In a position-independent program it is .data.rel.ro.gopclntab, up to Go 1.25. */
	if (strstr(name, "gopclntab"))
		image->gopclntab = range;
	else if (strcmp(name, ".go.buildinfo") == 0)
		image->gobuildinfo = range;
	else if (strcmp(name, ".go.module") == 0)
		image->gomodule = range;
	else if (strcmp(name, ".data.rel.ro") == 0)
		image->relro = range;
	else if (strcmp(name, ".eh_frame") == 0)
		image->eh_frame = range;
	else if (strcmp(name, "__patchable_function_entries") == 0)
		image->patchable = range;
	else if (strcmp(name, ".rela.plt") == 0 || strcmp(name, ".rel.plt") == 0)
		image->plt_relocations = range;
	if (image->gopclntab.size || image->gobuildinfo.size)
		image->is_go = true;
	if (strcmp(name, ".gcc_except_table") == 0)
		image->has_except_table = true;
	if (strcmp(name, ".note.stapsdt") == 0)
		image->has_sdt = true;
}

bool rt_elf_symtab(Elf *elf, struct rt_table *table)
{
	GElf_Shdr shdr, strings;
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB)
			continue;
		scn = elf_getscn(elf, shdr.sh_link);
		if (!scn || !gelf_getshdr(scn, &strings) || strings.sh_type != SHT_STRTAB)
			return false;
		*table = (struct rt_table){
			.present = true,
			.guessed = true,
			.offset = shdr.sh_offset,
			.size = shdr.sh_size,
			.entsize = shdr.sh_entsize,
			.str_offset = strings.sh_offset,
			.str_size = strings.sh_size,
		};
		return true;
	}
	return false;
}

/*
 * A program runs without section headers, so their damage is only noted for whoever asks for
 * symbols.
 */
void rt_image_scan_sections(struct rt_image *image)
{
	Elf_Scn *scn = NULL;
	size_t names, n;
	const char *name;
	GElf_Shdr shdr;
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(image->elf, &ehdr) || ehdr.e_shoff == 0)
		return;
	if (elf_getshdrnum(image->elf, &n) < 0 || elf_getshdrstrndx(image->elf, &names) < 0 ||
	    n == 0 || !elf_getscn(image->elf, n - 1)) {
		image->sections_damage = "section headers reach past its end";
		return;
	}
	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr)) {
			image->sections_damage = "section headers reach past its end";
			return;
		}
		if (shdr.sh_type == SHT_SYMTAB)
			find_table(image, &shdr, &image->symtab);
		else if (shdr.sh_type == SHT_DYNSYM)
			find_table(image, &shdr, &image->dynsym);
		name = elf_strptr(image->elf, names, shdr.sh_name);
		if (!name)
			continue;
		find_mark(image, name, &shdr);
		find_code(image, &shdr);
		find_start(image, &shdr);
		find_stubs(image, name, &shdr);
	}
	if (image->nstarts)
		qsort(image->starts, image->nstarts, sizeof(*image->starts), compare_starts);
}

uint64_t rt_image_next_section(const struct rt_image *image, uint64_t addr)
{
	size_t i;

	RT_SEARCH(i, image->nstarts, image->starts[i] <= addr);
	return i < image->nstarts ? image->starts[i] : UINT64_MAX;
}

bool rt_image_is_stub(const struct rt_image *image, uint64_t addr)
{
	unsigned i;

	for (i = 0; i < image->nstubs; i++)
		if (addr - image->stubs[i].addr < image->stubs[i].size)
			return true;
	return false;
}
