/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/image.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clean.h"
#include "elf/file.h"
#include "elf/usdt.h"

bool rt_image_contains(const struct rt_image *image, uint64_t offset, uint64_t size)
{
	return offset <= image->size && size <= image->size - offset;
}

/*
 * Open the file if it is a regular one.  Nothing else is opened at all: to open a device can have
 * effects.
 */
static int open_file(struct rt_image *image, const char *path, struct rt_error *err)
{
	struct stat st;

	if (stat(path, &st) < 0)
		goto fail;
	if (S_ISREG(st.st_mode)) {
		image->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (image->fd < 0 || fstat(image->fd, &st) < 0)
			goto fail;
	}
	if (S_ISDIR(st.st_mode))
		return rt_fail(err, -EISDIR, "%s: is a directory", image->name);
	if (!S_ISREG(st.st_mode))
		return rt_fail(err, -ENOEXEC, "%s: is not a regular file", image->name);
	image->size = (uint64_t)st.st_size;
	image->dev = st.st_dev;
	image->ino = st.st_ino;
	image->written = st.st_mtim;
	return 0;
fail:
	return rt_fail(err, -errno, "%s: %s", image->name, strerror(errno));
}

bool rt_image_is_file(const struct rt_image *image, const struct stat *st)
{
	return st->st_ino == image->ino && st->st_dev == image->dev;
}

const char *rt_image_change(const struct rt_image *image, bool by_path)
{
	struct stat st;

	if (fstat(image->fd, &st) == 0 &&
	    ((uint64_t)st.st_size != image->size || st.st_mtim.tv_sec != image->written.tv_sec ||
	     st.st_mtim.tv_nsec != image->written.tv_nsec))
		return "was written to";
	if (by_path && (stat(image->name, &st) < 0 || !rt_image_is_file(image, &st)))
		return "was replaced";
	return NULL;
}

static int add_segment(struct rt_image *image, const GElf_Phdr *phdr, struct rt_error *err)
{
	struct rt_segment *s;

	if (!rt_image_contains(image, phdr->p_offset, phdr->p_filesz))
		return rt_image_damaged(image, "a segment reaches past its end", err);
	if (phdr->p_memsz < phdr->p_filesz || phdr->p_vaddr + phdr->p_memsz < phdr->p_vaddr)
		return rt_image_damaged(image, "a segment's sizes do not fit together", err);
	if (RT_ROOM(&image->segments, image->nsegments, &image->segments_cap))
		return rt_nomem(err);
	s = &image->segments[image->nsegments++];
	s->vaddr = phdr->p_vaddr;
	s->offset = phdr->p_offset;
	s->filesz = phdr->p_filesz;
	s->memsz = phdr->p_memsz;
	s->exec = phdr->p_flags & PF_X;
	/* On x86 pages that are written are read too, but those that are executed need not be. */
	s->read = phdr->p_flags & (PF_R | PF_W);
	s->write = phdr->p_flags & PF_W;
	return 0;
}

static int read_interp(struct rt_image *image, const GElf_Phdr *phdr, struct rt_error *err)
{
	size_t n = phdr->p_filesz;

	if (image->interp)
		return 0;
	if (n < 2 || n > PATH_MAX || !rt_image_contains(image, phdr->p_offset, n))
		return rt_image_damaged(image, "the path of its loader does not fit", err);
	image->interp = calloc(1, n);
	if (!image->interp)
		return rt_nomem(err);
	if (pread(image->fd, image->interp, n, (off_t)phdr->p_offset) != (ssize_t)n ||
	    image->interp[n - 1])
		return rt_image_damaged(image, "the path of its loader is cut off", err);
	return 0;
}

/*
 * Go's own linker leaves a note called "Go" (its build id), which a file without section headers
 * still has.  It counts the bytes that fill the name up.
 */
static void read_notes(struct rt_image *image, const GElf_Phdr *phdr)
{
	Elf_Data *data;
	GElf_Nhdr note;
	size_t at = 0, name, desc;

	if (phdr->p_filesz == 0 || phdr->p_filesz > 65536 ||
	    !rt_image_contains(image, phdr->p_offset, phdr->p_filesz))
		return;
	data = elf_getdata_rawchunk(image->elf, (int64_t)phdr->p_offset, phdr->p_filesz,
				    ELF_T_NHDR);
	if (!data)
		return;
	while ((at = gelf_getnote(data, at, &note, &name, &desc)) > 0)
		if ((note.n_namesz == 3 || note.n_namesz == 4) &&
		    memcmp((const char *)data->d_buf + name, "Go\0", note.n_namesz) == 0)
			image->is_go = true;
}

static int read_segments(struct rt_image *image, GElf_Phdr *dynamic, struct rt_error *err)
{
	GElf_Phdr phdr;
	size_t i, n;
	int ret = 0;

	if (elf_getphdrnum(image->elf, &n) < 0)
		return rt_image_damaged(image, "program headers reach past its end", err);
	for (i = 0; i < n && ret == 0; i++) {
		if (!gelf_getphdr(image->elf, (int)i, &phdr))
			return rt_image_damaged(image, "program headers reach past its end", err);
		if (phdr.p_type == PT_LOAD)
			ret = add_segment(image, &phdr, err);
		else if (phdr.p_type == PT_INTERP)
			ret = read_interp(image, &phdr, err);
		else if (phdr.p_type == PT_NOTE)
			read_notes(image, &phdr);
		else if (phdr.p_type == PT_DYNAMIC)
			*dynamic = phdr;
	}
	if (ret == 0 && image->nsegments == 0)
		return rt_image_damaged(image, "it has no segment to load", err);
	return ret;
}

static int read_headers(struct rt_image *image, struct rt_error *err)
{
	GElf_Phdr dynamic = { .p_type = PT_NULL };
	size_t phentsize = image->arch->word == 8 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
	GElf_Ehdr ehdr;
	int ret;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return rt_fail(err, -ENOTSUP, "%s: cannot be read: libelf is too old", image->name);
	/* Read, not mapped: a file that shrinks while it is mapped kills the reader with SIGBUS. */
	image->elf = elf_begin(image->fd, ELF_C_READ, NULL);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF || !gelf_getehdr(image->elf, &ehdr))
		return rt_image_damaged(image, "its header does not hold together", err);
	if (ehdr.e_phnum && ehdr.e_phentsize != phentsize)
		return rt_image_damaged(image, "its program headers have an unknown size", err);
	if (ehdr.e_phnum && !rt_image_contains(image, ehdr.e_phoff, ehdr.e_phnum * phentsize))
		return rt_image_damaged(image, "program headers reach past its end", err);
	image->entry = ehdr.e_entry;
	ret = read_segments(image, &dynamic, err);
	if (ret)
		return ret;
	rt_image_scan_sections(image);
	if (dynamic.p_type == PT_DYNAMIC && dynamic.p_filesz)
		return rt_image_read_dynamic(image, dynamic.p_offset, dynamic.p_filesz, err);
	return 0;
}

int rt_image_open(const char *path, const char *name, struct rt_image **out, struct rt_error *err)
{
	struct rt_image *image = calloc(1, sizeof(*image));
	int ret;

	*out = NULL;
	if (!image)
		return rt_nomem(err);
	image->fd = -1;
	image->name = strdup(name ? name : path);
	image->shown = strdup(name ? name : path);
	image->windows = calloc(RT_FILE_WINDOWS, sizeof(*image->windows));
	if (!image->name || !image->shown || !image->windows) {
		ret = rt_nomem(err);
		goto fail;
	}
	rt_make_printable(image->shown);
	ret = open_file(image, path, err);
	if (ret)
		goto fail;
	ret = rt_image_identify(image, err);
	if (ret)
		goto fail;
	ret = read_headers(image, err);
	if (ret)
		goto fail;
	*out = image;
	return 0;
fail:
	rt_image_close(image);
	return ret;
}

int rt_image_open_library(const char *path, const char *name, struct rt_image **out,
			  struct rt_error *err)
{
	int ret = rt_image_open(path, name, out, err);
	const char *slash;

	if (ret)
		return ret;
	slash = strrchr((*out)->shown, '/');
	(*out)->short_name = (*out)->soname ? (*out)->soname : slash ? slash + 1 : (*out)->shown;
	return 0;
}

void rt_image_close(struct rt_image *image)
{
	size_t i;

	if (!image)
		return;
	if (image->close_dwarf)
		image->close_dwarf(image->dwarf);
	for (i = 0; i < image->nowned; i++)
		free(image->owned[i]);
	free(image->owned);
	if (image->free_go)
		image->free_go(image->go);
	if (image->usdt)
		rt_usdt_free(image->usdt);
	free(image->usdt);
	free(image->starts);
	free(image->symbols);
	free(image->unnamed);
	free(image->unnamed_names);
	free(image->described);
	free(image->imports.v);
	free(image->import_versions.v);
	free(image->versions.v);
	free(image->needed.v);
	free(image->segments);
	free(image->windows);
	free(image->interp);
	free(image->soname);
	free(image->name);
	free(image->shown);
	rt_debug_close(&image->debug);
	elf_end(image->elf);
	if (image->fd >= 0)
		close(image->fd);
	free(image);
}

const char *rt_image_name(const struct rt_image *image)
{
	return image->short_name ? image->short_name : image->shown;
}

bool rt_image_is_late(const struct rt_image *image)
{
	return image->late;
}

const char *rt_image_soname(const struct rt_image *image)
{
	return image->soname;
}

const char *rt_image_interp(const struct rt_image *image)
{
	return image->interp;
}

int rt_image_fd(const struct rt_image *image)
{
	return image->fd;
}

ino_t rt_image_ino(const struct rt_image *image)
{
	return image->ino;
}

bool rt_image_is_read_from(const struct rt_image *image, dev_t dev, ino_t ino)
{
	return (image->dev == dev && image->ino == ino) || rt_debug_is(&image->debug, dev, ino);
}

uint64_t rt_image_entry(const struct rt_image *image)
{
	return image->entry;
}

const struct rt_arch *rt_image_arch(const struct rt_image *image)
{
	return image->arch;
}

bool rt_image_is_go(const struct rt_image *image)
{
	return image->is_go;
}

bool rt_image_names_only_exports(const struct rt_image *image)
{
	return !image->symtab.present && !image->has_more && !image->is_go;
}

static const struct rt_segment *find_segment(const struct rt_image *image, uint64_t addr)
{
	const struct rt_segment *s;

	for (s = image->segments; s < image->segments + image->nsegments; s++)
		if (addr >= s->vaddr && addr - s->vaddr < s->filesz)
			return s;
	return NULL;
}

int rt_image_offset(const struct rt_image *image, uint64_t addr, uint64_t *offset)
{
	const struct rt_segment *s = find_segment(image, addr);

	if (!s)
		return -ENOENT;
	*offset = addr - s->vaddr + s->offset;
	return 0;
}

int rt_image_code_address(const struct rt_image *image, uint64_t offset, uint64_t *addr)
{
	const struct rt_segment *s;

	for (s = image->segments; s < image->segments + image->nsegments; s++) {
		if (!s->exec || offset < s->offset || offset - s->offset >= s->filesz)
			continue;
		*addr = offset - s->offset + s->vaddr;
		return 0;
	}
	return -ENOENT;
}

bool rt_image_is_relocatable(const struct rt_image *image)
{
	return image->type == ET_DYN;
}

bool rt_image_moved(const struct rt_image *image, uint64_t start, uint64_t pgoff, uint64_t *by)
{
	const struct rt_segment *s;

	for (s = image->segments; s < image->segments + image->nsegments; s++) {
		/* A mapping begins with a page, and the segment somewhere in it. */
		if (!s->exec || pgoff + RT_PAGE_MAX <= s->offset || pgoff >= s->offset + s->filesz)
			continue;
		*by = start - pgoff + s->offset - s->vaddr;
		return true;
	}
	return false;
}

bool rt_image_is_code(const struct rt_image *image, uint64_t addr)
{
	const struct rt_segment *s = find_segment(image, addr);

	return s && s->exec;
}

bool rt_image_can_access(const struct rt_image *image, uint64_t addr, size_t n, bool write)
{
	size_t i;

	for (i = 0; i < image->nsegments; i++) {
		const struct rt_segment *s = &image->segments[i];

		if (addr >= s->vaddr && addr - s->vaddr < s->memsz)
			return (write ? s->write : s->read) &&
			       n <= s->memsz - (addr - s->vaddr);
	}
	return false;
}

static size_t read_file(const struct rt_image *image, uint64_t offset, void *buf, size_t n)
{
	size_t done = 0;
	ssize_t got;

	while (done < n) {
		got = pread(image->fd, (char *)buf + done, n - done, (off_t)(offset + done));
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

/* The same within a page, which is read into its window if that has another one. */
static size_t read_window(const struct rt_image *image, uint64_t offset, void *buf, size_t n)
{
	struct rt_file_window *w =
		&image->windows[offset / RT_FILE_WINDOW % RT_FILE_WINDOWS];
	uint64_t start = offset - offset % RT_FILE_WINDOW;
	size_t at = (size_t)(offset - start);

	if (!w->n || w->offset != start) {
		w->n = read_file(image, start, w->bytes, RT_FILE_WINDOW);
		w->offset = start;
	}
	if (at >= w->n)
		return 0;
	if (n > w->n - at)
		n = w->n - at;
	memcpy(buf, w->bytes + at, n);
	return n;
}

size_t rt_image_read(const struct rt_image *image, uint64_t addr, void *buf, size_t n)
{
	const struct rt_segment *s = find_segment(image, addr);
	uint64_t offset;
	size_t first, done;

	if (!s)
		return 0;
	if (n > s->filesz - (addr - s->vaddr))
		n = s->filesz - (addr - s->vaddr);
	offset = addr - s->vaddr + s->offset;
	if (n > RT_FILE_WINDOW)
		return read_file(image, offset, buf, n);
	first = RT_FILE_WINDOW - (size_t)(offset % RT_FILE_WINDOW);
	if (n <= first)
		return read_window(image, offset, buf, n);
	done = read_window(image, offset, buf, first);
	if (done < first)
		return done;
	return done + read_window(image, offset + first, (char *)buf + first, n - first);
}

size_t rt_image_read_constant(const struct rt_image *image, uint64_t addr, void *buf, size_t n)
{
	const struct rt_segment *s = find_segment(image, addr);

	return s && !s->write ? rt_image_read(image, addr, buf, n) : 0;
}

const char *rt_image_refuses_insn(const struct rt_image *image, const uint8_t *insn, size_t n)
{
	return image->arch->refuses(insn, n, image->nops);
}

const char *rt_image_refuses(const struct rt_image *image, uint64_t addr, bool *call)
{
	uint8_t insn[16];
	size_t n = rt_image_read(image, addr, insn, sizeof(insn));
	const char *why = rt_image_refuses_insn(image, insn, n);

	if (call)
		*call = why && !image->arch->refuses(insn, n, RT_NOPS_TRAP);
	return why;
}

/* ---- whether a file is a program for this kernel ---- */


int rt_image_damaged(const struct rt_image *image, const char *what, struct rt_error *err)
{
	return rt_fail(err, -EBADMSG, "%s: damaged ELF file: %s", image->name, what);
}

/*
 * Copy a word of a script's first line, ended by a blank; bytes that a terminal might act on become
 * '?'.
 */
static const char *copy_word(const char *p, const char *end, char *word, size_t size)
{
	size_t n = 0;

	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	for (; p < end && !isspace((unsigned char)*p) && *p; p++)
		if (n + 1 < size)
			word[n++] = isprint((unsigned char)*p) ? *p : '?';
	word[n] = '\0';
	return p;
}

static int is_script(const struct rt_image *image, const char *head, size_t n, struct rt_error *err)
{
	const char *end = memchr(head, '\n', n);
	char interp[256], word[256];
	const char *p;

	if (!end)
		end = head + n;
	p = copy_word(head + 2, end, interp, sizeof(interp));
	/* "#!/usr/bin/env python3" and "#!/usr/bin/env -S python3 -u" are scripts for python3. */
	if (strcmp(interp, "/usr/bin/env") == 0 || strcmp(interp, "/bin/env") == 0) {
		do
			p = copy_word(p, end, word, sizeof(word));
		while (word[0] == '-');
		if (word[0])
			memcpy(interp, word, sizeof(interp));
	}
	if (!interp[0])
		return rt_fail(err, -ENOEXEC, "%s: is a script without an interpreter",
			       image->name);
	return rt_fail(err, -ENOEXEC,
		       "%s: is a script for %s; trace its interpreter: rawtrace %s FUNCTION -- %s",
		       image->name, interp, interp, image->name);
}

static int wrong_machine(const struct rt_image *image, uint16_t machine, bool big_endian,
			 struct rt_error *err)
{
	char theirs[32], ours[32];

	return rt_fail(err, -ENOEXEC, "%s: is %s ELF file for %s, this kernel runs %s", image->name,
		       big_endian ? "a big-endian" : "an",
		       rt_arch_name(machine, theirs, sizeof(theirs)),
		       rt_arch_name(rt_arch_native(), ours, sizeof(ours)));
}

static const char *wrong_type(uint16_t type)
{
	switch (type) {
	case ET_EXEC:
	case ET_DYN:
		return NULL;
	case ET_REL:
		return "is an object file, not a program: link it first";
	case ET_CORE:
		return "is a core dump, not a program";
	default:
		return "is neither a program nor a shared library";
	}
}

static int judge_header(struct rt_image *image, const unsigned char *head, size_t n,
			struct rt_error *err)
{
	unsigned char cls = head[EI_CLASS], data = head[EI_DATA];
	bool big = data == ELFDATA2MSB;
	uint16_t type, machine;
	const char *why;

	if (n < sizeof(Elf32_Ehdr) || (cls == ELFCLASS64 && n < sizeof(Elf64_Ehdr)))
		return rt_image_damaged(image, "it is shorter than its header", err);
	if ((cls != ELFCLASS32 && cls != ELFCLASS64) ||
	    (data != ELFDATA2LSB && data != ELFDATA2MSB) || head[EI_VERSION] != EV_CURRENT)
		return rt_image_damaged(
			image, "its header is of an unknown class, byte order or version", err);
	type = (uint16_t)(head[16 + big] | head[17 - big] << 8);
	machine = (uint16_t)(head[18 + big] | head[19 - big] << 8);
	image->arch = rt_arch_of(machine);
	if (big || !image->arch || image->arch->kernel_machine != rt_arch_native())
		return wrong_machine(image, machine, big, err);
	if ((cls == ELFCLASS64) != (image->arch->word == 8) && image->arch->other_class)
		return rt_fail(err, -ENOEXEC, "%s: %s", image->name, image->arch->other_class);
	if ((cls == ELFCLASS64) != (image->arch->word == 8))
		return rt_image_damaged(image, "its class does not fit its machine", err);
	why = wrong_type(type);
	if (why)
		return rt_fail(err, -ENOEXEC, "%s: %s", image->name, why);
	image->type = type;
	return 0;
}

int rt_image_identify(struct rt_image *image, struct rt_error *err)
{
	unsigned char head[512];
	ssize_t n;

	do
		n = pread(image->fd, head, sizeof(head), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return rt_fail(err, -errno, "%s: cannot be read: %s", image->name, strerror(errno));
	if (n == 0)
		return rt_fail(err, -ENOEXEC, "%s: is an empty file", image->name);
	if (n >= 2 && memcmp(head, "#!", 2) == 0)
		return is_script(image, (const char *)head, (size_t)n, err);
	if (n < SELFMAG || memcmp(head, ELFMAG, SELFMAG) != 0)
		return rt_fail(err, -ENOEXEC, "%s: is not an ELF file", image->name);
	if (n < EI_NIDENT)
		return rt_image_damaged(image, "it is shorter than its header", err);
	return judge_header(image, head, (size_t)n, err);
}
