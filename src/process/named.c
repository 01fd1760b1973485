/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/named.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "kernel/procfs.h"

/* A process of that name and the file that it runs. */
struct named {
	pid_t pid;
	dev_t dev;
	ino_t ino;
};

struct found {
	struct named *v;
	size_t n, cap;
	unsigned hidden;	/* processes of that name: their program may not be seen */
};

/* The path of a process's program, without the mark of a deleted file.  "": none or not allowed. */
static void read_program(pid_t pid, char *buf, size_t size)
{
	static const char deleted[] = " (deleted)";
	char path[64];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	n = readlink(path, buf, size - 1);
	buf[n < 0 ? 0 : n] = '\0';
	n -= (ssize_t)sizeof(deleted) - 1;
	if (n > 0 && strcmp(buf + n, deleted) == 0)
		buf[n] = '\0';
}

static bool has_name(pid_t pid, const char *program, const char *name)
{
	const char *slash = strrchr(program, '/');
	char comm[RT_COMM_MAX];

	if (slash && strcmp(slash + 1, name) == 0)
		return true;
	/* The kernel cuts the name (TASK_COMM_LEN). */
	rt_proc_comm(pid, pid, comm);
	return strncmp(comm, name, RT_COMM_MAX - 1) == 0;
}

/* `file`: the program to look for, where the name is a path. */
static int look_at(struct found *found, pid_t pid, const char *name, const struct stat *file)
{
	struct named process = { .pid = pid };
	char program[PATH_MAX], path[64];
	struct stat st;
	bool visible;

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
	visible = stat(path, &st) == 0;
	/* A kernel thread and a zombie have no program. */
	if (!visible && errno != EACCES && errno != EPERM)
		return 0;
	read_program(pid, program, sizeof(program));
	process.dev = visible ? st.st_dev : 0;
	process.ino = visible ? st.st_ino : 0;
	if (file ? !visible || st.st_dev != file->st_dev || st.st_ino != file->st_ino
		 : !has_name(pid, program, name))
		return 0;
	if (!visible) {
		found->hidden++;
		return 0;
	}
	if (RT_ROOM(&found->v, found->n, &found->cap))
		return -ENOMEM;
	found->v[found->n++] = process;
	return 0;
}

static int look_at_all(struct found *found, const char *name, const struct stat *file,
		       struct rt_error *err)
{
	DIR *dir = opendir("/proc");
	struct dirent *d;
	pid_t pid;
	int r = 0;

	if (!dir || !rt_proc_mounted()) {
		if (dir)
			closedir(dir);
		return rt_fail(err, -ENOENT,
			       "/proc is not mounted; try: mount -t proc proc /proc");
	}
	while (r == 0 && (d = readdir(dir))) {
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		if (pid > 0 && pid != getpid())
			r = look_at(found, pid, name, file);
	}
	closedir(dir);
	return r < 0 ? rt_nomem(err) : 0;
}

static bool run_the_same(const struct named *a, const struct named *b)
{
	return a->dev == b->dev && a->ino == b->ino;
}

static bool is_listed(const struct found *found, size_t i)
{
	size_t k;

	for (k = 0; k < i; k++)
		if (run_the_same(&found->v[k], &found->v[i]))
			return true;
	return false;
}

/* "PROGRAM PID PID, PROGRAM PID": a program once, with some of its processes. */
static void list_programs(const struct found *found, char *buf, size_t size)
{
	enum { PIDS_SHOWN = 8 };
	char program[PATH_MAX];
	size_t i, k, at = 0;
	unsigned n;

	for (i = 0; i < found->n && at < size; i++) {
		if (is_listed(found, i))
			continue;
		read_program(found->v[i].pid, program, sizeof(program));
		at += (size_t)snprintf(buf + at, size - at, "%s%s", at ? ", " : "", program);
		for (k = i, n = 0; k < found->n && at < size; k++)
			if (run_the_same(&found->v[k], &found->v[i]) && n++ <= PIDS_SHOWN)
				at += n > PIDS_SHOWN ? (size_t)snprintf(buf + at, size - at, " ...")
						     : (size_t)snprintf(buf + at, size - at, " %d",
									(int)found->v[k].pid);
	}
}

/* The processes found are of one program; else an error that names the programs. */
static int check_program(const struct found *found, const char *name, struct rt_error *err)
{
	char list[800];
	size_t i;

	for (i = 1; i < found->n && is_listed(found, i); i++)
		;
	if (i >= found->n)
		return 0;
	list_programs(found, list, sizeof(list));
	return rt_usage(err, "%s: processes of several programs; give pids: %s", name, list);
}

static int take(const struct found *found, const char *name, struct rt_pids *pids,
		struct rt_error *err)
{
	size_t i;

	if (!found->n && found->hidden)
		return rt_fail(err, -EPERM,
			       "%s: user %u may not look into the processes of that name; try sudo",
			       name, (unsigned)getuid());
	if (!found->n)
		return rt_fail(err, -ESRCH, "%s: no process of that name; try: pidof %s", name,
			       name);
	for (i = 0; i < found->n; i++) {
		if (rt_pids_has(pids, found->v[i].pid))
			continue;
		if (pids->n == RT_PIDS_MOST)
			return rt_usage(err, "%s: %zu processes, and %d are traced at most; give "
					     "pids",
					name, found->n, RT_PIDS_MOST);
		pids->v[pids->n++] = found->v[i].pid;
	}
	return 0;
}

int rt_named_find(const char *name, struct rt_pids *pids, struct rt_error *err)
{
	struct found found = { 0 };
	struct stat file;
	bool is_path = strchr(name, '/');
	int r;

	if (is_path && stat(name, &file) < 0)
		return rt_fail(err, -errno, "%s: %s", name, strerror(errno));
	r = look_at_all(&found, name, is_path ? &file : NULL, err);
	if (r == 0)
		r = check_program(&found, name, err);
	if (r == 0)
		r = take(&found, name, pids, err);
	free(found.v);
	return r;
}
