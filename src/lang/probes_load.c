/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lang/probes.h"

#include "config.h"

enum { SIZE_LIMIT = 1 << 20 };

/* The text of an open file, malloced, with its length in `*n`. */
static char *read_text(int fd, size_t size, size_t *n)
{
	char *text = malloc(size + 1);
	ssize_t r = 0;

	for (*n = 0; text && *n < size; *n += (size_t)r) {
		r = read(fd, text + *n, size - *n);
		if (r <= 0)
			break;
	}
	if (r >= 0)
		return text;
	free(text);
	return NULL;
}

static int add_open(struct rt_probes *p, const char *path, int fd, struct rt_error *err)
{
	struct stat st;
	size_t n = 0;
	char *text;
	int r;

	if (fstat(fd, &st) < 0)
		return rt_fail(err, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return rt_fail(err, -EINVAL, "%s: %s", path, S_ISDIR(st.st_mode) ? "is a directory" : "is not a regular file");
	if (st.st_size > SIZE_LIMIT)
		return rt_fail(err, -EFBIG, "%s: is larger than a file of probes may be, 1 MB", path);
	text = read_text(fd, (size_t)st.st_size, &n);
	if (!text)
		return rt_fail(err, -errno, "%s: %s", path, strerror(errno));
	r = rt_probes_add(p, path, text, n, err);
	free(text);
	return r;
}

static int add_file(struct rt_probes *p, const char *path, struct rt_error *err)
{
	/* A FIFO that nobody writes to is not waited for. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), r;

	if (fd < 0)
		return rt_fail(err, -errno, "%s: %s", path, strerror(errno));
	r = add_open(p, path, fd, err);
	close(fd);
	return r;
}

/* The phrase that byte `c` of an embedded text stands for; NULL: the byte itself. */
static const char *phrase(char c)
{
	return (unsigned char)c & 0x80 ? rt_embedded_phrases[(unsigned char)c & 0x7f] : NULL;
}

static int add_embedded(struct rt_probes *p, const struct rt_embedded *e, struct rt_error *err)
{
	char *text = NULL;
	size_t n = 0;
	FILE *file = open_memstream(&text, &n);
	const char *at;
	int r;

	if (!file)
		return rt_nomem(err);
	for (at = e->text; *at; at++)
		if (phrase(*at))
			fputs(phrase(*at), file);
		else
			fputc(*at, file);
	r = fclose(file) == 0 ? rt_probes_add(p, e->name, text, n, err) : rt_nomem(err);
	free(text);
	return r;
}

/* NAME in each of the folders, which ':' separates: -ENOENT where none has it. */
static int load_from(struct rt_probes *p, const char *folders, const char *name, struct rt_error *err)
{
	char path[4096];
	size_t n;

	while (folders && *folders) {
		n = strcspn(folders, ":");
		if (n && snprintf(path, sizeof(path), "%.*s/%s", (int)n, folders, name) < (int)sizeof(path) && access(path, R_OK) == 0)
			return add_file(p, path, err);
		folders += n + (folders[n] == ':');
	}
	return -ENOENT;
}

static int load_beside(struct rt_probes *p, const char *name, struct rt_error *err)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);
	char *slash;

	if (n <= 0)
		return -ENOENT;
	path[n] = '\0';
	slash = strrchr(path, '/');
	if (!slash)
		return -ENOENT;
	strcpy(slash, "/probes");
	return load_from(p, path, name, err);
}

static int no_file(const char *name, struct rt_error *err)
{
	char names[512] = "";
	size_t at = 0;
	unsigned i;

	for (i = 0; rt_embedded[i].name && at < sizeof(names) - 64; i++)
		at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%.40s", i ? ", " : "", rt_embedded[i].name);
	return rt_usage(err, "@%s: no such file of probes; there are: %s", name, names);
}

int rt_probes_load(struct rt_probes *p, const char *name, struct rt_error *err)
{
	unsigned i;
	int r;

	if (strchr(name, '/'))
		return add_file(p, name, err);
	r = *name ? load_from(p, getenv("RAWTRACE_PROBES"), name, err) : -ENOENT;
	if (r == -ENOENT && *name)
		r = load_beside(p, name, err);
	if (r == -ENOENT && *name)
		r = load_from(p, RT_PROBES_DIR, name, err);
	for (i = 0; r == -ENOENT && rt_embedded[i].name; i++)
		if (strcmp(rt_embedded[i].name, name) == 0)
			return add_embedded(p, &rt_embedded[i], err);
	return r == -ENOENT ? no_file(name, err) : r;
}

int rt_probes_load_all(struct rt_probes *p, struct rt_error *err)
{
	unsigned i;
	int r = 0;

	for (i = 0; rt_embedded[i].name && r == 0; i++)
		r = add_embedded(p, &rt_embedded[i], err);
	return r;
}
