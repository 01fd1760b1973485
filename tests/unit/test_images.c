/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a process: those that its loader would find, or that the kernel says. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elfgen.h"
#include "process/program.h"
#include "process/ldcache.h"
#include "process/semaphores.h"
#include "elf/file.h"
#include "unit.h"
#include "process/private.h"

#define BASE 0x10000000u

static bool map(const char *text, struct rt_map *m, char *line)
{
	snprintf(line, 256, "%s", text);
	return rt_map_line(line, m);
}

static void test_map_lines(void)
{
	struct rt_map m;
	char line[256];

	CU_ASSERT_TRUE_FATAL(map("7f01-7f02 r-xp 00026000 fe:00 1234       /usr/lib/a b.so\n", &m,
				 line));
	CU_ASSERT_EQUAL(m.start, 0x7f01);
	CU_ASSERT_EQUAL(m.end, 0x7f02);
	CU_ASSERT_EQUAL(m.inode, 1234);
	CU_ASSERT_FALSE(m.deleted);
	RT_ASSERT_TEXT(m.path, "/usr/lib/a b.so");
	CU_ASSERT_TRUE_FATAL(map("1-2 rwxs 0 00:05 9 /memfd:x (deleted)\n", &m, line));
	CU_ASSERT_TRUE(m.deleted);
	RT_ASSERT_TEXT(m.path, "/memfd:x");
	CU_ASSERT_FALSE(map("1-2 r--p 0 fe:00 9 /usr/lib/a.so\n", &m, line));
	CU_ASSERT_FALSE(map("1-2 r-xp 0 00:00 0 [vdso]\n", &m, line));
	CU_ASSERT_FALSE(map("1-2 r-xp 0 00:00 0 \n", &m, line));
	CU_ASSERT_FALSE(map("garbage\n", &m, line));
	CU_ASSERT_FALSE(map("", &m, line));
}

/* This very test program, which needs at least the C library. */
static void test_command(void)
{
	struct rt_program program;
	struct rt_image *libc;
	struct rt_error err;
	struct stat st;
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	CU_ASSERT_TRUE_FATAL(n > 0);
	self[n] = '\0';
	CU_ASSERT_EQUAL_FATAL(rt_program_of_command(self, &program, &err), 0);
	CU_ASSERT_PTR_NULL(program.incomplete);
	CU_ASSERT_EQUAL(stat("/proc/self/exe", &st), 0);
	CU_ASSERT_EQUAL(rt_image_ino(program.v[0]), st.st_ino);
	if (rt_image_interp(program.v[0])) {
		CU_ASSERT_TRUE(program.n >= 3);
		libc = rt_program_find(&program, "libc");
		CU_ASSERT_PTR_NOT_NULL_FATAL(libc);
		CU_ASSERT_PTR_EQUAL(rt_program_find(&program, rt_image_soname(libc)), libc);
		CU_ASSERT_PTR_NULL(rt_image_unwinds(libc));
		CU_ASSERT_PTR_NULL(rt_program_find(&program, "lib"));
		CU_ASSERT_PTR_NULL(rt_program_find(&program, "libcu"));
		CU_ASSERT_PTR_NULL(rt_program_find(&program, ""));
	}
	rt_program_close(&program);
	CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
	CU_ASSERT_EQUAL(errno, ECHILD);
	CU_ASSERT_EQUAL(rt_program_of_command("/nonexistent", &program, &err), -ENOENT);
}

/* A folder with a loader whose default folder and cache it is, and one program. */
struct root {
	char folder[64], loader[128], cache[128];
};

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	CU_ASSERT_PTR_NOT_NULL_FATAL(f);
	CU_ASSERT_EQUAL(fwrite(bytes, 1, n, f), n);
	fclose(f);
}

static void write_elf(const struct root *root, const char *name, const struct elfgen *g)
{
	char path[192];
	size_t n;
	uint8_t *bytes = elfgen_build(g, &n);

	snprintf(path, sizeof(path), "%s/%s", root->folder, name);
	CU_ASSERT_PTR_NOT_NULL_FATAL(bytes);
	write_file(path, bytes, n);
	free(bytes);
}

/* The loader's built-in strings stand in its code. */
static void make_root(struct root *root)
{
	struct elfgen g = { .base = BASE, .soname = "ld-test.so", .type = 3 };
	char text[300];

	snprintf(root->folder, sizeof(root->folder), "/tmp/rt-lib-XXXXXX");
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(root->folder));
	snprintf(root->loader, sizeof(root->loader), "%s/ld-test.so", root->folder);
	snprintf(root->cache, sizeof(root->cache), "%s/ld.so.cache", root->folder);
	memset(text, 0, sizeof(text));
	snprintf(text + 1, 100, "%s/", root->folder);
	snprintf(text + 120, sizeof(root->cache), "%s", root->cache);
	g.code = (const uint8_t *)text;
	g.ncode = sizeof(text);
	write_elf(root, "ld-test.so", &g);
}

static void remove_root(const struct root *root)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", root->folder);
	CU_ASSERT_EQUAL(system(command), 0);
}

/* The names of the libraries of "program" there, and why they may not be all. */
static void expect_libraries(const struct root *root, const char *want, const char *incomplete)
{
	char path[192], got[512] = "";
	struct rt_program program;
	struct rt_error err;
	size_t i;

	snprintf(path, sizeof(path), "%s/program", root->folder);
	CU_ASSERT_EQUAL_FATAL(rt_program_of_command(path, &program, &err), 0);
	for (i = 1; i < program.n; i++)
		snprintf(got + strlen(got), sizeof(got) - strlen(got), "%s%s", i > 1 ? " " : "",
			 strrchr(program.v[i]->name, '/') + 1);
	RT_ASSERT_TEXT(got, want);
	CU_ASSERT_EQUAL(!program.incomplete, !incomplete);
	if (program.incomplete && incomplete)
		CU_ASSERT_PTR_NOT_NULL(strstr(program.incomplete, incomplete));
	rt_program_close(&program);
}

static void write_program(const struct root *root, const char *const *needed)
{
	struct elfgen g = { .base = BASE, .interp = root->loader, .needed = needed };

	write_elf(root, "program", &g);
}

static void write_library(const struct root *root, const char *name, const char *const *needed)
{
	struct elfgen g = {
		.base = BASE, .soname = name, .needed = needed, .dynamic = true, .type = 3
	};

	write_elf(root, name, &g);
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void test_needed(void)
{
	struct elfgen other = {
		.base = BASE, .bits = 32, .machine = 3, .type = 3, .dynamic = true
	};
	struct root root;
	char path[192];

	make_root(&root);
	write_program(&root, LIST("libx.so", "liby.so"));
	expect_libraries(&root, "ld-test.so", "libx.so is not found");
	write_library(&root, "libx.so", LIST("libz.so"));
	write_library(&root, "liby.so", LIST("libx.so", "libz.so"));
	/* A library that needs itself, and its user. */
	write_library(&root, "libz.so", LIST("libz.so", "libx.so", "ld-test.so"));
	expect_libraries(&root, "libx.so liby.so libz.so ld-test.so", NULL);
	/* Two names of one file are one library. */
	write_program(&root, LIST("libx.so", "libw.so", "liby.so"));
	snprintf(path, sizeof(path), "%s/libw.so", root.folder);
	CU_ASSERT_EQUAL(symlink("libx.so", path), 0);
	expect_libraries(&root, "libx.so liby.so libz.so ld-test.so", NULL);
	/* A damaged file is no library, and is told. */
	unlink(path);
	write_file(path, "\177ELF\2\1\1", 7);
	expect_libraries(&root, "libx.so liby.so libz.so ld-test.so", "libw.so: damaged ELF file");
	/* As is one for another architecture: nothing is found. */
	if (rt_arch_of(rt_arch_native()) == &rt_arch_x86_64) {
		unlink(path);
		write_elf(&root, "libw.so", &other);
		expect_libraries(&root, "libx.so liby.so libz.so ld-test.so",
				 "libw.so is not found");
	}
	remove_root(&root);
}

/* A loader that is not there, or none. */
static void test_bad_loaders(void)
{
	struct root root;

	make_root(&root);
	write_program(&root, LIST("libx.so"));
	write_library(&root, "libx.so", NULL);
	write_file(root.loader, "#!/bin/sh\nexit 3\n", 17);
	chmod(root.loader, 0700);
	expect_libraries(&root, "", "is a script");
	unlink(root.loader);
	expect_libraries(&root, "", "No such file or directory");
	write_library(&root, "ld-test.so", NULL);
	expect_libraries(&root, "ld-test.so", "is not one that is known");
	remove_root(&root);
	CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
}

/* ---- ld.so.cache ---- */

struct entry {
	const char *name, *path;
	uint32_t flags;
	uint64_t hwcap;
};

static void put(uint8_t *bytes, size_t at, uint64_t v, size_t n)
{
	memcpy(bytes + at, &v, n);
}

/* The new layout at `at`, with the names of three hwcaps.  The size. */
static size_t new_cache(uint8_t *bytes, size_t at, const struct entry *v, size_t n)
{
	static const char *const hwcaps[] = { "x86-64-v2", "x86-64-v3", "z13" };
	size_t i, extension = at + 48 + 24 * n, end = extension + 24 + 12;

	memcpy(bytes + at, "glibc-ld.so.cache1.1", 20);
	put(bytes, at + 20, n, 4);
	bytes[at + 28] = 2;
	put(bytes, at + 32, extension, 4);
	put(bytes, extension, 0xeaa42174, 4);
	put(bytes, extension + 4, 1, 4);
	put(bytes, extension + 8, 1, 4);
	put(bytes, extension + 16, extension + 24, 4);
	put(bytes, extension + 20, 12, 4);
	for (i = 0; i < 3; i++) {
		put(bytes, extension + 24 + 4 * i, end, 4);
		end += (size_t)sprintf((char *)bytes + end, "%s", hwcaps[i]) + 1;
	}
	for (i = 0; i < n; i++) {
		put(bytes, at + 48 + 24 * i, v[i].flags, 4);
		put(bytes, at + 48 + 24 * i + 16, v[i].hwcap, 8);
		put(bytes, at + 48 + 24 * i + 4, end - at, 4);
		end += (size_t)sprintf((char *)bytes + end, "%s", v[i].name) + 1;
		put(bytes, at + 48 + 24 * i + 8, end - at, 4);
		end += (size_t)sprintf((char *)bytes + end, "%s", v[i].path) + 1;
	}
	return end;
}

static size_t old_cache(uint8_t *bytes, const struct entry *v, size_t n)
{
	size_t i, strings = 16 + 12 * n, end = strings;

	memcpy(bytes, "ld.so-1.7.0", 11);
	put(bytes, 12, n, 4);
	for (i = 0; i < n; i++) {
		put(bytes, 16 + 12 * i, v[i].flags, 4);
		put(bytes, 16 + 12 * i + 4, end - strings, 4);
		end += (size_t)sprintf((char *)bytes + end, "%s", v[i].name) + 1;
		put(bytes, 16 + 12 * i + 8, end - strings, 4);
		end += (size_t)sprintf((char *)bytes + end, "%s", v[i].path) + 1;
	}
	return end;
}

static const char *some_hwcaps(unsigned i)
{
	return i == 0 ? "x86-64-v3" : i == 1 ? "x86-64-v2" : NULL;
}

static const char *find(const uint8_t *bytes, size_t n, const char *name, uint32_t flags)
{
	const struct rt_ldcache_want want = {
		.name = name, .flags = flags, .hwcaps = some_hwcaps,
		.old_hwcaps = UINT64_C(1) << 63,
	};

	return rt_ldcache_find(bytes, n, &want);
}

#define NAMED(i) (UINT64_C(1) << 62 | (i))

static void test_cache(void)
{
	static const struct entry v[] = {
		{ "libm.so.6", "/z13/libm.so.6", 0x303, NAMED(2) },
		{ "libm.so.6", "/v2/libm.so.6", 0x303, NAMED(0) },
		{ "libm.so.6", "/v3/libm.so.6", 0x303, NAMED(1) },
		{ "libm.so.6", "/lib64/libm.so.6", 0x303, 0 },
		{ "libm.so.6", "/lib32/libm.so.6", 3, 0 },
		{ "libz.so.1", "/sse2/libz.so.1", 3, 1 << 26 },
		{ "libz.so.1", "/tls/libz.so.1", 3, UINT64_C(1) << 63 },
		{ "libz.so.1", "/lib32/libz.so.1", 3, 0 },
		{ "libw.so", "/out/libw.so", 3, NAMED(3) },
	};
	static uint8_t bytes[8192];
	size_t n = new_cache(bytes, 0, v, 9), i;
	struct entry one = { "libm.so.6", "/new/libm.so.6", 0x303, 0 };

	RT_ASSERT_TEXT(find(bytes, n, "libm.so.6", 0x303), "/v3/libm.so.6");
	RT_ASSERT_TEXT(find(bytes, n, "libm.so.6", 3), "/lib32/libm.so.6");
	RT_ASSERT_TEXT(find(bytes, n, "libz.so.1", 3), "/tls/libz.so.1");
	CU_ASSERT_PTR_NULL(find(bytes, n, "libz.so.1", 0x303));
	CU_ASSERT_PTR_NULL(find(bytes, n, "libm.so", 0x303));
	CU_ASSERT_PTR_NULL(find(bytes, n, "libw.so", 3));
	for (i = 0; i < n; i++)	/* cut off: nothing, or what is whole */
		find(bytes, i, "libw.so", 3);
	bytes[28] = 3;	/* big-endian */
	CU_ASSERT_PTR_NULL(find(bytes, n, "libm.so.6", 3));
	memset(bytes, 0, sizeof(bytes));
	n = old_cache(bytes, v + 3, 2);
	RT_ASSERT_TEXT(find(bytes, n, "libm.so.6", 0x303), "/lib64/libm.so.6");
	RT_ASSERT_TEXT(find(bytes, n, "libm.so.6", 3), "/lib32/libm.so.6");
	/* With the new layout behind it, that alone counts.  It is aligned by 8, on i386 by 4. */
	for (i = 0; i < 2; i++) {
		memset(bytes, 0, sizeof(bytes));
		old_cache(bytes, v + 3, 1);
		n = new_cache(bytes, i ? 32 : 28, &one, 1);
		RT_ASSERT_TEXT(find(bytes, n, "libm.so.6", 0x303), "/new/libm.so.6");
	}
	CU_ASSERT_PTR_NULL(find((const uint8_t *)"", 0, "libm.so.6", 3));
}

/* The loader's own cache is looked at, before the default folders. */
static void test_cache_file(void)
{
	struct root root;
	char path[192];
	struct entry one = { "libx.so", path, rt_arch_of(rt_arch_native())->cache_flags, 0 };
	uint8_t bytes[1024] = { 0 };
	size_t n;

	make_root(&root);
	write_program(&root, LIST("libx.so"));
	write_library(&root, "libx.so", NULL);
	write_library(&root, "libcached.so", NULL);
	snprintf(path, sizeof(path), "%s/libcached.so", root.folder);
	n = new_cache(bytes, 0, &one, 1);
	write_file(root.cache, bytes, n);
	expect_libraries(&root, "libcached.so ld-test.so", NULL);
	/* A cache that is not true any more. */
	unlink(path);
	expect_libraries(&root, "libx.so ld-test.so", NULL);
	write_file(root.cache, "", 0);
	expect_libraries(&root, "libx.so ld-test.so", NULL);
	remove_root(&root);
}

static void test_pid(void)
{
	struct rt_program program;
	struct rt_error err;
	pid_t child;

	CU_ASSERT_EQUAL_FATAL(rt_program_of_pids(RT_PID(getpid()), &program, &err), 0);
	CU_ASSERT_TRUE(program.n >= 1);
	CU_ASSERT_EQUAL(rt_image_name(program.v[0])[0], '/');
	if (rt_image_interp(program.v[0]))
		CU_ASSERT_PTR_NOT_NULL(rt_program_find(&program, "libc"));
	rt_program_close(&program);

	child = fork();
	if (child == 0)
		_exit(0);
	CU_ASSERT_TRUE_FATAL(child > 0);
	waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
	CU_ASSERT_EQUAL(rt_program_of_pids(RT_PID(child), &program, &err), -ESRCH);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, ": has ended"));
	waitpid(child, NULL, 0);
	CU_ASSERT_EQUAL(rt_program_of_pids(RT_PID(child), &program, &err), -ESRCH);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, ": no such process"));
	CU_ASSERT_EQUAL(rt_program_of_pids(RT_PID(-1), &program, &err), -ESRCH);
	RT_ASSERT_TEXT(err.text, "process -1: no such process");
}

static bool is_library(const void *ctx, const struct rt_image *image)
{
	return strcmp(rt_image_name(image), ctx) == 0;
}

/* In a process of its own, which gives up its rights for a while.  Exits with 0 if all is well. */
static void __attribute__((noreturn)) open_again(const char *path)
{
	struct rt_program program = { 0 };
	struct rt_seen seen = { 0 };
	struct rt_error err;
	bool root = geteuid() == 0, failed, opened;
	int fd = open(path, O_RDONLY);

	if (mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) == MAP_FAILED)
		_exit(1);
	if (chmod(path, 0) < 0 || (root && seteuid(65534) < 0))
		_exit(2);
	failed = rt_program_add_mapped(&program, getpid(), &seen, is_library, "libx.so", &err) == 0
		 && !program.n;
	if ((root && seteuid(0) < 0) || chmod(path, 0700) < 0)
		_exit(3);
	opened = rt_program_add_mapped(&program, getpid(), &seen, is_library, "libx.so", &err) == 0
		 && program.n == 1;
	rt_program_close(&program);
	rt_seen_free(&seen);
	close(fd);
	_exit(!failed ? 4 : opened ? 0 : 5);
}

/* A file that could not be opened, as of a process that ended, is opened the next time. */
static void test_mapped_again(void)
{
	struct root root;
	char path[192];
	int status = -1;
	pid_t pid;

	make_root(&root);
	write_library(&root, "libx.so", LIST("libz.so"));
	snprintf(path, sizeof(path), "%s/libx.so", root.folder);
	pid = fork();
	if (pid == 0)
		open_again(path);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT(WIFEXITED(status));
	CU_ASSERT_EQUAL(WEXITSTATUS(status), 0);
	remove_root(&root);
}

/* The padding of e_ident: a counter that is 0. */
enum { COUNTER = 8, OTHER_DATA = 7 };

/*
 * Maps the beginning of this program's file and, on the first byte from `go`, with `replace` puts
 * other data there.  On the second one exits with the counter.
 */
static void __attribute__((noreturn)) counter_main(int go, int ready, bool replace)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	uint8_t *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	char byte = 0;

	if (page == MAP_FAILED || write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
		_exit(100);
	if (replace && mmap(page, 4096, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		_exit(101);
	if (replace)
		page[COUNTER] = OTHER_DATA;
	if (write(ready, page + COUNTER, 1) != 1 || read(go, &byte, 1) != 1)
		_exit(102);
	_exit(page[COUNTER]);
}

static void check_counter(struct rt_image *image, bool replace)
{
	struct rt_semaphores *s = rt_semaphores_new();
	int go[2], ready[2], status = -1;
	char byte = 0;
	pid_t pid;

	CU_ASSERT_FATAL(s && pipe(go) == 0 && pipe(ready) == 0);
	pid = fork();
	if (pid == 0) {
		close(go[1]);
		close(ready[0]);
		counter_main(go[0], ready[1], replace);
	}
	close(go[0]);
	close(ready[1]);
	CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
	CU_ASSERT_EQUAL(rt_semaphores_add(s, image, COUNTER), 0);
	CU_ASSERT_EQUAL(rt_semaphores_arm(s, pid, false), 1);
	CU_ASSERT_EQUAL(rt_semaphores_arm(s, pid, false), 1);
	CU_ASSERT_EQUAL(write(go[1], &byte, 1), 1);
	CU_ASSERT_EQUAL(read(ready[0], &byte, 1), 1);
	CU_ASSERT_EQUAL(byte, replace ? OTHER_DATA : 1);
	rt_semaphores_free(s);
	CU_ASSERT_EQUAL(write(go[1], &byte, 1), 1);
	CU_ASSERT_EQUAL(waitpid(pid, &status, 0), pid);
	CU_ASSERT(WIFEXITED(status));
	CU_ASSERT_EQUAL(WEXITSTATUS(status), replace ? OTHER_DATA : 0);
	close(go[1]);
	close(ready[0]);
}

/* The count is taken back, but other data at that address stays. */
static void test_semaphores(void)
{
	struct rt_image *image = NULL;
	struct rt_error err;

	CU_ASSERT_EQUAL_FATAL(rt_image_open("/proc/self/exe", "self", &image, &err), 0);
	check_counter(image, false);
	check_counter(image, true);
	rt_image_close(image);
}

CU_TestInfo rt_tests_images[] = {
	{ "lines of maps", test_map_lines },
	{ "libraries of a command", test_command },
	{ "needed libraries", test_needed },
	{ "loaders that are none", test_bad_loaders },
	{ "ld.so.cache", test_cache },
	{ "a loader's cache", test_cache_file },
	{ "files of a process", test_pid },
	{ "a mapped file that could not be opened at first", test_mapped_again },
	{ "semaphores of USDT probes", test_semaphores },
	CU_TEST_INFO_NULL,
};
