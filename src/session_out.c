/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the trace is written: to a file, standard output or standard error. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "output/tally.h"
#include "session_private.h"
#include "util/clean.h"
#include "util/say.h"

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

int rt_session_open_out(struct session *s, struct rt_error *err)
{
	const struct rt_options *o = s->options;
	int fd;

	choose(s);
	fd = s->out_path ? open(s->out_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : fcntl(s->out_fd, F_DUPFD_CLOEXEC, 3);
	s->out.file = fd >= 0 ? fdopen(fd, "w") : NULL;
	if (!s->out.file)
		return rt_fail(err, -errno, "%s: %s", s->out_name, strerror(errno));
	s->out_buffer = malloc(OUT_BUFFER);
	if (!s->out_buffer)
		return rt_nomem(err);
	setvbuf(s->out.file, s->out_buffer, _IOFBF, OUT_BUFFER);
	if (s->out_path && !o->output)
		rt_say("the trace goes to %s", s->out_path);
	s->out.functions = &s->target.functions;
	s->out.images = &s->target.images;
	s->out.string = o->limits.string;
	s->out.members = o->limits.members;
	s->out.fd_paths = o->fd_paths;
	s->out.processes = o->pids.n > 1;
	s->out.command = o->program ? o->program : rt_image_name(s->target.images.v[0]);
	return s->out.ops->begin(&s->out) < 0 ? rt_session_out_check(s, err) : 0;
}

int rt_session_out_check(struct session *s, struct rt_error *err)
{
	if (fflush(s->out.file) == 0 && !ferror(s->out.file))
		return 0;
	return rt_fail(err, errno ? -errno : -EIO, "%s: %s", s->out_name, strerror(errno ? errno : EIO));
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
