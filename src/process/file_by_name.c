/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/file_by_name.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/file.h"
#include "kernel/procfs.h"
#include "process/ldcache.h"
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
