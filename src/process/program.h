/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_PROGRAM_H
#define RT_PROCESS_PROGRAM_H

#include "elf/image.h"
#include "base/pids.h"

/* The images of one exec: executable, loader and libraries, also those loaded later. */
struct rt_program {
	struct rt_image **v;
	size_t n, cap;
	char *incomplete;	/* why the list may lack a library, or NULL */
	/* of several processes one that has other files than the first; 0: none */
	pid_t uneven;
	struct rt_servers *servers;	/* of the images */
	/* what this kernel makes of their nops; asked with the first of them */
	enum rt_nops nops;
};

/*
 * The files that will be mapped when `path` is started with this process's environment, in the
 * order of its loader (loader.c).  Nothing is run.  A library that is not found sets `incomplete`
 * and is no error.
 */
int rt_program_of_command(const char *path, struct rt_program *program, struct rt_error *err);

/*
 * The executable mappings of one or more processes, opened through /proc/PID/exe and
 * /proc/PID/map_files: the files of the first, then those that only others have.  -EINVAL if they
 * do not run the same program file.
 */
int rt_program_of_pids(const struct rt_pids *pids, struct rt_program *program,
		       struct rt_error *err);

/*
 * A library that the process, which has not got it, may load later (dlopen): `lib`, where that is
 * the path of a file, as process `pid` sees it (0: as we do).  Does nothing where the process has
 * the file, or `lib` has no slash or is not there.
 */
int rt_program_add_path(struct rt_program *program, const char *lib, pid_t pid,
			struct rt_error *err);

/*
 * The same of those in ld.so.cache that the user calls `lib` (a name or a glob), for a command:
 * dlopen of their names would load them.  Does nothing where they are more than 8.  A program
 * without a file yet gets those of this machine.  0 or -ENOMEM.
 */
int rt_program_add_cached(struct rt_program *program, const char *lib, struct rt_error *err);

/* The image that was given to exec. */
static inline struct rt_image *rt_program_executable(const struct rt_program *program)
{
	return program->v[0];
}

/*
 * A program that children may run by exec: `name` is a path, or is looked up in PATH.  Its files
 * become files of `program` too, so that they are judged together.  Does nothing where `program`
 * has a file of that name, or there is no such program.
 */
int rt_program_add_program(struct rt_program *program, const char *name, struct rt_error *err);

void rt_program_close(struct rt_program *program);

/*
 * The library that the user calls `lib`: a path, a soname ("libm.so.6"), or its beginning
 * ("libm.so", "libm").  NULL: none.
 */
struct rt_image *rt_program_find(const struct rt_program *program, const char *lib);

/*
 * Globs over libraries ("libssl*"): of the file's name or DT_SONAME, or of its path where the glob
 * has a slash.  Is `lib` such a glob, and does the image fit it?
 */
bool rt_program_is_glob(const char *lib);
bool rt_program_fits(const struct rt_image *image, const char *lib);

/* Does the user call the file, a library, so: by a glob, or as for rt_program_find? */
bool rt_program_names(const struct rt_image *image, const char *lib);

/* Is it the name of the image's file, without folders? */
bool rt_program_is_named(const struct rt_image *image, const char *name);

/*
 * Why a uretprobe could harm this process: the first of its files that may unwind, "NAME imports
 * pthread_cancel", or that its libraries could not be listed.  Written to `buf`.  Returns false
 * where nothing says so.
 */
bool rt_program_can_unwind(const struct rt_program *program, char *buf, size_t size);

/*
 * May this process come to run other code, by exec or dlopen, that could throw through the
 * functions of its libraries?  The file that may, and how, is written to `buf`: "NAME imports
 * execve".
 */
bool rt_program_can_run_other_code(const struct rt_program *program, char *buf, size_t size);

/* May this process load libraries later (dlopen)? */
bool rt_program_can_load(const struct rt_program *program);

/*
 * The files that process `pid` has mapped executable by now and `program` has not, opened as for
 * rt_program_of_pids: those of which `fits` says so are added to it.  `seen` has those that were
 * opened, as lines of /proc/PID/maps, so that each is opened once; zeros at first.  0 or -ENOMEM;
 * it is no error that the process has ended.
 */
struct rt_seen {
	char **v;
	size_t n, cap;
};
int rt_program_add_mapped(struct rt_program *program, pid_t pid, struct rt_seen *seen,
			  bool (*fits)(const void *ctx, const struct rt_image *image),
			  const void *ctx, struct rt_error *err);
void rt_seen_free(struct rt_seen *seen);

/* May this process come to run another program by exec? */
bool rt_program_can_exec(const struct rt_program *program);

/*
 * May code of this process leave calls by longjmp, so that the next call at the same stack pointer
 * is none of theirs?  So where a file imports or contains it, or loads other code (dlopen), or the
 * libraries could not be listed.  Which file may, and how, is written to `buf`: "NAME has longjmp".
 * The same for fork, and for seccomp.
 */
bool rt_program_can_longjmp(const struct rt_program *program, char *buf, size_t size);
bool rt_program_can_fork(const struct rt_program *program, char *buf, size_t size);
bool rt_program_can_use_seccomp(const struct rt_program *program, char *buf, size_t size);

#endif
