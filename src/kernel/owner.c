/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/owner.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/search.h"
#include "kernel/main_buffer.h"
#include "kernel/procfs.h"
#include "kernel/tracefs.h"

#define GROUP		"rawtrace_"
#define INSTANCE	"rawtrace-"

/* PROC_PID_INIT_INO, the same since 3.8, where namespaces got inodes. */
#define INITIAL_SPACE	4026531836ul

/*
 * The PID namespace of /proc/WHO, or 0 for the initial one; a negative errno in `*err` where it
 * cannot be read.
 */
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

/*
 * Has a PID namespace no process any more?  /proc may be mounted for another namespace than ours,
 * and then shows too few.
 */
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
	return (owner.pid == getpid() || (kill(owner.pid, 0) != 0 && errno == ESRCH)) &&
	       !rt_proc_named(rt_guard_name(owner.pid, name));
}

/*
 * Clearing what a rawtrace process has left in tracefs.
 *
 * From 5.4 on the kernel deletes an event of several probes also while it is enabled, and comes to
 * grief over the probes that stay (unregister_trace_uprobe asks whether the event is busy only
 * before its last probe).  So an event is disabled wherever it is enabled, and what stays enabled
 * stays defined.  Whether perf has it is nowhere to be read: only what nobody holds open any more
 * may be cleared, hence rt_owner_gone, and the guard's wait.
 */

/*
 * Events disabled in one write: from 4.4 on each takes some 16 ms, and nobody on the machine can
 * use any event meanwhile.
 */
enum { AT_ONCE = 32 };

/*
 * The folders that have an events/ with a switch an event: tracefs's own (""), and each instance
 * ("instances/NAME/").
 */
struct places {
	char (*v)[NAME_MAX + 16];
	size_t n, cap;
};

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
		if (d->d_name[0] == '.' || strcmp(d->d_name, "enable") == 0 ||
		    strcmp(d->d_name, "filter") == 0)
			continue;
		snprintf(path, sizeof(path), "%.150s/%.100s/enable", group, d->d_name);
		rt_tracefs_write(t, path, "0");
	}
	if (dir)
		closedir(dir);
}

/* Another rawtrace that ends opens a file in each instance, which is busy meanwhile. */
static bool remove_instance(const struct rt_tracefs *t, const char *instance)
{
	char path[PATH_MAX];
	unsigned tries = 50;
	int r;

	rt_tracefs_path(t, path, "instances/%s", instance);
	while ((r = rmdir(path)) != 0 && errno == EBUSY && --tries)
		usleep(10 * 1000);
	return r == 0;
}

/* An instance keeps its events enabled. */
static unsigned clear_instance(const struct rt_tracefs *t, struct rt_owner owner)
{
	char instance[RT_OWNER_NAME_MAX], group[RT_OWNER_NAME_MAX], path[PATH_MAX];

	rt_owner_instance(owner, instance);
	snprintf(path, sizeof(path), "instances/%s/events/%s", instance,
		 rt_owner_group(owner, group));
	disable_singly(t, path);
	snprintf(path, sizeof(path), "instances/%s/events/enable", instance);
	if (!rt_tracefs_has(t, path))
		return 0;
	rt_tracefs_write(t, path, "0");
	return remove_instance(t, instance);
}

static int find_places(const struct rt_tracefs *t, struct places *places)
{
	char path[PATH_MAX];
	DIR *dir = opendir(rt_tracefs_path(t, path, "instances"));
	struct dirent *d = NULL;
	int r;

	do {
		r = RT_ROOM(&places->v, places->n, &places->cap);
		if (r < 0)
			break;
		if (!d)
			places->v[places->n++][0] = '\0';
		else if (d->d_name[0] != '.')
			snprintf(places->v[places->n++], sizeof(*places->v), "instances/%s/",
				 d->d_name);
	} while (dir && (d = readdir(dir)));
	if (dir)
		closedir(dir);
	return r;
}

/* Is it certainly not enabled there?  What is gone is not; what cannot be read may be. */
static bool is_off(const struct rt_tracefs *t, const char *file)
{
	char *text;
	bool off;
	int r;

	r = rt_tracefs_read(t, file, &text);
	if (r < 0)
		return r == -ENOENT || r == -ENODEV;
	off = strcmp(text, "0\n") == 0 || strcmp(text, "0") == 0;
	free(text);
	return off;
}

static bool disable_everywhere(const struct rt_tracefs *t, const struct places *places,
			       const char *event)
{
	char file[PATH_MAX];
	bool off = true;
	size_t i;

	for (i = 0; i < places->n; i++) {
		snprintf(file, sizeof(file), "%sevents/%s/enable", places->v[i], event);
		if (is_off(t, file))
			continue;
		rt_tracefs_write(t, file, "0");
		off &= is_off(t, file);
	}
	return off;
}

/* Names in the text of uprobe_events, sorted. */
struct names {
	const char **v;
	size_t n, cap;
};

/* Was it there before?  Out of memory: no, and it is not saved. */
static bool is_repeated(struct names *names, const char *name)
{
	size_t low;

	RT_SEARCH(low, names->n, strcmp(names->v[low], name) < 0);
	if (low < names->n && strcmp(names->v[low], name) == 0)
		return true;
	if (RT_ROOM(&names->v, names->n, &names->cap) < 0)
		return false;
	memmove(names->v + low + 1, names->v + low, (names->n - low) * sizeof(*names->v));
	names->v[low] = name;
	names->n++;
	return false;
}

/*
 * The events of the definitions in `text` in the owner's group.  A multi-probe event has
 * thousands of lines, between those of others, and goes as a whole.
 */
static unsigned clear_definitions(const struct rt_tracefs *t, const struct places *places,
				  char *text, struct rt_owner owner)
{
	char *line, *save = NULL, command[320];
	struct names names = { 0 };
	struct rt_owner found;
	unsigned cleared = 0;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *group = strchr(line, ':'), *slash = group ? strchr(group, '/') : NULL;
		size_t len = slash ? strcspn(slash, " ") + (size_t)(slash - group) - 1 : 0;

		if (!slash || len >= sizeof(command) - 4 ||
		    !rt_owner_of_group(group + 1, (size_t)(slash - group) - 1, &found) ||
		    !rt_owner_same(found, owner))
			continue;
		group++;
		group[len] = '\0';
		if (is_repeated(&names, group) || !disable_everywhere(t, places, group))
			continue;
		snprintf(command, sizeof(command), "-:%s\n", group);
		cleared += rt_tracefs_append(t, "uprobe_events", command) == 0;
	}
	free(names.v);
	return cleared;
}

static unsigned clear(const struct rt_tracefs *t, struct rt_owner owner)
{
	unsigned cleared = clear_instance(t, owner);
	char path[PATH_MAX], group[RT_OWNER_NAME_MAX], *text;
	struct places places = { 0 };

	snprintf(path, sizeof(path), "events/%s", rt_owner_group(owner, group));
	if (!rt_tracefs_has(t, path) || rt_tracefs_read(t, "uprobe_events", &text) < 0)
		return cleared;
	if (find_places(t, &places) == 0)
		cleared += clear_definitions(t, &places, text, owner);
	free(places.v);
	free(text);
	return cleared;
}

unsigned rt_tracefs_clear(const struct rt_tracefs *t, pid_t pid)
{
	return clear(t, rt_owner_of(pid));
}

bool rt_tracefs_remains(const struct rt_tracefs *t, pid_t pid)
{
	char path[PATH_MAX], name[RT_OWNER_NAME_MAX];

	snprintf(path, sizeof(path), "events/%s", rt_owner_group(rt_owner_of(pid), name));
	if (rt_tracefs_has(t, path))
		return true;
	snprintf(path, sizeof(path), "instances/%s", rt_owner_instance(rt_owner_of(pid), name));
	return rt_tracefs_has(t, path);
}

struct owners {
	struct rt_owner *v;
	size_t n, cap;
};

static void add_owner(struct owners *owners, struct rt_owner owner)
{
	size_t i;

	for (i = 0; i < owners->n; i++)
		if (rt_owner_same(owners->v[i], owner))
			return;
	if (RT_ROOM(&owners->v, owners->n, &owners->cap) == 0)
		owners->v[owners->n++] = owner;
}

/* Groups of events or instances, each a folder. */
static void add_owners(struct owners *owners, const struct rt_tracefs *t, const char *folder,
		       bool (*owner_of)(const char *name, size_t len, struct rt_owner *owner))
{
	char path[PATH_MAX];
	DIR *dir = opendir(rt_tracefs_path(t, path, "%s", folder));
	struct rt_owner owner;
	struct dirent *d;

	while (dir && (d = readdir(dir)))
		if (owner_of(d->d_name, strlen(d->d_name), &owner))
			add_owner(owners, owner);
	if (dir)
		closedir(dir);
}

/*
 * Who reads uprobe_events waits, at each page of it, for all who put probes in or take them out:
 * not at every start.
 */
unsigned rt_tracefs_clean(const struct rt_tracefs *t)
{
	struct rt_main_buffer_values values;
	struct owners owners = { 0 };
	unsigned cleared = 0, now;
	char group[RT_OWNER_NAME_MAX];
	size_t i;

	add_owners(&owners, t, "instances", rt_owner_of_instance);
	add_owners(&owners, t, "events", rt_owner_of_group);
	for (i = 0; i < owners.n; i++) {
		if (!rt_owner_gone(owners.v[i]))
			continue;
		rt_main_buffer_find(t, rt_owner_group(owners.v[i], group), &values);
		now = clear(t, owners.v[i]);
		if (now)
			rt_main_buffer_clean(t, &values);
		cleared += now;
	}
	free(owners.v);
	return cleared;
}
