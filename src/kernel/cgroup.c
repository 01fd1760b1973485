/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kernel/procfs.h"

/* CGROUP2_SUPER_MAGIC of <linux/magic.h>, 4.5. */
enum { CGROUP2 = 0x63677270 };

/* Folders below folders, so that a search ends. */
enum { DEPTH_MAX = 16 };

static bool is_cgroup(const char *path)
{
	struct statfs fs;

	return statfs(path, &fs) == 0 && fs.f_type == CGROUP2;
}

/* The first mount point of file system `type` with `option` among its options. */
static int find_mount(const char *type, const char *option, char *root, size_t size)
{
	char *mounts, *line, *next, point[PATH_MAX], name[64], options[1024];
	bool found = false;
	int r = rt_read_file("/proc/self/mounts", &mounts);

	if (r < 0)
		return r;
	for (line = mounts; *line && !found; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		found = sscanf(line, "%*s %4095s %63s %1023s", point, name, options) == 3 &&
			strcmp(name, type) == 0 && strstr(options, option) && strlen(point) < size;
	}
	free(mounts);
	if (found)
		strcpy(root, point);
	return found ? 0 : -ENOENT;
}

/* Find the mount point of version 2: alone, or beside version 1 (systemd's hybrid layout). */
static int find_root(char *root, size_t size, struct rt_error *err)
{
	int r = find_mount("cgroup2", "", root, size);

	return r == -ENOENT ? rt_fail(err, r,
				      "control groups of version 2 are not mounted; try: mount -t "
				      "cgroup2 none /mnt")
	       : r < 0 ? rt_fail(err, r, "/proc/self/mounts: %s", strerror(-r))
		       : 0;
}

static int open_folder(const char *path, const char *name, struct rt_error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd >= 0 ? fd : rt_fail(err, -errno, "%s: %s", name, strerror(errno));
}

int rt_cgroup_open(const char *path, struct rt_error *err)
{
	char root[PATH_MAX], full[2 * PATH_MAX];
	int r;

	if (is_cgroup(path))
		return open_folder(path, path, err);
	r = find_root(root, sizeof(root), err);
	if (r < 0)
		return r;
	snprintf(full, sizeof(full), "%s/%.*s", root, PATH_MAX - 1, path);
	if (!is_cgroup(full))
		return rt_fail(err, -ENOENT,
			       "%s: no control group of version 2; try one of /proc/PID/cgroup",
			       path);
	return open_folder(full, path, err);
}

/* Look for a folder `name` in `path`, which has room for PATH_MAX and becomes that. */
static bool find_folder(char *path, const char *name, unsigned depth)
{
	size_t n = strlen(path);
	DIR *dir = opendir(path);
	bool found = false;
	struct dirent *d;

	while (dir && !found && (d = readdir(dir))) {
		if (d->d_type != DT_DIR || d->d_name[0] == '.' ||
		    n + strlen(d->d_name) + 2 > PATH_MAX)
			continue;
		sprintf(path + n, "/%s", d->d_name);
		found = strcmp(d->d_name, name) == 0 ||
			(depth && find_folder(path, name, depth - 1));
	}
	if (dir)
		closedir(dir);
	if (!found)
		path[n] = '\0';
	return found;
}

/*
 * Find the folder of a unit, with its suffix or without: postgresql-9.6.  The one nearest to the
 * root: containers and users' managers have units of the same names further down.
 */
static bool find_unit(char *path, const char *unit)
{
	static const char *const suffixes[] = { "", ".service" };
	char name[NAME_MAX + 1];
	unsigned depth, i;

	for (depth = 0; depth <= DEPTH_MAX; depth++) {
		for (i = 0; i < 2; i++) {
			snprintf(name, sizeof(name), "%s%s", unit, suffixes[i]);
			if (find_folder(path, name, depth))
				return true;
		}
	}
	return false;
}

int rt_cgroup_open_unit(const char *unit, struct rt_error *err)
{
	const char *suffix = strchr(unit, '.') ? "" : ".service";
	char path[PATH_MAX];
	int r = find_root(path, sizeof(path), err);

	if (r == 0 && find_unit(path, unit))
		return open_folder(path, unit, err);
	/* systemd alone on version 1, as before 2019 (its release 243), has a tree of its own. */
	if (find_mount("cgroup", "name=systemd", path, sizeof(path)) == 0 && find_unit(path, unit))
		return rt_fail(err, -ENOTSUP,
			       "%s%s: is a control group of version 1; try: -p \"$(cat "
			       "%s/cgroup.procs)\"",
			       unit, suffix, path);
	return r < 0 ? r
		     : rt_fail(err, -ENOENT, "%s%s: no such unit runs; try: systemctl status %s%s",
			       unit, suffix, unit, suffix);
}
