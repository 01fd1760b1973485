/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/images.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "elf/file.h"
#include "kernel/nops.h"
#include "base/array.h"
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
		/* The loader takes $ORIGIN from where the kernel found the file, behind symbolic links. */
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
		ret = rt_usage(err, "%s: is a program and no library of %s; trace it by itself: rawtrace %s FUNCTION, or -p PID", lib,
			       rt_image_name(images->v[0]), lib);
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
		if (i == 0 && fit > 0)	/* the program is known by its whole name only: "fib" is not fib.so.1 */
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

/* The first file of which `judge` names a function, as "NAME has FUNCTION"; a library that is not known may have it too. */
static bool first_with(const struct rt_images *images, const char *(*judge)(struct rt_image *image), char *buf, size_t size)
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
