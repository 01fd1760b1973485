/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_OUT_FILE_H
#define RT_OUTPUT_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/error.h"
#include "process/program.h"

struct rt_writer;

/*
 * The destination of a sink's output: a file, the standard input of a command, standard output or
 * standard error.
 *
 * A file is checked early, so that an error comes before the wait for the probes.  It is opened and
 * emptied late, when the probes are in and signals are blocked: if a signal ends a trace before its
 * beginning, the file is unchanged.
 */
struct rt_out_file {
	FILE *stream;		/* NULL until opened; it has no descriptor of its own */
	char *buffer;
	int out;		/* what the stream writes to; read it by rt_out_file_fd */
	bool beside;		/* set by rt_out_file_write_beside */
	struct rt_writer *writer;	/* NULL: write(2) by who fills the buffer */
	off_t given;		/* bytes that the stream has given to it, or to the descriptor */
	const char *path, *name;	/* the first is NULL where it is a standard stream, */
	int fd;			/* which is this one */
	bool append;		/* what the file has stays; set it before the file is opened */
	bool alone;		/* refused while another process writes it; likewise */
	bool regular;		/* a regular file */
	const char *pager;	/* a command, beside standard output; NULL: none */
	pid_t command;		/* the process of the pager or of the command in `path`; 0: none */
	off_t tail;		/* the offset of its last tail; -1: it has none yet */
};

/*
 * `path` NULL: to the standard stream `fd`; "-": to standard output; "|COMMAND" or "!COMMAND": to a
 * command that the shell starts, as strace has it.
 */
void rt_out_file_choose(struct rt_out_file *file, const char *path, int fd);

/* Is `path`, as the user gave it, a command? */
bool rt_out_file_is_command(const char *path);

/*
 * Send it to a pager if it is standard output and that is a terminal: $RAWTRACE_PAGER, $PAGER, else
 * less; to none if that is "" or "cat", or less is not installed.  Call it behind
 * rt_out_file_choose.
 */
void rt_out_file_page(struct rt_out_file *file);

/*
 * May it be written?  Not an image of `program` (NULL: there is none), which is read.  0 or a
 * negative errno.
 */
int rt_out_file_check(const struct rt_out_file *file, const struct rt_program *program,
		      struct rt_error *err);
int rt_out_file_open(struct rt_out_file *file, const struct rt_program *program,
		     struct rt_error *err);

/* Its descriptor; -1: it was not opened. */
int rt_out_file_fd(const struct rt_out_file *file);

/*
 * From now on a thread writes what fills more than a buffer (output/writer.h), if that is no
 * terminal.  Later copies of the process (fork) must not use the file.
 */
void rt_out_file_write_beside(struct rt_out_file *file);

/* Is the thread so much behind that it is better to wait than to print more? */
bool rt_out_file_is_behind(const struct rt_out_file *file);

/*
 * Write out what the buffer holds, and wait for that; nothing if the file was not opened.
 * rt_out_file_push does not wait for the thread, and returns its earlier errors.
 */
int rt_out_file_flush(struct rt_out_file *file, struct rt_error *err);
int rt_out_file_push(struct rt_out_file *file, struct rt_error *err);

/* Make it whole as it is, for whoever reads it during the trace or after a SIGKILL. */
void rt_out_file_put_tail(struct rt_out_file *file, const char *tail);

/* Does the user see it beside standard error, or as that? */
bool rt_out_file_is_seen(const struct rt_out_file *file);

/* A command is waited for; its failure is said. */
void rt_out_file_close(struct rt_out_file *file);

#endif
