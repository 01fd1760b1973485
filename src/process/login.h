/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PROCESS_LOGIN_H
#define RT_PROCESS_LOGIN_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/* A user of /etc/passwd with all groups of /etc/group.  A static file cannot ask NSS for others. */
struct rt_login {
	char *name, *home;
	uid_t uid;
	gid_t gid;		/* of the user; in `groups` too */
	gid_t *groups;
	size_t ngroups;
};

/* Find a user by name or number.  0, or a negative errno with a message. */
int rt_login_find(const char *name, struct rt_login *user, struct rt_error *err);
void rt_login_free(struct rt_login *user);

/*
 * Make this process one of the user, with the user's groups and HOME, USER and LOGNAME, as sudo(8)
 * does.  For a child: there is no way back.  0 or a negative errno.
 */
int rt_login_become(const struct rt_login *user);

#endif
