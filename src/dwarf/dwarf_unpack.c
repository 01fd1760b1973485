/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dwarf/dwarf_private.h"
#include "elf/cache.h"

/*
 * Debug information in compressed sections (SHF_COMPRESSED).
 *
 * libdw unpacks such sections whole into memory.  The 124 MB of libjvm.so's .debug_info become
 * 258 MB, which takes 1.5 s and as much memory, for a single function too.  So the sections are
 * kept unpacked in a file (elf/cache.h), and later runs map that: they read only what they need.
 *
 * The file begins with a head that has its size and, for each section, the place in the debug file
 * and the last bytes there: with zlib the checksum of what it unpacks to.  A head that differs in a
 * byte from that of the debug file is not used, so there is nothing to parse.  The sections follow,
 * with a zero behind each: libdw looks for the ends of strings past the end of a section.  Their
 * contents are trusted as little as any debug information.
 *
 * Files without a build-id, and small ones, are unpacked into memory.
 */

enum {
	SECTIONS_MAX = 24,		/* DWARF has about 14 */
	KEPT_MIN = 64 << 20,		/* bytes once unpacked, which take 0.3 s */
	ALIGN = 16,			/* libdw wants that of .debug_aranges */
	WRITTEN_MAX = 1 << 30,		/* bytes a write() */
};

struct row {
	uint64_t offset, size;		/* in the debug file */
	uint64_t at, unpacked;		/* in this one */
	uint8_t last[8];		/* of the compressed bytes */
};

struct head {
	char magic[24];
	uint64_t size;			/* of this file */
	uint64_t n;
	struct row rows[SECTIONS_MAX];
};

static const char magic[] = "rawtrace unpacked 1";

/* At least one zero stands between. */
static uint64_t behind(uint64_t end)
{
	return end / ALIGN * ALIGN + ALIGN;
}

/* The next compressed section behind `scn`. */
static Elf_Scn *next_packed(Elf *elf, Elf_Scn *scn, GElf_Shdr *shdr)
{
	const char *name;

	while ((scn = rt_dwarf_next_section(elf, scn, shdr, &name)))
		if (strncmp(name, ".debug_", 7) == 0 && (shdr->sh_flags & RT_SHF_COMPRESSED))
			break;
	return scn;
}

static bool fill_head(Elf *elf, int fd, struct head *head)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	struct row *row;

	memset(head, 0, sizeof(*head));
	memcpy(head->magic, magic, sizeof(magic));
	head->size = behind(sizeof(*head));
	while ((scn = next_packed(elf, scn, &shdr))) {
		if (head->n == SECTIONS_MAX || shdr.sh_size < sizeof(row->last))
			return false;
		row = &head->rows[head->n++];
		row->offset = shdr.sh_offset;
		row->size = shdr.sh_size;
		row->unpacked = rt_dwarf_unpacked_size(elf, &shdr, true);
		row->at = head->size;
		if (row->unpacked > RT_CACHE_MAX ||
		    pread(fd, row->last, sizeof(row->last),
			  (off_t)(row->offset + row->size - sizeof(row->last))) !=
			    (ssize_t)sizeof(row->last))
			return false;
		head->size = behind(row->at + row->unpacked);
	}
	return head->size >= KEPT_MIN && head->size <= RT_CACHE_MAX;
}

/* ---- the file is written ---- */

static bool write_all(int fd, const void *data, uint64_t n, uint64_t at)
{
	const char *p = data;
	ssize_t done;

	while (n) {
		done = pwrite(fd, p, n < WRITTEN_MAX ? n : WRITTEN_MAX, (off_t)at);
		if (done <= 0)
			return false;
		p += done;
		at += (uint64_t)done;
		n -= (uint64_t)done;
	}
	return true;
}

/* By a handle for each section, as libelf frees what it has unpacked with the handle. */
static bool write_section(int fd, uint64_t i, const struct row *row, int to)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const Elf_Data *data;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	bool done = false;

	do {
		scn = next_packed(elf, scn, &shdr);
	} while (scn && i--);
	if (scn && elf_compress(scn, 0, 0) > 0) {
		data = elf_rawdata(scn, NULL);
		done = data && data->d_size == row->unpacked &&
		       write_all(to, data->d_buf, row->unpacked, row->at);
	}
	elf_end(elf);
	return done;
}

static bool write_file(int fd, const struct head *head, int to)
{
	uint64_t i;

	for (i = 0; i < head->n; i++)
		if (!write_section(fd, i, &head->rows[i], to))
			return false;
	return ftruncate(to, (off_t)head->size) == 0 && write_all(to, head, sizeof(*head), 0);
}

/* ---- the file is used ---- */

static bool map(struct rt_dwarf *dwarf, int fd, const struct head *head)
{
	void *p = mmap(NULL, head->size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED)
		return false;
	if (memcmp(p, head, sizeof(*head)) != 0) {
		munmap(p, head->size);
		return false;
	}
	dwarf->unpacked = p;
	dwarf->unpacked_size = head->size;
	return true;
}

/*
 * libdw takes a section from elf_getdata() or elf_rawdata(), and unpacks it if its flag says so.
 * Both return a struct of the section that does not change any more.
 */
static bool replace(struct rt_dwarf *dwarf, const struct head *head)
{
	const struct row *row = head->rows;
	Elf_Data *data[2];
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	unsigned i;

	for (; (scn = next_packed(dwarf->elf, scn, &shdr)); row++) {
		data[0] = elf_rawdata(scn, NULL);
		if (!data[0])
			return false;
		data[0]->d_type = ELF_T_BYTE;	/* else elf_getdata() copies it */
		data[1] = elf_getdata(scn, NULL);
		shdr.sh_flags &= ~(GElf_Xword)RT_SHF_COMPRESSED;
		shdr.sh_size = row->unpacked;
		if (!data[1] || !gelf_update_shdr(scn, &shdr))
			return false;
		for (i = 0; i < 2; i++) {
			data[i]->d_buf = (char *)dwarf->unpacked + row->at;
			data[i]->d_size = row->unpacked;
		}
	}
	return true;
}

static bool find_or_write(struct rt_dwarf *dwarf, int fd, uint64_t size, const struct head *head)
{
	char id[RT_BUILD_ID_TEXT], name[RT_BUILD_ID_TEXT + 24], path[PATH_MAX];
	int folder, file;

	rt_image_build_id(dwarf->image, id);
	folder = id[0] ? rt_cache_open(path) : -1;
	if (folder < 0)
		return false;
	/* A debug file and what was made of it (dwz) have the same build-id. */
	snprintf(name, sizeof(name), "%s-%llx", id, (unsigned long long)size);
	file = rt_cache_find(folder, name, head->size);
	if (file < 0 || !map(dwarf, file, head)) {
		if (file >= 0)
			close(file);
		file = rt_cache_begin(folder, head->size);
		if (file >= 0 &&
		    rt_cache_end(folder, file, name, write_file(fd, head, file)) == 0)
			dwarf->unpacked_now = map(dwarf, file, head);
	}
	if (file >= 0)
		close(file);
	close(folder);
	if (dwarf->unpacked && asprintf(&dwarf->unpacked_path, "%s/%s", path, name) < 0)
		dwarf->unpacked_path = NULL;
	return dwarf->unpacked;
}

void rt_dwarf_unpack(struct rt_dwarf *dwarf, int fd, uint64_t size)
{
	Elf_Scn *scn = NULL;
	struct head head;
	GElf_Shdr shdr;

	if (fill_head(dwarf->elf, fd, &head) && find_or_write(dwarf, fd, size, &head) &&
	    replace(dwarf, &head))
		return;
	/* One by one, so that the pages that they come from can be given back. */
	while ((scn = next_packed(dwarf->elf, scn, &shdr)))
		if (elf_compress(scn, 0, 0) > 0)
			rt_dwarf_forget(dwarf, 0);
}
