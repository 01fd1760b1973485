/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/loader_file.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usual[] = "/lib64/\0/usr/lib64/\0/lib/\0/usr/lib/";

char *rt_loader_read(const char *path, size_t max, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *bytes = NULL;
	ssize_t got;

	*n = 0;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uint64_t)st.st_size <= max)
		bytes = malloc((size_t)st.st_size + 1);
	while (bytes && *n < (size_t)st.st_size) {
		got = pread(fd, bytes + *n, (size_t)st.st_size - *n, (off_t)*n);
		if (got <= 0)
			break;
		*n += (size_t)got;
	}
	if (bytes)
		bytes[*n] = '\0';
	close(fd);
	return bytes;
}

static bool is_folder(const char *s, size_t n)
{
	return n >= 5 && n < PATH_MAX && s[0] == '/' && s[n - 1] == '/' && memmem(s, n, "lib", 3);
}

/* The default folders: the longest run of strings that look like them. */
static void find_folders(const char *bytes, size_t n, struct rt_loader_file *file)
{
	const char *s, *end, *first = NULL;
	size_t count = 0;

	for (s = bytes; s < bytes + n; s = end + 1) {
		end = memchr(s, '\0', (size_t)(bytes + n - s));
		if (!end)
			break;
		if (!is_folder(s, (size_t)(end - s))) {
			count = 0;
			continue;
		}
		first = count++ ? first : s;
		if (count > file->nfolders) {
			file->folders = first;
			file->nfolders = count;
		}
	}
}

static void find_cache(const char *bytes, size_t n, struct rt_loader_file *file)
{
	static const char name[] = "/ld.so.cache";
	const char *at = n ? memmem(bytes, n, name, sizeof(name)) : NULL, *s = at;

	while (s && s > bytes && s[-1] && at - s < PATH_MAX)
		s--;
	if (s && *s == '/')
		file->cache = s;
}

void rt_loader_file_read(const char *bytes, size_t n, struct rt_loader_file *file)
{
	*file = (struct rt_loader_file){ .hwcaps = n && memmem(bytes, n, "glibc-hwcaps", 12) };
	find_folders(bytes, n, file);
	find_cache(bytes, n, file);
	file->known = file->nfolders;
	if (!file->known)
		*file = (struct rt_loader_file){ .folders = usual,
						 .nfolders = 4,
						 .cache = "/etc/ld.so.cache" };
}
