/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define UNFINISHED "new"		/* the file that is being written; the folder is locked */

/* ---- the folder ---- */

int rt_cache_subfolder(int at, const char *name, uid_t owner)
{
	struct stat st;
	int fd;

	if (mkdirat(at, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0 || (st.st_uid != 0 && st.st_uid != owner) || (st.st_mode & 022) ||
	    (st.st_uid != owner && fchown(fd, owner, owner) < 0)) {
		close(fd);
		return -EPERM;
	}
	return fd;
}

static int open_base(const char *base)
{
	int fd = open(base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
		return fd;
	close(fd);
	return -EPERM;
}

/* With sudo, HOME and XDG_CACHE_HOME may be another user's: root writes nothing there. */
static int find_base(char path[PATH_MAX])
{
	const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int fd = -1;

	if (base && base[0] == '/' && snprintf(path, PATH_MAX, "%s", base) < PATH_MAX)
		fd = open_base(path);
	if (fd >= 0)
		return fd;
	if (geteuid() == 0) {
		strcpy(path, RT_CACHE_ROOT);
		mkdir(path, 0755);
	} else if (home && home[0] == '/' &&
		   snprintf(path, PATH_MAX, "%s/.cache", home) < PATH_MAX) {
		mkdir(path, 0700);
	} else {
		return -ENOENT;
	}
	return open_base(path);
}

int rt_cache_open(char path[PATH_MAX])
{
	static const char *const names[] = { "rawtrace", "unpacked" };
	int at = find_base(path), below;
	unsigned i;

	for (i = 0; i < 2 && at >= 0; i++) {
		if (strlen(path) + 1 + strlen(names[i]) >= PATH_MAX) {
			close(at);
			return -ENAMETOOLONG;
		}
		strcat(strcat(path, "/"), names[i]);
		below = rt_cache_subfolder(at, names[i], geteuid());
		close(at);
		at = below;
	}
	return at;
}

/* ---- its files ---- */

int rt_cache_find(int folder, const char *name, uint64_t size)
{
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -ENOENT;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	    !(st.st_mode & 022) && (uint64_t)st.st_size == size) {
		futimens(fd, NULL);
		return fd;
	}
	close(fd);
	return -ENOENT;
}

/* The bytes of all files; `oldest` gets a name, "" if there is no file. */
static uint64_t add_up(DIR *dir, char oldest[NAME_MAX + 1])
{
	struct timespec when = { 0, 0 };
	const struct dirent *entry;
	uint64_t sum = 0;
	struct stat st;

	oldest[0] = '\0';
	rewinddir(dir);
	while ((entry = readdir(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    S_ISDIR(st.st_mode))
			continue;
		sum += (uint64_t)st.st_size;
		if (oldest[0] && (st.st_mtim.tv_sec > when.tv_sec ||
				  (st.st_mtim.tv_sec == when.tv_sec &&
				   st.st_mtim.tv_nsec >= when.tv_nsec)))
			continue;
		when = st.st_mtim;
		snprintf(oldest, NAME_MAX + 1, "%s", entry->d_name);
	}
	return sum;
}

static bool make_room(int folder, uint64_t size)
{
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char oldest[NAME_MAX + 1];
	bool fits;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	do {
		fits = add_up(dir, oldest) <= RT_CACHE_MAX - size;
	} while (!fits && oldest[0] && unlinkat(folder, oldest, 0) == 0);
	closedir(dir);
	return fits;
}

/* The file may take a quarter of what is free, and SIGXFSZ would end us. */
static bool may_write(int folder, uint64_t size)
{
	struct statvfs fs;
	struct rlimit limit;

	return size <= RT_CACHE_MAX && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	       (limit.rlim_cur == RLIM_INFINITY || size <= limit.rlim_cur) &&
	       fstatvfs(folder, &fs) == 0 &&
	       size / 4096 <= (uint64_t)fs.f_bavail * fs.f_frsize / 4096 / 4;
}

int rt_cache_begin(int folder, uint64_t size)
{
	int fd;

	if (!may_write(folder, size))
		return -ENOSPC;
	if (flock(folder, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	/* A run that was killed may have left one. */
	unlinkat(folder, UNFINISHED, 0);
	if (!make_room(folder, size))
		return -ENOSPC;
	fd = openat(folder, UNFINISHED, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : fd;
}

int rt_cache_end(int folder, int fd, const char *name, bool whole)
{
	/* Sync before rename: else a loss of power may leave a file of that size with zeros. */
	if (whole && fdatasync(fd) == 0 && renameat(folder, UNFINISHED, folder, name) == 0)
		return 0;
	unlinkat(folder, UNFINISHED, 0);
	return -EIO;
}
