/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The output: a file, standard output or standard error.  A file is checked early, so that an error
 * comes before the wait for the probes.  It is opened and emptied late, when the probes are in and signals are held back: a
 * trace that a signal ends before its beginning leaves the file as it was.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/tally.h"
#include "session/session_private.h"
#include "base/clean.h"
#include "base/say.h"

enum { OUT_BUFFER = 1 << 16 };

static const struct rt_out_ops *out_ops(const struct rt_options *o)
{
	if (o->command == RT_CMD_COUNT)
		return &rt_out_count;
	return o->command == RT_CMD_HIST ? &rt_out_hist : rt_out_find(o->format ? o->format : "tree");
}

/* Sets the output's name, and its path where it is a file. */
static void choose(struct session *s)
{
	const struct rt_options *o = s->options;
	bool table = o->command == RT_CMD_COUNT || o->command == RT_CMD_HIST;

	s->out.ops = out_ops(o);
	s->out_path = o->output ? o->output : s->out.ops->file;
	/* The tables of a program that rawtrace starts do not go among the program's own output. */
	s->out_fd = table && o->pids.n ? STDOUT_FILENO : STDERR_FILENO;
	if (s->out_path && strcmp(s->out_path, "-") == 0) {
		s->out_path = NULL;
		s->out_fd = STDOUT_FILENO;
	}
	s->out_name = s->out_path ? s->out_path : s->out_fd == STDOUT_FILENO ? "standard output" : "standard error";
}

static int out_fail(const struct session *s, int code, struct rt_error *err)
{
	return rt_fail(err, -code, "%s: %s", s->out_name, strerror(code));
}

/* May a file that does not exist be made?  For a symbolic link, open(2) decides. */
static int check_folder(const struct session *s, const char *path, struct rt_error *err)
{
	const char *slash = strrchr(path, '/');
	size_t n = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
	char folder[PATH_MAX];
	struct stat st;

	if (n >= sizeof(folder) || lstat(path, &st) == 0)
		return 0;
	memcpy(folder, path, n);
	strcpy(folder + n, n ? "" : ".");
	return access(folder, W_OK | X_OK) == 0 ? 0 : out_fail(s, errno, err);
}

/* Output would overwrite what is traced, or what tells of it. */
static int check_other(const struct session *s, const struct stat *st, struct rt_error *err)
{
	const struct rt_program *program = &s->target.program;
	size_t i;

	for (i = 0; i < program->n; i++)
		if (rt_image_is_read_from(program->v[i], st->st_dev, st->st_ino))
			return rt_fail(err, -EINVAL, "-o %s: this is a file of the traced program (%s); name another one", s->out_name,
				       rt_image_name(program->v[i]));
	return 0;
}

int rt_session_choose_out(struct session *s, struct rt_error *err)
{
	const struct rt_options *o = s->options;
	struct stat st;

	choose(s);
	s->out.functions = &s->target.functions;
	s->out.program = &s->target.program;
	s->out.string = o->limits.string;
	s->out.members = o->limits.members;
	s->out.fd_paths = o->fd_paths;
	s->out.processes = o->pids.n > 1;
	s->out.command = o->program ? o->program : rt_image_name(rt_program_executable(&s->target.program));
	s->out_whole = -1;
	if (!s->out_path)
		return 0;
	if (stat(s->out_path, &st) < 0)
		return errno == ENOENT ? check_folder(s, s->out_path, err) : out_fail(s, errno, err);
	if (S_ISDIR(st.st_mode))
		return out_fail(s, EISDIR, err);
	if (check_other(s, &st, err) < 0)
		return -EINVAL;
	return access(s->out_path, W_OK) == 0 ? 0 : out_fail(s, errno, err);
}

/* Another file may have this name by now, so it is looked at once more before it is emptied. */
static int open_file(struct session *s, struct rt_error *err)
{
	int fd = open(s->out_path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666), r;
	struct stat st;

	if (fd < 0)
		return out_fail(s, errno, err);
	r = fstat(fd, &st) < 0 ? out_fail(s, errno, err) : check_other(s, &st, err);
	s->out_regular = r == 0 && S_ISREG(st.st_mode);
	if (s->out_regular && ftruncate(fd, 0) < 0)
		r = out_fail(s, errno, err);
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

int rt_session_open_out(struct session *s, struct rt_error *err)
{
	int fd = s->out_path ? open_file(s, err) : fcntl(s->out_fd, F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return s->out_path ? fd : out_fail(s, errno, err);
	s->out.file = fdopen(fd, "w");
	s->out_buffer = malloc(OUT_BUFFER);
	if (!s->out.file)
		close(fd);
	if (!s->out.file || !s->out_buffer)
		return rt_nomem(err);
	setvbuf(s->out.file, s->out_buffer, _IOFBF, OUT_BUFFER);
	if (s->out_path && !s->options->output)
		rt_say("the trace goes to %s", s->out_path);
	return s->out.ops->begin(&s->out) < 0 ? rt_session_out_check(s, err) : 0;
}

int rt_session_out_check(struct session *s, struct rt_error *err)
{
	if (fflush(s->out.file) == 0 && !ferror(s->out.file))
		return 0;
	return out_fail(s, errno ? errno : EIO, err);
}

void rt_session_out_whole(struct session *s)
{
	const char *tail = s->out.ops->tail;
	off_t at;

	if (!tail || !s->out_regular)
		return;
	at = ftello(s->out.file);
	if (at < 0 || at == s->out_whole)
		return;
	/* The next events overwrite it.  On a full disk the next flush fails, and says so. */
	if (pwrite(fileno(s->out.file), tail, strlen(tail), at) > 0)
		s->out_whole = at;
}

/* On a terminal one of the two is enough. */
static bool is_seen(const struct session *s)
{
	return !s->out_path && (s->out_fd == STDERR_FILENO || (isatty(STDOUT_FILENO) && isatty(STDERR_FILENO)));
}

int rt_session_note(void *ctx, const char *text)
{
	struct session *s = ctx;
	char *copy = strdup(text);
	int r;

	if (!copy)
		return -ENOMEM;
	rt_make_printable(copy);
	if (!is_seen(s))
		rt_say("%s", copy);
	r = s->out.ops->note(&s->out, copy);
	free(copy);
	return r;
}
