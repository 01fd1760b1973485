/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes that call leaf() and say so in the file $FAMILY, a line a call: "PID N".
 * family MODE [N], see main.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACED __attribute__((noinline, noclone, used))

extern char **environ;

static const char *self;
static int log_fd = -1;

TRACED int leaf(int n)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "%d %d\n", (int)getpid(), n);

	if (write(log_fd, line, (size_t)len) != len)
		_exit(99);
	return n + 1;
}

static int wait_child(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid)
		_exit(98);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run(const char *mode, const char *n)
{
	execl(self, self, mode, n, (char *)NULL);
	_exit(97);
}

static int by_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(leaf(2));
	return wait_child(pid);
}

/* A child of a child of a child ... */
static int deep(int n)
{
	pid_t pid;

	leaf(n);
	if (n == 0)
		return 0;
	pid = fork();
	if (pid == 0)
		_exit(deep(n - 1));
	return wait_child(pid);
}

static int by_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		run("one", "5");
	return wait_child(pid);
}

static int by_spawn(void)
{
	char *const argv[] = { (char *)self, "one", "6", NULL };
	pid_t pid;

	if (posix_spawn(&pid, self, NULL, NULL, argv, environ) != 0)
		return 96;
	return wait_child(pid);
}

static void *run_one(void *n)
{
	run("one", n);
	return NULL;
}

static void *call_leaf(void *n)
{
	leaf(atoi(n));
	return NULL;
}

/* A thread that is not the first runs a program. */
static int by_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run_one, "7") != 0)
		return 95;
	pthread_join(thread, NULL);
	return 94;
}

/* A child with two threads. */
static int threads(void)
{
	pthread_t thread;
	pid_t pid = fork();

	if (pid == 0) {
		if (pthread_create(&thread, NULL, call_leaf, "20") != 0)
			_exit(95);
		pthread_join(thread, NULL);
		_exit(leaf(21));
	}
	return wait_child(pid);
}

/* The last one calls leaf() when the others have ended: nobody has the pipe's other end then. */
static int daemon_twice(void)
{
	int ends[2];
	char byte;

	if (pipe(ends) != 0)
		return 93;
	if (fork() != 0)
		return 0;
	setsid();
	if (fork() != 0)
		_exit(0);
	close(ends[1]);
	if (read(ends[0], &byte, 1) != 0)
		_exit(92);
	leaf(8);
	_exit(0);
}

static int storm(int n)
{
	int i, k, sum = 0;

	for (i = 0; i < n; i += k) {
		for (k = 0; k < 50 && i + k < n; k++)
			if (fork() == 0)
				_exit(leaf(i + k) & 1);
		sum += k;
		while (wait(NULL) > 0)
			;
	}
	return sum == n ? 0 : 91;
}

static int dies(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		leaf(3);
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
	}
	return wait_child(pid) - 128 == SIGSEGV ? 0 : 90;
}

/* Is the file $FAMILY.end there? */
static int has_end(void)
{
	char end[512];

	snprintf(end, sizeof(end), "%s.end", getenv("FAMILY"));
	return access(end, F_OK) == 0;
}

/* Two processes, until that file is there: a call every ten milliseconds. */
static int serve(void)
{
	if (fork() < 0)
		return 89;
	while (!has_end()) {
		leaf(9);
		usleep(10000);
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

/* One process until that file is there; then it has 20 children, of 10 to 29. */
static int server(void)
{
	int i;

	while (!has_end()) {
		leaf(9);
		usleep(10000);
	}
	for (i = 10; i < 30; i++)
		if (fork() == 0)
			_exit(leaf(i) ? 0 : 1);
	while (wait(NULL) > 0)
		;
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "fork";
	int n = argc > 2 ? atoi(argv[2]) : 0;

	self = argv[0];
	log_fd = open(getenv("FAMILY"), O_WRONLY | O_CREAT | O_APPEND, 0666);
	leaf(n);
	if (strcmp(mode, "one") == 0)
		return 4;
	if (strcmp(mode, "fork") == 0)
		return by_fork();
	if (strcmp(mode, "deep") == 0)
		return deep(n);
	if (strcmp(mode, "vfork") == 0)
		return by_vfork();
	if (strcmp(mode, "spawn") == 0)
		return by_spawn();
	if (strcmp(mode, "chain") == 0 && n > 0) {
		char next[16];

		snprintf(next, sizeof(next), "%d", n - 1);
		run("chain", next);
	}
	if (strcmp(mode, "chain") == 0)
		return 11;
	if (strcmp(mode, "thread") == 0)
		return by_thread();
	if (strcmp(mode, "threads") == 0)
		return threads();
	if (strcmp(mode, "daemon") == 0)
		return daemon_twice();
	if (strcmp(mode, "storm") == 0)
		return storm(n);
	if (strcmp(mode, "dies") == 0)
		return dies();
	if (strcmp(mode, "server") == 0)
		return server();
	return strcmp(mode, "serve") == 0 ? serve() : 88;
}
