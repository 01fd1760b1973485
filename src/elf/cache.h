/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ELF_CACHE_H
#define RT_ELF_CACHE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Files that rawtrace keeps for its next run, in rawtrace/unpacked below $XDG_CACHE_HOME or
 * ~/.cache; root's below /var/cache.  A file is whole or not there: it gets its name when all of it
 * is on the disk.  Only files and folders are used that belong to the user and that nobody else can
 * write to.
 */

#define RT_CACHE_MAX ((uint64_t)1 << 30)	/* bytes; older files are removed */

/*
 * The folder as a descriptor, and its name in `path`; it is made if need be.  Or a negative errno.
 */
int rt_cache_open(char path[PATH_MAX]);

/* A file of that name and size, to be read, or -ENOENT.  It becomes the newest. */
int rt_cache_find(int folder, const char *name, uint64_t size);

/*
 * Begin a file of that size, to be written and read; the folder is locked until it is closed.  Or a
 * negative errno: there is no room, or another process is writing a file.
 */
int rt_cache_begin(int folder, uint64_t size);
/* Give the file its name if it is whole, else remove it.  It stays open.  0 or a negative errno. */
int rt_cache_end(int folder, int fd, const char *name, bool whole);

/*
 * Open the folder `name` in `at`, and make it if need be: one that `owner` alone can write to.  A
 * descriptor or a negative errno.
 */
int rt_cache_subfolder(int at, const char *name, uid_t owner);

#define RT_CACHE_ROOT "/var/cache"

#endif
