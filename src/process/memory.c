/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "elf/file.h"
#include "base/array.h"
#include "process/private.h"

enum { MOST = 128, PAGE = 4096 };

struct rt_memory {
	pid_t pid;
	int fd;			/* /proc/PID/mem; -1: it may not be opened */
	bool own;		/* the mappings are this process's, for this alone */
	struct rt_map *v;	/* without paths */
	size_t n, cap;
	uint64_t page;		/* the address of `bytes` */
	bool has_page;
	uint8_t bytes[PAGE];
};

static int read_maps(struct rt_memory *m, pid_t pid)
{
	char path[64], *line = NULL;
	size_t room = 0;
	int r = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (r == 0 && getline(&line, &room, f) > 0) {
		r = RT_ROOM(&m->v, m->n, &m->cap);
		if (r == 0 && rt_map_line(line, &m->v[m->n]))
			m->v[m->n++].path = NULL;
	}
	free(line);
	fclose(f);
	return r;
}

/*
 * Without capabilities for files root may not open /proc/PID/mem of another user.  For
 * process_vm_readv(2), CAP_SYS_PTRACE is enough.
 */
static struct rt_memory *new_memory(pid_t pid)
{
	struct rt_memory *m = calloc(1, sizeof(*m));
	char path[64];

	if (!m)
		return NULL;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	m->pid = pid;
	m->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (m->fd >= 0 || errno == EACCES)
		return m;
	free(m);
	return NULL;
}

static bool read_at(const struct rt_memory *m, uint64_t addr, void *to, size_t n)
{
	struct iovec local = { .iov_base = to, .iov_len = n },
		     remote = { .iov_base = (void *)(uintptr_t)addr, .iov_len = n };

	if (m->fd >= 0)
		return pread(m->fd, to, n, (off_t)addr) == (ssize_t)n;
	return process_vm_readv(m->pid, &local, 1, &remote, 1, 0) == (ssize_t)n;
}

/*
 * The same from the page that was read last, if it is there: libLLVM's functions have 54,000 sites,
 * several a page.
 */
static bool read_page(struct rt_memory *m, uint64_t addr, void *to, size_t n)
{
	uint64_t page = addr & ~(uint64_t)(PAGE - 1);

	if (addr - page + n > PAGE)
		return read_at(m, addr, to, n);
	if (!m->has_page || m->page != page) {
		m->page = page;
		m->has_page = read_at(m, page, m->bytes, PAGE);
	}
	if (!m->has_page)
		return read_at(m, addr, to, n);
	memcpy(to, m->bytes + (addr - page), n);
	return true;
}

struct rt_memory *rt_memory_open(pid_t pid)
{
	struct rt_memory *m = new_memory(pid);

	if (m && read_maps(m, pid) == 0)
		return m;
	rt_memory_close(m);
	return NULL;
}

static int map_segment(struct rt_memory *m, const struct rt_image *image,
		       const struct rt_segment *segment)
{
	uint64_t offset = segment->offset & ~(uint64_t)(sysconf(_SC_PAGESIZE) - 1),
		 size = segment->offset + segment->filesz - offset;
	void *at;

	if (!segment->filesz)
		return 0;
	if (RT_ROOM(&m->v, m->n, &m->cap) != 0)
		return -ENOMEM;
	/* The kernel puts probes into what may be made executable (valid_vma()). */
	at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, image->fd, (off_t)offset);
	if (at == MAP_FAILED)
		return -errno;
	m->v[m->n++] = (struct rt_map){
		.start = (uintptr_t)at, .end = (uintptr_t)at + size, .offset = offset,
		.inode = image->ino
	};
	return 0;
}

struct rt_memory *rt_memory_of_file(const struct rt_image *image)
{
	struct rt_memory *m = new_memory(getpid());
	size_t i;
	int r = 0;

	if (!m)
		return NULL;
	m->own = true;
	for (i = 0; i < image->nsegments && r == 0; i++)
		if (image->segments[i].exec)
			r = map_segment(m, image, &image->segments[i]);
	if (r == 0)
		return m;
	rt_memory_close(m);
	return NULL;
}

void rt_memory_close(struct rt_memory *m)
{
	size_t i;

	if (!m)
		return;
	for (i = 0; m->own && i < m->n; i++)
		munmap((void *)(uintptr_t)m->v[i].start, m->v[i].end - m->v[i].start);
	if (m->fd >= 0)
		close(m->fd);
	free(m->v);
	free(m);
}

bool rt_memory_has(const struct rt_memory *m, const struct rt_image *image)
{
	size_t i;

	for (i = 0; i < m->n && m->v[i].inode != image->ino; i++)
		;
	return i < m->n;
}

/*
 * The kernel replaces a probed nop by a call (6.18), or by lea -128(%rsp),%rsp and a call (7.2).
 * Returns the size of such code, or 0.
 */
static size_t call_size(const struct rt_arch *arch, const uint8_t *mapped, const uint8_t *file,
			size_t n)
{
	static const uint8_t spares[] = { 0x48, 0x8d, 0x64, 0x24, 0x80, 0xe8 };
	size_t size = arch->nop_size ? arch->nop_size(file, n) : 0;

	if (size == 5 && mapped[0] == 0xe8)
		return size;
	return size == 10 && memcmp(mapped, spares, sizeof(spares)) == 0 ? size : 0;
}

/* A breakpoint, or such a call, is of a probe that is there already. */
static bool is_code(const struct rt_arch *arch, const uint8_t *mapped, const uint8_t *file,
		    size_t n)
{
	size_t i, size;

	for (i = 0; i < n; i++) {
		if (mapped[i] == file[i] || mapped[i] == 0xcc)
			continue;
		size = call_size(arch, mapped + i, file + i, n - i);
		if (!size)
			return false;
		i += size - 1;
	}
	return true;
}

bool rt_memory_same(const struct rt_memory *m, const struct rt_image *image, uint64_t addr,
		    size_t n)
{
	uint8_t file[MOST], mapped[MOST];
	bool found = false;
	uint64_t offset;
	size_t i;

	if (n > MOST || rt_image_offset(image, addr, &offset) ||
	    rt_image_read(image, addr, file, n) != n)
		return false;
	for (i = 0; i < m->n; i++) {
		const struct rt_map *map = &m->v[i];

		if (map->inode != image->ino || offset < map->offset ||
		    offset - map->offset + n > map->end - map->start)
			continue;
		if (!read_at(m, map->start + (offset - map->offset), mapped, n) ||
		    !is_code(image->arch, mapped, file, n))
			return false;
		found = true;
	}
	return found;
}

int rt_memory_probed(struct rt_memory *m, const struct rt_image *image, uint64_t addr)
{
	/* a breakpoint of aarch64, and of x86 with what follows it */
	uint8_t file[4], mapped[4];
	int probed = -ENOENT;
	uint64_t offset;
	size_t i, n;

	n = rt_image_read(image, addr, file, sizeof(file));
	if (!n || rt_image_offset(image, addr, &offset))
		return -ENOENT;
	for (i = 0; i < m->n; i++) {
		const struct rt_map *map = &m->v[i];

		if (map->inode != image->ino || offset < map->offset ||
		    offset - map->offset + n > map->end - map->start)
			continue;
		if (!read_page(m, map->start + (offset - map->offset), mapped, n))
			return -ENOENT;
		if (memcmp(mapped, file, n) == 0)
			return 0;
		probed = 1;
	}
	return probed;
}

int rt_memory_word(const struct rt_memory *m, const struct rt_image *image, uint64_t code,
		   uint64_t data, uint64_t *word)
{
	uint64_t offset, found = 0;
	bool some = false;
	size_t i;

	if (rt_image_offset(image, code, &offset))
		return -ENOENT;
	for (i = 0; i < m->n; i++) {
		const struct rt_map *map = &m->v[i];
		uint64_t at = map->start + (offset - map->offset) - code + data;

		if (map->inode != image->ino || offset < map->offset ||
		    offset - map->offset >= map->end - map->start)
			continue;
		if (some && at != found)
			return -EEXIST;
		found = at;
		some = true;
	}
	return some && read_at(m, found, word, sizeof(*word)) ? 0 : -ENOENT;
}
