/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel looks at a probe's instruction only when a process maps it, and then nobody gets
 * the refusal. So the held child maps the files before exec, and a refusal is an error of
 * attaching. Files of another architecture are left out: the kernel keeps what the instructions
 * mean to the first process that maps them, and would take 32-bit code for 64-bit code.
 */
#include "process/tracee.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "kernel/sys.h"

static bool executable(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

int rt_tracee_find(const char *name, char **path, struct rt_error *err)
{
	const char *dirs = getenv("PATH"), *end;
	char *file;

	if (!*name)
		return rt_usage(err, "the program's name is empty");
	if (strchr(name, '/')) {
		*path = strdup(name);
		return *path ? 0 : rt_nomem(err);
	}
	/* An unset PATH means the C library's default (exec(3)). */
	for (dirs = dirs ? dirs : "/bin:/usr/bin"; ; dirs = end + 1) {
		end = dirs + strcspn(dirs, ":");
		if (asprintf(&file, "%.*s%s%s", (int)(end - dirs), dirs, end == dirs ? "./" : "/",
			     name) < 0)
			return rt_nomem(err);
		if (executable(file)) {
			*path = file;
			return 0;
		}
		free(file);
		if (!*end)
			break;
	}
	return rt_fail(err, -ENOENT, "%s: no such program in PATH%s%s", name,
		       access(name, F_OK) == 0 ? "; for the file here, type ./" : "",
		       access(name, F_OK) == 0 ? name : "");
}

/* In the child: wait for the word, become the command, or say why not. */
static void __attribute__((noreturn))
child_main(int go, int failed, const char *path, char *const argv[], const struct rt_login *user)
{
	ssize_t n;
	char byte;
	int code;

	do {
		n = read(go, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(RT_EXIT_FAILURE);
	code = user ? -rt_login_become(user) : 0;
	if (code == 0)
		code = rt_execve(path, argv);
	n = write(failed, &code, sizeof(code));
	_exit(n == sizeof(code) ? 127 : 126);
}

struct mapping {
	void *at;
	size_t size;
};

/* Refusals are not seen in a file that cannot be mapped. */
static void map_code(struct mapping *v, const int *files, size_t n)
{
	struct stat st;
	size_t i;

	for (i = 0; v && i < n; i++) {
		v[i].at = MAP_FAILED;
		if (fstat(files[i], &st) != 0 || st.st_size <= 0)
			continue;
		v[i].size = (size_t)st.st_size;
		v[i].at = mmap(NULL, v[i].size, PROT_READ | PROT_EXEC, MAP_PRIVATE, files[i], 0);
	}
}

static void unmap_code(struct mapping *v, size_t n)
{
	size_t i;

	for (i = 0; v && i < n; i++)
		if (v[i].at != MAP_FAILED)
			munmap(v[i].at, v[i].size);
	free(v);
}

void rt_tracee_init(struct rt_tracee *t)
{
	unsigned i;

	memset(t, 0, sizeof(*t));
	t->go = t->failed = -1;
	for (i = 0; i < RT_PIDS_MOST; i++)
		t->pidfds[i] = -1;
}

int rt_tracee_start(struct rt_tracee *t, const char *path, char *const argv[],
		    const struct rt_login *user, const int *files, size_t n, struct rt_error *err)
{
	struct mapping *code;
	int go[2], failed[2];

	rt_tracee_init(t);
	if (pipe2(go, O_CLOEXEC) != 0)
		return rt_fail(err, -errno, "%s: cannot be started: %s", path, strerror(errno));
	if (pipe2(failed, O_CLOEXEC) != 0) {
		close(go[0]);
		close(go[1]);
		return rt_fail(err, -errno, "%s: cannot be started: %s", path, strerror(errno));
	}
	code = n ? calloc(n, sizeof(*code)) : NULL;
	map_code(code, files, n);
	t->pids.n = 1;
	t->pids.v[0] = fork();
	if (rt_pids_first(&t->pids) == 0) {
		close(go[1]);
		close(failed[0]);
		child_main(go[0], failed[1], path, argv, user);
	}
	unmap_code(code, n);
	close(go[0]);
	close(failed[1]);
	t->go = go[1];
	t->failed = failed[0];
	t->ours = true;
	if (rt_pids_first(&t->pids) < 0) {
		t->ended = true;
		rt_tracee_release(t);
		return rt_fail(err, -EAGAIN, "%s: cannot be started: fork: %s", path,
			       strerror(errno));
	}
	return 0;
}

int rt_tracee_take(struct rt_tracee *t, const struct rt_pids *pids, struct rt_error *err)
{
	long leader;
	unsigned i;

	rt_tracee_init(t);
	for (i = 0; i < pids->n; i++) {
		if (rt_proc_status(pids->v[i], "Tgid", &leader) < 0)
			return rt_fail(err, -ESRCH, "process %d: no such process", (int)pids->v[i]);
		if (leader == getpid())
			return rt_usage(err, "process %d: is rawtrace itself", (int)pids->v[i]);
		if (rt_pids_has(&t->pids, (pid_t)leader))
			continue;
		t->pidfds[t->pids.n] = rt_pidfd_open((pid_t)leader);
		t->pids.v[t->pids.n++] = (pid_t)leader;
	}
	return 0;
}

int rt_tracee_go(struct rt_tracee *t, const char *path, struct rt_error *err)
{
	ssize_t n;
	int code = 0;

	if (t->go < 0)
		return 0;
	if (write(t->go, "g", 1) != 1)
		return rt_fail(err, -errno, "%s: cannot be started: %s", path, strerror(errno));
	close(t->go);
	t->go = -1;
	/* The pipe closes on exec: no bytes mean that it succeeded. */
	do {
		n = read(t->failed, &code, sizeof(code));
	} while (n < 0 && errno == EINTR);
	close(t->failed);
	t->failed = -1;
	if (n != sizeof(code))
		return 0;
	rt_tracee_ended(t, true);
	return rt_fail(err, -code, "%s: cannot be started: %s", path, strerror(code));
}

/*
 * Gone, or a zombie without other threads: its leader may be one long before the last thread ends.
 */
bool rt_tracee_is_gone(pid_t pid)
{
	char path[64], *text, *state;
	pid_t *threads = NULL;
	bool zombie;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (rt_read_file(path, &text) < 0)
		return true;
	state = strrchr(text, ')');
	zombie = state && (strncmp(state, ") Z", 3) == 0 || strncmp(state, ") X", 3) == 0);
	free(text);
	if (zombie)
		zombie = rt_proc_threads(pid, &threads) <= 1;
	free(threads);
	return zombie;
}

/* Its descriptor would stay readable. */
static void close_pidfd(struct rt_tracee *t, unsigned i)
{
	if (t->pidfds[i] >= 0)
		close(t->pidfds[i]);
	t->pidfds[i] = -1;
}

static bool all_gone(struct rt_tracee *t)
{
	bool all = true;
	unsigned i;

	for (i = 0; i < t->pids.n; i++) {
		if (rt_tracee_is_gone(t->pids.v[i]))
			close_pidfd(t, i);
		else
			all = false;
	}
	return all;
}

bool rt_tracee_forget_ended(struct rt_tracee *t)
{
	unsigned i, n = 0, before = t->pids.n;

	if (t->ours || rt_tracee_ended(t, false))
		return false;
	for (i = 0; i < before; i++) {
		if (rt_tracee_is_gone(t->pids.v[i])) {
			close_pidfd(t, i);
			continue;
		}
		t->pids.v[n] = t->pids.v[i];
		t->pidfds[n++] = t->pidfds[i];
	}
	for (i = n; i < before; i++)
		t->pidfds[i] = -1;
	t->pids.n = n;
	return n && n < before;
}

bool rt_tracee_ended(struct rt_tracee *t, bool wait)
{
	pid_t pid = rt_pids_first(&t->pids), r;

	if (t->ended)
		return true;
	if (!t->ours)
		return t->ended = all_gone(t);
	do {
		r = waitpid(pid, &t->status, wait ? 0 : WNOHANG);
	} while (r < 0 && errno == EINTR);
	t->ended = r == pid || (r < 0 && errno == ECHILD);
	return t->ended;
}

int rt_tracee_exit_status(const struct rt_tracee *t)
{
	if (!t->ours || !t->ended)
		return 0;
	return WIFSIGNALED(t->status) ? 128 + WTERMSIG(t->status) : WEXITSTATUS(t->status);
}

void rt_tracee_release(struct rt_tracee *t)
{
	unsigned i;

	/* Still held: closing the pipe without a word ends it. */
	if (t->go >= 0) {
		close(t->go);
		t->go = -1;
		if (!t->ended)
			rt_tracee_ended(t, true);
	}
	if (t->failed >= 0)
		close(t->failed);
	t->failed = -1;
	for (i = 0; i < t->pids.n; i++)
		close_pidfd(t, i);
}
