/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that a child runs may be in no folder of PATH: gcc runs
 * /usr/lib/gcc/x86_64-linux-gnu/12/cc1, git runs /usr/lib/git-core/git-remote-https.  Its probes
 * must be in before its first call, so its file is looked for before the command starts.
 *
 * The folders are those of FHS 3.0 (4.6, 4.7, 4.9, 3.13) for programs that users do not run
 * themselves.  gcc's lies deepest.  The file system's order of names is not known, so all folders
 * down to that depth are read: 1,500 of them in 15 ms.
 */
#include "process/libexec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
enum { DEPTH = 4, FOLDERS_MOST = 6000, FOUND_MOST = 16, PATH_BYTES = 4096 };

struct walk {
	const char *name;
	size_t length;
	char *found[FOUND_MOST];
	unsigned n, folders;
	char *near;		/* an executable file's name like `name` */
	unsigned distance;
	char path[PATH_BYTES];	/* of the folder being read */
};

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

static int look_at(struct walk *w, int at, const char *name)
{
	if (strcmp(name, w->name) != 0)
		return w->n ? 0 : look_near(w, at, name);
	if (w->n == FOUND_MOST || !is_executable(at, name))
		return 0;
	if (asprintf(&w->found[w->n], "%s/%s", w->path, name) < 0)
		return -ENOMEM;
	w->n++;
	return 0;
}

static int read_folder(struct walk *w, int at, const char *name, unsigned depth);

static int read_entries(struct walk *w, DIR *dir, unsigned depth)
{
	const struct dirent *e;
	size_t length = strlen(w->path), n;
	int r = 0;

	while (r == 0 && (e = readdir(dir))) {
		if (e->d_name[0] == '.')
			continue;
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

/* A folder that cannot be read has nothing that is found. */
static int read_folder(struct walk *w, int at, const char *name, unsigned depth)
{
	int fd, r;
	DIR *dir;

	if (w->folders == FOLDERS_MOST)
		return 0;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK);
	dir = fd >= 0 ? fdopendir(fd) : NULL;
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

int rt_program_add_libexec(struct rt_program *program, const char *name, char **near,
			   struct rt_error *err)
{
	static const char *const folders[] = { "/usr/lib", "/usr/lib64", "/usr/libexec",
					       "/usr/local/lib", "/usr/local/libexec", "/opt" };
	struct walk *w = calloc(1, sizeof(*w));
	int r = w ? 0 : -ENOMEM, taken = 0;
	unsigned i;

	*near = NULL;
	if (!w)
		return rt_nomem(err);
	w->name = name;
	w->length = strlen(name);
	w->distance = UINT32_MAX;
	for (i = 0; i < RT_COUNT(folders) && r == 0; i++)
		r = read_below(w, folders[i], strlen(folders[i]), DEPTH);
	if (r == 0 && !w->n)
		r = look_in_path(w);
	for (i = 0; i < w->n; i++) {
		if (r == 0)
			r = take_found(program, w->found[i], err);
		taken += r > 0;
		r = r < 0 ? r : 0;
		free(w->found[i]);
	}
	if (r == 0 && !taken)
		*near = w->near;
	else
		free(w->near);
	free(w);
	return r < 0 ? rt_nomem(err) : taken;
}
