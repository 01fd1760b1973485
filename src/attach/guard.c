/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Definitions are in group rawtrace_PID (tracefs allows no '-' in a group), instances are
 * rawtrace-PID. Unlike links and perf events both outlive a killed process. So rt-guard is
 * started before the first definition; it sleeps in read(2) on a pipe, and when rawtrace has
 * ended, by SIGKILL too, it removes them. If both were killed, the next run or `doctor --clean`
 * does.
 *
 * The guard waits until its owner has ended: the pipe's end of file comes while the kernel
 * still closes the owner's perf events, and deleting an event of several probes while perf or
 * an instance has it crashes the kernel (5.4 to 6.18 at least). For the same reason
 * kernel/owner.c disables first and looks, and a child that has copies of multi-event's perf
 * events never closes them.
 */
#include "attach/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/caps.h"
#include "kernel/owner.h"
#include "kernel/procfs.h"

/*
 * The guard waits this long for the owner's end, and then for busy events: perf events are closed
 * one by one, 0.1 s each.
 */
enum { RETRY_MS = 100, RETRIES = 6000 };

/* Ends of tasks are waited for so long, at most. */
enum { COPIES_MS = 5, COPIES_LOOKS = 400 };

/*
 * A process that ends closes its files in an order of the kernel's own: the pipe perhaps first.
 * It has closed all of them when its children are given to another (exit_files, exit_task_work,
 * exit_notify).  Before that nothing may be deleted (kernel/owner.c).
 */
static bool wait_for_end(pid_t owner)
{
	unsigned i;

	for (i = 0; i < RETRIES; i++) {
		if (getppid() != owner)
			return true;
		usleep(RETRY_MS * 1000);
	}
	return false;
}

/*
 * A perf event's close does not wait for a copy of it that an ending task is about to free.  The
 * kernel deletes an event of several probes all the same, and that task then writes to freed
 * memory.  False: some tasks take long.
 */
static bool wait_for_copies(void)
{
	unsigned looks = 0;
	pid_t *tids;
	int i, n = rt_proc_ending(&tids);

	for (i = 0; i < n; i++)
		for (; looks < COPIES_LOOKS && rt_thread_is_ending(tids[i]); looks++)
			usleep(COPIES_MS * 1000);
	free(tids);
	return n >= 0 && looks < COPIES_LOOKS;
}

/*
 * Keep nothing of the parent's open: a reader of its standard error must see the end of file when
 * it dies.
 */
static void close_all_but(int keep, int lock)
{
	int fd, null;

	rt_close_from(0, keep, lock);
	null = open("/dev/null", O_RDWR);
	for (fd = 0; fd < 3; fd++)
		if (fd != keep && fd != lock && null >= 0)
			dup2(null, fd);
}

/* Out of the reach of signals to its owner, named after it, and with only two of its files open. */
static void hide(pid_t owner, int keep, int lock)
{
	char name[RT_COMM_MAX];

	/* Neither a signal to our process group nor "killall rawtrace" reaches it. */
	setsid();
	prctl(PR_SET_NAME, rt_guard_name(owner, name));
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (chdir("/") != 0)
		_exit(1);
	close_all_but(keep, lock);
}

static void __attribute__((noreturn))
guard_main(int fd, pid_t owner, const struct rt_tracefs *tracefs, struct rt_main_buffer *buffer)
{
	unsigned i;
	ssize_t n;
	char byte;

	hide(owner, fd, buffer->lock);
	rt_caps_keep(0, NULL);
	do {
		n = read(fd, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 1)
		_exit(0);
	if (!wait_for_end(owner))
		_exit(1);
	rt_main_buffer_release(tracefs, buffer);
	wait_for_copies();
	for (i = 0; i < RETRIES; i++) {
		rt_tracefs_clear(tracefs, owner);
		if (!rt_tracefs_remains(tracefs, owner))
			break;
		usleep(RETRY_MS * 1000);
	}
	_exit(0);
}

static void close_buffer(struct rt_guard *guard)
{
	if (guard->buffer->lock >= 0)
		close(guard->buffer->lock);
	munmap(guard->buffer, sizeof(*guard->buffer));
}

int rt_guard_start(struct rt_guard *guard, const struct rt_tracefs *tracefs, struct rt_error *err)
{
	int p[2];

	memset(guard, 0, sizeof(*guard));
	guard->owner = getpid();
	guard->buffer = mmap(NULL, sizeof(*guard->buffer), PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (guard->buffer == MAP_FAILED)
		return rt_nomem(err);
	if (pipe2(p, O_CLOEXEC) != 0) {
		munmap(guard->buffer, sizeof(*guard->buffer));
		return rt_fail(err, -errno, "guard process: cannot be started: %s",
			       strerror(errno));
	}
	rt_main_buffer_init(tracefs, guard->buffer);
	guard->pid = fork();
	if (guard->pid == 0) {
		close(p[1]);
		guard_main(p[0], guard->owner, tracefs, guard->buffer);
	}
	close(p[0]);
	if (guard->pid < 0) {
		int r = -errno;

		close(p[1]);
		close_buffer(guard);
		guard->pid = 0;
		return rt_fail(err, r, "guard process: cannot be started: %s", strerror(-r));
	}
	guard->fd = p[1];
	return 0;
}

void rt_guard_end(struct rt_guard *guard, const struct rt_tracefs *tracefs)
{
	bool copied;

	if (!guard->pid)
		return;
	rt_main_buffer_release(tracefs, guard->buffer);
	copied = guard->inherited && !wait_for_copies();
	if (!copied)
		rt_tracefs_clear(tracefs, guard->owner);
	/* The guard clears the rest, if any. */
	if (!copied && !rt_tracefs_remains(tracefs, guard->owner) &&
	    write(guard->fd, "q", 1) == 1) {
		close(guard->fd);
		while (waitpid(guard->pid, NULL, 0) < 0 && errno == EINTR)
			;
	} else {
		close(guard->fd);
	}
	close_buffer(guard);
	guard->pid = 0;
}
