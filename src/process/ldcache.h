/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_LDCACHE_H
#define RT_PROCESS_LDCACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * ld.so.cache, in which ldconfig keeps where libraries are (glibc, sysdeps/generic/dl-cache.h).
 * Three layouts: the old table
 * ("ld.so-1.7.0"), the old one with the new one behind it, and since glibc 2.32 the new one
 * ("glibc-ld.so.cache1.1") alone.  The file is read anew for each name: nothing of it is trusted.
 */
struct rt_ldcache_want {
	const char *name; /* "libm.so.6" */
	uint32_t flags; /* rt_arch.cache_flags */
	/* The subfolders of glibc-hwcaps that may be used, as rt_arch.hwcaps; NULL: none. */
	const char *(*hwcaps)(unsigned i);
	uint64_t old_hwcaps; /* what the CPU has of the bits that entries have up to glibc 2.36 */
};

/* The path of the library that a loader would take from the cache, which is `size` bytes at
 * `bytes`; NULL: it is not there. */
const char *rt_ldcache_find(const void *bytes, size_t size, const struct rt_ldcache_want *want);

/*
 * The libraries that are in the cache for programs with the entries' `flags`, a name and a path for
 * each, until `each` returns false.  The names are in `bytes`.
 */
void rt_ldcache_each(const void *bytes, size_t size, uint32_t flags,
		     bool (*each)(void *ctx, const char *name, const char *path), void *ctx);

#endif
