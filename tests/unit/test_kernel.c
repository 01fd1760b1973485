/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "kernel/tracefs.h"
#include "unit.h"

static void test_cpus(void)
{
	int *v;

	CU_ASSERT_FATAL(rt_cpus_parse("0-2,5,8-9\n", &v) == 6);
	CU_ASSERT(v[0] == 0 && v[2] == 2 && v[3] == 5 && v[5] == 9);
	free(v);
	CU_ASSERT(rt_cpus_parse("", &v) == -EBADMSG);
	CU_ASSERT(rt_cpus_parse("3-1", &v) == -EBADMSG);
	CU_ASSERT(rt_cpus_parse("1;2", &v) == -EBADMSG);
	CU_ASSERT(rt_cpus_parse("0-99999999", &v) == -EBADMSG);
	CU_ASSERT(rt_cpus_parse("-1", &v) == -EBADMSG);
	CU_ASSERT(rt_cpus_online(&v) >= 1);
	free(v);
}

static void test_mounts(void)
{
	char root[64];

	CU_ASSERT(rt_tracefs_in_mounts("proc /proc proc rw 0 0\ntracefs /sys/kernel/tracing tracefs rw 0 0\n", root, 64) == 0);
	RT_ASSERT_TEXT(root, "/sys/kernel/tracing");
	CU_ASSERT(rt_tracefs_in_mounts("debugfs /sys/kernel/debug debugfs rw 0 0\n", root, 64) == 0);
	RT_ASSERT_TEXT(root, "/sys/kernel/debug/tracing");
	/* tracefs itself wins over debugfs wherever it stands; blanks are octal. */
	CU_ASSERT(rt_tracefs_in_mounts("d /d debugfs rw 0 0\nt /a\\040b tracefs rw 0 0\n", root, 64) == 0);
	RT_ASSERT_TEXT(root, "/a b");
	CU_ASSERT(rt_tracefs_in_mounts("tracefs /nottracefs tmpfs rw 0 0\n", root, 64) == -ENOENT);
	CU_ASSERT(rt_tracefs_in_mounts("", root, 64) == -ENOENT);
	CU_ASSERT(rt_tracefs_in_mounts("t /0123456789012345678901234567890123456789 tracefs rw 0 0\n", root, 16) == -ENOENT);
}

static void put(const struct rt_tracefs *t, const char *file, const char *text)
{
	char path[PATH_MAX];

	CU_ASSERT_FATAL(rt_write_file(rt_tracefs_path(t, path, "%s", file), O_CREAT | O_TRUNC, text) == 0);
}

static void folder(const struct rt_tracefs *t, const char *name)
{
	char path[PATH_MAX];

	CU_ASSERT_FATAL(mkdir(rt_tracefs_path(t, path, "%s", name), 0700) == 0);
}

static void remove_tree(const struct rt_tracefs *t)
{
	char command[PATH_MAX + 16];

	snprintf(command, sizeof(command), "rm -rf %s", t->root);
	CU_ASSERT(system(command) == 0);
}

/* Only what dead processes left is removed: a file that stands for uprobe_events collects the commands. */
static void test_leftovers(void)
{
	struct rt_tracefs t = { .root = "/tmp/rawtrace-unit-XXXXXX" };
	char name[128], text[512], *left;
	pid_t dead = fork();

	if (dead == 0)
		_exit(0);
	waitpid(dead, NULL, 0);
	CU_ASSERT_FATAL(mkdtemp(t.root) != NULL);
	folder(&t, "instances");
	folder(&t, "events");
	snprintf(text, sizeof(text), "p:rawtrace_%d/a /x:0x1\np:rawtrace_%d/a /x:0x2\nr:rawtrace_%d/b /x:0x1\n"
		 "p:rawtrace_%d/mine /x:0x1\np:other_%d/c /x:0x1\np:rawtrace_%dx/d /x:0x1\np:rawtrace_/e /x:0x1\n",
		 (int)dead, (int)dead, (int)dead, (int)getpid(), (int)dead, (int)dead);
	put(&t, "uprobe_events", text);
	snprintf(name, sizeof(name), "events/rawtrace_%d", (int)dead);
	folder(&t, name);
	CU_ASSERT(rt_tracefs_remains(&t, dead));
	CU_ASSERT(!rt_tracefs_remains(&t, getpid()));
	/* Two events: the two probes of `a` are deleted by one command. */
	CU_ASSERT(rt_tracefs_clean(&t) == 2);
	CU_ASSERT_FATAL(rt_tracefs_read(&t, "uprobe_events", &left) > 0);
	snprintf(name, sizeof(name), "-:rawtrace_%d/a\n-:rawtrace_%d/b\n", (int)dead, (int)dead);
	RT_ASSERT_TEXT(left + strlen(text), name);
	free(left);
	remove_tree(&t);
}

static void test_files(void)
{
	char path[] = "/tmp/rawtrace-unit-XXXXXX", *text;
	int fd = mkstemp(path);
	char big[10000];

	CU_ASSERT_FATAL(fd >= 0);
	memset(big, 'x', sizeof(big));
	CU_ASSERT(write(fd, big, sizeof(big)) == sizeof(big));
	close(fd);
	CU_ASSERT(rt_read_file(path, &text) == sizeof(big));
	CU_ASSERT(strlen(text) == sizeof(big));
	free(text);
	CU_ASSERT(rt_write_file(path, O_TRUNC, "abc") == 0);
	CU_ASSERT(rt_write_file(path, O_APPEND, "de") == 0);
	CU_ASSERT(rt_read_file(path, &text) == 5);
	RT_ASSERT_TEXT(text, "abcde");
	free(text);
	unlink(path);
	CU_ASSERT(rt_read_file(path, &text) == -ENOENT);
	CU_ASSERT(rt_write_file("/dev/full", 0, "x") == -ENOSPC);
}

static void test_process(void)
{
	char comm[16];
	pid_t *tids;
	long tgid;

	CU_ASSERT(rt_proc_status(getpid(), "Tgid", &tgid) == 0 && tgid == getpid());
	CU_ASSERT(rt_proc_status(getpid(), "NoSuchLine", &tgid) == -ENOENT);
	CU_ASSERT(rt_proc_status(0x7ffffff0, "Tgid", &tgid) == -ESRCH);
	CU_ASSERT_FATAL(rt_proc_threads(getpid(), &tids) == 1);
	CU_ASSERT(tids[0] == getpid());
	free(tids);
	CU_ASSERT(rt_proc_threads(0x7ffffff0, &tids) == -ESRCH);
	rt_proc_comm(getpid(), getpid(), comm);
	CU_ASSERT(strlen(comm) > 0 && strcmp(comm, "?") != 0);
	rt_proc_comm(0x7ffffff0, 0x7ffffff0, comm);
	RT_ASSERT_TEXT(comm, "?");
}

/* A version that BPF_PROG_LOAD could compare: never 0 on a kernel with a vDSO or a usual release. */
static void test_version(void)
{
	uint32_t version = rt_kernel_version();

	CU_ASSERT(version >> 16 >= 3);
	CU_ASSERT(rt_now() > 0);
}

static void test_version_named(void)
{
	const char *ubuntu = "Ubuntu 4.4.0-31.50-generic 4.4.13\n", *debian = "#1 SMP Debian 4.9.189-3+deb9u1 (2019-09-20)";

	CU_ASSERT(rt_kernel_version_named(ubuntu, "#50-Ubuntu SMP", "4.4.0-31-generic") == 0x4040d);
	CU_ASSERT(rt_kernel_version_named("", debian, "4.9.0-11-amd64") == 0x409bd);
	CU_ASSERT(rt_kernel_version_named("", "#1 SMP", "3.10.0-1160.el7.x86_64") == 0x30a00);
	CU_ASSERT(rt_kernel_version_named("", "#1 SMP Debian", "4.14.999") == 0x40eff);
	CU_ASSERT(rt_kernel_version_named("Ubuntu", "Debian x", "6.1") == RT_KERNEL(6, 1));
	CU_ASSERT(rt_kernel_version_named("", "", "next") == 0 && rt_kernel_version_named("", "", "") == 0);
}

CU_TestInfo rt_tests_kernel[] = {
	{ "CPU lists", test_cpus },
	{ "finding tracefs", test_mounts },
	{ "leftovers", test_leftovers },
	{ "files", test_files },
	{ "processes", test_process },
	{ "the kernel's version", test_version },
	{ "the kernel's version, as distributions write it", test_version_named },
	CU_TEST_INFO_NULL,
};
