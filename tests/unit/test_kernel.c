/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/guard.h"
#include "kernel/owner.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "kernel/tracefs.h"
#include "unit.h"
#include "base/array.h"

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

	CU_ASSERT(rt_tracefs_in_mounts(
			  "proc /proc proc rw 0 0\ntracefs /sys/kernel/tracing tracefs rw 0 0\n",
			  root, 64) == 0);
	RT_ASSERT_TEXT(root, "/sys/kernel/tracing");
	CU_ASSERT(rt_tracefs_in_mounts("debugfs /sys/kernel/debug debugfs rw 0 0\n", root, 64) ==
		  0);
	RT_ASSERT_TEXT(root, "/sys/kernel/debug/tracing");
	/* tracefs itself wins over debugfs wherever it stands; blanks are octal. */
	CU_ASSERT(rt_tracefs_in_mounts("d /d debugfs rw 0 0\nt /a\\040b tracefs rw 0 0\n", root,
				       64) == 0);
	RT_ASSERT_TEXT(root, "/a b");
	CU_ASSERT(rt_tracefs_in_mounts("tracefs /nottracefs tmpfs rw 0 0\n", root, 64) == -ENOENT);
	CU_ASSERT(rt_tracefs_in_mounts("", root, 64) == -ENOENT);
	CU_ASSERT(
		rt_tracefs_in_mounts("t /0123456789012345678901234567890123456789 tracefs rw 0 0\n",
				     root, 16) == -ENOENT);
}

static void put(const struct rt_tracefs *t, const char *file, const char *text)
{
	char path[PATH_MAX];

	CU_ASSERT_FATAL(
		rt_write_file(rt_tracefs_path(t, path, "%s", file), O_CREAT | O_TRUNC, text) == 0);
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

static void make_tracefs(struct rt_tracefs *t)
{
	CU_ASSERT_FATAL(mkdtemp(t->root) != NULL);
	folder(t, "instances");
	folder(t, "events");
}

static pid_t dead_pid(void)
{
	pid_t dead = fork();

	if (dead == 0)
		_exit(0);
	waitpid(dead, NULL, 0);
	return dead;
}

/*
 * Only what dead processes left is removed: a file that stands for uprobe_events collects the
 * commands.
 */
static void test_leftovers(void)
{
	struct rt_tracefs t = { .root = "/tmp/rawtrace-unit-XXXXXX" };
	char name[128], text[512], *left, group[RT_OWNER_NAME_MAX], mine[RT_OWNER_NAME_MAX];
	pid_t dead = dead_pid();

	make_tracefs(&t);
	rt_owner_group(rt_owner_of(dead), group);
	snprintf(text, sizeof(text),
		 "p:%s/a /x:0x1\np:%s/a /x:0x2\nr:%s/b /x:0x1\np:%s/a /x:0x3\np:%s/mine "
		 "/x:0x1\np:other_%d/c /x:0x1\n"
		 "p:rawtrace_%dx/d /x:0x1\np:rawtrace_/e /x:0x1\n",
		 group, group, group, group, rt_own_group(mine), (int)dead, (int)dead);
	put(&t, "uprobe_events", text);
	/*
	 * No folder: nothing is defined, and the definitions, for which everybody waits, are not
	 * read.
	 */
	CU_ASSERT(rt_tracefs_clean(&t) == 0);
	snprintf(name, sizeof(name), "events/%s", group);
	folder(&t, name);
	CU_ASSERT(rt_tracefs_remains(&t, dead));
	CU_ASSERT(!rt_tracefs_remains(&t, getpid()));
	/* Two events: the three probes of `a` are deleted by one command, also the one behind `b`.
	 */
	CU_ASSERT(rt_tracefs_clean(&t) == 2);
	CU_ASSERT_FATAL(rt_tracefs_read(&t, "uprobe_events", &left) > 0);
	snprintf(name, sizeof(name), "-:%s/a\n-:%s/b\n", group, group);
	RT_ASSERT_TEXT(left + strlen(text), name);
	free(left);
	remove_tree(&t);
}

/*
 * An event is disabled wherever it is enabled, and what stays enabled is not deleted: that ends the
 * kernel (leftovers.c).
 */
static void test_leftovers_enabled(void)
{
	static const char *const files[][2] = {
		{ "events/%s/off/enable", "0\n" },
		{ "events/%s/on/enable", "1\n" },
		{ "events/%s/stays/enable", "0\n" },
		{ "instances/other/events/%s/off/enable", "1\n" },
		{ "instances/other/events/%s/on/enable", "0\n" },
		/* A "0" written over it leaves "0*": soft enabled. */
		{ "instances/other/events/%s/stays/enable", "1*\n" },
	};
	struct rt_tracefs t = { .root = "/tmp/rawtrace-unit-XXXXXX" };
	char name[128], text[512], *left, group[RT_OWNER_NAME_MAX], *slash;
	pid_t dead = dead_pid();
	unsigned i;

	make_tracefs(&t);
	folder(&t, "instances/other");
	folder(&t, "instances/other/events");
	rt_owner_group(rt_owner_of(dead), group);
	for (i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%sevents/%s", i ? "instances/other/" : "", group);
		folder(&t, name);
	}
	for (i = 0; i < RT_COUNT(files); i++) {
		snprintf(name, sizeof(name), files[i][0], group);
		slash = strrchr(name, '/');
		*slash = '\0';
		folder(&t, name);
		*slash = '/';
		put(&t, name, files[i][1]);
	}
	snprintf(text, sizeof(text),
		 "p:%s/stays /x:0x1\np:%s/stays /x:0x2\np:%s/on /x:0x1\np:%s/on /x:0x2\np:%s/off "
		 "/x:0x1\n",
		 group, group, group, group, group);
	put(&t, "uprobe_events", text);
	CU_ASSERT(rt_tracefs_clear(&t, dead) == 2);
	CU_ASSERT_FATAL(rt_tracefs_read(&t, "uprobe_events", &left) > 0);
	snprintf(name, sizeof(name), "-:%s/on\n-:%s/off\n", group, group);
	RT_ASSERT_TEXT(left + strlen(text), name);
	free(left);
	for (i = 0; i < RT_COUNT(files); i++) {
		snprintf(name, sizeof(name), files[i][0], group);
		CU_ASSERT_FATAL(rt_tracefs_read(&t, name, &left) > 0);
		CU_ASSERT(left[0] == '0');
		free(left);
	}
	remove_tree(&t);
}

static bool is_enabled(const struct rt_tracefs *t, const char *file)
{
	char *text;
	bool enabled = rt_tracefs_read(t, file, &text) > 0 && text[0] == '1';

	free(text);
	return enabled;
}

/*
 * Up to 3.14 a rawtrace that was killed leaves events of the kernel's own enabled in the main
 * buffer.
 */
static void test_leftovers_main_buffer(void)
{
	static const char fork[] = "events/task/task_newtask/enable";
	struct rt_tracefs t = { .root = "/tmp/rawtrace-unit-XXXXXX" };
	char text[128], name[128], group[RT_OWNER_NAME_MAX];
	unsigned i;

	make_tracefs(&t);
	folder(&t, "events/task");
	folder(&t, "events/task/task_newtask");
	for (i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "p:%s/a /x:0x1\n",
			 rt_owner_group(rt_owner_of(dead_pid()), group));
		put(&t, "uprobe_events", text);
		snprintf(name, sizeof(name), "events/%s", group);
		folder(&t, name);
		put(&t, fork, "1\n");
		put(&t, "trace_clock", i == 1 ? "[local] global\n" : "local [global]\n");
		put(&t, "set_event",
		    i == 2 ? "task:task_newtask\nsched:sched_switch\n" : "task:task_newtask\n");
		CU_ASSERT(rt_tracefs_clean(&t) == 1);
		CU_ASSERT(is_enabled(&t, fork) == (i != 0));
	}
	remove_tree(&t);
}

static bool has_text(const struct rt_tracefs *t, const char *file, const char *want)
{
	char *text;
	bool yes = rt_tracefs_read(t, file, &text) >= 0;

	if (!yes)
		return false;
	yes = strstr(text, want) != NULL;
	free(text);
	return yes;
}

/* And its clock and size, which are in the name of a definition. */
static void test_leftovers_clock(void)
{
	static const char *const clocks[] = { "local", "mono_raw" };
	struct rt_tracefs t = { .root = "/tmp/rawtrace-unit-XXXXXX" };
	char text[128], name[128], group[RT_OWNER_NAME_MAX];
	unsigned i;

	make_tracefs(&t);
	for (i = 0; i < RT_COUNT(clocks); i++) {
		rt_owner_group(rt_owner_of(dead_pid()), group);
		snprintf(text, sizeof(text), "p:%s/was_%s_1408 /x:0x1\n", group, clocks[i]);
		put(&t, "uprobe_events", text);
		snprintf(name, sizeof(name), "events/%s", group);
		folder(&t, name);
		snprintf(name, sizeof(name), "events/%s/was_%s_1408", group, clocks[i]);
		folder(&t, name);
		put(&t, "trace_clock", "local [global]\n");
		put(&t, "buffer_size_kb", "64\n");
		put(&t, "set_event", "");
		CU_ASSERT(rt_tracefs_clean(&t) == 1);
		CU_ASSERT(has_text(&t, "trace_clock", clocks[i]));
		CU_ASSERT(has_text(&t, "buffer_size_kb", "1408"));
	}
	remove_tree(&t);
}

/* The values of the buffer before it was taken are where rt_main_buffer_find finds them. */
static void test_main_buffer_note(void)
{
	struct rt_tracefs t = { .root = "/tmp/rawtrace-unit-XXXXXX" };
	struct rt_main_buffer buffer;

	make_tracefs(&t);
	put(&t, "events/enable", "0\n");
	put(&t, "current_tracer", "nop\n");
	put(&t, "trace_clock", "local global [x86-tsc]\n");
	put(&t, "buffer_size_kb", "1408\n");
	put(&t, "tracing_on", "1\n");
	put(&t, "uprobe_events", "");
	rt_main_buffer_init(&t, &buffer);
	CU_ASSERT(rt_main_buffer_take(&t, &buffer, 64, NULL) == 0);
	CU_ASSERT(has_text(&t, "uprobe_events", "/was_x86_tsc_1408 /proc/self/exe:0\n"));
	CU_ASSERT(has_text(&t, "trace_clock", "global"));
	rt_main_buffer_release(&t, &buffer);
	CU_ASSERT(has_text(&t, "trace_clock", "x86-tsc"));
	CU_ASSERT(has_text(&t, "buffer_size_kb", "1408"));
	close(buffer.lock);
	remove_tree(&t);
}

static bool deleted(const struct rt_tracefs *t)
{
	char *text;
	bool yes;

	if (rt_tracefs_read(t, "uprobe_events", &text) < 0)
		return false;
	yes = strstr(text, "-:") != NULL;
	free(text);
	return yes;
}

/* A process that starts a guard, and closes the pipe to it long before it has ended. */
static void __attribute__((noreturn)) owner_main(const struct rt_tracefs *t, int closed)
{
	char name[RT_OWNER_NAME_MAX], file[128], text[128];
	struct rt_guard guard;

	snprintf(text, sizeof(text), "p:%s/a /x:0x1\n", rt_own_group(name));
	put(t, "uprobe_events", text);
	snprintf(file, sizeof(file), "events/%s", name);
	folder(t, file);
	if (rt_guard_start(&guard, t, NULL) < 0)
		_exit(1);
	close(guard.fd);
	if (write(closed, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

/*
 * The pipe's end alone is no sign: the kernel closes the files of one that was killed in an order
 * of its own.
 */
static void test_guard_waits(void)
{
	struct rt_tracefs t = { .root = "/tmp/rawtrace-unit-XXXXXX" };
	char name[RT_OWNER_NAME_MAX], path[PATH_MAX], byte;
	int p[2], i;
	pid_t pid;

	make_tracefs(&t);
	CU_ASSERT_FATAL(pipe(p) == 0);
	pid = fork();
	if (pid == 0)
		owner_main(&t, p[1]);
	CU_ASSERT(read(p[0], &byte, 1) == 1);
	usleep(350000);
	CU_ASSERT(!deleted(&t));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	for (i = 0; i < 500 && !deleted(&t); i++)
		usleep(10000);
	CU_ASSERT(deleted(&t));
	/* Its folder gone, the guard has nothing more to wait for. */
	rmdir(rt_tracefs_path(&t, path, "events/%s", rt_owner_group(rt_owner_of(pid), name)));
	close(p[0]);
	close(p[1]);
	remove_tree(&t);
}

static bool parses(const char *name, pid_t pid, unsigned long space)
{
	struct rt_owner owner;

	return rt_owner_of_group(name, strlen(name), &owner) && owner.pid == pid &&
	       owner.space == space;
}

static void test_owners(void)
{
	struct rt_owner owner, here = { .pid = 7 }, there = { .pid = 7, .space = 4026532456ul };
	char name[RT_OWNER_NAME_MAX];

	RT_ASSERT_TEXT(rt_owner_group(here, name), "rawtrace_7");
	RT_ASSERT_TEXT(rt_owner_instance(here, name), "rawtrace-7");
	RT_ASSERT_TEXT(rt_owner_instance(there, name), "rawtrace-7n4026532456");
	CU_ASSERT(rt_owner_of_instance(name, strlen(name), &owner) && rt_owner_same(owner, there) &&
		  !rt_owner_same(owner, here));
	RT_ASSERT_TEXT(rt_owner_group(there, name), "rawtrace_7n4026532456");
	CU_ASSERT(parses(name, 7, 4026532456ul) && parses("rawtrace_123456789", 123456789, 0));
	CU_ASSERT(!parses("rawtrace_", 0, 0) && !parses("rawtrace_7n", 7, 0) &&
		  !parses("rawtrace_7n0", 7, 0));
	CU_ASSERT(!parses("rawtrace_7x4", 7, 0) && !parses("rawtrace_07", 7, 0) &&
		  !parses("rawtrace_1234567890", 1234567890, 0));
	CU_ASSERT(!parses("rawtrace-7", 7, 0) && !parses("rawtrace_7n12345678901234567890", 7, 0) &&
		  !parses("rawtrace_n4", 0, 4));
	CU_ASSERT(!rt_owner_gone(rt_owner_of(getppid())));
	/* An earlier process's. */
	CU_ASSERT(rt_owner_gone(rt_owner_of(getpid())));
	CU_ASSERT(rt_owner_gone(rt_owner_of(dead_pid())));
	CU_ASSERT(!parses("rawtrace_7n4026531836", 7, 4026531836ul));
	/*
	 * An owner in another namespace is known in the initial namespace only, and there only to
	 * root.
	 */
	CU_ASSERT(!rt_owner_gone(there) || (rt_owner_of(1).space == 0 && geteuid() == 0));
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
	CU_ASSERT(rt_proc_status_has(getpid(), "Name", "unit") &&
		  !rt_proc_status_has(getpid(), "Name", "Umask"));
	CU_ASSERT(!rt_proc_status_has(getpid(), "NoSuchLine", "") &&
		  !rt_proc_status_has(0x7ffffff0, "Name", ""));
	CU_ASSERT_FATAL(rt_proc_threads(getpid(), &tids) == 1);
	CU_ASSERT(tids[0] == getpid());
	free(tids);
	CU_ASSERT(rt_proc_threads(0x7ffffff0, &tids) == -ESRCH);
	rt_proc_comm(getpid(), getpid(), comm);
	CU_ASSERT(strlen(comm) > 0 && strcmp(comm, "?") != 0);
	rt_proc_comm(0x7ffffff0, 0x7ffffff0, comm);
	RT_ASSERT_TEXT(comm, "?");
	/*
	 * A thread that ends (PF_EXITING), one that has ended, one that runs; a name like a line.
	 */
	CU_ASSERT(rt_stat_is_ending("7 (a) R 1) R 1 7 7 0 -1 4194564 0 0"));
	CU_ASSERT(!rt_stat_is_ending("7 (sh) Z 1 7 7 0 -1 4228364 0 0"));
	CU_ASSERT(!rt_stat_is_ending("7 (sh) R 1 7 7 0 -1 4194304 0 0"));
	CU_ASSERT(!rt_stat_is_ending("7 (sh"));
	/* Field 31: SIGKILL; SIGTERM; 0, with SIGKILL's bit in fields 30 and 32; no such field. */
	CU_ASSERT(rt_stat_is_killed("7 (a) R) R 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 "
				    "23 24 25 26 27 28 29 30 256 0"));
	CU_ASSERT(!rt_stat_is_killed("7 (a) R 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 "
				     "23 24 25 26 27 28 29 30 16384 0"));
	CU_ASSERT(!rt_stat_is_killed("7 (a) R 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 "
				     "23 24 25 26 27 28 29 256 0 256"));
	CU_ASSERT(!rt_stat_is_killed("7 (a) R 4 5"));
}

/* A version that BPF_PROG_LOAD could compare: never 0 on a kernel with a vDSO or a usual release.
 */
static void test_version(void)
{
	uint32_t version = rt_kernel_version();

	CU_ASSERT(version >> 16 >= 3);
	CU_ASSERT(rt_now() > 0);
}

static void test_version_named(void)
{
	const char *ubuntu = "Ubuntu 4.4.0-31.50-generic 4.4.13\n",
		   *debian = "#1 SMP Debian 4.9.189-3+deb9u1 (2019-09-20)";

	CU_ASSERT(rt_kernel_version_named(ubuntu, "#50-Ubuntu SMP", "4.4.0-31-generic") == 0x4040d);
	CU_ASSERT(rt_kernel_version_named("", debian, "4.9.0-11-amd64") == 0x409bd);
	CU_ASSERT(rt_kernel_version_named("", "#1 SMP", "3.10.0-1160.el7.x86_64") == 0x30a00);
	CU_ASSERT(rt_kernel_version_named("", "#1 SMP Debian", "4.14.999") == 0x40eff);
	CU_ASSERT(rt_kernel_version_named("Ubuntu", "Debian x", "6.1") == RT_KERNEL(6, 1));
	CU_ASSERT(rt_kernel_version_named("", "", "next") == 0 &&
		  rt_kernel_version_named("", "", "") == 0);
}

static void test_close_together(void)
{
	enum { MANY = 300 };
	int fds[MANY], p[2], i;
	char byte;

	rt_close_together(NULL, 0);
	CU_ASSERT_FATAL(pipe(p) == 0);
	for (i = 0; i < MANY; i++)
		CU_ASSERT_FATAL((fds[i] = dup(p[1])) >= 0);
	close(p[1]);
	rt_close_together(fds, MANY - 1);
	CU_ASSERT(fcntl(fds[0], F_GETFD) < 0 && fcntl(fds[MANY - 2], F_GETFD) < 0 &&
		  fcntl(fds[MANY - 1], F_GETFD) >= 0);
	rt_close_together(fds + MANY - 1, 1);
	/* The end of the file: no helper has any of them open. */
	CU_ASSERT(read(p[0], &byte, 1) == 0);
	close(p[0]);
	CU_ASSERT(waitpid(-1, NULL, WNOHANG | __WALL) < 0 && errno == ECHILD);
}

CU_TestInfo rt_tests_kernel[] = {
	{ "CPU lists", test_cpus },
	{ "finding tracefs", test_mounts },
	{ "leftovers", test_leftovers },
	{ "leftovers that are enabled", test_leftovers_enabled },
	{ "leftovers in the main buffer", test_leftovers_main_buffer },
	{ "leftovers in the main buffer: clock and size", test_leftovers_clock },
	{ "what the main buffer was", test_main_buffer_note },
	{ "whose leftovers", test_owners },
	{ "the guard waits for its owner", test_guard_waits },
	{ "files", test_files },
	{ "processes", test_process },
	{ "many descriptors closed together", test_close_together },
	{ "the kernel's version", test_version },
	{ "the kernel's version, as distributions write it", test_version_named },
	CU_TEST_INFO_NULL,
};
