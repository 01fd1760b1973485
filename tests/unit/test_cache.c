/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

enum { SIZE = 1000 };

struct cache {
	char base[64], path[PATH_MAX], *before;
	int fd;
};

static void begin(struct cache *cache)
{
	const char *before = getenv("XDG_CACHE_HOME");

	cache->before = before ? strdup(before) : NULL;
	strcpy(cache->base, "/tmp/rawtrace-cache.XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(cache->base));
	setenv("XDG_CACHE_HOME", cache->base, 1);
	cache->fd = rt_cache_open(cache->path);
	CU_ASSERT_FATAL(cache->fd >= 0);
}

static void end(struct cache *cache)
{
	static const char *const names[] = { "a", "b", "c", "d", "new" };
	char path[sizeof(cache->base) + 16];
	unsigned i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlinkat(cache->fd, names[i], 0);
	close(cache->fd);
	rmdir(cache->path);
	snprintf(path, sizeof(path), "%s/rawtrace", cache->base);
	rmdir(path);
	CU_ASSERT_EQUAL(rmdir(cache->base), 0);
	if (cache->before)
		setenv("XDG_CACHE_HOME", cache->before, 1);
	else
		unsetenv("XDG_CACHE_HOME");
	free(cache->before);
}

/* Keep a file by a handle of its own, as another process does. */
static int keep(struct cache *cache, const char *name, bool whole)
{
	char path[PATH_MAX];
	int folder = rt_cache_open(path), fd = rt_cache_begin(folder, SIZE), r;

	r = fd < 0 ? fd : ftruncate(fd, SIZE);
	if (fd >= 0) {
		r = rt_cache_end(folder, fd, name, whole);
		close(fd);
	}
	close(folder);
	RT_ASSERT_TEXT(path, cache->path);
	return r;
}

static bool is_there(struct cache *cache, const char *name, uint64_t size)
{
	int fd = rt_cache_find(cache->fd, name, size);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void test_kept(void)
{
	struct cache cache;

	begin(&cache);
	CU_ASSERT(!is_there(&cache, "a", SIZE));
	CU_ASSERT_EQUAL(keep(&cache, "a", true), 0);
	CU_ASSERT(is_there(&cache, "a", SIZE));
	CU_ASSERT(!is_there(&cache, "a", SIZE - 1));
	CU_ASSERT_EQUAL(keep(&cache, "b", false), -EIO);
	CU_ASSERT(!is_there(&cache, "b", SIZE));
	CU_ASSERT_EQUAL(faccessat(cache.fd, "new", F_OK, 0), -1);
	end(&cache);
}

static void test_locked(void)
{
	struct cache cache;
	int fd;

	begin(&cache);
	fd = rt_cache_begin(cache.fd, SIZE);
	CU_ASSERT(fd >= 0);
	CU_ASSERT_EQUAL(keep(&cache, "b", true), -EWOULDBLOCK);
	CU_ASSERT_EQUAL(rt_cache_end(cache.fd, fd, "a", ftruncate(fd, SIZE) == 0), 0);
	close(fd);
	close(cache.fd);
	cache.fd = rt_cache_open(cache.path);
	CU_ASSERT(is_there(&cache, "a", SIZE));
	CU_ASSERT_EQUAL(keep(&cache, "b", true), 0);
	end(&cache);
}

static void test_not_ours(void)
{
	struct cache cache;

	begin(&cache);
	CU_ASSERT_EQUAL(keep(&cache, "a", true), 0);
	CU_ASSERT_EQUAL(fchmodat(cache.fd, "a", 0620, 0), 0);
	CU_ASSERT(!is_there(&cache, "a", SIZE));
	CU_ASSERT_EQUAL(fchmodat(cache.fd, "a", 0600, 0), 0);
	CU_ASSERT(is_there(&cache, "a", SIZE));
	CU_ASSERT_EQUAL(symlinkat("a", cache.fd, "b"), 0);
	CU_ASSERT(!is_there(&cache, "b", SIZE));
	CU_ASSERT_EQUAL(mkfifoat(cache.fd, "c", 0600), 0);
	CU_ASSERT(!is_there(&cache, "c", 0));
	end(&cache);
}

/* A file of that size, without a block on the disk, last used at that time. */
static void make_old(struct cache *cache, const char *name, off_t size, time_t when)
{
	const struct timespec times[2] = { { when, 0 }, { when, 0 } };
	int fd = openat(cache->fd, name, O_WRONLY | O_CREAT, 0600);

	CU_ASSERT_EQUAL(ftruncate(fd, size), 0);
	CU_ASSERT_EQUAL(futimens(fd, times), 0);
	close(fd);
}

static void test_limit(void)
{
	const off_t third = (off_t)RT_CACHE_MAX / 3;
	struct cache cache;

	begin(&cache);
	make_old(&cache, "a", third, 1000);
	make_old(&cache, "b", third, 2000);
	make_old(&cache, "c", third, 3000);
	CU_ASSERT(is_there(&cache, "a", (uint64_t)third));	/* now it is the newest */
	CU_ASSERT_EQUAL(keep(&cache, "d", true), 0);
	CU_ASSERT(is_there(&cache, "a", (uint64_t)third));
	CU_ASSERT(!is_there(&cache, "b", (uint64_t)third));
	CU_ASSERT(is_there(&cache, "c", (uint64_t)third));
	CU_ASSERT(is_there(&cache, "d", SIZE));
	CU_ASSERT_EQUAL(rt_cache_begin(cache.fd, RT_CACHE_MAX + 1), -ENOSPC);
	end(&cache);
}

CU_TestInfo rt_tests_cache[] = {
	{ "a file is there once it is whole", test_kept },
	{ "one process writes at a time", test_locked },
	{ "files that others can write to are not used", test_not_ours },
	{ "the oldest files are removed", test_limit },
	CU_TEST_INFO_NULL,
};
