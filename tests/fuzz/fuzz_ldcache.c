/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as ld.so.cache, and as a loader that names it. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "process/ldcache.h"
#include "process/loader_file.h"

static const char *hwcaps(unsigned i)
{
	return i == 0 ? "x86-64-v3" : i == 1 ? "x86-64-v2" : NULL;
}

static void look_up(const uint8_t *bytes, size_t size, const char *name, uint32_t flags)
{
	const struct rt_ldcache_want want = {
		.name = name, .flags = flags, .hwcaps = hwcaps, .old_hwcaps = UINT64_C(1) << 63
	};
	const char *path = rt_ldcache_find(bytes, size, &want);

	/* A string in the file. */
	if (path &&
	    ((const uint8_t *)path < bytes || (const uint8_t *)path + strlen(path) >= bytes + size))
		abort();
}

static void read_loader(const char *bytes, size_t size)
{
	struct rt_loader_file file;
	const char *folder;
	size_t i;

	rt_loader_file_read(bytes, size, &file);
	for (folder = file.folders, i = 0; i < file.nfolders; i++, folder += strlen(folder) + 1)
		if (folder[0] != '/' || folder[strlen(folder) - 1] != '/')
			abort();
	if (file.cache && file.cache[0] != '/')
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/*
	 * A buffer of exactly that size, so that ASan sees a read behind it; a loader's text has a
	 * NUL.
	 */
	uint8_t *bytes = malloc(size + 1);

	if (!bytes)
		return 0;
	memcpy(bytes, data, size);
	bytes[size] = '\0';
	read_loader((const char *)bytes, size);
	look_up(data, size, "libm.so.6", 0x303);
	look_up(data, size, "libz.so.1", 3);
	look_up(data, size, "", 0);
	free(bytes);
	return 0;
}
