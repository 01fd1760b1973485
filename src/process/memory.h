/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_MEMORY_H
#define RT_PROCESS_MEMORY_H

#include "elf/image.h"

/*
 * The code of a running process as it is in memory, where it may have been patched since it was
 * mapped.
 */
struct rt_memory;

struct rt_memory *rt_memory_open(pid_t pid);	/* NULL: cannot be read, or out of memory */

/*
 * The same of an image that is mapped into this process, without being run: its code with the
 * probes that are in every process.
 */
struct rt_memory *rt_memory_of_file(const struct rt_image *image);

void rt_memory_close(struct rt_memory *memory);

/* Does the process have code of the image mapped? */
bool rt_memory_has(const struct rt_memory *memory, const struct rt_image *image);

/*
 * Are the `n` bytes (at most 128) at `addr` of `image` the file's own, wherever the process has
 * them mapped executable?  Breakpoints of x86 count as such.  False also where they are not mapped.
 */
bool rt_memory_same(const struct rt_memory *memory, const struct rt_image *image, uint64_t addr,
		    size_t n);

/*
 * The 8 bytes at `data` of the image's one copy in the process, which is found by the code at
 * `code`.  0; -ENOENT: it is not mapped, or cannot be read; -EEXIST: there are several.
 */
int rt_memory_word(const struct rt_memory *memory, const struct rt_image *image, uint64_t code,
		   uint64_t data, uint64_t *word);

/*
 * Is a probe at `addr` of `image` wherever that is mapped?  1: yes, 0: the file's own code
 * is there, -ENOENT: not known.  A page is read once: open the memory after the probes were put in.
 */
int rt_memory_probed(struct rt_memory *memory, const struct rt_image *image, uint64_t addr);

#endif
