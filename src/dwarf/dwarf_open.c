/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dwarf/dwarf_private.h"

#define RT_COMPRESS_ZSTD 2		/* ELFCOMPRESS_ZSTD */

enum {
	MAPPED_MAX = 32 << 20,		/* of .debug_info at a time */
	UNPACKED_MAX = 1 << 30,		/* libdw unpacks all of it into memory */
};

struct sizes {
	bool info;			/* there is any */
	bool zstd;			/* some of it is compressed by that */
	uint64_t unpacked;		/* bytes of compressed sections once they are not */
	uint64_t end;			/* of the last section, in the file */
};

/*
 * The size that a compressed section's head tells: that of ELF (Elf64_Chdr), or of GNU ("ZLIB" and
 * 8 bytes, big-endian).
 */
uint64_t rt_dwarf_unpacked_size(Elf *elf, const GElf_Shdr *shdr, bool is64)
{
	const Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)shdr->sh_offset, 16, ELF_T_BYTE);
	const unsigned char *p;
	uint64_t size = 0;
	uint32_t size32;
	int i;

	if (!data || data->d_size < 16)
		return 0;
	p = data->d_buf;
	if (shdr->sh_flags & RT_SHF_COMPRESSED) {
		memcpy(&size, p + 8, 8);
		memcpy(&size32, p + 4, 4);
		return is64 ? size : size32;
	}
	for (i = 4; i < 12; i++)
		size = size << 8 | p[i];
	return size;
}

/*
 * The word that a compressed section begins with: by what.  Files of the other byte order are not
 * traced.
 */
static uint32_t compression(Elf *elf, const GElf_Shdr *shdr)
{
	const Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)shdr->sh_offset, sizeof(uint32_t),
						    ELF_T_BYTE);
	uint32_t kind = 0;

	if (data && data->d_size >= sizeof(kind))
		memcpy(&kind, data->d_buf, sizeof(kind));
	return kind;
}

Elf_Scn *rt_dwarf_next_section(Elf *elf, Elf_Scn *scn, GElf_Shdr *shdr, const char **name)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		*name = gelf_getshdr(scn, shdr) ? elf_strptr(elf, names, shdr->sh_name) : NULL;
		if (*name)
			break;
	}
	return scn;
}

static void measure(Elf *elf, bool is64, struct sizes *sizes)
{
	Elf_Scn *scn = NULL;
	const char *name;
	GElf_Shdr shdr;
	bool old;

	while ((scn = rt_dwarf_next_section(elf, scn, &shdr, &name))) {
		if (shdr.sh_type == SHT_NOBITS ||
		    (strncmp(name, ".debug_", 7) != 0 && strncmp(name, ".zdebug_", 8) != 0))
			continue;
		old = name[1] == 'z';
		if (strcmp(name + 7 + old, "info") == 0)
			sizes->info = true;
		if (old || (shdr.sh_flags & RT_SHF_COMPRESSED))
			sizes->unpacked += rt_dwarf_unpacked_size(elf, &shdr, is64);
		sizes->zstd |= !old && (shdr.sh_flags & RT_SHF_COMPRESSED) &&
			       compression(elf, &shdr) == RT_COMPRESS_ZSTD;
		if (shdr.sh_offset + shdr.sh_size > sizes->end)
			sizes->end = shdr.sh_offset + shdr.sh_size;
		if (sizes->unpacked > UNPACKED_MAX)
			return;
	}
}

/* Find sections in memory: libdw has .debug_info from the same handle. */
static void find_sections(struct rt_dwarf *dwarf)
{
	struct rt_section section;
	Elf_Scn *scn = NULL;
	const Elf_Data *data;
	const char *name;
	GElf_Shdr shdr;

	while ((scn = rt_dwarf_next_section(dwarf->elf, scn, &shdr, &name))) {
		if (strncmp(name, ".debug_", 7) != 0 && strcmp(name, ".gdb_index") != 0 &&
		    strcmp(name, ".gnu_debugaltlink") != 0)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			continue;
		if (name[2] == 'n' && memchr(data->d_buf, '\0', data->d_size))
			dwarf->shared = (struct rt_section){ data->d_buf, data->d_size };
		section = (struct rt_section){ data->d_buf, shdr.sh_flags & RT_SHF_COMPRESSED
								    ? 0
								    : data->d_size };
		if (strcmp(name, ".debug_info") == 0) {
			dwarf->section = data->d_buf;
			dwarf->section_end = dwarf->section + data->d_size;
		} else if (strcmp(name, ".gdb_index") == 0) {
			dwarf->gdb_index = section;
		} else if (strcmp(name, ".debug_names") == 0) {
			dwarf->debug_names = section;
		} else if (strcmp(name, ".debug_str") == 0) {
			dwarf->strings = section;
		}
	}
}

static void advise(struct rt_dwarf *dwarf, int advice)
{
	size_t size;
	char *base = elf_rawfile(dwarf->elf, &size);

	if (base && (uintptr_t)base % (uintptr_t)sysconf(_SC_PAGESIZE) == 0)
		madvise(base, size, advice);
}

void rt_dwarf_forget(struct rt_dwarf *dwarf, Dwarf_Off at)
{
	if (at > dwarf->forgotten && at - dwarf->forgotten < MAPPED_MAX)
		return;
	dwarf->forgotten = at;
	/*
	 * Nobody writes to the mapping, so nothing of it can be lost.  It stays in the page cache.
	 */
	advise(dwarf, MADV_DONTNEED);
	if (dwarf->unpacked)
		madvise(dwarf->unpacked, dwarf->unpacked_size, MADV_DONTNEED);
}

/*
 * libdw reads the heads of all units up to the one that is asked for.  With large pages in the page
 * cache that maps all of the file, so read them step by step, and unmap each.
 */
static void read_heads(struct rt_dwarf *dwarf)
{
	Dwarf_Off at = 0, next;
	Dwarf_Die unit;
	size_t head;

	while (dwarf_nextcu(dwarf->dbg, at, &next, &head, NULL, NULL, NULL) == 0 && next > at) {
		dwarf_offdie(dwarf->dbg, at + head, &unit);
		rt_dwarf_forget(dwarf, at);
		at = next;
	}
}

static int open_file(struct rt_dwarf *dwarf, struct rt_error *err)
{
	struct rt_image *image = dwarf->image;
	struct sizes sizes = { .info = false };
	bool is64 = image->arch->word == 8;
	uint64_t size = image->size;
	int fd = image->fd;

	measure(image->elf, is64, &sizes);
	if (!sizes.info && rt_image_debug_elf(image)) {
		measure(rt_image_debug_elf(image), is64, &sizes);
		size = image->debug.size;
		fd = rt_image_debug_fd(image);
	}
	if (!sizes.info)
		return rt_fail(err, -ENOENT, "%s: no debug information", rt_image_name(image));
	if (sizes.unpacked > UNPACKED_MAX)
		return rt_fail(err, -EFBIG,
			       "%s: debug information not read: uncompressed it takes %llu MB",
			       rt_image_name(image), (unsigned long long)(sizes.unpacked >> 20));
	/*
	 * Mapped, as only so the parts of a large file that are not asked for cost nothing.  And
	 * libdw looks for the ends of strings past those of their sections: in a mapping zeros
	 * follow, unless the file ends where a page does.
	 */
	if (sizes.end >= size && size % (uint64_t)sysconf(_SC_PAGESIZE) == 0)
		return rt_image_damaged(
			image, "its debug information is not followed by section headers", err);
	/*
	 * Probes are put into every private mapping of the file that is not writable, this one and
	 * its copy in the child that is held before exec too, and the first tells the kernel what
	 * the instructions mean: of a 32-bit program it would take them for 64-bit ones.
	 */
	dwarf->elf = elf_begin(fd, is64 ? ELF_C_READ_MMAP : ELF_C_READ_MMAP_PRIVATE, NULL);
	/*
	 * Private and writable, the mapping would lose what libelf notes of it in section headers.
	 */
	if (dwarf->elf && is64 && sizes.unpacked)
		rt_dwarf_unpack(dwarf, fd, size);
	if (dwarf->elf)
		dwarf->dbg = dwarf_begin_elf(dwarf->elf, DWARF_C_READ, NULL);
	if (!dwarf->dbg)
		return rt_fail(err, -EBADMSG, "%s: its debug information cannot be read: %s",
			       rt_image_name(image),
			       sizes.zstd   ? "it is compressed by zstd, which needs elfutils 0.189"
			       : dwarf->elf ? dwarf_errmsg(-1)
					    : elf_errmsg(-1));
	find_sections(dwarf);
	if (dwarf->shared.p)
		rt_dwarf_share(dwarf);
	if (dwarf->section_end - dwarf->section > MAPPED_MAX)
		read_heads(dwarf);
	return 0;
}

int rt_dwarf_open(struct rt_image *image, struct rt_dwarf **dwarf, struct rt_error *err)
{
	struct rt_dwarf *d = image->dwarf;

	*dwarf = NULL;
	if (!d) {
		d = calloc(1, sizeof(*d));
		if (!d)
			return rt_nomem(err);
		d->image = image;
		image->dwarf = d;
		image->close_dwarf = rt_dwarf_close;
		d->code = open_file(d, &d->error);
	}
	*dwarf = d;
	if (d->code && err)
		*err = d->error;
	return d->code;
}

const char *rt_dwarf_unpacked(const struct rt_image *image, bool *now)
{
	const struct rt_dwarf *d = image->dwarf;

	*now = d && d->unpacked_now;
	return d ? d->unpacked_path : NULL;
}

bool rt_dwarf_trouble(struct rt_image *image, struct rt_error *err)
{
	const struct rt_dwarf *d = image->dwarf;

	if (!d || (!d->code && !d->not_found && !d->no_shared) || d->code == -ENOENT ||
	    d->code == -ENOMEM)
		return false;
	if (d->code)
		*err = d->error;
	else if (d->no_shared)
		rt_fail(err, -ENOENT, "%s: types missing: libdw does not find '%.400s'",
			rt_image_name(image), d->shared.p ? (const char *)d->shared.p : "(dwz)");
	else
		rt_fail(err, -ENOENT,
			"%s: types missing: libdw does not find '%s' (.dwp files need elfutils "
			"0.191)",
			rt_image_name(image), d->not_found);
	return true;
}

void rt_dwarf_close(struct rt_dwarf *dwarf)
{
	if (!dwarf)
		return;
	rt_dwarf_units_free(dwarf);
	free(dwarf->ranges);
	free(dwarf->names.v);
	free(dwarf->names.seen);
	if (dwarf->dbg)
		dwarf_end(dwarf->dbg);
	if (dwarf->shared_dbg) {
		dwarf_end(dwarf->shared_dbg);
		close(dwarf->shared_fd);
	}
	elf_end(dwarf->elf);
	if (dwarf->unpacked)
		munmap(dwarf->unpacked, dwarf->unpacked_size);
	free(dwarf->unpacked_path);
	free(dwarf);
}

/* ---- what an entry says ---- */

enum { CHAIN_MAX = 16, STRING_MAX = 4096 };

bool rt_die_child(Dwarf_Die *die, Dwarf_Die *child)
{
	return dwarf_child(die, child) == 0 && (const char *)child->addr > (const char *)die->addr;
}

bool rt_die_next(Dwarf_Die *die)
{
	const char *from = die->addr;
	Dwarf_Die next;

	if (dwarf_siblingof(die, &next) != 0 || (const char *)next.addr <= from)
		return false;
	*die = next;
	return true;
}

bool rt_die_ref(Dwarf_Die *die, unsigned name, Dwarf_Die *to)
{
	Dwarf_Attribute attr;

	return dwarf_attr(die, name, &attr) && dwarf_formref_die(&attr, to);
}

bool rt_die_origin(Dwarf_Die *die, Dwarf_Die *to)
{
	return rt_die_ref(die, DW_AT_abstract_origin, to) ||
	       rt_die_ref(die, DW_AT_specification, to);
}

/* Not dwarf_attr_integrate, which before elfutils 0.170 never comes back from a circle. */
Dwarf_Attribute *rt_die_attr(Dwarf_Die *die, unsigned name, Dwarf_Attribute *attr)
{
	Dwarf_Die at = *die, to;
	int i;

	for (i = 0; i < CHAIN_MAX; i++) {
		if (dwarf_attr(&at, name, attr))
			return attr;
		if (!rt_die_origin(&at, &to))
			return NULL;
		at = to;
	}
	return NULL;
}

bool rt_die_type(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;

	if (!rt_die_attr(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, type))
		return false;
	/* GCC's stand-in for a type that has a unit of its own (-fdebug-types-section). */
	if (dwarf_attr(type, DW_AT_signature, &attr))
		dwarf_formref_die(&attr, type);
	return true;
}

/* libdw does not look for the end of a string that is in .debug_info itself. */
static const char *checked(const struct rt_dwarf *dwarf, const Dwarf_Attribute *attr, const char *s)
{
	size_t most = STRING_MAX;

	if (!s)
		return NULL;
	if (attr->form == DW_FORM_string && s >= dwarf->section && s < dwarf->section_end) {
		if ((size_t)(dwarf->section_end - s) < most)
			most = (size_t)(dwarf->section_end - s);
		return memchr(s, '\0', most) ? s : NULL;
	}
	return *s ? s : NULL;
}

const char *rt_die_string(struct rt_dwarf *dwarf, Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	const char *s;

	if (!rt_die_attr(die, name, &attr))
		return NULL;
	s = checked(dwarf, &attr, dwarf_formstring(&attr));
	return s && *s ? s : NULL;
}

const char *rt_die_name(struct rt_dwarf *dwarf, Dwarf_Die *die)
{
	return rt_die_string(dwarf, die, DW_AT_name);
}

bool rt_die_unsigned(Dwarf_Die *die, unsigned name, uint64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Word word;

	if (!rt_die_attr(die, name, &attr) || dwarf_formudata(&attr, &word) != 0)
		return false;
	*value = word;
	return true;
}

bool rt_die_signed(Dwarf_Die *die, unsigned name, int64_t *value)
{
	Dwarf_Attribute attr;
	Dwarf_Sword word;

	if (!rt_die_attr(die, name, &attr) || dwarf_formsdata(&attr, &word) != 0)
		return false;
	*value = word;
	return true;
}

bool rt_die_flag(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute attr;
	bool flag;

	return rt_die_attr(die, name, &attr) && dwarf_formflag(&attr, &flag) == 0 && flag;
}

unsigned rt_die_language(Dwarf_Die *die)
{
	Dwarf_Die unit;
	int language;

	if (!dwarf_diecu(die, &unit, NULL, NULL))
		return 0;
	language = dwarf_srclang(&unit);
	return language > 0 ? (unsigned)language : 0;
}

uint64_t rt_die_unit_size(struct rt_dwarf *dwarf, Dwarf_Die *die)
{
	Dwarf_Off from = dwarf_dieoffset(die) - dwarf_cuoffset(die), next;
	size_t head;

	if (dwarf_nextcu(dwarf->dbg, from, &next, &head, NULL, NULL, NULL) != 0 || next <= from)
		return 0;
	return next - from;
}

bool rt_language_is_cxx(unsigned language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case 0x1a:	/* C++11, C++14 and later ones, newer than old headers */
	case 0x21:
	case 0x2b:
	case 0x3a:
		return true;
	default:
		return false;
	}
}

bool rt_language_is_c(unsigned language)
{
	return language == DW_LANG_C89 || language == DW_LANG_C || language == DW_LANG_C99 ||
	       language == 0x1d || language == 0x2c;
}
