/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/caps.h"

#define MAX_ANSWER	(1024 * 1024)
#define SLOW_MS		1000

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void ignore_nothing(void)
{
	sigset_t none;

	/* Not what this process blocks or ignores: it must end by itself when nobody listens. */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
}

static int redirect(int out)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 2) < 0 || dup2(out, 1) < 0)
		return -errno;
	return 0;
}

/* In the child. */
static int become(char *const argv[], char *const env[], int folder, int out)
{
	int r;

	setpgid(0, 0);
	ignore_nothing();
	for (; env && *env; env++)
		putenv(*env);
	/* Root alone may pass through the folders above. */
	if (folder >= 0 && fchdir(folder) < 0)
		return -errno;
	r = redirect(out);
	if (r == 0)
		r = rt_caps_drop();
	if (r < 0)
		return r;
	/* After the change of user, which clears it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	execvp(argv[0], argv);
	return -errno;
}

/* Start `argv` with its answer going to `out`; both descriptors are above 2. */
static int start(char *const argv[], char *const env[], int folder, int out, pid_t *pid)
{
	int failed[2], code = 0;
	ssize_t n;

	if (pipe2(failed, O_CLOEXEC) < 0)
		return -errno;
	*pid = fork();
	if (*pid == 0) {
		code = become(argv, env, folder, out);
		n = write(failed[1], &code, sizeof(code));
		_exit(n == sizeof(code) ? 127 : 126);
	}
	code = *pid < 0 ? -errno : 0;
	close(failed[1]);
	do
		n = *pid < 0 ? 0 : read(failed[0], &code, sizeof(code));
	while (n < 0 && errno == EINTR);
	close(failed[0]);
	if (code < 0 && *pid > 0)
		while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
			;
	return code;
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

/* Wait for this one child until the deadline: other children are the caller's. */
static bool wait_until(pid_t pid, int64_t deadline)
{
	struct timespec pause = { .tv_nsec = 1000000 };
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		/* It stays a zombie: as long as its id is its own, so is that of its group. */
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno != EINTR)
			return true;
		if (info.si_pid == pid)
			return true;
		if (now_ms() >= deadline)
			return false;
		nanosleep(&pause, NULL);
	}
}

static void reap(pid_t pid, int64_t deadline, struct rt_answer *answer)
{
	bool ended = wait_until(pid, answer->failure ? 0 : deadline);
	int status = 0;
	pid_t got;

	kill(-pid, SIGKILL);
	do
		got = waitpid(pid, &status, 0);
	while (got < 0 && errno == EINTR);
	if (answer->failure)
		return;
	answer->status = got == pid && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	/* If the caller ignores SIGCHLD there is no status (ECHILD), and the answer has to do. */
	if (!ended)
		answer->failure = "did not end in time";
	else if (got == pid && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		answer->failure = "failed";
}

int rt_ask(char *const argv[], char *const env[], int folder, unsigned timeout_ms,
	   struct rt_answer *answer)
{
	int64_t deadline = now_ms() + timeout_ms;
	int fds[2], out, ret;
	pid_t pid = -1;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	/* Above 2: dup2 onto itself would leave it closed at exec. */
	out = fcntl(fds[1], F_DUPFD_CLOEXEC, 3);
	ret = out < 0 ? -errno : start(argv, env, folder, out, &pid);
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
