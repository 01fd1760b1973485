/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/file_by_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "kernel/procfs.h"
#include "process/ldcache.h"
#include "process/loader_file.h"
#include "process/private.h"
#include "process/tracee.h"

/* The path of a library of this machine, malloced; NULL: ld.so.cache does not have it. */
static char *find_library(const char *name)
{
	const struct rt_arch *arch = rt_arch_of(rt_arch_native());
	const struct rt_ldcache_want want = { .name = name, .flags = arch ? arch->cache_flags : 0 };
	const char *found;
	char *cache, *path;
	int n = rt_read_file("/etc/ld.so.cache", &cache);

	if (n < 0)
		return NULL;
	found = arch ? rt_ldcache_find(cache, (size_t)n, &want) : NULL;
	path = found ? strdup(found) : NULL;
	free(cache);
	return path;
}

int rt_program_add_file(struct rt_program *program, const char *name, struct rt_error *err)
{
	char *path = strchr(name, '/') ? NULL : find_library(name);
	struct rt_image *image;
	int r;

	if (program->n && rt_program_find(program, name)) {
		free(path);
		return 0;
	}
	r = path ? 0 : rt_tracee_find(name, &path, err);
	if (r == -ENOENT)
		return rt_fail(err, r,
			       "%s: no library of ld.so.cache and no program in PATH; give its "
			       "path",
			       name);
	if (r == 0)
		r = rt_image_open(path, name, &image, err);
	free(path);
	return r < 0 ? r : rt_program_take(program, image, err);
}

/*
 * Libraries that a command may load later by their name alone: dlopen("libsqlite3.so.0"), or as
 * what a plugin needs.  The loader takes them from ld.so.cache.  A probe on the file before the
 * command begins sees the constructors and the first calls.
 */

/* More are found when they are mapped: opening each of hundreds would take long. */
enum { CACHED_MOST = 8, CACHE_MAX = 4 << 20 };

struct cached {
	const char *lib;
	const char *paths[CACHED_MOST];
	size_t n;
	bool too_many;
};

static bool take_path(void *ctx, const char *name, const char *path)
{
	struct cached *c = ctx;

	if (!rt_is_called(name, c->lib))
		return true;
	if (c->n == CACHED_MOST) {
		c->too_many = true;
		return false;
	}
	c->paths[c->n++] = path;
	return true;
}

int rt_program_add_cached(struct rt_program *program, const char *lib, struct rt_error *err)
{
	const struct rt_arch *arch = program->n ? rt_program_executable(program)->arch
						: rt_arch_of(rt_arch_native());
	struct cached c = { .lib = lib };
	size_t i, size;
	char *bytes = rt_loader_read("/etc/ld.so.cache", CACHE_MAX, &size);
	struct rt_error why;
	int r = 0;

	if (bytes && arch)
		rt_ldcache_each(bytes, size, arch->cache_flags, take_path, &c);
	for (i = 0; i < c.n && !c.too_many && r != -ENOMEM; i++)
		r = rt_program_add_path(program, c.paths[i], 0, &why);
	free(bytes);
	return r == -ENOMEM ? rt_nomem(err) : 0;
}
