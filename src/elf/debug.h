/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ELF_DEBUG_H
#define RT_ELF_DEBUG_H

#include <libelf.h>

#include "elf/image.h"

/* The way by which a separate debug file was found. */
enum rt_debug_found {
	RT_DEBUG_NONE,
	RT_DEBUG_BUILD_ID,	/* DIR/.build-id/ab/cdef.debug */
	/* .gnu_debuglink, in the file's folder, in .debug beside it, or below DIR */
	RT_DEBUG_LINK,
	RT_DEBUG_SERVER,	/* debuginfod */
};

/* The servers that all images of a process ask; process/program.c's. */
struct rt_servers {
	/* they did not answer for one of the images, and are not asked again */
	bool hang;
	void (*slow)(const char *file);	/* what says that they are waited for; may be NULL */
};

/* The debug files of one image; private to elf/debug.c. */
struct rt_debug {
	struct rt_servers *servers;	/* NULL: none for others */
	bool looked, mini_looked;
	enum rt_debug_found found;
	int fd;
	Elf *elf;
	uint64_t size;
	char *path, *remark;
	Elf *mini;
	void *mini_bytes;
	size_t mini_size;
	dev_t shared_dev;
	ino_t shared_ino;	/* what rt_image_shared_fd has opened; 0: nothing */
};

/* Is this the debug file that was found, or what it shares with others? */
bool rt_debug_is(const struct rt_debug *debug, dev_t dev, ino_t ino);

/*
 * The separate debug file of an image, or NULL (-1): looked for at the first call, which may take a
 * while where DEBUGINFOD_URLS is set.  Its addresses are the image's.  It stays the image's.
 * RAWTRACE_DEBUG_DIR names the folders, separated by ':', in place of /usr/lib/debug.
 */
Elf *rt_image_debug_elf(struct rt_image *image);
int rt_image_debug_fd(struct rt_image *image);

/*
 * The file with this build-id, which dwz has made of what several debug files have in common, and
 * calls `name`: from the same folders and servers.  A descriptor, or -1.
 */
int rt_image_shared_fd(struct rt_image *image, const char *name, const uint8_t *id, size_t n);

/* After that: its path, or NULL; and why one that was found is not used, or NULL. */
const char *rt_image_debug_path(const struct rt_image *image);
const char *rt_image_debug_remark(const struct rt_image *image);

/*
 * The ELF file in .gnu_debugdata, which has the names of functions that .dynsym has not; or NULL.
 */
Elf *rt_image_mini_elf(struct rt_image *image);

void rt_debug_close(struct rt_debug *debug);

#endif
