/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of a process: what its loader or the kernel says of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "elfgen.h"
#include "image/images.h"
#include "image/private.h"
#include "unit.h"

#define BASE 0x10000000u

static void lists(const char *text, const char *path, const char *missing)
{
	char line[256];
	const char *gone;
	char *got;

	snprintf(line, sizeof(line), "%s", text);
	got = rt_loader_line(line, &gone);
	CU_ASSERT_EQUAL(!got, !path);
	if (got && path)
		RT_ASSERT_TEXT(got, path);
	CU_ASSERT_EQUAL(!gone, !missing);
	if (gone && missing)
		RT_ASSERT_TEXT(gone, missing);
}

static void test_loader_lines(void)
{
	lists("\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f1)", "/lib/x86_64-linux-gnu/libm.so.6", NULL);
	lists("\t/lib64/ld-linux-x86-64.so.2 (0x00007f1)", "/lib64/ld-linux-x86-64.so.2", NULL);
	lists("\tlinux-vdso.so.1 (0x00007ffc)", NULL, NULL);
	lists("\tlinux-vdso.so.1 =>  (0x00007ffc)", NULL, NULL);
	lists("\tlibx.so => not found", NULL, "libx.so");
	lists("\tlibc.so => /lib/ld-musl-x86_64.so.1 (0x7f1)", "/lib/ld-musl-x86_64.so.1", NULL);
	lists("\tliba.so => ./a (0x1)/b c.so (0x7f1)", "./a (0x1)/b c.so", NULL);
	lists("\tstatically linked", NULL, NULL);
	lists("", NULL, NULL);
}

static bool map(const char *text, struct rt_map *m, char *line)
{
	snprintf(line, 256, "%s", text);
	return rt_map_line(line, m);
}

static void test_map_lines(void)
{
	struct rt_map m;
	char line[256];

	CU_ASSERT_TRUE_FATAL(map("7f01-7f02 r-xp 00026000 fe:00 1234       /usr/lib/a b.so\n", &m, line));
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
	struct rt_images images;
	struct rt_image *libc;
	struct rt_error err;
	struct stat st;
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	CU_ASSERT_TRUE_FATAL(n > 0);
	self[n] = '\0';
	CU_ASSERT_EQUAL_FATAL(rt_images_of_command(self, &images, &err), 0);
	CU_ASSERT_PTR_NULL(images.incomplete);
	CU_ASSERT_EQUAL(stat("/proc/self/exe", &st), 0);
	CU_ASSERT_EQUAL(rt_image_ino(images.v[0]), st.st_ino);
	if (rt_image_interp(images.v[0])) {
		CU_ASSERT_TRUE(images.n >= 3);
		libc = rt_images_find(&images, "libc");
		CU_ASSERT_PTR_NOT_NULL_FATAL(libc);
		CU_ASSERT_PTR_EQUAL(rt_images_find(&images, rt_image_soname(libc)), libc);
		CU_ASSERT_PTR_NULL(rt_image_unwinds(libc));
		CU_ASSERT_PTR_NULL(rt_images_find(&images, "lib"));
		CU_ASSERT_PTR_NULL(rt_images_find(&images, "libcu"));
		CU_ASSERT_PTR_NULL(rt_images_find(&images, ""));
	}
	rt_images_close(&images);
	CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
	CU_ASSERT_EQUAL(errno, ECHILD);
	CU_ASSERT_EQUAL(rt_images_of_command("/nonexistent", &images, &err), -ENOENT);
}

/* A loader that is none: it answers nothing, lists what is not there, fails, or never ends. */
static void loader_named(const char *prefix, const char *script, const char *want)
{
	char made[256], loader_path[300], path[256];
	struct elfgen g = { .base = BASE, .interp = loader_path };
	struct rt_images images;
	struct rt_error err;
	char why[256];
	uint8_t *bytes;
	size_t n;

	CU_ASSERT_TRUE_FATAL(elfgen_file(script, strlen(script), made));
	n = (size_t)(strrchr(made, '/') + 1 - made);
	snprintf(loader_path, sizeof(loader_path), "%.*s%s%s.so", (int)n, made, prefix, made + n);
	CU_ASSERT_EQUAL_FATAL(rename(made, loader_path), 0);
	chmod(loader_path, 0700);
	bytes = elfgen_build(&g, &n);
	CU_ASSERT_TRUE_FATAL(bytes && elfgen_file(bytes, n, path));
	free(bytes);
	CU_ASSERT_EQUAL_FATAL(rt_images_of_command(path, &images, &err), 0);
	CU_ASSERT_EQUAL(images.n, 1);
	CU_ASSERT_PTR_NOT_NULL_FATAL(images.incomplete);
	CU_ASSERT_PTR_NOT_NULL(strstr(images.incomplete, want));
	CU_ASSERT_TRUE(rt_images_unwind(&images, why, sizeof(why)));
	CU_ASSERT_EQUAL(strncmp(why, "its libraries could not be listed: ", 35), 0);
	rt_images_close(&images);
	unlink(path);
	unlink(loader_path);
	CU_ASSERT_EQUAL(waitpid(-1, NULL, WNOHANG), -1);
}

static void loader(const char *script, const char *want)
{
	loader_named("ld-", script, want);
}

static void test_bad_loaders(void)
{
	/* A file can name any program as its loader: what is not called one is not run. */
	loader_named("rm-", "#!/bin/sh\necho '\tlibx.so => not found'\n", "is not one that is known");
	loader("#!/bin/sh\nexit 3\n", "failed");
	loader("#!/bin/sh\necho '\tlibx.so => not found'\n", "libx.so is not found");
	loader("#!/bin/sh\necho '\tliby.so => /nonexistent/liby.so (0x1)'\n", "/nonexistent/liby.so: No such file");
	loader("#!/nonexistent/sh\n", "cannot be run: No such file or directory");
	loader("#!/bin/sh\nexec sleep 60\n", "did not answer in time");
	loader("#!/bin/sh\nexec >&-\nexec sleep 60\n", "did not end in time");
}

static void test_pid(void)
{
	struct rt_images images;
	struct rt_error err;
	pid_t child;

	CU_ASSERT_EQUAL_FATAL(rt_images_of_pids(RT_PID(getpid()), &images, &err), 0);
	CU_ASSERT_TRUE(images.n >= 1);
	CU_ASSERT_EQUAL(rt_image_name(images.v[0])[0], '/');
	if (rt_image_interp(images.v[0]))
		CU_ASSERT_PTR_NOT_NULL(rt_images_find(&images, "libc"));
	rt_images_close(&images);

	child = fork();
	if (child == 0)
		_exit(0);
	CU_ASSERT_TRUE_FATAL(child > 0);
	waitid(P_PID, (id_t)child, NULL, WEXITED | WNOWAIT);
	CU_ASSERT_EQUAL(rt_images_of_pids(RT_PID(child), &images, &err), -ESRCH);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "has ended already"));
	waitpid(child, NULL, 0);
	CU_ASSERT_EQUAL(rt_images_of_pids(RT_PID(child), &images, &err), -ESRCH);
	CU_ASSERT_EQUAL(strncmp(err.text, "no process ", 11), 0);
	CU_ASSERT_EQUAL(rt_images_of_pids(RT_PID(-1), &images, &err), -ESRCH);
	RT_ASSERT_TEXT(err.text, "no process -1");
}

CU_TestInfo rt_tests_images[] = {
	{ "loader's answer", test_loader_lines },
	{ "lines of maps", test_map_lines },
	{ "libraries of a command", test_command },
	{ "loaders that do not answer", test_bad_loaders },
	{ "files of a process", test_pid },
	CU_TEST_INFO_NULL,
};
