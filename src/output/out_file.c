/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/say.h"
#include "kernel/procfs.h"
#include "output/writer.h"

enum { BUFFER = 1 << 16 };

bool rt_out_file_is_command(const char *path)
{
	return path && (*path == '|' || *path == '!');
}

void rt_out_file_choose(struct rt_out_file *file, const char *path, int fd)
{
	*file = (struct rt_out_file){ .path = path, .fd = fd, .tail = -1 };
	if (path && strcmp(path, "-") == 0) {
		file->path = NULL;
		file->fd = STDOUT_FILENO;
	}
	if (file->path)
		file->name = file->path;
	else
		file->name = file->fd == STDOUT_FILENO ? "standard output" : "standard error";
}

static bool is_installed(const char *name)
{
	const char *at = secure_getenv("PATH"), *end;
	char path[PATH_MAX];

	for (; at && *at; at = *end ? end + 1 : end) {
		end = at + strcspn(at, ":");
		snprintf(path, sizeof(path), "%.*s/%s", (int)(end - at), at, name);
		if (access(path, X_OK) == 0)
			return true;
	}
	return false;
}

void rt_out_file_page(struct rt_out_file *file)
{
	const char *pager = secure_getenv("RAWTRACE_PAGER");

	if (file->path || file->fd != STDOUT_FILENO || !isatty(STDOUT_FILENO))
		return;
	if (!pager)
		pager = secure_getenv("PAGER");
	/* -F: a text of one screen needs no pager; -R: colours; -X: it stays on the screen. */
	if (!pager && is_installed("less"))
		pager = "less -FRX";
	if (!pager || !*pager || strcmp(pager, "cat") == 0)
		return;
	file->pager = pager;
}

static int fail(const struct rt_out_file *file, int code, struct rt_error *err)
{
	return rt_fail(err, -code, "%s: %s", file->name, strerror(code));
}

/* May a file that does not exist be made?  For a symbolic link, open(2) decides. */
static int check_folder(const struct rt_out_file *file, struct rt_error *err)
{
	const char *path = file->path, *slash = strrchr(path, '/');
	size_t n = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
	char folder[PATH_MAX];
	struct stat st;

	if (n >= sizeof(folder) || lstat(path, &st) == 0)
		return 0;
	memcpy(folder, path, n);
	strcpy(folder + n, n ? "" : ".");
	return access(folder, W_OK | X_OK) == 0 ? 0 : fail(file, errno, err);
}

/* Output would overwrite the traced program, its libraries or their debug information. */
static int check_images(const struct rt_out_file *file, const struct rt_program *program,
			const struct stat *st, struct rt_error *err)
{
	size_t i;

	for (i = 0; program && i < program->n; i++)
		if (rt_image_is_read_from(program->v[i], st->st_dev, st->st_ino))
			return rt_fail(err, -EINVAL, "-o %s: this is a file of the traced program "
				       "(%s); name another one", file->name,
				       rt_image_name(program->v[i]));
	return 0;
}

int rt_out_file_check(const struct rt_out_file *file, const struct rt_program *program,
		      struct rt_error *err)
{
	struct stat st;

	if (!file->path || rt_out_file_is_command(file->path))
		return 0;
	if (stat(file->path, &st) < 0)
		return errno == ENOENT ? check_folder(file, err) : fail(file, errno, err);
	if (S_ISDIR(st.st_mode))
		return fail(file, EISDIR, err);
	if (check_images(file, program, &st, err) < 0)
		return -EINVAL;
	return access(file->path, W_OK) == 0 ? 0 : fail(file, errno, err);
}

/* A process that has a copy of the descriptor holds the lock too (session/heir.c). */
static int lock_file(const struct rt_out_file *file, int fd, struct rt_error *err)
{
	if (!file->alone || flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	return rt_fail(err, -EBUSY,
		       "%s: rawtrace still writes it; wait, or name another file by -o",
		       file->name);
}

/* Another file may have this name by now, so it is looked at once more before it is emptied. */
static int open_path(struct rt_out_file *file, const struct rt_program *program,
		     struct rt_error *err)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (file->append ? O_APPEND : 0);
	int fd = open(file->path, flags, 0666), r;
	struct stat st;

	if (fd < 0)
		return fail(file, errno, err);
	r = fstat(fd, &st) < 0 ? fail(file, errno, err) : check_images(file, program, &st, err);
	file->regular = r == 0 && S_ISREG(st.st_mode);
	if (file->regular)
		r = lock_file(file, fd, err);
	if (r == 0 && file->regular && !file->append && ftruncate(fd, 0) < 0)
		r = fail(file, errno, err);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

/* In the child.  ^C ends the trace, not the command, which reads the trace up to its end. */
static void become_shell(const char *command, int in, int ready)
{
	sigset_t none;

	rt_close_from(STDERR_FILENO + 1, in, ready);
	if (write(ready, "", 1) != 1)
		_exit(127);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGINT, SIG_IGN);
	if (dup2(in, STDIN_FILENO) >= 0)
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/*
 * Start the command.  The descriptor that it is written to by, or a negative errno.
 *
 * It waits until the child has closed its copies of our perf events: if the child was the last to
 * close one, our probes would be removed before, and Linux 5.4 to 6.18 crash then (attach/guard.c).
 */
static int open_command(struct rt_out_file *file, const char *command, struct rt_error *err)
{
	int ends[2], ready[2], r;
	char byte;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(file, errno, err);
	if (pipe2(ready, O_CLOEXEC) < 0) {
		r = errno;
		close(ends[0]);
		close(ends[1]);
		return fail(file, r, err);
	}
	file->command = fork();
	if (file->command == 0)
		become_shell(command, ends[0], ready[1]);
	r = errno;
	close(ends[0]);
	close(ready[1]);
	while (file->command > 0 && read(ready[0], &byte, 1) < 0 && errno == EINTR)
		;
	close(ready[0]);
	if (file->command > 0)
		return ends[1];
	close(ends[1]);
	file->command = 0;
	return fail(file, r, err);
}

static int open_fd(struct rt_out_file *file, const struct rt_program *program,
		   struct rt_error *err)
{
	int fd;

	if (file->pager)
		return open_command(file, file->pager, err);
	if (rt_out_file_is_command(file->path))
		return open_command(file, file->path + 1, err);
	if (file->path)
		return open_path(file, program, err);
	fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? fail(file, errno, err) : fd;
}

/* ---- the stream ---- */

/* A thread costs 50 us, and a pipe takes 64 KB without its reader. */
static struct rt_writer *begin_writer(struct rt_out_file *file, size_t n)
{
	if (file->beside && file->given + (off_t)n > BUFFER) {
		file->beside = false;
		file->writer = rt_writer_new(file->out);
	}
	return file->writer;
}

static ssize_t write_out(void *ctx, const char *bytes, size_t n)
{
	struct rt_out_file *file = ctx;
	struct rt_writer *writer = begin_writer(file, n);
	int r = writer ? rt_writer_put(writer, bytes, n) : rt_write_all(file->out, bytes, n);

	if (r < 0) {
		errno = -r;
		return 0;
	}
	file->given += (off_t)n;
	return (ssize_t)n;
}

/* The recorder asks for its position, and its heir goes back.  They have no thread. */
static int seek(void *ctx, off64_t *at, int whence)
{
	const struct rt_out_file *file = ctx;
	off_t to;

	if (file->writer) {
		errno = ESPIPE;
		return -1;
	}
	to = lseek(file->out, (off_t)*at, whence);
	*at = to;
	return to < 0 ? -1 : 0;
}

int rt_out_file_open(struct rt_out_file *file, const struct rt_program *program,
		     struct rt_error *err)
{
	const cookie_io_functions_t io = { .write = write_out, .seek = seek };

	file->out = open_fd(file, program, err);
	if (file->out < 0)
		return file->out;
	file->stream = fopencookie(file, "w", io);
	file->buffer = malloc(BUFFER);
	if (!file->stream)
		close(file->out);
	if (!file->stream || !file->buffer)
		return rt_nomem(err);
	setvbuf(file->stream, file->buffer, _IOFBF, BUFFER);
	return 0;
}

int rt_out_file_fd(const struct rt_out_file *file)
{
	return file->stream ? file->out : -1;
}

void rt_out_file_write_beside(struct rt_out_file *file)
{
	file->beside = file->stream && !isatty(file->out);
}

bool rt_out_file_is_behind(const struct rt_out_file *file)
{
	return file->writer && rt_writer_is_behind(file->writer);
}

int rt_out_file_push(struct rt_out_file *file, struct rt_error *err)
{
	int r;

	if (!file->stream)
		return 0;
	if (fflush(file->stream) != 0 || ferror(file->stream))
		return fail(file, errno ? errno : EIO, err);
	r = file->writer ? rt_writer_push(file->writer) : 0;
	return r < 0 ? fail(file, -r, err) : 0;
}

int rt_out_file_flush(struct rt_out_file *file, struct rt_error *err)
{
	int r = rt_out_file_push(file, err);

	if (r < 0 || !file->writer)
		return r;
	r = rt_writer_wait(file->writer);
	return r < 0 ? fail(file, -r, err) : 0;
}

void rt_out_file_put_tail(struct rt_out_file *file, const char *tail)
{
	if (!tail || !file->stream || !file->regular || file->given == file->tail)
		return;
	/* The next events overwrite it.  On a full disk the next flush fails, and says so. */
	if (file->writer)
		rt_writer_put_tail(file->writer, tail, file->given);
	else if (pwrite(file->out, tail, strlen(tail), file->given) < 0)
		return;
	file->tail = file->given;
}

bool rt_out_file_is_seen(const struct rt_out_file *file)
{
	if (file->pager)
		return isatty(STDERR_FILENO);
	return !file->path && (file->fd == STDERR_FILENO ||
			       (isatty(STDOUT_FILENO) && isatty(STDERR_FILENO)));
}

static void wait_for_command(struct rt_out_file *file)
{
	int status = 0;

	while (waitpid(file->command, &status, 0) < 0 && errno == EINTR)
		;
	file->command = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status))
		rt_say("%s: exited with status %d", file->name, WEXITSTATUS(status));
	/* A reader such as head ends when it has enough. */
	else if (WIFSIGNALED(status) && WTERMSIG(status) != SIGPIPE)
		rt_say("%s: killed by signal %d", file->name, WTERMSIG(status));
}

void rt_out_file_close(struct rt_out_file *file)
{
	if (file->stream) {
		fclose(file->stream);
		rt_writer_free(file->writer);
		close(file->out);
	}
	if (file->command)
		wait_for_command(file);
	free(file->buffer);
	file->stream = NULL;
	file->buffer = NULL;
}
