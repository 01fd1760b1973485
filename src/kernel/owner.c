/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/owner.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/procfs.h"

#define GROUP		"rawtrace_"
#define INSTANCE	"rawtrace-"

/* PROC_PID_INIT_INO, the same since 3.8, where namespaces got inodes. */
#define INITIAL_SPACE	4026531836ul

/* The PID namespace of /proc/WHO, or 0 for the initial one; a negative errno in `*err` where it cannot be read. */
static unsigned long space_of(const char *who, int *err)
{
	char path[64], link[64] = "";
	unsigned long space;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%.20s/ns/pid", who);
	n = readlink(path, link, sizeof(link) - 1);
	*err = n < 0 ? -errno : 0;
	if (n <= 5 || memcmp(link, "pid:[", 5) != 0)
		return 0;
	space = strtoul(link + 5, NULL, 10);
	return space == INITIAL_SPACE ? 0 : space;
}

struct rt_owner rt_owner_of(pid_t pid)
{
	int err;
	struct rt_owner owner = { .pid = pid, .space = space_of("self", &err) };

	return owner;
}

static const char *name_of(const char *prefix, struct rt_owner owner, char *buf)
{
	int n = snprintf(buf, RT_OWNER_NAME_MAX, "%s%d", prefix, (int)owner.pid);

	if (owner.space)
		snprintf(buf + n, RT_OWNER_NAME_MAX - (size_t)n, "n%lu", owner.space);
	return buf;
}

const char *rt_owner_group(struct rt_owner owner, char *buf)
{
	return name_of(GROUP, owner, buf);
}

const char *rt_owner_instance(struct rt_owner owner, char *buf)
{
	return name_of(INSTANCE, owner, buf);
}

const char *rt_own_group(char *buf)
{
	return rt_owner_group(rt_owner_of(getpid()), buf);
}

const char *rt_own_instance(char *buf)
{
	return rt_owner_instance(rt_owner_of(getpid()), buf);
}

/* A decimal number of at most `digits` digits, not 0, from `*at` on; 0: there is none. */
static unsigned long number(const char *name, size_t len, size_t *at, unsigned digits)
{
	unsigned long n = 0;
	size_t i = *at;

	if (i == len || name[i] == '0')
		return 0;
	for (; i < len && name[i] >= '0' && name[i] <= '9'; i++)
		n = n * 10 + (unsigned long)(name[i] - '0');
	if (i - *at > digits)
		return 0;
	*at = i;
	return n;
}

static bool parse(const char *prefix, const char *name, size_t len, struct rt_owner *owner)
{
	size_t at = strlen(prefix);

	if (len < at || memcmp(name, prefix, at) != 0)
		return false;
	owner->pid = (pid_t)number(name, len, &at, 9);
	owner->space = 0;
	if (!owner->pid || at == len)
		return owner->pid != 0;
	if (name[at++] != 'n')
		return false;
	owner->space = number(name, len, &at, 18);
	return owner->space && owner->space != INITIAL_SPACE && at == len;
}

bool rt_owner_of_group(const char *name, size_t len, struct rt_owner *owner)
{
	return parse(GROUP, name, len, owner);
}

bool rt_owner_of_instance(const char *name, size_t len, struct rt_owner *owner)
{
	return parse(INSTANCE, name, len, owner);
}

bool rt_owner_same(struct rt_owner a, struct rt_owner b)
{
	return a.pid == b.pid && a.space == b.space;
}

const char *rt_guard_name(pid_t pid, char *buf)
{
	snprintf(buf, RT_COMM_MAX, "rt-guard%u", (unsigned)pid % 10000000);
	return buf;
}

/* Has a PID namespace no process any more?  /proc may be mounted for another namespace than ours, and then shows too few. */
static bool space_empty(unsigned long space)
{
	DIR *dir = opendir("/proc");
	char self[32], link[32] = "";
	bool empty = dir != NULL;
	struct dirent *d;
	int err;

	snprintf(self, sizeof(self), "%d", (int)getpid());
	if (readlink("/proc/self", link, sizeof(link) - 1) < 0 || strcmp(self, link) != 0)
		empty = false;
	while (empty && (d = readdir(dir))) {
		if (d->d_name[0] < '1' || d->d_name[0] > '9')
			continue;
		if (space_of(d->d_name, &err) == space || (err && err != -ENOENT && err != -ESRCH))
			empty = false;
	}
	if (dir)
		closedir(dir);
	return empty;
}

/* With its guard: that may be at work for a minute, and who joins in waits as long. */
bool rt_owner_gone(struct rt_owner owner)
{
	unsigned long ours = rt_owner_of(owner.pid).space;
	char name[RT_COMM_MAX];

	if (owner.space != ours)
		return ours == 0 && space_empty(owner.space);
	/* Ours is an earlier process's that had our number. */
	return (owner.pid == getpid() || (kill(owner.pid, 0) != 0 && errno == ESRCH)) && !rt_proc_named(rt_guard_name(owner.pid, name));
}
