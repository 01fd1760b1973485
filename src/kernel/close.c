/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Closing many descriptors whose closes each wait. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/sys.h"

/* More make it no faster: the waits for RCU then end together as they are. */
enum { HELPERS = 64, STACK = 16 << 10 };

struct work {
	const int *fds;
	size_t n, next;
};

/* Whoever is free takes the next.  In a helper this runs on our own memory and with our own errno: system calls and nothing else. */
static int close_some(void *arg)
{
	struct work *work = arg;
	size_t i;

	while ((i = __atomic_fetch_add(&work->next, 1, __ATOMIC_RELAXED)) < work->n)
		close(work->fds[i]);
	return 0;
}

/* Processes and no threads, which would bring libpthread: without an exit signal, so that nobody hears of their ends. */
void rt_close_together(const int *fds, size_t n)
{
	struct work work = { .fds = fds, .n = n };
	pid_t pids[HELPERS];
	unsigned helpers = n > HELPERS ? HELPERS : n > 1 ? (unsigned)n - 1 : 0, started = 0;
	char *stacks = helpers ? malloc((size_t)helpers * STACK) : NULL;

	while (stacks && started < helpers) {
		char *top = stacks + (size_t)(started + 1) * STACK;

		pids[started] = clone(close_some, (void *)((uintptr_t)top & ~(uintptr_t)15), CLONE_VM | CLONE_FS | CLONE_FILES, &work);
		if (pids[started] < 0)
			break;
		started++;
	}
	close_some(&work);
	while (started) {
		if (waitpid(pids[started - 1], NULL, __WALL) < 0 && errno == EINTR)
			continue;
		started--;
	}
	free(stacks);
}
