/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rcu_expedited in a folder of the test's own: it is put back however its user ends. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/expedite.h"
#include "unit.h"

static void put(const char *folder, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	CU_ASSERT_PTR_NOT_NULL_FATAL(file);
	fputs(text, file);
	fclose(file);
}

static char value(const char *folder)
{
	char path[128], text[8] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/rcu_expedited", folder);
	file = fopen(path, "r");
	if (!file)
		return '-';
	if (!fgets(text, sizeof(text), file))
		text[0] = '?';
	fclose(file);
	return text[0];
}

/* Some guard has still to do what is expected. */
static bool becomes(const char *folder, char want)
{
	int i;

	for (i = 0; i < 1000 && value(folder) != want; i++)
		usleep(10000);
	return value(folder) == want;
}

static void make(char *folder, const char *expedited, const char *normal)
{
	CU_ASSERT_PTR_NOT_NULL_FATAL(mkdtemp(folder));
	put(folder, "rcu_expedited", expedited);
	put(folder, "rcu_normal", normal);
}

static void clear(const char *folder)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/rcu_expedited", folder);
	unlink(path);
	snprintf(path, sizeof(path), "%s/rcu_normal", folder);
	unlink(path);
	rmdir(folder);
}

/* What is said and written where the files say so, and at the end. */
static void runs(const char *expedited, const char *normal, enum rt_expedite_state state, char during)
{
	char folder[] = "/tmp/rawtrace-unit-XXXXXX";
	struct rt_expedite e;

	make(folder, expedited, normal);
	CU_ASSERT_FATAL(rt_expedite_start(&e, folder, NULL) == 0);
	CU_ASSERT(value(folder) == expedited[0]);
	CU_ASSERT(rt_expedite_on(&e) == state);
	CU_ASSERT(rt_expedite_on(&e) == state);
	CU_ASSERT(value(folder) == during);
	rt_expedite_off(&e);
	CU_ASSERT(value(folder) == expedited[0]);
	CU_ASSERT(rt_expedite_on(&e) == state);
	CU_ASSERT(value(folder) == during);
	rt_expedite_end(&e);
	CU_ASSERT(value(folder) == expedited[0]);
	CU_ASSERT(e.guard == 0);
	rt_expedite_end(&e);
	clear(folder);
}

static void test_states(void)
{
	char folder[] = "/tmp/rawtrace-unit-XXXXXX";
	struct rt_error err = { 0 };
	struct rt_expedite e;

	runs("0\n", "0\n", RT_EXPEDITE_ON, '1');
	runs("1\n", "0\n", RT_EXPEDITE_ALREADY, '1');
	runs("2\n", "0\n", RT_EXPEDITE_ALREADY, '2');
	runs("0\n", "1\n", RT_EXPEDITE_NORMAL, '0');
	/* Never on: nothing is written. */
	make(folder, "0\n", "0\n");
	CU_ASSERT_FATAL(rt_expedite_start(&e, folder, NULL) == 0);
	rt_expedite_end(&e);
	CU_ASSERT(value(folder) == '0');
	clear(folder);
	CU_ASSERT(rt_expedite_start(&e, folder, &err) == -ENOENT);
	CU_ASSERT_PTR_NOT_NULL(strstr(err.text, "rcu_expedited"));
}

static void test_two(void)
{
	char folder[] = "/tmp/rawtrace-unit-XXXXXX";
	struct rt_expedite a, b;

	make(folder, "0\n", "0\n");
	CU_ASSERT_FATAL(rt_expedite_start(&a, folder, NULL) == 0);
	CU_ASSERT_FATAL(rt_expedite_start(&b, folder, NULL) == 0);
	CU_ASSERT(rt_expedite_on(&a) == RT_EXPEDITE_ON);
	CU_ASSERT(rt_expedite_on(&b) == RT_EXPEDITE_OTHER);
	rt_expedite_end(&a);
	/* The second takes over, and does not leave it either. */
	CU_ASSERT(becomes(folder, '1'));
	CU_ASSERT(rt_expedite_on(&b) == RT_EXPEDITE_ON);
	rt_expedite_end(&b);
	CU_ASSERT(value(folder) == '0');
	clear(folder);
}

/* The guard itself is killed. */
static void test_guard_killed(void)
{
	char folder[] = "/tmp/rawtrace-unit-XXXXXX";
	struct rt_expedite e;

	make(folder, "0\n", "0\n");
	CU_ASSERT_FATAL(rt_expedite_start(&e, folder, NULL) == 0);
	CU_ASSERT(rt_expedite_on(&e) == RT_EXPEDITE_ON);
	kill(e.guard, SIGKILL);
	rt_expedite_end(&e);
	CU_ASSERT(value(folder) == '0');
	clear(folder);
}

static void __attribute__((noreturn)) owner_main(const char *folder, bool on, int told)
{
	struct rt_expedite e;

	if (rt_expedite_start(&e, folder, NULL) < 0 || (on && rt_expedite_on(&e) != RT_EXPEDITE_ON) || write(told, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void kill_owner(bool on)
{
	char folder[] = "/tmp/rawtrace-unit-XXXXXX", byte;
	struct rt_expedite e;
	int p[2];
	pid_t pid;

	make(folder, "0\n", "0\n");
	CU_ASSERT_FATAL(pipe(p) == 0);
	pid = fork();
	if (pid == 0)
		owner_main(folder, on, p[1]);
	close(p[1]);
	CU_ASSERT(read(p[0], &byte, 1) == 1);
	CU_ASSERT(value(folder) == (on ? '1' : '0'));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CU_ASSERT(becomes(folder, '0'));
	close(p[0]);
	/* Its lock is gone too, at the latest when its guard is. */
	CU_ASSERT_FATAL(rt_expedite_start(&e, folder, NULL) == 0);
	rt_expedite_on(&e);
	CU_ASSERT(becomes(folder, '1'));
	rt_expedite_end(&e);
	CU_ASSERT(value(folder) == '0');
	clear(folder);
}

static void test_owner_killed(void)
{
	kill_owner(true);
	kill_owner(false);
}

/* A child takes the probes out, and its owner has nothing more to do with it. */
static void test_child(void)
{
	char folder[] = "/tmp/rawtrace-unit-XXXXXX";
	struct rt_expedite e;
	pid_t pid;

	make(folder, "0\n", "0\n");
	CU_ASSERT_FATAL(rt_expedite_start(&e, folder, NULL) == 0);
	CU_ASSERT(rt_expedite_on(&e) == RT_EXPEDITE_ON);
	pid = fork();
	if (pid == 0) {
		usleep(50000);
		rt_expedite_end(&e);
		_exit(value(folder) == '0' ? 0 : 1);
	}
	rt_expedite_leave(&e);
	CU_ASSERT(becomes(folder, '0'));
	CU_ASSERT(waitpid(pid, NULL, 0) == pid);
	clear(folder);
}

CU_TestInfo rt_tests_expedite[] = {
	{ "rcu_expedited, set and put back", test_states },
	{ "two at one time", test_two },
	{ "the guard is killed", test_guard_killed },
	{ "its owner is killed", test_owner_killed },
	{ "a child ends it", test_child },
	CU_TEST_INFO_NULL,
};
