/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/login.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"

/* Find the line of a user, by name first: a name may be a number. */
static struct passwd *find_line(FILE *file, const char *name, bool by_number)
{
	char *end;
	unsigned long uid = strtoul(name, &end, 10);
	struct passwd *p;

	if (by_number && (*name < '0' || *name > '9' || *end))
		return NULL;
	rewind(file);
	while ((p = fgetpwent(file)))
		if (by_number ? p->pw_uid == uid : strcmp(p->pw_name, name) == 0)
			return p;
	return NULL;
}

static int read_user(struct rt_login *user, const char *name, struct rt_error *err)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *p;

	if (!file)
		return rt_fail(err, -errno, "/etc/passwd: %s", strerror(errno));
	p = find_line(file, name, false);
	if (!p)
		p = find_line(file, name, true);
	if (p) {
		user->name = strdup(p->pw_name);
		user->home = strdup(p->pw_dir);
		user->uid = p->pw_uid;
		user->gid = p->pw_gid;
	}
	fclose(file);
	if (!p)
		return rt_fail(err, -ENOENT, "-u %s: no such user in /etc/passwd", name);
	return user->name && user->home ? 0 : rt_nomem(err);
}

static int add_group(struct rt_login *user, size_t *cap, gid_t gid)
{
	if (RT_ROOM(&user->groups, user->ngroups, cap))
		return -ENOMEM;
	user->groups[user->ngroups++] = gid;
	return 0;
}

static bool has_member(const struct group *g, const char *name)
{
	char **member;

	for (member = g->gr_mem; *member && strcmp(*member, name) != 0; member++)
		;
	return *member;
}

/* A system without /etc/group gives no further groups, as initgroups(3) has it. */
static int read_groups(struct rt_login *user, struct rt_error *err)
{
	FILE *file = fopen("/etc/group", "re");
	struct group *g;
	size_t cap = 0;
	int r = add_group(user, &cap, user->gid);

	while (file && r == 0 && (g = fgetgrent(file)))
		if (g->gr_gid != user->gid && has_member(g, user->name))
			r = add_group(user, &cap, g->gr_gid);
	if (file)
		fclose(file);
	return r < 0 ? rt_nomem(err) : 0;
}

int rt_login_find(const char *name, struct rt_login *user, struct rt_error *err)
{
	int r;

	memset(user, 0, sizeof(*user));
	if (geteuid() != 0)
		return rt_fail(err, -EPERM, "-u %s: only root can start programs of other users",
			       name);
	r = read_user(user, name, err);
	if (r == 0)
		r = read_groups(user, err);
	if (r < 0)
		rt_login_free(user);
	return r;
}

void rt_login_free(struct rt_login *user)
{
	free(user->name);
	free(user->home);
	free(user->groups);
	memset(user, 0, sizeof(*user));
}

int rt_login_become(const struct rt_login *user)
{
	if (setgroups(user->ngroups, user->groups) < 0 ||
	    setresgid(user->gid, user->gid, user->gid) < 0 ||
	    setresuid(user->uid, user->uid, user->uid) < 0)
		return -errno;
	if (setenv("HOME", user->home, 1) < 0 || setenv("USER", user->name, 1) < 0 ||
	    setenv("LOGNAME", user->name, 1) < 0)
		return -ENOMEM;
	return 0;
}
