/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "elf/cache.h"
#include "elf/servers.h"
#include "kernel/caps.h"
#include "kernel/procfs.h"

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

/* In the child, which has no copy of a perf event when `failed` is closed (attach/guard.c). */
static int become(char *const argv[], char *const env[], int folder, int out, int failed)
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
	rt_close_from(STDERR_FILENO + 1, failed, -1);
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
		code = become(argv, env, folder, out, failed[1]);
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
		if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 &&
		    errno != EINTR)
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

/*
 * debuginfod-find of elfutils knows the protocol and keeps the files that it has fetched.  It
 * speaks to servers on the network, so rt_ask() runs it without privilege.
 *
 * For root that means as the user nobody, who cannot write to root's cache, and root should not
 * write to folders of other users.  So root's cache is /var/cache/rawtrace/debuginfod, or
 * rawtrace/debuginfod in DEBUGINFOD_CACHE_PATH.  It belongs to nobody, but the folder above belongs
 * to root and lets nobody pass: other processes of nobody cannot reach the cache.  debuginfod-find
 * starts in it, and knows it as ".".
 *
 * For any other user (rawtrace has file capabilities) it is that user's own cache.
 */

enum { TIMEOUT_S = 30 };

static void set_reason(char **why, const char *fmt, ...) RT_PRINTF(2, 3);
static void set_reason(char **why, const char *fmt, ...)
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

/* Root's cache; `path` gets its name. */
static int open_cache(char path[PATH_MAX])
{
	const char *base = getenv("DEBUGINFOD_CACHE_PATH");
	int above, fd;

	base = base && *base ? base : RT_CACHE_ROOT;
	mkdir(base, 0755);
	if ((size_t)snprintf(path, PATH_MAX, "%s/rawtrace", base) + sizeof("/debuginfod") >
	    PATH_MAX)
		return -ENAMETOOLONG;
	above = rt_cache_subfolder(AT_FDCWD, path, 0);
	if (above < 0)
		return above;
	strcat(path, "/debuginfod");
	fd = rt_cache_subfolder(above, "debuginfod", RT_NOBODY);
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
			set_reason(why, "debuginfod-find: not run: cache %s: %s", cache,
				   strerror(-folder));
			return NULL;
		}
	}
	r = run(id, folder, &answer);
	if (folder >= 0)
		close(folder);
	if (r < 0)
		set_reason(why, "debuginfod-find: cannot be run for DEBUGINFOD_URLS: %s",
			   strerror(-r));
	else if (answer.failure && answer.status <= 0)	/* with a status: no server has it */
		set_reason(why, "debuginfod-find %s%s", answer.failure,
			   answer.late ? ", and is not asked again" : "");
	if (servers)
		servers->hang |= answer.late;
	if (r == 0 && !answer.failure && answer.text)
		path = take_path(answer.text, cache);
	free(answer.text);
	return path;
}
