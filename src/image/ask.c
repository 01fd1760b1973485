/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "image/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_ANSWER	(1024 * 1024)
#define SLOW_MS		1000

extern char **environ;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* Start `argv` with its answer going to `out`. */
static int start(char *const argv[], int out, pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;
	sigset_t none, usual;
	int ret;

	ret = posix_spawn_file_actions_init(&actions);
	if (ret)
		return -ret;
	ret = posix_spawnattr_init(&attr);
	if (ret)
		goto out_actions;
	/* Not what this process blocks or ignores: the program must end by itself when nobody listens. */
	sigemptyset(&none);
	sigemptyset(&usual);
	sigaddset(&usual, SIGPIPE);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &usual);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	ret = posix_spawn_file_actions_adddup2(&actions, out, 1);
	if (ret == 0)
		ret = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (ret == 0)
		ret = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
	if (ret == 0)
		ret = posix_spawnp(pid, argv[0], &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
out_actions:
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

static int read_answer(int fd, int64_t deadline, struct rt_answer *answer)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t slow = answer->slow ? now_ms() + SLOW_MS : INT64_MAX;
	size_t room = 0;
	int64_t left;
	ssize_t n;
	char *more;

	for (;;) {
		if (answer->n + 1 >= room) {
			room = room ? room * 2 : 4096;
			more = realloc(answer->text, room);
			if (!more)
				return -ENOMEM;
			answer->text = more;
		}
		answer->text[answer->n] = '\0';
		left = deadline - now_ms();
		if (left <= 0 || answer->n > MAX_ANSWER)
			break;
		if (poll(&p, 1, (int)(left < SLOW_MS ? left : SLOW_MS)) <= 0) {
			if (now_ms() >= slow) {
				answer->slow(answer->of);
				slow = INT64_MAX;
			}
			continue;
		}
		n = read(fd, answer->text + answer->n, room - answer->n - 1);
		if (n == 0)
			return 0;
		if (n > 0)
			answer->n += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			break;
	}
	answer->failure = "did not answer in time";
	answer->late = true;
	return 0;
}

/* Wait for this one child until the deadline, then kill it: other children are the caller's. */
static void reap(pid_t pid, int64_t deadline, struct rt_answer *answer)
{
	/* It ends right after its output: each start of a trace waits for the loader here. */
	struct timespec pause = { .tv_nsec = 200000 };
	int status = 0;
	pid_t got;

	if (answer->failure)
		deadline = 0;
	for (;;) {
		got = waitpid(pid, &status, WNOHANG);
		if (got == pid || (got < 0 && errno != EINTR))
			break;
		if (now_ms() >= deadline) {
			kill(pid, SIGKILL);
			while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
				;
			break;
		}
		nanosleep(&pause, NULL);
	}
	if (answer->failure)
		return;
	answer->status = got == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	/* Where the caller ignores SIGCHLD there is no status (ECHILD), and the answer has to do. */
	if (got == pid && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		answer->failure = "failed";
	else if (got == 0)
		answer->failure = "did not end in time";
}

int rt_ask(char *const argv[], unsigned timeout_ms, struct rt_answer *answer)
{
	int64_t deadline = now_ms() + timeout_ms;
	int fds[2], out, ret;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	/* Above 2: dup2 onto itself would leave it closed at exec. */
	out = fcntl(fds[1], F_DUPFD_CLOEXEC, 3);
	ret = out < 0 ? -errno : start(argv, out, &pid);
	close(fds[1]);
	if (out >= 0)
		close(out);
	if (ret == 0) {
		ret = read_answer(fds[0], deadline, answer);
		if (ret)
			answer->failure = "out of memory";
		reap(pid, deadline, answer);
	}
	close(fds[0]);
	return ret;
}
