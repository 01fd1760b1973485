/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/images.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/pids.h"
#include "base/scan.h"
#include "elf/file.h"
#include "kernel/nops.h"
#include "process/private.h"

void rt_images_incomplete(struct rt_images *images, const char *fmt, ...)
{
	va_list ap;

	if (images->incomplete)
		return;
	va_start(ap, fmt);
	if (vasprintf(&images->incomplete, fmt, ap) < 0)
		images->incomplete = NULL;
	va_end(ap);
}

int rt_images_take(struct rt_images *images, struct rt_image *image, struct rt_error *err)
{
	size_t i;

	for (i = 0; i < images->n; i++) {
		if (images->v[i]->ino == image->ino && images->v[i]->dev == image->dev) {
			rt_image_close(image);
			return 0;
		}
	}
	if (!images->n)
		images->nops = rt_nops_ask();
	if (!images->servers)
		images->servers = calloc(1, sizeof(*images->servers));
	if (!images->servers || RT_ROOM(&images->v, images->n, &images->cap)) {
		rt_image_close(image);
		return rt_nomem(err);
	}
	image->debug.servers = images->servers;
	image->nops = images->nops;
	images->v[images->n++] = image;
	return 0;
}

int rt_images_of_command(const char *path, struct rt_images *images, struct rt_error *err)
{
	const char *interp;
	struct rt_image *image;
	char *real;
	int ret;

	memset(images, 0, sizeof(*images));
	ret = rt_image_open(path, NULL, &image, err);
	if (ret)
		return ret;
	interp = rt_image_interp(image);
	ret = rt_images_take(images, image, err);
	if (ret == 0 && interp) {
		/*
		 * The loader takes $ORIGIN from where the kernel found the file, behind symbolic
		 * links.
		 */
		real = realpath(path, NULL);
		ret = rt_loader_list(images, interp, real ? real : path, err);
		free(real);
	}
	if (ret)
		rt_images_close(images);
	return ret;
}

int rt_images_add_path(struct rt_images *images, const char *lib, pid_t pid, struct rt_error *err)
{
	char path[PATH_MAX + 64];
	struct rt_image *image;
	struct stat st;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, lib);
	if (!pid || lib[0] != '/' || stat(path, &st) < 0)
		snprintf(path, sizeof(path), "%s", lib);
	if (!strchr(lib, '/') || rt_images_find(images, lib) || stat(path, &st) < 0)
		return 0;
	ret = rt_image_open_library(path, lib, &image, err);
	if (ret)
		return ret;
	/* A program has a loader and no soname; libc.so.6 has both. */
	if (rt_image_interp(image) && !image->soname) {
		ret = rt_usage(err,
			       "%s: is a program and no library of %s; trace it by itself: "
			       "rawtrace %s FUNCTION, or -p PID",
			       lib, rt_image_name(images->v[0]), lib);
		rt_image_close(image);
		return ret;
	}
	image->late = true;
	return rt_images_take(images, image, err);
}

void rt_images_close(struct rt_images *images)
{
	size_t i;

	for (i = 0; i < images->n; i++)
		rt_image_close(images->v[i]);
	free(images->v);
	free(images->incomplete);
	free(images->servers);
	memset(images, 0, sizeof(*images));
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* How well the file's name `name` fits what the user typed: 0 exactly, 3 not at all. */
static unsigned misfit(const char *name, const char *lib)
{
	size_t n = strlen(lib);

	if (n == 0 || strncmp(name, lib, n) != 0)
		return 3;
	if (name[n] == '\0')
		return 0;
	if (strncmp(name + n, ".so", 3) == 0)	/* "libm" is libm.so.6, not libm-whatever.so */
		return 1;
	return name[n] == '.' || name[n] == '-' ? 2 : 3;
}

static struct rt_image *find_path(const struct rt_images *images, const char *path)
{
	struct stat st;
	size_t i;

	if (stat(path, &st) < 0)
		return NULL;
	for (i = 0; i < images->n; i++)
		if (images->v[i]->ino == st.st_ino && images->v[i]->dev == st.st_dev)
			return images->v[i];
	return NULL;
}

struct rt_image *rt_images_find(const struct rt_images *images, const char *lib)
{
	struct rt_image *best = NULL, *image;
	unsigned fit, best_fit = 3;
	size_t i;

	for (i = 0; i < images->n; i++) {
		image = images->v[i];
		if (strcmp(image->name, lib) == 0 || strcmp(rt_image_name(image), lib) == 0)
			return image;
	}
	if (strchr(lib, '/'))
		return find_path(images, lib);
	for (i = 0; i < images->n; i++) {
		image = images->v[i];
		fit = misfit(base_name(image->name), lib);
		if (image->soname && misfit(image->soname, lib) < fit)
			fit = misfit(image->soname, lib);
		if (i == 0 && fit > 0) /* the program is known by its whole name only: "fib" is not
					  fib.so.1 */
			fit = 3;
		if (fit < best_fit) {
			best = image;
			best_fit = fit;
		}
	}
	return best;
}

bool rt_images_unwind(const struct rt_images *images, char *buf, size_t size)
{
	const char *why;
	size_t i;

	for (i = 0; i < images->n; i++) {
		why = rt_image_unwinds(images->v[i]);
		if (why) {
			snprintf(buf, size, "%s %s", rt_image_name(images->v[i]), why);
			return true;
		}
	}
	if (images->incomplete) {
		snprintf(buf, size, "its libraries could not be listed: %s", images->incomplete);
		return true;
	}
	return false;
}

bool rt_images_become(const struct rt_images *images, char *buf, size_t size)
{
	const char *how;
	size_t i;

	for (i = 0; i < images->n; i++) {
		how = rt_image_becomes(images->v[i]);
		if (how) {
			snprintf(buf, size, "%s imports %s", rt_image_name(images->v[i]), how);
			return true;
		}
	}
	return false;
}

bool rt_images_exec(const struct rt_images *images)
{
	size_t i;

	for (i = 0; i < images->n; i++)
		if (rt_image_execs(images->v[i]))
			return true;
	return images->incomplete;
}

/*
 * The first file of which `judge` names a function, as "NAME has FUNCTION"; a library that is not
 * known may have it too.
 */
static bool first_with(const struct rt_images *images, const char *(*judge)(struct rt_image *image),
		       char *buf, size_t size)
{
	const char *name;
	size_t i;

	for (i = 0; i < images->n; i++) {
		name = judge(images->v[i]);
		if (name) {
			snprintf(buf, size, "%s has %s", rt_image_name(images->v[i]), name);
			return true;
		}
	}
	if (images->incomplete)
		snprintf(buf, size, "its libraries could not be listed: %s", images->incomplete);
	return images->incomplete;
}

bool rt_images_jump(const struct rt_images *images, char *buf, size_t size)
{
	return first_with(images, rt_image_jumps, buf, size);
}

bool rt_images_fork(const struct rt_images *images, char *buf, size_t size)
{
	return first_with(images, rt_image_forks, buf, size);
}

bool rt_images_filter(const struct rt_images *images, char *buf, size_t size)
{
	return first_with(images, rt_image_filters, buf, size);
}

/* ---- the files of a running process ---- */

#define DELETED " (deleted)"

bool rt_map_line(char *line, struct rt_map *map)
{
	size_t n = strcspn(line, "\n"), suffix = strlen(DELETED), perms_n, device_n;
	const char *at = line, *perms;

	line[n] = '\0';
	/* START-END PERMS OFFSET MAJOR:MINOR INODE   PATH */
	if (!rt_scan_number(&at, 16, &map->start) || !rt_scan_text(&at, "-") ||
	    !rt_scan_number(&at, 16, &map->end))
		return false;
	perms = rt_scan_word(&at, &perms_n);
	if (!perms || perms_n != 4 || perms[2] != 'x' || !rt_scan_text(&at, " ") ||
	    !rt_scan_number(&at, 16, &map->offset) || !rt_scan_word(&at, &device_n) ||
	    !rt_scan_text(&at, " ") || !rt_scan_number(&at, 10, &map->inode))
		return false;
	at += strspn(at, " ");
	if (map->inode == 0 || *at != '/')
		return false;
	map->path = line + (at - line);
	map->deleted = strlen(at) > suffix && strcmp(line + n - suffix, DELETED) == 0;
	if (map->deleted)
		line[n - suffix] = '\0';
	return true;
}

/*
 * The state letter of /proc/PID/stat, which follows the last ')'; '\0' where there is no such
 * process.
 */
static char process_state(pid_t pid)
{
	char path[64], buf[512], *p;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return '\0';
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	p = strrchr(buf, ')');
	return p && p[1] == ' ' ? p[2] : '\0';
}

/* More than one: folders beside ".", ".." and the first. */
static bool has_threads(pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return stat(path, &st) == 0 && st.st_nlink > 3;
}

static int no_program(pid_t pid, int code, struct rt_error *err)
{
	char state = process_state(pid);

	if ((state == 'Z' || state == 'X') && has_threads(pid))
		return rt_fail(err, -ESRCH,
			       "the first thread of process %d, by which the kernel shows and "
			       "filters it, has ended and others go on",
			       (int)pid);
	if (state == '\0')
		return rt_fail(err, -ESRCH, "no process %d", (int)pid);
	if (state == 'Z' || state == 'X')
		return rt_fail(err, -ESRCH,
			       "process %d has ended already (its parent has not waited for it)",
			       (int)pid);
	if (code == -ENOENT)
		return rt_fail(err, -ENOEXEC, "process %d is a kernel thread: it runs no program",
			       (int)pid);
	if (code == -EACCES || code == -EPERM)
		return rt_fail(err, code, "process %d: no permission to look at it%s", (int)pid,
			       geteuid() == 0 ? "" : "; try: sudo rawtrace ...");
	return rt_fail(err, code, "process %d: its program cannot be found: %s", (int)pid,
		       strerror(-code));
}

static int open_program(pid_t pid, struct rt_images *images, struct rt_error *err)
{
	char path[64], target[PATH_MAX + 1];
	struct rt_image *image;
	ssize_t n;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = pid > 0 ? readlink(path, target, sizeof(target) - 1) : -1;
	if (n < 0)
		return no_program(pid, pid > 0 ? -errno : -ENOENT, err);
	target[n] = '\0';
	/* The link opens the very file that runs, whatever is now at the path. */
	if ((size_t)n > strlen(DELETED) && strcmp(target + n - strlen(DELETED), DELETED) == 0)
		target[(size_t)n - strlen(DELETED)] = '\0';
	ret = rt_image_open(path, target, &image, err);
	return ret ? ret : rt_images_take(images, image, err);
}

/*
 * /proc/PID/map_files opens the mapped file itself, but asks for CAP_SYS_ADMIN or
 * CAP_CHECKPOINT_RESTORE; else the path is looked up as the process sees it, and must still be the
 * same file.
 */
static int open_map(pid_t pid, const struct rt_map *map, struct rt_image **image,
		    struct rt_error *why)
{
	char path[PATH_MAX + 64];
	struct stat st;
	int ret;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, (int)pid,
		 map->start, map->end);
	if (stat(path, &st) ==
	    0) /* access(2) would ask without the capabilities that the file of rawtrace may have */
		return rt_image_open_library(path, map->path, image, why);
	if (map->deleted)
		return rt_fail(why, -ENOENT, "%s was deleted or replaced", map->path);
	snprintf(path, sizeof(path), "/proc/%d/root%s", (int)pid, map->path);
	ret = rt_image_open_library(path, map->path, image, why);
	if (ret == 0 && (*image)->ino != map->inode) {
		rt_image_close(*image);
		return rt_fail(why, -ENOENT, "%s was replaced", map->path);
	}
	return ret;
}

static int take_map(pid_t pid, struct rt_images *images, const struct rt_map *map,
		    struct rt_error *err)
{
	struct rt_image *image;
	struct rt_error why;
	int ret;

	ret = open_map(pid, map, &image, &why);
	if (ret == 0)
		return rt_images_take(images, image, err);
	if (ret == -ENOMEM)
		return rt_nomem(err);
	/* Programs map other things executable too; they have no functions to find. */
	if (ret != -ENOEXEC)
		rt_images_incomplete(images, "%s", why.text);
	return 0;
}

static int read_maps(pid_t pid, struct rt_images *images, struct rt_error *err)
{
	char path[64], *line = NULL;
	size_t room = 0;
	struct rt_map map;
	int ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return no_program(pid, -errno, err);
	while (ret == 0 && getline(&line, &room, f) > 0)
		if (rt_map_line(line, &map))
			ret = take_map(pid, images, &map, err);
	if (ret == 0 && ferror(f))
		rt_images_incomplete(images, "%s could not be read", path);
	free(line);
	fclose(f);
	return ret;
}

static int images_of_pid(pid_t pid, struct rt_images *images, struct rt_error *err)
{
	int ret;

	memset(images, 0, sizeof(*images));
	ret = open_program(pid, images, err);
	if (ret == 0)
		ret = read_maps(pid, images, err);
	if (ret)
		rt_images_close(images);
	return ret;
}

/* What another process has too, into the list of all: its images are closed, or belong to that. */
static int join(struct rt_images *images, struct rt_images *other, struct rt_error *err)
{
	size_t before = images->n, i;
	int ret = 0;

	for (i = 0; i < other->n; i++) {
		if (ret == 0)
			ret = rt_images_take(images, other->v[i], err);
		else
			rt_image_close(other->v[i]);
	}
	if (other->incomplete)
		rt_images_incomplete(images, "%s", other->incomplete);
	other->n = 0;
	return ret < 0 ? ret : images->n != before;
}

static int join_process(struct rt_images *images, pid_t first, pid_t pid, struct rt_error *err)
{
	struct rt_images other;
	size_t n;
	int ret = images_of_pid(pid, &other, err);

	if (ret < 0)
		return ret;
	n = other.n;
	if (other.v[0]->ino != images->v[0]->ino || other.v[0]->dev != images->v[0]->dev)
		ret = rt_usage(err,
			       "process %d runs %s and process %d another file, %s: processes are "
			       "traced together that run the same program",
			       (int)first, rt_image_name(images->v[0]), (int)pid,
			       rt_image_name(other.v[0]));
	else
		ret = join(images, &other, err);
	if (ret > 0 || (ret == 0 && n < images->n))
		images->uneven = pid;
	rt_images_close(&other);
	return ret < 0 ? ret : 0;
}

int rt_images_of_pids(const struct rt_pids *pids, struct rt_images *images, struct rt_error *err)
{
	unsigned i;
	int ret = images_of_pid(pids->v[0], images, err);

	for (i = 1; i < pids->n && ret == 0; i++) {
		ret = join_process(images, pids->v[0], pids->v[i], err);
		if (ret < 0)
			rt_images_close(images);
	}
	return ret;
}
