/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "session/replaced.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

/* A process that has ended is not another one. */
static bool runs_another(const struct rt_image *program, pid_t pid)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	return stat(path, &st) == 0 && !rt_image_is_file(program, &st);
}

int rt_replaced_check(const struct rt_traced *traced, struct rt_error *err)
{
	const char *change;
	size_t i;

	for (i = 0; i < traced->program.n; i++) {
		change = rt_image_change(traced->program.v[i], !traced->pids.n);
		if (change)
			return rt_fail(err, -ESTALE,
				       "%s: %s while rawtrace started; start it again",
				       rt_image_name(traced->program.v[i]), change);
	}
	for (i = 0; i < traced->pids.n; i++)
		if (runs_another(rt_program_executable(&traced->program), traced->pids.v[i]))
			return rt_fail(
				err, -ESTALE,
				"process %d: called exec while rawtrace started; start it again",
				(int)traced->pids.v[i]);
	return 0;
}
