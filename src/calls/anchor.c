/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "calls/anchor.h"

void rt_anchor_exit(struct rt_anchor *anchor, pid_t tid, uint64_t time)
{
	if (tid == anchor->spare) {
		anchor->spare = 0;
	} else if (tid == anchor->tid) {
		anchor->tid = time > anchor->ready ? anchor->spare : 0;
		anchor->spare = 0;
		anchor->since = time;
		anchor->exec = false;
	}
}

/* Of the others the kernel has told the ends by then.  So an anchor that there is still is the thread that called exec. */
void rt_anchor_exec(struct rt_anchor *anchor, pid_t pid, uint64_t time)
{
	anchor->spare = 0;
	if (anchor->tid) {
		anchor->tid = pid;
		return;
	}
	anchor->since = time;
	anchor->exec = true;
}
