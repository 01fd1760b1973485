/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clearing what a rawtrace process has left in tracefs. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "kernel/tracefs.h"
#include "util/array.h"

/* The process a name belongs to: PREFIX and a decimal number, whole.  0: the name is none of ours. */
static pid_t owner(const char *name, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);
	pid_t pid = 0;

	if (len <= n || len > n + 9 || memcmp(name, prefix, n) != 0 || name[n] == '0')
		return 0;
	for (; n < len; n++) {
		if (name[n] < '0' || name[n] > '9')
			return 0;
		pid = pid * 10 + (name[n] - '0');
	}
	return pid;
}

/* What is disabled in one write: some 16 ms each from 4.4 on, in which nobody on the machine gets at any event. */
enum { AT_ONCE = 32 };

static size_t count_entries(const char *path)
{
	DIR *dir = opendir(path);
	size_t n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	return n;
}

/* One by one takes twice as long, but others get their turn, and it can be interrupted. */
static void disable_singly(const struct rt_tracefs *t, const char *group)
{
	char path[PATH_MAX];
	struct dirent *d;
	DIR *dir;

	rt_tracefs_path(t, path, "%s", group);
	if (count_entries(path) <= AT_ONCE)
		return;
	dir = opendir(path);
	while (dir && (d = readdir(dir))) {
		if (d->d_name[0] == '.' || strcmp(d->d_name, "enable") == 0 || strcmp(d->d_name, "filter") == 0)
			continue;
		snprintf(path, sizeof(path), "%.100s/%.100s/enable", group, d->d_name);
		rt_tracefs_write(t, path, "0");
	}
	if (dir)
		closedir(dir);
}

/* An instance keeps its events enabled, and an enabled event cannot be deleted. */
static unsigned clear_instance(const struct rt_tracefs *t, pid_t pid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "instances/" RT_TRACEFS_INSTANCE "%d/events/" RT_TRACEFS_GROUP "%d", (int)pid, (int)pid);
	disable_singly(t, path);
	snprintf(path, sizeof(path), "instances/" RT_TRACEFS_INSTANCE "%d/events/enable", (int)pid);
	if (!rt_tracefs_has(t, path))
		return 0;
	rt_tracefs_write(t, path, "0");
	return rmdir(rt_tracefs_path(t, path, "instances/" RT_TRACEFS_INSTANCE "%d", (int)pid)) == 0;
}

/* The events of the definitions in `text` whose group is `pid`'s.  A multi-probe event has several lines and one name. */
static unsigned clear_definitions(const struct rt_tracefs *t, char *text, pid_t pid)
{
	char *line, *save = NULL, last[256] = "", command[320], path[PATH_MAX];
	unsigned cleared = 0;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *group = strchr(line, ':'), *slash = group ? strchr(group, '/') : NULL;
		size_t len = slash ? strcspn(slash, " ") + (size_t)(slash - group) - 1 : 0;

		if (!slash || owner(group + 1, (size_t)(slash - group) - 1, RT_TRACEFS_GROUP) != pid || len >= sizeof(last))
			continue;
		if (strncmp(last, group + 1, len) == 0 && last[len] == '\0')
			continue;
		memcpy(last, group + 1, len);
		last[len] = '\0';
		snprintf(path, sizeof(path), "events/%s/enable", last);
		rt_tracefs_write(t, path, "0");
		snprintf(command, sizeof(command), "-:%s\n", last);
		cleared += rt_tracefs_append(t, "uprobe_events", command) == 0;
	}
	return cleared;
}

unsigned rt_tracefs_clear(const struct rt_tracefs *t, pid_t pid)
{
	unsigned cleared = clear_instance(t, pid);
	char *text;

	if (rt_tracefs_read(t, "uprobe_events", &text) < 0)
		return cleared;
	cleared += clear_definitions(t, text, pid);
	free(text);
	return cleared;
}

bool rt_tracefs_remains(const struct rt_tracefs *t, pid_t pid)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "events/" RT_TRACEFS_GROUP "%d", (int)pid);
	if (rt_tracefs_has(t, path))
		return true;
	snprintf(path, sizeof(path), "instances/" RT_TRACEFS_INSTANCE "%d", (int)pid);
	return rt_tracefs_has(t, path);
}

const char *rt_guard_name(pid_t pid, char *buf)
{
	snprintf(buf, RT_COMM_MAX, "rt-guard%u", (unsigned)pid % 10000000);
	return buf;
}

/* With its guard: that may be at work for a minute, and who joins in waits as long. */
static bool gone(pid_t pid)
{
	char name[RT_COMM_MAX];

	return kill(pid, 0) != 0 && errno == ESRCH && !rt_proc_named(rt_guard_name(pid, name));
}

static void add_owner(pid_t **v, size_t *n, size_t *cap, pid_t pid)
{
	size_t i;

	if (!pid)
		return;
	for (i = 0; i < *n; i++)
		if ((*v)[i] == pid)
			return;
	if (RT_ROOM(v, *n, cap) == 0)
		(*v)[(*n)++] = pid;
}

unsigned rt_tracefs_clean(const struct rt_tracefs *t)
{
	size_t n = 0, cap = 0, i;
	char path[PATH_MAX], *text, *line;
	unsigned cleared = 0;
	struct dirent *d;
	pid_t *v = NULL;
	DIR *dir;

	dir = opendir(rt_tracefs_path(t, path, "instances"));
	while (dir && (d = readdir(dir)))
		add_owner(&v, &n, &cap, owner(d->d_name, strlen(d->d_name), RT_TRACEFS_INSTANCE));
	if (dir)
		closedir(dir);
	if (rt_tracefs_read(t, "uprobe_events", &text) >= 0) {
		for (line = text; (line = strchr(line, ':')); line += strcspn(line, "\n"))
			add_owner(&v, &n, &cap, owner(line + 1, strcspn(line + 1, "/"), RT_TRACEFS_GROUP));
		free(text);
	}
	for (i = 0; i < n; i++)
		if (gone(v[i]))
			cleared += rt_tracefs_clear(t, v[i]);
	free(v);
	return cleared;
}
