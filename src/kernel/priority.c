/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel/priority.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/uapi.h"

enum { NICE_LESS = 20, NICE_STEP = 10, NICE_MIN = -20 };

/* Not by the C library: musl's fails always. */
static int set_policy(int policy)
{
	static const struct sched_param none;

	return (int)syscall(SYS_sched_setscheduler, 0, policy, &none);
}

void rt_priority_raise(struct rt_priority *p)
{
	int nice, less;

	p->raised = false;
	p->policy = (int)syscall(SYS_sched_getscheduler, 0);
	errno = 0;
	p->nice = getpriority(PRIO_PROCESS, 0);
	if (errno || p->policy < 0)
		return;
	if ((p->policy & ~RT_SCHED_RESET_ON_FORK) != SCHED_OTHER &&
	    (p->policy & ~RT_SCHED_RESET_ON_FORK) != SCHED_BATCH)
		return;
	if (set_policy(p->policy | RT_SCHED_RESET_ON_FORK) != 0)
		return;
	/* RLIMIT_NICE may allow only a part. */
	for (less = NICE_LESS; less > 0 && !p->raised; less -= NICE_STEP) {
		nice = p->nice - less < NICE_MIN ? NICE_MIN : p->nice - less;
		p->raised = setpriority(PRIO_PROCESS, 0, nice) == 0;
	}
	if (!p->raised)
		set_policy(p->policy);
}

void rt_priority_restore(struct rt_priority *p)
{
	if (!p->raised)
		return;
	p->raised = false;
	setpriority(PRIO_PROCESS, 0, p->nice);
	set_policy(p->policy);
}
