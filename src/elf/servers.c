/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfod-find of elfutils knows the protocol and keeps the files that it has fetched.  It speaks
 * to servers on the network, so rt_ask() runs it without privilege.
 *
 * For root that means as the user nobody, who cannot write to root's cache, and root should not
 * write to folders of other users.  So root's cache is /var/cache/rawtrace/debuginfod, or
 * rawtrace/debuginfod in DEBUGINFOD_CACHE_PATH.  It belongs to nobody, but the folder above belongs
 * to root and lets nobody pass: other processes of nobody cannot reach the cache.  debuginfod-find
 * starts in it, and knows it as ".".
 *
 * For any other user (rawtrace has file capabilities) it is that user's own cache.
 */
#include "elf/servers.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/ask.h"
#include "kernel/caps.h"

#define CACHE "/var/cache"

enum { TIMEOUT_S = 30 };

static void say(char **why, const char *fmt, ...) RT_PRINTF(2, 3);
static void say(char **why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(why, fmt, ap) < 0)
		*why = NULL;
	va_end(ap);
}

/* elfutils' own variable, of 90 s unless set, if that is less. */
static unsigned timeout_ms(void)
{
	const char *text = getenv("DEBUGINFOD_TIMEOUT");
	long n = text ? strtol(text, NULL, 10) : 0;

	return (unsigned)(n > 0 && n < TIMEOUT_S ? n : TIMEOUT_S) * 1000;
}

/* Open the folder `name` in `at`, and make it if need be: one that `owner` alone can write to. */
static int open_folder(int at, const char *name, uid_t owner)
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

/* Root's cache; `path` gets its name. */
static int open_cache(char path[PATH_MAX])
{
	const char *base = getenv("DEBUGINFOD_CACHE_PATH");
	int above, fd;

	base = base && *base ? base : CACHE;
	mkdir(base, 0755);
	if ((size_t)snprintf(path, PATH_MAX, "%s/rawtrace", base) + sizeof("/debuginfod") > PATH_MAX)
		return -ENAMETOOLONG;
	above = open_folder(AT_FDCWD, path, 0);
	if (above < 0)
		return above;
	strcat(path, "/debuginfod");
	fd = open_folder(above, "debuginfod", RT_NOBODY);
	close(above);
	return fd;
}

/* The line that was answered, as a path from here. */
static char *take_path(const char *text, const char *cache)
{
	size_t n = strcspn(text, "\n");
	char *path = NULL;

	if (n && asprintf(&path, "%s%s%.*s", text[0] == '/' ? "" : cache,
			  text[0] == '/' ? "" : "/", (int)n, text) < 0)
		path = NULL;
	return path;
}

static int run(const char *id, int folder, struct rt_answer *answer)
{
	char *const argv[] = { (char *)"debuginfod-find", (char *)"debuginfo", (char *)id, NULL };
	char *const env[] = { (char *)"DEBUGINFOD_CACHE_PATH=.", (char *)"HOME=.", NULL };

	return rt_ask(argv, folder >= 0 ? env : NULL, folder, timeout_ms(), answer);
}

char *rt_ask_servers(struct rt_servers *servers, const char *file, const char *id, char **why)
{
	struct rt_answer answer = { .slow = servers ? servers->slow : NULL, .of = file };
	const char *urls = getenv("DEBUGINFOD_URLS");
	char cache[PATH_MAX] = ".", *path = NULL;
	int folder = -1, r;

	*why = NULL;
	if ((servers && servers->hang) || !urls || !*urls)
		return NULL;
	if (geteuid() == 0) {
		folder = open_cache(cache);
		if (folder < 0) {
			say(why, "debuginfod-find is not run: its cache %s: %s", cache, strerror(-folder));
			return NULL;
		}
	}
	r = run(id, folder, &answer);
	if (folder >= 0)
		close(folder);
	if (r < 0)
		say(why, "DEBUGINFOD_URLS is set, but debuginfod-find cannot be run: %s", strerror(-r));
	else if (answer.failure && answer.status <= 0)	/* with a status: no server has it */
		say(why, "debuginfod-find %s%s", answer.failure, answer.late ? ", and is not asked again" : "");
	if (servers)
		servers->hang |= answer.late;
	if (r == 0 && !answer.failure && answer.text)
		path = take_path(answer.text, cache);
	free(answer.text);
	return path;
}
