/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "attach/trial.h"

/* Should a child never end.  A day on an emulated machine is long. */
enum { PATIENCE_S = 5 };

#define PROBED		__attribute__((noinline))
#define OPAQUE(n)	__asm__ volatile("" : "+r"(n) : : "memory")

static jmp_buf place;

static void on_crash(int sig)
{
	(void)sig;
	_exit(1);
}

/* A crash is an answer: no core file, and no line in the kernel's log. */
static void expect_crash(void)
{
	signal(SIGSEGV, on_crash);
	signal(SIGILL, on_crash);
	signal(SIGTRAP, on_crash);
	signal(SIGBUS, on_crash);
	alarm(PATIENCE_S);
}

static int PROBED leap(int n)
{
	OPAQUE(n);
	if (n)
		longjmp(place, 1);
	OPAQUE(n);
	return n;
}

static int PROBED plain(int n)
{
	OPAQUE(n);
	return n + 1;
}

/* A kernel that still holds leap's return sends outer's there. */
static int PROBED outer(int n)
{
	OPAQUE(n);
	if (setjmp(place) == 0) {
		leap(1);
		_exit(1);
	}
	return plain(4) + 1;
}

static int leaves_by_longjmp(void)
{
	expect_crash();
	return outer(1) == 6 && plain(1) == 2 ? 0 : 1;
}

static pid_t PROBED split(int n)
{
	pid_t pid;

	OPAQUE(n);
	pid = fork();
	OPAQUE(pid);
	return pid;
}

static int leaves_by_fork(void)
{
	int status = -1;
	pid_t pid;

	expect_crash();
	pid = split(1);
	if (pid == 0)
		_exit(plain(1) == 2 ? 0 : 1);
	if (pid > 0)
		waitpid(pid, &status, 0);
	return plain(1) == 2 && status == 0 ? 0 : 1;
}

static const struct {
	const char *name;
	struct rt_trial_program program;
	unsigned entries, returns;	/* of the child itself */
} leaves[RT_NLEAVES] = {
	[RT_LEAVE_LONGJMP] = { "longjmp", { leaves_by_longjmp, { 0 }, 3 }, 4, 3 },
	[RT_LEAVE_FORK] = { "fork", { leaves_by_fork, { 0 }, 2 }, 2, 2 },
};

static struct rt_trial_program program_of(enum rt_leave leave)
{
	struct rt_trial_program program = leaves[leave].program;

	program.functions[0] = leave == RT_LEAVE_FORK ? (uintptr_t)split : (uintptr_t)outer;
	program.functions[1] = (uintptr_t)plain;
	program.functions[2] = (uintptr_t)leap;
	return program;
}

const char *rt_leave_name(enum rt_leave leave)
{
	return leaves[leave].name;
}

int rt_trial_leave(enum rt_leave leave, const struct rt_attach_ops *forced, bool no_bpf, struct rt_error *err)
{
	const struct rt_trial_program program = program_of(leave);
	const char *name = leaves[leave].name;
	struct rt_trial trial;
	int r;

	r = rt_trial_program(&program, NULL, forced, no_bpf, &trial, err);
	if (r < 0)
		return r;
	if (trial.harmed)
		return rt_fail(err, -EFAULT, "this kernel harms programs that %s (one of rawtrace's own was tried)", name);
	if (trial.entries != leaves[leave].entries || trial.returns != leaves[leave].returns)
		return rt_fail(err, -ENODATA, "whether this kernel harms programs that %s could not be tried: of %u calls in rawtrace itself, "
			       "%u entries and %u returns were seen", name, leaves[leave].entries, trial.entries, trial.returns);
	return 0;
}
