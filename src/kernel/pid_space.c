/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/pid_space.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel/owner.h"

struct rt_pid_space rt_pid_space_own(void)
{
	struct rt_pid_space space = { .ino = rt_owner_of(getpid()).space };
	struct stat st;

	if (!space.ino || stat("/proc/self/ns/pid", &st) < 0)
		return (struct rt_pid_space){ 0 };
	/* The kernel compares its own dev_t (MKDEV), and not that of stat(2). */
	space.dev = (uint64_t)major(st.st_dev) << 20 | minor(st.st_dev);
	return space;
}

/* /proc of another PID namespace has us under another id. */
static bool has_own_ids(void)
{
	char self[32];
	ssize_t n = readlink("/proc/self", self, sizeof(self) - 1);

	if (n < 0)
		return false;
	self[n] = '\0';
	return atol(self) == getpid();
}

static bool is_in(const struct rt_pid_space *space, pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	return stat(path, &st) < 0 || st.st_ino == space->ino;
}

int rt_pid_space_check(const struct rt_pids *pids, struct rt_error *err)
{
	struct rt_pid_space own = rt_pid_space_own();
	unsigned i;

	if (!has_own_ids())
		return rt_fail(err, -EPERM,
			       "/proc: has other process ids than this container; try: mount -t "
			       "proc proc /proc");
	for (i = 0; i < pids->n && own.ino; i++)
		if (!is_in(&own, pids->v[i]))
			return rt_fail(err, -EPERM,
				       "process %d: is in a container of its own; run rawtrace "
				       "there, or on the host",
				       (int)pids->v[i]);
	return 0;
}
