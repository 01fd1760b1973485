/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_PRIVATE_H
#define RT_PROCESS_PRIVATE_H

#include "elf/file.h"
#include "process/program.h"

/*
 * program.c: take over `image`, unless the same file is there already.  On failure the image is
 * closed.
 */
int rt_program_take(struct rt_program *program, struct rt_image *image, struct rt_error *err);
/* Move the files of `from` to `program`; those that it has already are closed. */
int rt_program_take_all(struct rt_program *program, struct rt_program *from, struct rt_error *err);
/* Note why the list may lack a library; the first reason stays. */
void rt_program_incomplete(struct rt_program *program, const char *fmt, ...) RT_PRINTF(2, 3);

/*
 * loader.c: find the libraries that the loader `interp` would map for the executable,
 * whose file is `path`, and add them.  Nothing is run.  Sets `incomplete` for all that goes wrong
 * but lack of memory.
 */
int rt_loader_list(struct rt_program *program, const char *interp, const char *path,
		   struct rt_error *err);

/* program.c: is `name` what the user calls `lib`: the name, its beginning, or a glob's match? */
bool rt_is_called(const char *name, const char *lib);

/* One line of /proc/PID/maps.  False where it is no executable mapping of a file. */
struct rt_map {
	uint64_t start, end, offset, inode;
	const char *path;	/* is in the line, without its newline */
	bool deleted;
};
bool rt_map_line(char *line, struct rt_map *map);
/* The same of a private, writable mapping. */
bool rt_map_data_line(char *line, struct rt_map *map);

#endif
