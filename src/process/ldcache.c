/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/ldcache.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/loader_file.h"

#define OLD_MAGIC "ld.so-1.7.0"
#define NEW_MAGIC "glibc-ld.so.cache1.1"
#define HWCAP_NAMED                                                                                \
	(UINT64_C(1)                                                                               \
	 << 30) /* of the upper half: the lower half is an index into the names of hwcaps */
#define HWCAP_LEVELS UINT64_C(0x3ff) /* of the upper half: what the library itself asks for */
#define EXTENSIONS 0xeaa42174u

enum { OLD_HEADER = 16, OLD_ENTRY = 12, NEW_HEADER = 48, NEW_ENTRY = 24 };
enum { AT_COUNT = 20, AT_BYTE_ORDER = 28, AT_EXTENSIONS = 32 }; /* in the new header */
enum { BYTE_ORDER_UNKNOWN = 0, BYTE_ORDER_LITTLE = 2 };
enum { EXTENSION_HWCAPS = 1, EXTENSION_ENTRY = 16 };

struct cache {
	const uint8_t *bytes;
	size_t size;
	size_t entries, n, entry_size;
	size_t strings; /* what offsets of strings count from */
	size_t names, nnames; /* of hwcaps: offsets from the file's beginning */
};

static uint32_t word(const struct cache *c, size_t at)
{
	uint32_t v = 0;

	if (at <= c->size && c->size - at >= sizeof(v))
		memcpy(&v, c->bytes + at, sizeof(v));
	return v;
}

/* The room for a string there, of at most PATH_MAX bytes; 0: it is outside the file. */
static size_t room(const struct cache *c, size_t base, uint32_t at)
{
	if (base >= c->size || at >= c->size - base)
		return 0;
	return c->size - base - at < PATH_MAX ? c->size - base - at : PATH_MAX;
}

static const char *string(const struct cache *c, size_t base, uint32_t at)
{
	const char *s = (const char *)c->bytes + base + at;
	size_t n = room(c, base, at);

	return n && memchr(s, '\0', n) ? s : NULL;
}

static bool has_magic(const struct cache *c, size_t at, const char *magic, size_t header)
{
	return at <= c->size && c->size - at >= header &&
	       memcmp(c->bytes + at, magic, strlen(magic)) == 0;
}

/* The table of names of hwcaps among the extensions (2.33). */
static void find_names(struct cache *c, size_t header)
{
	size_t at = word(c, header + AT_EXTENSIONS), size;
	uint32_t i, n = word(c, at + 4);

	if (!at || word(c, at) != EXTENSIONS)
		return;
	for (i = 0, at += 8; i < n && at < c->size; i++, at += EXTENSION_ENTRY) {
		if (word(c, at) != EXTENSION_HWCAPS)
			continue;
		c->names = word(c, at + 8);
		size = word(c, at + 12);
		if (c->names <= c->size && size <= c->size - c->names)
			c->nnames = size / 4;
		return;
	}
}

static bool open_new(struct cache *c, size_t header)
{
	uint8_t order;

	if (!has_magic(c, header, NEW_MAGIC, NEW_HEADER))
		return false;
	order = c->bytes[header + AT_BYTE_ORDER] & 3;
	if (order != BYTE_ORDER_UNKNOWN && order != BYTE_ORDER_LITTLE)
		return false;
	c->n = word(c, header + AT_COUNT);
	c->entries = header + NEW_HEADER;
	c->entry_size = NEW_ENTRY;
	c->strings = header;
	find_names(c, header);
	return true;
}

static bool open_cache(struct cache *c)
{
	size_t n, end;

	if (open_new(c, 0))
		return true;
	if (!has_magic(c, 0, OLD_MAGIC, OLD_HEADER))
		return false;
	n = word(c, OLD_HEADER - 4);
	if (n > (c->size - OLD_HEADER) / OLD_ENTRY)
		return false;
	end = OLD_HEADER + n * OLD_ENTRY;
	/* Aligned as ldconfig's compiler has 64-bit numbers in structures: by 8, on i386 by 4. */
	if (open_new(c, (end + 7) & ~(size_t)7) || open_new(c, end))
		return true;
	c->n = n;
	c->entries = OLD_HEADER;
	c->entry_size = OLD_ENTRY;
	c->strings = end;
	return true;
}

/* The rank of the entry's hwcap: 0 is the best; -1: it cannot be used. */
static int rank(const struct cache *c, const struct rt_ldcache_want *want, size_t at)
{
	uint32_t low = word(c, at + 16), high = word(c, at + 20);
	const char *name, *has;
	unsigned i;

	if (c->entry_size == OLD_ENTRY)
		return INT_MAX;
	if ((high & ~HWCAP_LEVELS) != HWCAP_NAMED)
		return (((uint64_t)high << 32 | low) & ~want->old_hwcaps) ? -1 : INT_MAX;
	name = low < c->nnames ? string(c, 0, word(c, c->names + (size_t)low * 4)) : NULL;
	for (i = 0; name && want->hwcaps && (has = want->hwcaps(i)); i++)
		if (strcmp(name, has) == 0)
			return (int)i;
	return -1;
}

const char *rt_ldcache_find(const void *bytes, size_t size, const struct rt_ldcache_want *want)
{
	struct cache c = { .bytes = bytes, .size = size };
	size_t i, at, n = strlen(want->name) + 1;
	const char *path, *best = NULL;
	int r, best_rank = INT_MAX;
	uint32_t key;

	if (!open_cache(&c))
		return NULL;
	if (c.n > (size - c.entries) / c.entry_size)
		c.n = (size - c.entries) / c.entry_size;
	for (i = 0; i < c.n; i++) {
		at = c.entries + i * c.entry_size;
		key = word(&c, at + 4);
		if (word(&c, at) != want->flags || room(&c, c.strings, key) < n ||
		    memcmp(c.bytes + c.strings + key, want->name, n) != 0)
			continue;
		r = rank(&c, want, at);
		path = r < 0 || (best && r >= best_rank) ? NULL
							 : string(&c, c.strings, word(&c, at + 8));
		if (!path)
			continue;
		best = path;
		best_rank = r;
	}
	return best;
}

void rt_ldcache_each(const void *bytes, size_t size, uint32_t flags,
		     bool (*each)(void *ctx, const char *name, const char *path), void *ctx)
{
	struct cache c = { .bytes = bytes, .size = size };
	const char *name, *path;
	bool more = true;
	size_t i, at;

	if (!open_cache(&c))
		return;
	if (c.n > (size - c.entries) / c.entry_size)
		c.n = (size - c.entries) / c.entry_size;
	for (i = 0; i < c.n && more; i++) {
		at = c.entries + i * c.entry_size;
		name = string(&c, c.strings, word(&c, at + 4));
		path = string(&c, c.strings, word(&c, at + 8));
		if (name && path && word(&c, at) == flags)
			more = each(ctx, name, path);
	}
}

/* ---- folders and cache path that are built into a loader ---- */

static const char usual[] = "/lib64/\0/usr/lib64/\0/lib/\0/usr/lib/";

char *rt_loader_read(const char *path, size_t max, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *bytes = NULL;
	ssize_t got;

	*n = 0;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= max)
		bytes = malloc((size_t)st.st_size + 1);
	while (bytes && *n < (size_t)st.st_size) {
		got = pread(fd, bytes + *n, (size_t)st.st_size - *n, (off_t)*n);
		if (got <= 0)
			break;
		*n += (size_t)got;
	}
	if (bytes)
		bytes[*n] = '\0';
	close(fd);
	return bytes;
}

static bool is_folder(const char *s, size_t n)
{
	return n >= 5 && n < PATH_MAX && s[0] == '/' && s[n - 1] == '/' && memmem(s, n, "lib", 3);
}

/* The default folders: the longest run of strings that look like them. */
static void find_folders(const char *bytes, size_t n, struct rt_loader_file *file)
{
	const char *s, *end, *first = NULL;
	size_t count = 0;

	for (s = bytes; s < bytes + n; s = end + 1) {
		end = memchr(s, '\0', (size_t)(bytes + n - s));
		if (!end)
			break;
		if (!is_folder(s, (size_t)(end - s))) {
			count = 0;
			continue;
		}
		first = count++ ? first : s;
		if (count > file->nfolders) {
			file->folders = first;
			file->nfolders = count;
		}
	}
}

static void find_cache(const char *bytes, size_t n, struct rt_loader_file *file)
{
	static const char name[] = "/ld.so.cache";
	const char *at = n ? memmem(bytes, n, name, sizeof(name)) : NULL, *s = at;

	while (s && s > bytes && s[-1] && at - s < PATH_MAX)
		s--;
	if (s && *s == '/')
		file->cache = s;
}

void rt_loader_file_read(const char *bytes, size_t n, struct rt_loader_file *file)
{
	*file = (struct rt_loader_file){ .hwcaps = n && memmem(bytes, n, "glibc-hwcaps", 12) };
	find_folders(bytes, n, file);
	find_cache(bytes, n, file);
	file->known = file->nfolders;
	if (!file->known)
		*file = (struct rt_loader_file){ .folders = usual,
						 .nfolders = 4,
						 .cache = "/etc/ld.so.cache" };
}
