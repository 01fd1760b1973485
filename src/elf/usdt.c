/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Notes of USDT probes.  A note's name is "stapsdt", its type 3, its contents
 *
 *   pc, base, semaphore     4 bytes each in 32-bit files, else 8
 *   "provider\0name\0arguments\0"
 *
 * The section is in no segment: strip keeps it, and relocations of prelink do not reach it.  So
 * `base` is where .stapsdt.base was when the note was made: all addresses have moved as far as that
 * section has.
 */
#include "elf/usdt.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clean.h"
#include "base/glob.h"
#include "base/say.h"
#include "elf/file.h"

#define NOTE_NAME "stapsdt"

enum { NOTE_TYPE = 3, NOTE_HEAD = 12, NOTES_MAX = 64 << 20 };

struct reading {
	const struct rt_image *image;
	struct rt_usdt *usdt;
	uint64_t base;			/* address of .stapsdt.base; 0: there is none */
	size_t strings;			/* bytes in use */
};

static void note_damage(struct rt_usdt *usdt, const char *problem)
{
	if (!usdt->damaged++)
		usdt->problem = problem;
}

static uint64_t load_word(const uint8_t *p, unsigned size)
{
	uint64_t low = rt_arch_word(p);

	return size == 8 ? low | (uint64_t)rt_arch_word(p + 4) << 32 : low;
}

/* The offset of `size` bytes in a segment that is executable, or writable. */
static bool find_place(const struct rt_image *image, uint64_t addr, uint64_t size, bool write,
		       uint64_t *offset)
{
	const struct rt_segment *s;

	for (s = image->segments; s < image->segments + image->nsegments; s++) {
		if (!(write ? s->write : s->exec) || addr < s->vaddr ||
		    addr - s->vaddr >= s->filesz || s->filesz - (addr - s->vaddr) < size)
			continue;
		*offset = addr - s->vaddr + s->offset;
		return true;
	}
	return false;
}

static const char *copy_string(struct reading *r, const char *text, size_t n)
{
	char *copy = r->usdt->strings + r->strings;

	memcpy(copy, text, n + 1);
	r->strings += n + 1;
	return copy;
}

/* Three strings that end inside the `n` bytes at `text`. */
static bool split_strings(const char *text, size_t n, const char *strings[3], size_t lengths[3])
{
	const char *end = text + n, *nul;
	unsigned i;

	for (i = 0; i < 3; i++) {
		nul = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;
		/* Without arguments some writers leave out the last one. */
		if (!nul && !(i == 2 && text == end))
			return false;
		strings[i] = nul ? text : "";
		lengths[i] = nul ? (size_t)(nul - text) : 0;
		text = nul ? nul + 1 : end;
	}
	return lengths[0] && lengths[1];
}

/* By the image's word: an address of a 32-bit file has 32 bits. */
static uint64_t shift_address(const struct reading *r, uint64_t addr, uint64_t base)
{
	if (r->base && base)
		addr += r->base - base;
	return r->image->arch->word == 4 ? (uint32_t)addr : addr;
}

static const char *find_site(const struct reading *r, const uint8_t *desc,
			     struct rt_usdt_site *site)
{
	unsigned word = r->image->arch->word;
	uint64_t base = load_word(desc + word, word), semaphore = load_word(desc + 2 * word, word);

	site->address = shift_address(r, load_word(desc, word), base);
	if (!find_place(r->image, site->address, 1, false, &site->offset))
		return "the site is not in an executable segment";
	if (!semaphore)
		return NULL;
	site->semaphore_address = shift_address(r, semaphore, base);
	if (!find_place(r->image, site->semaphore_address, 2, true, &site->semaphore))
		return "the semaphore is not in a writable segment";
	return NULL;
}

static int take_note(struct reading *r, const uint8_t *desc, size_t n)
{
	size_t fixed = 3 * (size_t)r->image->arch->word, lengths[3];
	struct rt_usdt_site site = { 0 };
	struct rt_usdt *usdt = r->usdt;
	const char *strings[3], *why;

	if (n < fixed ||
	    !split_strings((const char *)desc + fixed, n - fixed, strings, lengths)) {
		note_damage(usdt, "a name or an argument has no end");
		return 0;
	}
	why = find_site(r, desc, &site);
	if (why) {
		note_damage(usdt, why);
		return 0;
	}
	if (RT_ROOM(&usdt->v, usdt->n, &usdt->cap))
		return -ENOMEM;
	site.provider = copy_string(r, strings[0], lengths[0]);
	site.name = copy_string(r, strings[1], lengths[1]);
	site.args = copy_string(r, strings[2], lengths[2]);
	rt_make_printable((char *)site.provider);
	rt_make_printable((char *)site.name);
	rt_make_printable((char *)site.args);
	usdt->v[usdt->n++] = site;
	return 0;
}

/* Notes are aligned to 4 bytes, in 64-bit files too. */
static int take_notes(struct reading *r, const uint8_t *p, size_t n)
{
	uint64_t name, desc, size;
	int ret;

	while (n >= NOTE_HEAD) {
		name = rt_arch_word(p);
		desc = rt_arch_word(p + 4);
		size = NOTE_HEAD + ((name + 3) & ~(uint64_t)3) + desc;
		if (size > n)
			break;
		if (name == sizeof(NOTE_NAME) && rt_arch_word(p + 8) == NOTE_TYPE &&
		    memcmp(p + NOTE_HEAD, NOTE_NAME, sizeof(NOTE_NAME)) == 0) {
			ret = take_note(r, p + (size - desc), (size_t)desc);
			if (ret < 0)
				return ret;
		}
		size = (size + 3) & ~(uint64_t)3;
		if (size > n)
			size = n;
		p += size;
		n -= (size_t)size;
	}
	if (n)
		note_damage(r->usdt, "a note reaches past the section's end");
	return 0;
}

/* The contents of a section of notes; NULL: they cannot be read, which is said. */
static const uint8_t *read_section(struct reading *r, const GElf_Shdr *shdr)
{
	Elf_Data *data = NULL;

	if (shdr->sh_size <= NOTES_MAX &&
	    rt_image_contains(r->image, shdr->sh_offset, shdr->sh_size))
		data = elf_getdata_rawchunk(r->image->elf, (int64_t)shdr->sh_offset,
					    (size_t)shdr->sh_size, ELF_T_BYTE);
	if (!data || !data->d_buf) {
		note_damage(r->usdt, "the section of notes cannot be read");
		return NULL;
	}
	return data->d_buf;
}

static int take_section(struct reading *r, const GElf_Shdr *shdr)
{
	const uint8_t *notes;
	char *more;

	if (!shdr->sh_size || shdr->sh_type == SHT_NOBITS)
		return 0;
	notes = read_section(r, shdr);
	if (!notes)
		return 0;
	if (r->usdt->strings) {
		note_damage(r->usdt, "there is a second section of notes");
		return 0;
	}
	/* The strings are a part of the section, plus a NUL for arguments that are left out. */
	more = malloc((size_t)shdr->sh_size * 2);
	if (!more)
		return -ENOMEM;
	r->usdt->strings = more;
	return take_notes(r, notes, (size_t)shdr->sh_size);
}

static int compare_sites(const void *pa, const void *pb)
{
	const struct rt_usdt_site *a = pa, *b = pb;
	int r = strcmp(a->provider, b->provider);

	if (r == 0)
		r = strcmp(a->name, b->name);
	return r ? r : a->address < b->address ? -1 : a->address > b->address;
}

/* Each section of that name, until `take` fails. */
static int each_section(struct reading *r, const char *wanted,
			int (*take)(struct reading *r, const GElf_Shdr *shdr))
{
	Elf *elf = r->image->elf;
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;
	size_t names;
	int ret = 0;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return 0;
	while (ret == 0 && (scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &shdr)) {
		name = elf_strptr(elf, names, shdr.sh_name);
		if (name && strcmp(name, wanted) == 0)
			ret = take(r, &shdr);
	}
	return ret;
}

static int take_base(struct reading *r, const GElf_Shdr *shdr)
{
	r->base = shdr->sh_addr;
	return 0;
}

int rt_image_usdt(const struct rt_image *image, struct rt_usdt *usdt, struct rt_error *err)
{
	struct reading r = { .image = image, .usdt = usdt };

	memset(usdt, 0, sizeof(*usdt));
	if (!image->has_sdt)
		return 0;
	each_section(&r, ".stapsdt.base", take_base);
	if (each_section(&r, ".note.stapsdt", take_section) < 0)
		return rt_nomem(err);
	if (usdt->n)
		qsort(usdt->v, usdt->n, sizeof(*usdt->v), compare_sites);
	return 0;
}

void rt_usdt_free(struct rt_usdt *usdt)
{
	free(usdt->v);
	free(usdt->strings);
	memset(usdt, 0, sizeof(*usdt));
}

const struct rt_usdt *rt_image_usdt_sites(struct rt_image *image)
{
	if (!image->usdt) {
		image->usdt = calloc(1, sizeof(*image->usdt));
		if (image->usdt && rt_image_usdt(image, image->usdt, NULL) < 0) {
			rt_usdt_free(image->usdt);
			free(image->usdt);
			image->usdt = NULL;
		}
		if (image->usdt && image->usdt->damaged)
			rt_say("%s: %zu damaged note%s of USDT probes skipped: %s",
			       rt_image_name(image), image->usdt->damaged,
			       image->usdt->damaged == 1 ? "" : "s", image->usdt->problem);
	}
	return image->usdt;
}

bool rt_usdt_fits(const struct rt_usdt_site *site, const char *provider, const char *name)
{
	return rt_glob_match(provider, site->provider) && rt_glob_match(name, site->name);
}

bool rt_usdt_is_same(const struct rt_usdt_site *a, const struct rt_usdt_site *b)
{
	return strcmp(a->provider, b->provider) == 0 && strcmp(a->name, b->name) == 0;
}

/* ---- symbols of operands ---- */

/* The address less that of the site, at which the instruction pointer is. */
static bool use_ip(const struct rt_image *image, const struct rt_usdt_site *site,
		   struct rt_operand *operand, uint64_t addr)
{
	if (operand->base) {
		/* Code with a symbol's address in its instructions is not moved. */
		operand->displacement = (int64_t)addr;
		return !rt_image_is_relocatable(image);
	}
	operand->base = &image->arch->ip;
	operand->width = image->arch->word;
	operand->displacement = (int64_t)(addr - site->address);
	return true;
}

static bool put_address(const struct rt_image *image, const struct rt_usdt_site *site,
			struct rt_operand *operand, uint64_t addr)
{
	switch (operand->symbol_kind) {
	case RT_OPERAND_LOW12:
		operand->displacement = (int64_t)(addr & 0xfff);
		return true;
	case RT_OPERAND_FROM_GOT:
		operand->displacement = (int64_t)(addr - image->dynamic.pltgot);
		return image->dynamic.pltgot;
	default:
		return use_ip(image, site, operand, addr);
	}
}

void rt_usdt_resolve(struct rt_image *image, const struct rt_usdt_site *site,
		     struct rt_operand *operand)
{
	uint64_t addr;
	int r;

	if (operand->kind != RT_OPERAND_MEMORY || operand->symbol_kind == RT_OPERAND_NO_SYMBOL)
		return;
	r = rt_image_find_symbol(image, operand->symbol, operand->symbol_length, &addr);
	if (r < 0)
		rt_operand_refuse(operand, r == -ENOTUNIQ ? "several symbols have that name"
							  : "the file does not have that symbol");
	else if (!put_address(image, site, operand, addr + (uint64_t)operand->displacement))
		rt_operand_refuse(operand, "it is not understood");
	operand->symbol_kind = RT_OPERAND_NO_SYMBOL;
	rt_operand_check(operand);
}
