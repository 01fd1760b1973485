/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rawtrace record leaves most events in its spool until the program has ended.  A killed recorder
 * must not lose them, and nobody else can decode them: that needs sites, plans, types, processes,
 * threads and open calls.
 *
 * So a copy of the process (fork), the heir, sleeps in read(2) on a pipe.  At the pipe's end of
 * file it cuts the recording to the length of the time of the fork, decodes what the spool had then
 * and what was pushed since, in whole rounds, and writes the end.  The heir has no copy of a probe.
 *
 * Events that are decoded stay in the file of the spool, for the heir has its place from the time
 * of the fork.  When these are 64 MB, another heir begins with the state of that time.
 *
 * Limits: the events of the last round are lost, and those in the rings.  A recording that goes to
 * a pipe has no heir, as nothing in a pipe can be cut.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "kernel/uapi.h"
#include "session/session_private.h"
#include "stream/spool.h"

/* TRACEFS_MAGIC of <linux/magic.h>, 4.1. */
#define RT_TRACEFS_MAGIC 0x74726163

static const uint64_t taken_most = 64 << 20;

/* A file of the user's, and not one that the kernel makes for probes, maps and rings. */
static bool is_plain_file(int fd)
{
	struct statfs fs;
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && fstatfs(fd, &fs) == 0 &&
	       fs.f_type != ANON_INODE_FS_MAGIC && fs.f_type != RT_TRACEFS_MAGIC &&
	       fs.f_type != DEBUGFS_MAGIC;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISFIFO(st.st_mode);
}

static void close_some(int keep, int ready, bool pipes)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *d;
	int fd;

	while (dir && (d = readdir(dir))) {
		fd = atoi(d->d_name);
		if (d->d_name[0] == '.' || fd == keep || fd == ready || fd == dirfd(dir))
			continue;
		if (is_pipe(fd) ? pipes : !is_plain_file(fd))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

/*
 * The guard of tracefs waits for the end of its pipe before it deletes events, and then nobody may
 * have a copy of them (attach/guard.c): so pipes come last.
 */
static void hide(int keep, int ready)
{
	int fd, null;

	/* Signals to our process group or to processes of our name do not reach it. */
	setsid();
	prctl(PR_SET_NAME, "rt-heir");
	close_some(keep, ready, false);
	close_some(keep, ready, true);
	null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (fd = 0; fd < 3 && null >= 0; fd++)
		dup2(null, fd);
}

static int finish(struct session *s, off_t length)
{
	const struct rt_out_file *to = &s->sinks.v[0].to;
	uint64_t now = rt_now();
	struct rt_error err;
	char text[128];
	int r = rt_spool_resume(s->later.spool);

	if (r < 0 || fseeko(to->stream, length, SEEK_SET) < 0 || ftruncate(to->out, length) < 0)
		return -EIO;
	s->statuses = NULL;
	rt_feed_window(s->feed, s->tracee.ours ? 0 : s->sinks.trace.start, now);
	r = rt_session_decode_rounds(s);
	if (r == 0)
		r = rt_stack_end(s->stack, now);
	snprintf(text, sizeof(text),
		 "the recorder was killed after %.3f s: later calls, and some of the last %u ms, "
		 "are missing",
		 (double)(now - s->sinks.trace.start) / 1e9, RT_TICK_MS);
	if (r == 0)
		r = rt_sinks_note(&s->sinks, text);
	if (r == 0)
		r = rt_sinks_end(&s->sinks);
	return r < 0 ? r : rt_sinks_flush(&s->sinks, &err);
}

static void __attribute__((noreturn))
heir_main(struct session *s, int pipe, int ready, off_t length)
{
	ssize_t n;
	char byte;

	hide(pipe, ready);
	n = write(ready, "", 1);
	close(ready);
	while (n >= 0 || errno == EINTR)
		if ((n = read(pipe, &byte, 1)) == 0)
			_exit(finish(s, length) < 0);
	_exit(1);
}

/* Wait until the heir has closed its copies of perf events: the last to close one waits. */
static int start_heir(struct session *s, const int life[2], off_t length)
{
	int ready[2];
	char byte;

	if (pipe2(ready, O_CLOEXEC) < 0)
		return -errno;
	s->later.heir = fork();
	if (s->later.heir == 0) {
		close(life[1]);
		close(ready[0]);
		heir_main(s, life[0], ready[1], length);
	}
	close(ready[1]);
	while (s->later.heir > 0 && read(ready[0], &byte, 1) < 0 && errno == EINTR)
		;
	close(ready[0]);
	return s->later.heir > 0 ? 0 : -EAGAIN;
}

/* Without one the trace continues. */
void rt_session_begin_heir(struct session *s)
{
	const struct rt_out_file *to = &s->sinks.v[0].to;
	struct rt_error err;
	off_t length;
	int life[2];

	s->later.heir = 0;
	if (!s->later.spool || !to->regular || rt_sinks_flush(&s->sinks, &err) < 0)
		return;
	length = ftello(to->stream);
	if (length < 0 || rt_spool_keep(s->later.spool) < 0 || pipe2(life, O_CLOEXEC) < 0)
		return;
	s->later.heir_pipe = life[1];
	if (start_heir(s, life, length) < 0) {
		s->later.heir = 0;
		close(life[1]);
	}
	close(life[0]);
}

void rt_session_end_heir(struct session *s)
{
	if (!s->later.heir)
		return;
	kill(s->later.heir, SIGKILL);
	while (waitpid(s->later.heir, NULL, 0) < 0 && errno == EINTR)
		;
	close(s->later.heir_pipe);
	s->later.heir = 0;
}

void rt_session_renew_heir(struct session *s)
{
	if (!s->later.heir || !s->later.spool)
		return;
	if (!rt_spool_unsaved(s->later.spool) && rt_spool_taken_bytes(s->later.spool) < taken_most)
		return;
	rt_session_end_heir(s);
	if (!rt_spool_unsaved(s->later.spool))
		rt_session_begin_heir(s);
}
