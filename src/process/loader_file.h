/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_LOADER_FILE_H
#define RT_PROCESS_LOADER_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Up to `max` bytes of the regular file at `path`, from malloc, with a NUL behind them; NULL: it
 * cannot be read, or is larger. */
char *rt_loader_read(const char *path, size_t max, size_t *n);

/*
 * The strings that are built into a loader of glibc.  Distributions differ: Debian's default
 * folders are /lib/x86_64-linux-gnu/, /usr/lib/x86_64-linux-gnu/, /lib/ and /usr/lib/, Fedora's
 * /lib64/ and /usr/lib64/.
 */
struct rt_loader_file {
	bool known; /* false: it is none of glibc's, and what follows is what most have */
	const char *folders; /* the default folders, strings one behind the other that end in '/' */
	size_t nfolders;
	const char *cache; /* the path of ld.so.cache; NULL: it looks at none */
	bool hwcaps; /* it knows glibc-hwcaps (2.33) */
};

void rt_loader_file_read(const char *bytes, size_t n, struct rt_loader_file *file);

#endif
