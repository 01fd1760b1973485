/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/debug.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/file.h"
#include "elf/servers.h"
#include "elf/unxz.h"

/*
 * Debug files of stripped programs.  They are looked for as gdb does: by build-id and by
 * .gnu_debuglink in the folders for debug files, then at the servers of DEBUGINFOD_URLS.  A file of
 * another build would give wrong names and types.  So its build-id must be the same, or its
 * checksum if there is no build-id.
 */

#define DEFAULT_DIRS "/usr/lib/debug"
#define MINI_MAX ((size_t)64 << 20)

enum { ID_MAX = (RT_BUILD_ID_TEXT - 1) / 2 };

struct build_id {
	size_t n;
	uint8_t v[ID_MAX];
};

static void remark(struct rt_image *image, const char *fmt, ...) RT_PRINTF(2, 3);
static void remark(struct rt_image *image, const char *fmt, ...)
{
	va_list ap;

	if (image->debug.remark)
		return;
	va_start(ap, fmt);
	if (vasprintf(&image->debug.remark, fmt, ap) < 0)
		image->debug.remark = NULL;
	va_end(ap);
}

static bool find_section(Elf *elf, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	const char *at;
	size_t names;

	if (elf_getshdrstrndx(elf, &names) < 0)
		return false;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, shdr))
			return false;
		at = elf_strptr(elf, names, shdr->sh_name);
		if (at && strcmp(at, name) == 0)
			return true;
	}
	return false;
}

/* ---- build-ids ---- */

static bool take_build_id(Elf_Data *data, struct build_id *id)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz < 2 ||
		    note.n_descsz > ID_MAX ||
		    memcmp((const char *)data->d_buf + name, "GNU", 4) != 0)
			continue;
		id->n = note.n_descsz;
		memcpy(id->v, (const uint8_t *)data->d_buf + desc, id->n);
		return true;
	}
	return false;
}

/* By section, which a debug file keeps; then by segment, which a file without sections has. */
static void read_build_id(Elf *elf, uint64_t size, struct build_id *id)
{
	GElf_Shdr shdr;
	GElf_Phdr phdr;
	size_t i, n;

	id->n = 0;
	if (find_section(elf, ".note.gnu.build-id", &shdr) && shdr.sh_type == SHT_NOTE &&
	    shdr.sh_offset < size && shdr.sh_size <= size - shdr.sh_offset && shdr.sh_size &&
	    take_build_id(
		    elf_getdata_rawchunk(elf, (int64_t)shdr.sh_offset, shdr.sh_size, ELF_T_NHDR),
		    id))
		return;
	if (elf_getphdrnum(elf, &n) < 0)
		return;
	for (i = 0; i < n && gelf_getphdr(elf, (int)i, &phdr); i++)
		if (phdr.p_type == PT_NOTE && phdr.p_filesz && phdr.p_offset < size &&
		    phdr.p_filesz <= size - phdr.p_offset && phdr.p_filesz < 65536 &&
		    take_build_id(elf_getdata_rawchunk(elf, (int64_t)phdr.p_offset, phdr.p_filesz,
						       ELF_T_NHDR),
				  id))
			return;
}

/* ---- one file that may be it ---- */

/* The checksum of .gnu_debuglink: CRC-32 as zlib and Ethernet have it. */
static uint32_t checksum(const uint32_t *table, uint32_t crc, const uint8_t *p, size_t n)
{
	while (n--)
		crc = table[(crc ^ *p++) & 0xff] ^ crc >> 8;
	return crc;
}

static bool read_checksum(int fd, uint32_t *sum)
{
	uint32_t table[256], crc = UINT32_MAX, c;
	uint8_t buf[16384];
	off_t at = 0;
	ssize_t n;
	unsigned i, k;

	for (i = 0; i < 256; i++) {
		for (c = i, k = 0; k < 8; k++)
			c = c & 1 ? 0xedb88320 ^ c >> 1 : c >> 1;
		table[i] = c;
	}
	while ((n = pread(fd, buf, sizeof(buf), at)) > 0) {
		crc = checksum(table, crc, buf, (size_t)n);
		at += n;
	}
	*sum = ~crc;
	return n == 0;
}

/* Is code at the same addresses in both? */
static bool same_layout(Elf *a, Elf *b)
{
	GElf_Shdr x, y;

	return !find_section(a, ".text", &x) || !find_section(b, ".text", &y) ||
	       (x.sh_addr == y.sh_addr && x.sh_size == y.sh_size);
}

/*
 * Why the file cannot be a debug file of `image`; NULL: it can.  `crc` NULL: it was found by its
 * build-id.
 */
static const char *judge(struct rt_image *image, Elf *elf, int fd, uint64_t size,
			 const struct build_id *want, const uint32_t *crc)
{
	struct build_id id;
	GElf_Ehdr a, b;
	uint32_t sum;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &b) || !gelf_getehdr(image->elf, &a))
		return "is not an ELF file";
	if (a.e_machine != b.e_machine || a.e_ident[EI_CLASS] != b.e_ident[EI_CLASS] ||
	    a.e_ident[EI_DATA] != b.e_ident[EI_DATA])
		return "is for another machine";
	read_build_id(elf, size, &id);
	if (want->n && id.n && (id.n != want->n || memcmp(id.v, want->v, id.n) != 0))
		return "is of another build (its build-id is another)";
	if (!(want->n && id.n) && !crc)
		return "has no build-id";
	if (!(want->n && id.n) && (!read_checksum(fd, &sum) || sum != *crc))
		return "is of another build (its checksum is another)";
	if (!same_layout(image->elf, elf))
		return "does not fit: its code has other addresses";
	return NULL;
}

/* Take the file at `path` if it is there and fits. */
static bool try_file(struct rt_image *image, const char *path, const struct build_id *want,
		     const uint32_t *crc, enum rt_debug_found found)
{
	struct rt_debug *d = &image->debug;
	const char *wrong;
	struct stat st;
	Elf *elf;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return false;
	/* A program without .gnu_debuglink of its own may be called as its debug file should be. */
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) ||
	    (st.st_dev == image->dev && st.st_ino == image->ino)) {
		close(fd);
		return false;
	}
	elf = elf_begin(fd, ELF_C_READ, NULL);
	wrong = elf ? judge(image, elf, fd, (uint64_t)st.st_size, want, crc) : "cannot be read";
	if (!wrong)
		d->path = strdup(path);
	if (wrong || !d->path) {
		if (wrong)
			remark(image, "%s: %s: not used", path, wrong);
		elf_end(elf);
		close(fd);
		return false;
	}
	d->fd = fd;
	d->elf = elf;
	d->size = (uint64_t)st.st_size;
	d->found = found;
	return true;
}

static bool RT_PRINTF(5, 6)
	try_path(struct rt_image *image, const struct build_id *want, const uint32_t *crc,
		 enum rt_debug_found found, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	return n > 0 && (size_t)n < sizeof(path) && try_file(image, path, want, crc, found);
}

/* ---- where they are ---- */

static void print_id(const struct build_id *id, char text[2 * ID_MAX + 1])
{
	size_t i;

	for (i = 0; i < id->n; i++)
		sprintf(text + 2 * i, "%02x", id->v[i]);
	text[2 * id->n] = '\0';
}

void rt_image_build_id(const struct rt_image *image, char text[RT_BUILD_ID_TEXT])
{
	struct build_id id;

	read_build_id(image->elf, image->size, &id);
	print_id(&id, text);
}

static bool find_by_id(struct rt_image *image, const struct build_id *id, const char *dir, int ndir)
{
	char text[2 * ID_MAX + 1];

	if (!id->n)
		return false;
	print_id(id, text);
	return try_path(image, id, NULL, RT_DEBUG_BUILD_ID, "%.*s/.build-id/%.2s/%s.debug", ndir,
			dir, text, text + 2);
}

/* .gnu_debuglink: a name, padding to 4 bytes, a checksum. */
static bool read_link(struct rt_image *image, char name[NAME_MAX + 1], uint32_t *crc)
{
	GElf_Shdr shdr;
	Elf_Data *data;
	size_t n;

	if (!find_section(image->elf, ".gnu_debuglink", &shdr) || shdr.sh_type == SHT_NOBITS ||
	    shdr.sh_size < 8 || shdr.sh_size > NAME_MAX + 8 ||
	    !rt_image_contains(image, shdr.sh_offset, shdr.sh_size))
		return false;
	data = elf_getdata_rawchunk(image->elf, (int64_t)shdr.sh_offset, shdr.sh_size, ELF_T_BYTE);
	if (!data)
		return false;
	n = strnlen(data->d_buf, data->d_size);
	if (n == 0 || n > NAME_MAX || (n + 4) / 4 * 4 + 4 > data->d_size ||
	    memchr(data->d_buf, '/', n))
		return false;
	memcpy(name, data->d_buf, n);
	name[n] = '\0';
	memcpy(crc, (const char *)data->d_buf + (n + 4) / 4 * 4, sizeof(*crc));
	return true;
}

/* The folder that the file is in, without symbolic links, as packages lay their debug files out. */
static bool find_folder(const struct rt_image *image, char folder[PATH_MAX])
{
	char *slash;

	if (!realpath(image->name, folder))
		return false;
	slash = strrchr(folder, '/');
	if (slash)
		*slash = '\0';
	return slash;
}

/* The folders for debug files, one a call: the next one at `*dirs`, its length, or 0. */
static int next_dir(const char **dirs, const char **dir)
{
	size_t n;

	*dirs += strspn(*dirs, ":");
	*dir = *dirs;
	n = strcspn(*dirs, ":");
	*dirs += n;
	return n < PATH_MAX ? (int)n : 0;
}

static const char *debug_dirs(void)
{
	const char *dirs = getenv("RAWTRACE_DEBUG_DIR");

	return dirs && *dirs ? dirs : DEFAULT_DIRS;
}

static bool find_in_dirs(struct rt_image *image, const struct build_id *id, const char *folder,
			 const char *link, const uint32_t *crc)
{
	const char *dirs = debug_dirs(), *dir;
	int n;

	while ((n = next_dir(&dirs, &dir)) > 0)
		if (find_by_id(image, id, dir, n) ||
		    (link &&
		     try_path(image, id, crc, RT_DEBUG_LINK, "%.*s%s/%s", n, dir, folder, link)))
			return true;
	return false;
}

/* The path, to be freed, or NULL. */
static char *ask_servers(struct rt_image *image, const struct build_id *id)
{
	char text[2 * ID_MAX + 1], *why = NULL, *path;

	if (!id->n)
		return NULL;
	print_id(id, text);
	path = rt_ask_servers(image->debug.servers, rt_image_name(image), text, &why);
	if (why)
		remark(image, "%s", why);
	free(why);
	return path;
}

static void look(struct rt_image *image)
{
	char folder[PATH_MAX], link[NAME_MAX + 1], *path;
	bool has_folder, has_link;
	struct build_id id;
	uint32_t crc;

	image->debug.fd = -1;
	read_build_id(image->elf, image->size, &id);
	has_folder = find_folder(image, folder);
	has_link = has_folder && read_link(image, link, &crc);
	if (!id.n && !has_link)
		return;
	if (has_link && (try_path(image, &id, &crc, RT_DEBUG_LINK, "%s/%s", folder, link) ||
			 try_path(image, &id, &crc, RT_DEBUG_LINK, "%s/.debug/%s", folder, link)))
		return;
	if (find_in_dirs(image, &id, folder, has_link ? link : NULL, &crc))
		return;
	path = ask_servers(image, &id);
	if (path)
		try_file(image, path, &id, NULL, RT_DEBUG_SERVER);
	free(path);
}

/* ---- what dwz has moved out of several debug files ---- */

/* The file at `path`, if its build-id is that; -1: it is not. */
static int open_shared(const char *path, const struct build_id *want)
{
	struct build_id id = { 0 };
	struct stat st;
	Elf *elf;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	elf = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	if (elf)
		read_build_id(elf, (uint64_t)st.st_size, &id);
	elf_end(elf);
	if (id.n == want->n && memcmp(id.v, want->v, id.n) == 0)
		return fd;
	close(fd);
	return -1;
}

int rt_image_shared_fd(struct rt_image *image, const char *name, const uint8_t *id, size_t n)
{
	static const char usual[] = DEFAULT_DIRS "/";
	const char *dirs = debug_dirs(), *dir;
	struct build_id want = { .n = n };
	char path[PATH_MAX], text[2 * ID_MAX + 1], *path_found;
	struct stat st;
	int fd = -1, ndir;

	if (!n || n > ID_MAX)
		return -1;
	memcpy(want.v, id, n);
	print_id(&want, text);
	while (fd < 0 && (ndir = next_dir(&dirs, &dir)) > 0) {
		snprintf(path, sizeof(path), "%.*s/.build-id/%.2s/%s.debug", ndir, dir, text,
			 text + 2);
		fd = open_shared(path, &want);
		if (fd >= 0 || strncmp(name, usual, sizeof(usual) - 1) != 0)
			continue;
		snprintf(path, sizeof(path), "%.*s/%s", ndir, dir, name + sizeof(usual) - 1);
		fd = open_shared(path, &want);
	}
	path_found = fd < 0 ? ask_servers(image, &want) : NULL;
	if (path_found)
		fd = open_shared(path_found, &want);
	free(path_found);
	if (fd >= 0 && fstat(fd, &st) == 0) {
		image->debug.shared_dev = st.st_dev;
		image->debug.shared_ino = st.st_ino;
	}
	return fd;
}

bool rt_debug_is(const struct rt_debug *debug, dev_t dev, ino_t ino)
{
	struct stat st;

	if (debug->shared_ino == ino && debug->shared_ino && debug->shared_dev == dev)
		return true;
	return debug->elf && fstat(debug->fd, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

Elf *rt_image_debug_elf(struct rt_image *image)
{
	if (!image->debug.looked) {
		image->debug.looked = true;
		look(image);
	}
	return image->debug.elf;
}

int rt_image_debug_fd(struct rt_image *image)
{
	return rt_image_debug_elf(image) ? image->debug.fd : -1;
}

const char *rt_image_debug_path(const struct rt_image *image)
{
	return image->debug.path;
}

const char *rt_image_debug_remark(const struct rt_image *image)
{
	return image->debug.remark;
}

/* ---- MiniDebugInfo ---- */

Elf *rt_image_mini_elf(struct rt_image *image)
{
	struct rt_debug *d = &image->debug;
	struct rt_error err;
	GElf_Shdr shdr;
	Elf_Data *data;
	size_t n;

	if (d->mini_looked)
		return d->mini;
	d->mini_looked = true;
	if (!find_section(image->elf, ".gnu_debugdata", &shdr) || shdr.sh_type == SHT_NOBITS ||
	    !shdr.sh_size || !rt_image_contains(image, shdr.sh_offset, shdr.sh_size))
		return NULL;
	data = elf_getdata_rawchunk(image->elf, (int64_t)shdr.sh_offset, shdr.sh_size, ELF_T_BYTE);
	if (!data || rt_unxz(data->d_buf, data->d_size, MINI_MAX, &d->mini_bytes, &n, &err) < 0) {
		remark(image, "its .gnu_debugdata is not used: %s",
		       data ? err.text : "it cannot be read");
		return NULL;
	}
	d->mini_size = n;
	d->mini = elf_memory(d->mini_bytes, n);
	if (d->mini && (elf_kind(d->mini) != ELF_K_ELF || !same_layout(image->elf, d->mini))) {
		remark(image, "its .gnu_debugdata is not used: it does not fit");
		elf_end(d->mini);
		d->mini = NULL;
	}
	return d->mini;
}

void rt_debug_close(struct rt_debug *d)
{
	elf_end(d->elf);
	elf_end(d->mini);
	if (d->elf)
		close(d->fd);
	free(d->mini_bytes);
	free(d->path);
	free(d->remark);
}
