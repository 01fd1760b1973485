/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "base/scan.h"

/*
 * The `n` characters of a mount point, in which the kernel writes blanks as \040, into `point`.
 * False: no room.
 */
static bool unescape(const char *from, size_t n, char *point, size_t size)
{
	const char *end = from + n;
	size_t used = 0;

	while (from < end) {
		if (used + 1 >= size)
			return false;
		if (*from == '\\' && end - from >= 4 && strspn(from + 1, "01234567") >= 3) {
			point[used++] = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 |
					       (from[3] - '0'));
			from += 4;
		} else {
			point[used++] = *from++;
		}
	}
	point[used] = '\0';
	return true;
}

/* Take the mount point of the first line of type `type`. */
static bool mount_point(const char *mounts, const char *type, char *point, size_t size)
{
	const char *line, *at, *dir, *fs;
	size_t dir_n, fs_n;

	for (line = mounts; line && *line;
	     line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		at = line;
		if (!rt_scan_word(&at, &dir_n))
			continue;
		dir = rt_scan_word(&at, &dir_n);
		fs = rt_scan_word(&at, &fs_n);
		if (dir && fs && fs_n == strlen(type) && strncmp(fs, type, fs_n) == 0 &&
		    unescape(dir, dir_n, point, size))
			return true;
	}
	return false;
}

int rt_tracefs_in_mounts(const char *mounts, char *root, size_t size)
{
	static const char sub[] = "/tracing";

	if (mount_point(mounts, "tracefs", root, size))
		return 0;
	if (!mount_point(mounts, "debugfs", root, size - sizeof(sub)))
		return -ENOENT;
	strcat(root, sub);
	return 0;
}

/*
 * Nobody else's mount table changes: a new mount namespace, cut off from its parent's before
 * anything is mounted.
 */
static int mount_private(struct rt_tracefs *t, struct rt_error *err)
{
	static const char *const places[][3] = {
		{ "tracefs", "/sys/kernel/tracing", "/sys/kernel/tracing" },
		{ "debugfs", "/sys/kernel/debug", "/sys/kernel/debug/tracing" },
	};
	int r = -ENOENT;
	unsigned i;

	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return rt_fail(err, -errno,
			       "tracefs: cannot be mounted: %s; try: mount -t tracefs tracefs "
			       "/sys/kernel/tracing",
			       strerror(errno));
	for (i = 0; i < 2; i++) {
		if (mount(places[i][0], places[i][1], places[i][0],
			  MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0) {
			if (r == -ENOENT)
				r = -errno;
			continue;
		}
		snprintf(t->root, sizeof(t->root), "%s", places[i][2]);
		t->private_mount = true;
		return 0;
	}
	return rt_fail(err, r, "tracefs: cannot be mounted: %s",
		       r == -ENODEV ? "the kernel lacks it (CONFIG_TRACING)" : strerror(-r));
}

int rt_tracefs_mounted(struct rt_tracefs *t)
{
	char *mounts;
	int r;

	memset(t, 0, sizeof(*t));
	r = rt_read_file("/proc/self/mounts", &mounts);
	if (r < 0)
		return r;
	r = rt_tracefs_in_mounts(mounts, t->root, sizeof(t->root));
	free(mounts);
	/* debugfs may be there without tracing in it. */
	return r < 0 ? r : access(t->root, F_OK) == 0 ? 0 : -errno;
}

int rt_tracefs_find(struct rt_tracefs *t, struct rt_error *err)
{
	int r;

	r = rt_tracefs_mounted(t);
	if (r == -EACCES)
		return rt_fail(err, r, "%s: no permission; run rawtrace as root", t->root);
	if (r < 0)
		r = mount_private(t, err);
	if (r < 0)
		return r;
	if (rt_tracefs_has(t, "uprobe_events"))
		return 0;
	if (errno == EACCES)
		return rt_fail(err, -EACCES,
			       "%s/uprobe_events: no permission; run rawtrace as root", t->root);
	return rt_fail(err, -EOPNOTSUPP,
		       "%s/uprobe_events: missing; the kernel needs CONFIG_UPROBE_EVENTS", t->root);
}

static void format_path(const struct rt_tracefs *t, char *buf, const char *fmt, va_list ap)
{
	size_t n = (size_t)snprintf(buf, PATH_MAX, "%s/", t->root);

	vsnprintf(buf + n, PATH_MAX - n, fmt, ap);
}

const char *rt_tracefs_path(const struct rt_tracefs *t, char *buf, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	format_path(t, buf, fmt, ap);
	va_end(ap);
	return buf;
}

bool rt_tracefs_has(const struct rt_tracefs *t, const char *file)
{
	char path[PATH_MAX];
	struct stat st;

	return stat(rt_tracefs_path(t, path, "%s", file), &st) == 0;
}

int rt_tracefs_read(const struct rt_tracefs *t, const char *file, char **text)
{
	char path[PATH_MAX];

	return rt_read_file(rt_tracefs_path(t, path, "%s", file), text);
}

bool rt_tracefs_has_clock(const struct rt_tracefs *t, const char *file)
{
	char *text;
	bool has;

	if (rt_tracefs_read(t, file, &text) < 0)
		return false;
	has = strstr(text, "mono");
	free(text);
	return has;
}

int rt_tracefs_write(const struct rt_tracefs *t, const char *file, const char *text)
{
	char path[PATH_MAX];

	return rt_write_file(rt_tracefs_path(t, path, "%s", file), 0, text);
}

int rt_tracefs_append(const struct rt_tracefs *t, const char *file, const char *line)
{
	char path[PATH_MAX];

	return rt_write_file(rt_tracefs_path(t, path, "%s", file), O_APPEND, line);
}
