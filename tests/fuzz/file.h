/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FUZZ_FILE_H
#define RT_FUZZ_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "elf/image.h"

/* The bytes as a file without a name, which is closed with `*file`; `path` leads to it. */
static inline void fuzz_file(const void *data, size_t size, FILE **file, char path[64])
{
	*file = tmpfile();
	if (!*file || write(fileno(*file), data, size) != (ssize_t)size)
		abort();
	snprintf(path, 64, "/proc/self/fd/%d", fileno(*file));
}

/* The same, opened; NULL: it is no file for us. */
static inline struct rt_image *fuzz_image(const void *data, size_t size, FILE **file, char path[64])
{
	struct rt_image *image;
	struct rt_error err;

	fuzz_file(data, size, file, path);
	return rt_image_open(path, "fuzz", &image, &err) == 0 ? image : NULL;
}

#endif
