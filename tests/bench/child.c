/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running programs and reading what they measured. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "kernel/sys.h"

static void __attribute__((noreturn)) child_main(int go, int out, char *const argv[])
{
	char byte;

	dup2(out, STDOUT_FILENO);
	if (read(go, &byte, 1) == 1)
		execv(argv[0], argv);
	_exit(126);
}

int child_start(struct child *child, char *const argv[])
{
	int go[2], out[2], r;

	if (pipe2(go, O_CLOEXEC) != 0)
		return -errno;
	if (pipe2(out, O_CLOEXEC) != 0) {
		r = -errno;
		close(go[0]);
		close(go[1]);
		return r;
	}
	child->pid = fork();
	r = child->pid < 0 ? -errno : 0;
	if (child->pid == 0) {
		close(go[1]);
		child_main(go[0], out[1], argv);
	}
	close(go[0]);
	close(out[1]);
	child->go = go[1];
	child->out = out[0];
	if (r < 0) {
		close(child->go);
		close(child->out);
	}
	return r;
}

/* Up to the end of the program's output, which every process that it has started shares. */
static int read_all(int fd, char *buf, size_t size, uint64_t until)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	size_t n = 0;
	ssize_t got = 1;

	while (got > 0 && n < size - 1) {
		uint64_t now = rt_now();

		if (now >= until || poll(&p, 1, (int)((until - now) / 1000000) + 1) == 0)
			return -ETIMEDOUT;
		got = read(fd, buf + n, size - 1 - n);
		n += got > 0 ? (size_t)got : 0;
	}
	buf[n] = '\0';
	return 0;
}

/*
 * The status after the end, or -ETIMEDOUT.  Polled: the end is wanted to a millisecond, and SIGCHLD
 * is the caller's.
 */
static int wait_until(pid_t pid, uint64_t until, struct run *run)
{
	struct rusage usage;
	int status;

	while (wait4(pid, &status, WNOHANG, &usage) == 0) {
		if (rt_now() >= until)
			return -ETIMEDOUT;
		usleep(200);
	}
	run->cpu = ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec) * 1e9 +
		   ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e3;
	return status;
}

/* The target's line of numbers, among what a tracer may print beside it. */
static bool read_numbers(const char *text, struct run *run)
{
	const char *line;

	run->numbers[2] = 0;
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%lf %lf %lf", &run->numbers[0], &run->numbers[1],
			   &run->numbers[2]) >= 2)
			return true;
	}
	return false;
}

int child_run(struct child *child, unsigned seconds, struct run *run)
{
	uint64_t until;
	char text[1024];
	int r, status;

	run->began = rt_now();
	until = run->began + seconds * UINT64_C(1000000000);
	r = write(child->go, "g", 1) == 1 ? 0 : -errno;
	close(child->go);
	if (r == 0)
		r = read_all(child->out, text, sizeof(text), until);
	close(child->out);
	status = wait_until(child->pid, until, run);
	run->ended = rt_now();
	if (status == -ETIMEDOUT) {
		/*
		 * Not waited for: a process that is taking its probes out dies only when that is
		 * done.
		 */
		kill(child->pid, SIGKILL);
		return status;
	}
	if (r == 0 && (status != 0 || !read_numbers(text, run)))
		r = -EIO;
	return r;
}

void child_drop(struct child *child)
{
	close(child->go);
	close(child->out);
	while (waitpid(child->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int run_program(char *const argv[], unsigned seconds, struct run *run)
{
	struct child child;
	int r = child_start(&child, argv);

	return r < 0 ? r : child_run(&child, seconds, run);
}
