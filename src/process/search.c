/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that a trace names may be in no folder of PATH and not in ld.so.cache: gcc runs
 * /usr/lib/gcc/x86_64-linux-gnu/12/cc1, postgres loads /usr/lib/postgresql/15/lib/plpgsql.so, a
 * script runs ./tools/worker.  Its probes must be in before its first call, so its file is
 * searched for before the command starts.  A file too many is harmless: the kernel filters its
 * probes by process.
 *
 * Searched are LD_LIBRARY_PATH and DT_RUNPATH, the trees of the current folder, of the program's
 * folder and of ../lib, and the folders of FHS 3.0 (4.6, 4.7, 4.9, 3.13) for files that users do
 * not run themselves.  gcc's lies deepest.  The file system's order of names is not known, so all
 * folders down to that depth are read: 1,500 of them in 15 ms.
 */
#include "process/search.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/distance.h"
#include "elf/file.h"
#include "process/private.h"
#include "process/tracee.h"

/* /usr/lib/gcc/MACHINE/VERSION/cc1 is of depth 4.  So many folders take less than 100 ms. */
enum { DEPTH = 4, FOLDERS_MOST = 6000, ENTRIES_MOST = 20000, FOUND_MOST = 16, ROOTS_MOST = 32 };

struct walk {
	const char *name;
	size_t length;
	bool children;		/* programs are wanted */
	char *found[FOUND_MOST];
	bool library[FOUND_MOST];	/* else a program */
	unsigned n, folders, entries;
	bool too_many;
	const char *bound;	/* the first one that ended a part of the search, or NULL */
	char *near;		/* an executable file's name like `name` */
	unsigned distance;
	bool local;		/* other file systems are not entered, and entries are counted */
	dev_t dev;
	struct stat roots[ROOTS_MOST];	/* that were walked */
	unsigned nroots;
	char path[PATH_MAX];	/* of the folder being read */
};

static int reach_bound(struct walk *w, const char *bound)
{
	if (!w->bound)
		w->bound = bound;
	return 0;
}

static bool is_folder(int at, const struct dirent *e)
{
	struct stat st;

	if (e->d_type != DT_UNKNOWN)
		return e->d_type == DT_DIR;
	return fstatat(at, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode);
}

static bool is_executable(int at, const char *name)
{
	struct stat st;

	return fstatat(at, name, &st, 0) == 0 && S_ISREG(st.st_mode) &&
	       faccessat(at, name, X_OK, 0) == 0;
}

/* "cc1" is nearer to "ccl" than "cc" is: it has as many letters.  Then the alphabet decides. */
static bool is_better(const struct walk *w, const char *name, unsigned distance)
{
	bool same_length = strlen(name) == w->length;

	if (!w->near || distance != w->distance)
		return distance < w->distance;
	if (same_length != (strlen(w->near) == w->length))
		return same_length;
	return strcmp(name, w->near) < 0;
}

static int look_near(struct walk *w, int at, const char *name)
{
	unsigned d = rt_near(w->name, w->length, name, strlen(name));
	char *text;

	if (d == UINT32_MAX || !is_better(w, name, d) || !is_executable(at, name))
		return 0;
	text = strdup(name);
	if (!text)
		return -ENOMEM;
	free(w->near);
	w->near = text;
	w->distance = d;
	return 0;
}

/* "libplug" is libplug.so, and neither libplug.c nor libplug.a. */
static bool is_library(const struct walk *w, const char *name)
{
	const char *so = strstr(name, ".so");

	return so && (so[3] == '\0' || so[3] == '.') && rt_is_called(name, w->name);
}

static int look_at(struct walk *w, int at, const char *name)
{
	bool library = is_library(w, name);

	if (!library && (!w->children || strcmp(name, w->name) != 0))
		return w->n || !w->children ? 0 : look_near(w, at, name);
	if (!library && !is_executable(at, name))
		return 0;
	w->too_many |= w->n == FOUND_MOST;
	if (w->too_many)
		return reach_bound(w, "too many files of that name");
	if (asprintf(&w->found[w->n], "%s/%s", w->path, name) < 0)
		return -ENOMEM;
	w->library[w->n++] = library;
	return 0;
}

static int read_folder(struct walk *w, int at, const char *name, unsigned depth);

static int read_entries(struct walk *w, DIR *dir, unsigned depth)
{
	const struct dirent *e;
	size_t length = strlen(w->path), n;
	int r = 0;

	while (r == 0 && (e = readdir(dir))) {
		/* libtool keeps programs in .libs. */
		if (e->d_name[0] == '.' && strcmp(e->d_name, ".libs") != 0)
			continue;
		if (w->local && ++w->entries > ENTRIES_MOST)
			return reach_bound(w, "too many files");
		if (!is_folder(dirfd(dir), e)) {
			r = look_at(w, dirfd(dir), e->d_name);
			continue;
		}
		n = strlen(e->d_name);
		if (depth <= 1 || length + n + 2 > sizeof(w->path))
			continue;
		w->path[length] = '/';
		memcpy(w->path + length + 1, e->d_name, n + 1);
		r = read_folder(w, dirfd(dir), e->d_name, depth - 1);
		w->path[length] = '\0';
	}
	return r;
}

static bool is_elsewhere(const struct walk *w, int fd)
{
	struct stat st;

	return w->local && (fstat(fd, &st) < 0 || st.st_dev != w->dev);
}

/* A folder that cannot be read has nothing that is found. */
static int read_folder(struct walk *w, int at, const char *name, unsigned depth)
{
	int fd, r;
	DIR *dir;

	if (w->folders == FOLDERS_MOST)
		return reach_bound(w, "too many folders");
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	dir = fd >= 0 && !is_elsewhere(w, fd) ? fdopendir(fd) : NULL;
	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	w->folders++;
	r = read_entries(w, dir, depth);
	closedir(dir);
	return r;
}

static int read_below(struct walk *w, const char *folder, size_t length, unsigned depth)
{
	if (length >= sizeof(w->path))
		return 0;
	memcpy(w->path, folder, length);
	w->path[length] = '\0';
	return read_folder(w, AT_FDCWD, w->path, depth);
}

/* A tree, unless it was walked: /usr/bin/../lib is /usr/lib. */
static int read_root(struct walk *w, const char *folder, unsigned depth)
{
	struct stat st;
	unsigned i;

	if (stat(folder, &st) < 0)
		return 0;
	if (w->nroots == ROOTS_MOST)
		return reach_bound(w, "too many folders of LD_LIBRARY_PATH and DT_RUNPATH");
	for (i = 0; i < w->nroots; i++)
		if (w->roots[i].st_ino == st.st_ino && w->roots[i].st_dev == st.st_dev)
			return 0;
	w->roots[w->nroots++] = st;
	w->dev = st.st_dev;
	return read_below(w, folder, strlen(folder), depth);
}

/* A folder of this program or this user. */
static int read_local(struct walk *w, const char *folder, unsigned depth)
{
	int r;

	w->local = true;
	w->entries = 0;
	w->folders = 0;
	r = read_root(w, folder, depth);
	w->local = false;
	return r;
}

/* The rest behind $ORIGIN, as DT_RUNPATH begins; NULL: it does not. */
static const char *behind_origin(const char *entry)
{
	if (strncmp(entry, "$ORIGIN", 7) == 0)
		return entry + 7;
	return strncmp(entry, "${ORIGIN}", 9) == 0 ? entry + 9 : NULL;
}

/* A list of folders as in LD_LIBRARY_PATH. */
static int read_list(struct walk *w, const char *list, const char *origin)
{
	char entry[PATH_MAX], folder[PATH_MAX];
	const char *rest;
	size_t n;
	int r = 0;

	for (; list && *list && r == 0; list += n + (list[n] != '\0')) {
		n = strcspn(list, ":;");
		if (!n || n >= sizeof(entry))
			continue;
		memcpy(entry, list, n);
		entry[n] = '\0';
		rest = behind_origin(entry);
		if (!rest)
			r = read_local(w, entry, 1);
		else if (strlen(origin) + strlen(rest) < sizeof(folder)) {
			strcpy(stpcpy(folder, origin), rest);
			r = read_local(w, folder, 1);
		}
	}
	return r;
}

/* The folder of the program's file, behind symbolic links; "": it is not known. */
static void find_origin(const struct rt_program *program, char *origin)
{
	const char *name = rt_program_executable(program)->name;
	char *slash;

	if (!strchr(name, '/') || !realpath(name, origin))
		origin[0] = '\0';
	slash = strrchr(origin, '/');
	if (slash)
		*slash = '\0';
}

/* "plugins" and "modules" are in one of these trees. */
static int read_beside(struct walk *w, const struct rt_program *program)
{
	const struct rt_dynamic *d = &rt_program_executable(program)->dynamic;
	char origin[PATH_MAX], lib[PATH_MAX + sizeof("/../lib")];
	int r;

	find_origin(program, origin);
	snprintf(lib, sizeof(lib), "%s/../lib", origin);
	r = read_local(w, ".", DEPTH);
	if (r == 0 && origin[0])
		r = read_local(w, origin, DEPTH);
	if (r == 0 && origin[0])
		r = read_local(w, lib, DEPTH);
	/* Last, as a root is walked once: java has $ORIGIN/../lib, and ../lib/server/libjvm.so. */
	if (r == 0)
		r = read_list(w, getenv("LD_LIBRARY_PATH"), origin);
	return r < 0 ? r : read_list(w, d->runpath ? d->runpath : d->rpath, origin);
}

static int read_system(struct walk *w)
{
	static const char *const folders[] = { "/usr/lib", "/usr/lib64", "/usr/libexec",
					       "/usr/local/lib", "/usr/local/libexec", "/opt" };
	unsigned i;
	int r = 0;

	for (i = 0; i < RT_COUNT(folders) && r == 0; i++)
		r = read_root(w, folders[i], DEPTH);
	return r;
}

/* Nothing of that name: a slip in the name of a program of PATH, too. */
static int look_in_path(struct walk *w)
{
	const char *dirs = getenv("PATH");
	size_t n;
	int r = 0;

	for (; dirs && *dirs && r == 0; dirs += n + (dirs[n] != '\0')) {
		n = strcspn(dirs, ":");
		if (n)
			r = read_below(w, dirs, n, 1);
	}
	return r;
}

/* A script is no program here, nor is a program of another machine. */
static int take_found(struct rt_program *program, const char *path, struct rt_error *err)
{
	const struct rt_arch *arch = rt_image_arch(rt_program_executable(program));
	struct rt_program other = { 0 };
	struct rt_error why;

	if (rt_program_of_command(path, &other, &why) < 0)
		return 0;
	if (rt_image_arch(rt_program_executable(&other)) != arch) {
		rt_program_close(&other);
		return 0;
	}
	return rt_program_take_all(program, &other, err) < 0 ? -ENOMEM : 1;
}

/* Only of the program's machine: /usr/lib32 has the same names. */
static int take_library(struct rt_program *program, const char *path, struct rt_error *err)
{
	struct rt_image *image;
	struct rt_error why;
	int r = rt_image_open_library(path, path, &image, &why);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	if (rt_image_arch(image) != rt_image_arch(rt_program_executable(program))) {
		rt_image_close(image);
		return 0;
	}
	image->late = true;
	return rt_program_take(program, image, err);
}

/* A glob with many matches takes none: opening each takes long, and few are loaded. */
static int take_all(struct walk *w, struct rt_program *program, struct rt_error *err)
{
	bool none = w->too_many && rt_program_is_glob(w->name);
	int r = 0, taken = 0;
	unsigned i;

	for (i = 0; i < w->n && !none && r >= 0; i++) {
		r = w->library[i] ? take_library(program, w->found[i], err)
				  : take_found(program, w->found[i], err);
		taken += r > 0;
	}
	return r < 0 ? r : taken;
}

int rt_program_search(struct rt_program *program, const char *name, bool children, char **near,
		      const char **bound, struct rt_error *err)
{
	struct walk *w = calloc(1, sizeof(*w));
	int r;

	*near = NULL;
	*bound = NULL;
	if (!w)
		return rt_nomem(err);
	w->name = name;
	w->length = strlen(name);
	w->children = children && !rt_program_is_glob(name);
	w->distance = UINT32_MAX;
	r = read_system(w);
	if (r == 0)
		r = read_beside(w, program);
	if (r == 0 && !w->n && w->children)
		r = look_in_path(w);
	if (r == 0)
		r = take_all(w, program, err);
	*bound = w->bound;
	if (r >= 0 && !w->n) {
		*near = w->near;
		w->near = NULL;
	}
	while (w->n)
		free(w->found[--w->n]);
	free(w->near);
	free(w);
	return r < 0 ? rt_nomem(err) : r;
}

void rt_program_cut(struct rt_program *program, size_t n)
{
	while (program->n > n)
		rt_image_close(program->v[--program->n]);
}
