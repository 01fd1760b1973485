/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Libraries that a command may load later by their name alone: dlopen("libsqlite3.so.0"), or as
 * what a plugin needs.  The loader takes them from ld.so.cache.  A probe on the file before the
 * command begins sees the constructors and the first calls.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "process/ldcache.h"
#include "process/loader_file.h"
#include "process/private.h"

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
