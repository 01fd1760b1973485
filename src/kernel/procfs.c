/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/procfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

int rt_read_file(const char *path, char **text)
{
	size_t n = 0, cap = 4096;
	char *buf, *more;
	ssize_t r;
	int fd, err;

	*text = NULL;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	buf = malloc(cap);
	while (buf && (r = read(fd, buf + n, cap - n - 1)) != 0) {
		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0) {
			err = -errno;
			free(buf);
			close(fd);
			return err;
		}
		n += (size_t)r;
		if (cap - n > 1)
			continue;
		cap *= 2;
		more = cap < INT_MAX ? realloc(buf, cap) : NULL;
		if (!more)
			free(buf);
		buf = more;
	}
	close(fd);
	if (!buf)
		return -ENOMEM;
	buf[n] = '\0';
	*text = buf;
	return (int)n;
}

int rt_write_file(const char *path, int flags, const char *text)
{
	size_t n = strlen(text);
	ssize_t r;
	int fd, err = 0;

	fd = open(path, O_WRONLY | O_CLOEXEC | flags, 0600);
	if (fd < 0)
		return -errno;
	r = write(fd, text, n);
	if (r < 0)
		err = -errno;
	else if ((size_t)r != n)
		err = -EIO;
	close(fd);
	return err;
}

/*
 * The value of "Name:" in /proc/PID/status, to the end of the text, which the caller frees.  NULL:
 * see `err`.
 */
static const char *status_of(pid_t pid, const char *name, char **text, int *err)
{
	size_t len = strlen(name);
	const char *line;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	*err = -ESRCH;
	if (rt_read_file(path, text) < 0) {
		*text = NULL;
		return NULL;
	}
	for (line = *text; line; line = strchr(line, '\n')) {
		if (*line == '\n')
			line++;
		if (strncmp(line, name, len) == 0 && line[len] == ':')
			return line + len + 1;
	}
	*err = -ENOENT;
	return NULL;
}

int rt_proc_status(pid_t pid, const char *name, long *value)
{
	char *text;
	int err;
	const char *at = status_of(pid, name, &text, &err);

	if (at)
		*value = strtol(at, NULL, 10);
	free(text);
	return at ? 0 : err;
}

bool rt_proc_status_has(pid_t pid, const char *name, const char *word)
{
	char *text;
	int err;
	const char *at = status_of(pid, name, &text, &err), *found = at ? strstr(at, word) : NULL;
	bool has = found && found < at + strcspn(at, "\n");

	free(text);
	return has;
}

void rt_close_from(int first, int keep, int other)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *d;
	int fd;

	while (dir && (d = readdir(dir))) {
		fd = atoi(d->d_name);
		if (d->d_name[0] != '.' && fd >= first && fd != keep && fd != other &&
		    fd != dirfd(dir))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

bool rt_proc_mounted(void)
{
	return access("/proc/self/status", F_OK) == 0;
}

void rt_proc_leaders(const struct rt_pids *pids, struct rt_pids *leaders)
{
	long leader;
	unsigned i;

	leaders->n = 0;
	for (i = 0; i < pids->n; i++) {
		if (rt_proc_status(pids->v[i], "Tgid", &leader) < 0)
			leader = pids->v[i];
		if (!rt_pids_has(leaders, (pid_t)leader))
			leaders->v[leaders->n++] = (pid_t)leader;
	}
}

bool rt_proc_named(const char *comm)
{
	DIR *dir = opendir("/proc");
	bool found = false;
	struct dirent *d;
	struct stat st;
	char name[RT_COMM_MAX], exe[64];
	pid_t pid;

	while (dir && !found && (d = readdir(dir))) {
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		if (pid <= 0 || fstatat(dirfd(dir), d->d_name, &st, 0) != 0 ||
		    st.st_uid != geteuid())
			continue;
		rt_proc_comm(pid, pid, name);
		snprintf(exe, sizeof(exe), "/proc/%d/exe", (int)pid);
		/* a zombie has none */
		found = strcmp(name, comm) == 0 && access(exe, F_OK) == 0;
	}
	if (dir)
		closedir(dir);
	return found;
}

void rt_proc_comm(pid_t pid, pid_t tid, char comm[16])
{
	char path[96], *text;
	int n;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid, (int)tid);
	n = rt_read_file(path, &text);
	if (n <= 0) {
		strcpy(comm, "?");
		if (n == 0)
			free(text);
		return;
	}
	text[strcspn(text, "\n")] = '\0';
	snprintf(comm, 16, "%.15s", text);
	free(text);
}

/* The numbers that are names in a folder. */
static int list_numbers(const char *path, pid_t **v)
{
	size_t n = 0, cap = 0;
	DIR *dir = opendir(path);
	struct dirent *d;

	*v = NULL;
	if (!dir)
		return -ESRCH;
	while ((d = readdir(dir))) {
		if (d->d_name[0] < '1' || d->d_name[0] > '9')
			continue;
		if (RT_ROOM(v, n, &cap) != 0) {
			free(*v);
			*v = NULL;
			closedir(dir);
			return -ENOMEM;
		}
		(*v)[n++] = (pid_t)strtol(d->d_name, NULL, 10);
	}
	closedir(dir);
	return n ? (int)n : -ESRCH;
}

int rt_proc_threads(pid_t pid, pid_t **v)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return list_numbers(path, v);
}

int rt_proc_all(pid_t **v)
{
	return list_numbers("/proc", v);
}

/* PF_EXITING of <linux/sched.h>, which has not changed since 2.6. */
enum { EXITING = 0x4 };

bool rt_stat_is_ending(const char *stat)
{
	const char *at = strrchr(stat, ')');
	unsigned flags;
	char state;

	return at && sscanf(at + 1, " %c %*d %*d %*d %*d %*d %u", &state, &flags) == 2 &&
	       state != 'Z' && state != 'X' && flags & EXITING;
}

/* exit_group sends SIGKILL to each thread (zap_other_threads()).  Field 31: pending signals. */
bool rt_stat_is_killed(const char *stat)
{
	enum { NAME = 2, PENDING = 31 };
	const char *at = strrchr(stat, ')');
	int field;

	for (field = NAME; at && field < PENDING; field++)
		at = strchr(at + 1, ' ');
	return at && strtoul(at, NULL, 10) & 1UL << (SIGKILL - 1);
}

static bool judge_stat(pid_t tid, bool (*judge)(const char *stat))
{
	char path[64], *text;
	bool judged;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)tid);
	if (rt_read_file(path, &text) < 0)
		return false;
	judged = judge(text);
	free(text);
	return judged;
}

bool rt_thread_is_ending(pid_t tid)
{
	return judge_stat(tid, rt_stat_is_ending);
}

static bool will_end(const char *stat)
{
	return rt_stat_is_killed(stat) || rt_stat_is_ending(stat);
}

bool rt_thread_will_end(pid_t tid)
{
	return judge_stat(tid, will_end);
}

/* Those of a process, added to `v`.  0 or -ENOMEM. */
static int add_ending(pid_t pid, pid_t **v, size_t *n, size_t *cap)
{
	pid_t *tids;
	int i, count = rt_proc_threads(pid, &tids), r = 0;

	for (i = 0; i < count && r == 0; i++) {
		if (!rt_thread_is_ending(tids[i]))
			continue;
		r = RT_ROOM(v, *n, cap);
		if (r == 0)
			(*v)[(*n)++] = tids[i];
	}
	if (count > 0)
		free(tids);
	return r < 0 ? -ENOMEM : 0;
}

int rt_proc_ending(pid_t **v)
{
	DIR *dir = opendir("/proc");
	size_t n = 0, cap = 0;
	struct dirent *d;
	int r = 0;
	pid_t pid;

	*v = NULL;
	while (dir && r == 0 && (d = readdir(dir))) {
		pid = (pid_t)strtol(d->d_name, NULL, 10);
		if (pid > 0)
			r = add_ending(pid, v, &n, &cap);
	}
	if (dir)
		closedir(dir);
	if (r < 0) {
		free(*v);
		*v = NULL;
	}
	return r < 0 ? r : (int)n;
}
