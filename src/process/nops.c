/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/nops.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/procfs.h"
#include "kernel/uapi.h"

/*
 * SYSCALL_DEFINE0(uprobe) in arch/x86/kernel/uprobes.c refuses callers outside of its own page.
 * Never call its neighbour 335 (uretprobe), which raises SIGILL.
 */
static int call_uprobe(void)
{
	return syscall(RT_NR_UPROBE) < 0 ? errno : 0;
}

/* A filter may end the process that asks. */
static int call_in_child(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid == 0)
		_exit(call_uprobe());
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

enum rt_nops rt_nops_of(int error, bool filtered)
{
	if (error == EPROTO)
		return RT_NOPS_CALL10;
	return error == ENOSYS && !filtered ? RT_NOPS_TRAP : RT_NOPS_CALL5;
}

enum rt_nops rt_nops_ask(void)
{
	long seccomp;
	bool filtered;
	int r;

	if (RT_NR_UPROBE < 0)
		return RT_NOPS_TRAP;
	r = rt_proc_status(getpid(), "Seccomp", &seccomp);
	/* Before 3.8 there is no such line, and no such call. */
	filtered = r < 0 ? r != -ENOENT : seccomp != 0;
	return rt_nops_of(filtered ? call_in_child() : call_uprobe(), filtered);
}
