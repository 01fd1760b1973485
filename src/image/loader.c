/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "image/private.h"

#define TIMEOUT_MS	2000
#define MAX_ANSWER	(1024 * 1024)

extern char **environ;

/* What the loader said, and whether it can be believed to be all. */
struct answer {
	char *text;
	size_t n;
	const char *failure;		/* NULL: it ended well */
};

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/*
 * Both formats are "\tNAME => PATH (0xADDRESS)" and "\tPATH (0xADDRESS)"; glibc has "NAME => not found" and, for the
 * vDSO, a name without a path; old ones "linux-vdso.so.1 =>  (0xADDRESS)".
 */
char *rt_loader_line(char *line, const char **missing)
{
	char *path = line + strspn(line, " \t"), *arrow = strstr(path, " => "), *end;

	*missing = NULL;
	if (arrow) {
		if (strncmp(arrow + 4, "not found", 9) == 0) {
			*arrow = '\0';
			*missing = path;
			return NULL;
		}
		path = arrow + 4;
	}
	end = NULL;
	for (arrow = strstr(path, " (0x"); arrow; arrow = strstr(arrow + 1, " (0x"))
		end = arrow;
	if (!end || !memchr(path, '/', (size_t)(end - path)))
		return NULL;
	*end = '\0';
	return path;
}

/* Start `interp --list path` with its answer going to `out`. */
static int start(const char *interp, const char *path, int out, pid_t *pid)
{
	char *argv[] = { (char *)interp, (char *)"--list", (char *)path, NULL };
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
	/* Not what this process blocks or ignores: the loader must end by itself when nobody listens. */
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
		ret = posix_spawn(pid, interp, &actions, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
out_actions:
	posix_spawn_file_actions_destroy(&actions);
	return -ret;
}

static int read_answer(int fd, int64_t deadline, struct answer *answer)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
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
		if (poll(&p, 1, (int)left) <= 0)
			continue;
		n = read(fd, answer->text + answer->n, room - answer->n - 1);
		if (n == 0)
			return 0;
		if (n > 0)
			answer->n += (size_t)n;
		else if (errno != EINTR && errno != EAGAIN)
			break;
	}
	answer->failure = "did not answer in time";
	return 0;
}

/* Wait for this one child until the deadline, then kill it: other children are the caller's. */
static void reap(pid_t pid, int64_t deadline, struct answer *answer)
{
	struct timespec pause = { .tv_nsec = 2000000 };
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
	/* Where the caller ignores SIGCHLD there is no status (ECHILD), and the answer has to do. */
	if (got == pid && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		answer->failure = "could not list them";
	else if (got == 0)
		answer->failure = "did not end in time";
}

static int ask(const char *interp, const char *path, struct answer *answer)
{
	int64_t deadline = now_ms() + TIMEOUT_MS;
	int fds[2], out, ret;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	/* Above 2: dup2 onto itself would leave it closed at exec. */
	out = fcntl(fds[1], F_DUPFD_CLOEXEC, 3);
	ret = out < 0 ? -errno : start(interp, path, out, &pid);
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

static int take_library(struct rt_images *images, const char *path, struct rt_error *err)
{
	struct rt_error why;
	struct rt_image *image;
	int ret = rt_image_open_library(path, NULL, &image, &why);

	if (ret == -ENOMEM)
		return rt_nomem(err);
	if (ret) {
		rt_images_incomplete(images, "%s", why.text);
		return 0;
	}
	return rt_images_take(images, image, err);
}

static int take_answer(struct rt_images *images, char *text, struct rt_error *err)
{
	const char *missing, *path;
	char *line, *rest = text;
	int ret;

	while ((line = strsep(&rest, "\n"))) {
		path = rt_loader_line(line, &missing);
		if (missing)
			rt_images_incomplete(images, "%s is not found", missing);
		if (!path)
			continue;
		ret = take_library(images, path, err);
		if (ret)
			return ret;
	}
	return 0;
}

/* Only what is named as the loaders of glibc and musl are (ld-linux-x86-64.so.2, ld-musl-x86_64.so.1): a file may name any program here. */
static bool is_loader(const char *interp)
{
	const char *slash = strrchr(interp, '/'), *name = slash ? slash + 1 : interp;

	return strncmp(name, "ld", 2) == 0 && strstr(name, ".so");
}

int rt_loader_list(struct rt_images *images, const char *interp, const char *path, struct rt_error *err)
{
	struct answer answer = { .n = 0 };
	struct stat st;
	char *given;
	int ret;

	if (!is_loader(interp)) {
		rt_images_incomplete(images, "its loader %s is not one that is known", interp);
		return 0;
	}
	if (stat(interp, &st) < 0 || !S_ISREG(st.st_mode) || access(interp, X_OK) < 0) {
		rt_images_incomplete(images, "its loader %s cannot be run", interp);
		return 0;
	}
	if (st.st_mode & (S_ISUID | S_ISGID)) {
		rt_images_incomplete(images, "its loader %s is set-user-ID", interp);
		return 0;
	}
	/* A name without a slash would be looked for among the libraries, one that begins with '-' is an option. */
	if (asprintf(&given, "%s%s", path[0] == '/' ? "" : "./", path) < 0)
		return rt_nomem(err);
	ret = ask(interp, given, &answer);
	free(given);
	if (ret == -ENOMEM) {
		free(answer.text);
		return rt_nomem(err);
	}
	if (ret)
		rt_images_incomplete(images, "its loader %s cannot be run: %s", interp, strerror(-ret));
	ret = answer.text ? take_answer(images, answer.text, err) : 0;
	if (answer.failure)
		rt_images_incomplete(images, "its loader %s %s", interp, answer.failure);
	if (ret == 0)	/* it names itself, but need not */
		ret = take_library(images, interp, err);
	free(answer.text);
	return ret;
}
