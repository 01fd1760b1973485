/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/caps.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"

/* Newer than the headers of the systems we build on. */
enum { NR_CAP_PERFMON = 38, NR_CAP_BPF = 39, NR_CAP_CHECKPOINT_RESTORE = 40 };

static bool has(cap_t caps, int cap)
{
	cap_flag_value_t value = CAP_CLEAR;

	/*
	 * A libcap that does not know the number fails here, as a kernel that does not know it
	 * grants nothing.
	 */
	return cap_get_flag(caps, (cap_value_t)cap, CAP_EFFECTIVE, &value) == 0 && value == CAP_SET;
}

static int missing(bool bpf, bool can_bpf, bool can_perf, struct rt_error *err)
{
	if (geteuid() != 0 && !bpf)
		return rt_fail(err, -EPERM, "user %u: tracefs needs root; try: sudo rawtrace ...",
			       (unsigned)geteuid());
	if (geteuid() != 0)
		return rt_fail(err, -EPERM,
			       "user %u: tracing needs root; try sudo, or as in README: setcap "
			       "cap_bpf,cap_perfmon+ep",
			       (unsigned)geteuid());
	if (!can_bpf && !can_perf)
		return rt_fail(err, -EPERM,
			       "cap_sys_admin, cap_bpf, cap_perfmon: capabilities missing; in a "
			       "container try --privileged");
	return rt_fail(err, -EPERM,
		       "%s: capability missing (as is cap_sys_admin); in a container try "
		       "--privileged",
		       can_bpf ? "cap_perfmon" : "cap_bpf");
}

bool rt_caps_is_user(void)
{
	return getuid() != 0;
}

/* Drop all capabilities but these, as far as this process has them. */
static int keep(const int *retained, size_t n)
{
	cap_t now = cap_get_proc(), then = cap_init();
	int r = now && then ? 0 : -ENOMEM;
	cap_value_t cap;
	size_t i;

	for (i = 0; i < n && r == 0; i++) {
		cap = retained[i];
		if (!has(now, cap))
			continue;
		if (cap_set_flag(then, CAP_PERMITTED, 1, &cap, CAP_SET) < 0 ||
		    cap_set_flag(then, CAP_EFFECTIVE, 1, &cap, CAP_SET) < 0)
			r = -errno;
	}
	if (r == 0 && cap_set_proc(then) < 0)
		r = -errno;
	cap_free(now);
	cap_free(then);
	return r;
}

/*
 * Capabilities of a trace: to trace, to raise limits, to lock rings in memory, to run before
 * others.
 */
static int keep_for_tracing(void)
{
	static const int retained[] = { NR_CAP_BPF, NR_CAP_PERFMON, CAP_SYS_RESOURCE, CAP_IPC_LOCK,
				    CAP_SYS_NICE };

	return keep(retained, RT_COUNT(retained));
}

/*
 * Does this kernel, and this libcap, have what replaces CAP_SYS_ADMIN (5.8)?  For `files` of
 * /proc/PID/map_files it is CAP_CHECKPOINT_RESTORE (5.9).
 */
static bool can_do_without_admin(bool files)
{
	cap_t now = cap_get_proc();
	bool can = now && has(now, NR_CAP_BPF) && has(now, NR_CAP_PERFMON) &&
		   (!files || has(now, NR_CAP_CHECKPOINT_RESTORE));

	cap_free(now);
	return can;
}

static int set_admin(cap_flag_value_t value)
{
	const cap_value_t cap = CAP_SYS_ADMIN;
	cap_t now = cap_get_proc();
	int r = 0;

	if (!now || cap_set_flag(now, CAP_EFFECTIVE, 1, &cap, value) < 0 || cap_set_proc(now) < 0)
		r = -errno;
	cap_free(now);
	return r;
}

int rt_caps_try_without_admin(int (*trial)(void *ctx), void *ctx)
{
	cap_t now = cap_get_proc();
	bool admin = now && has(now, CAP_SYS_ADMIN);
	int r;

	cap_free(now);
	if (!admin)
		return trial(ctx);
	r = set_admin(CAP_CLEAR);
	if (r < 0)
		return r;
	r = trial(ctx);
	return set_admin(CAP_SET) < 0 ? -EPERM : r;
}

int rt_caps_keep(unsigned uses, struct rt_error *err)
{
	/* Debuginfod's client runs as another user; rings and maps are locked memory. */
	static const int files[] = { CAP_DAC_READ_SEARCH, NR_CAP_CHECKPOINT_RESTORE, CAP_SETUID,
				     CAP_SETGID, CAP_IPC_LOCK, CAP_SYS_RESOURCE };
	int retained[16] = { NR_CAP_BPF, NR_CAP_PERFMON, CAP_SYS_PTRACE }, r;
	size_t n = 3, i;

	if ((uses & RT_CAPS_ADMIN) || !can_do_without_admin(uses & RT_CAPS_FILES))
		retained[n++] = CAP_SYS_ADMIN;
	if (uses & RT_CAPS_KILL)
		retained[n++] = CAP_KILL;
	if (uses & RT_CAPS_OUTPUT)
		retained[n++] = CAP_DAC_OVERRIDE;
	for (i = 0; i < RT_COUNT(files) && (uses & RT_CAPS_FILES); i++)
		retained[n++] = files[i];
	r = keep(retained, n);
	return r < 0 ? rt_fail(err, r, "giving up capabilities: %s", strerror(-r)) : 0;
}

int rt_caps_own_rights(struct rt_error *err)
{
	int r;

	if (getuid() != geteuid() || getgid() != getegid())
		return rt_fail(err, -EPERM,
			       "rawtrace: is setuid or setgid; try: chmod ug-s (see CAPABILITIES "
			       "in rawtrace(1))");
	r = rt_caps_is_user() ? keep_for_tracing() : 0;
	return r < 0 ? rt_fail(err, r, "capabilities: cannot be dropped: %s", strerror(-r)) : 0;
}

bool rt_caps_can_read_memory(pid_t pid)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

/* PROC_USER_INIT_INO, the same since 3.8. */
#define INITIAL_USER_SPACE	4026531837ul

/* Do the capabilities count only in a user namespace, where bpf(2) does not ask for them? */
static bool in_user_space(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) == 0 && st.st_ino != INITIAL_USER_SPACE;
}

int rt_caps_check(bool bpf, struct rt_error *err)
{
	cap_t caps = cap_get_proc();
	bool admin, can_bpf, can_perf, files;

	if (!caps)
		return rt_fail(err, -errno, "capabilities: cannot be read: %s", strerror(errno));
	admin = has(caps, CAP_SYS_ADMIN);
	can_bpf = has(caps, NR_CAP_BPF);
	can_perf = has(caps, NR_CAP_PERFMON);
	files = geteuid() == 0;
	cap_free(caps);
	if (in_user_space())
		return rt_fail(err, -EPERM,
			       "capabilities of a user namespace do not allow tracing; run "
			       "rawtrace on the host");
	if (bpf ? admin || (can_bpf && can_perf) : files)
		return 0;
	return missing(bpf, can_bpf, can_perf, err);
}

static int become_nobody(void)
{
	if (setgroups(0, NULL) < 0 || setresgid(RT_NOBODY, RT_NOBODY, RT_NOBODY) < 0 ||
	    setresuid(RT_NOBODY, RT_NOBODY, RT_NOBODY) < 0)
		return -errno;
	return 0;
}

int rt_caps_drop(void)
{
	cap_t none = cap_init();
	int r = 0;

	if (!none)
		return -ENOMEM;
	if (getuid() == 0 || geteuid() == 0)
		r = become_nobody();
	/* Without an inheritable one there is no ambient one either (4.3). */
	if (r == 0 && cap_set_proc(none) < 0)
		r = -errno;
	if (r == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		r = -errno;
	cap_free(none);
	return r;
}
