/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_CALLS_ANCHOR_H
#define RT_CALLS_ANCHOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The threads by whose memory the kernel knows a process (enum rt_again in attach/attach.h).  A program that another thread runs by exec has
 * the process's number, and so has that thread then.
 */
struct rt_anchor {
	pid_t tid;		/* the thread; 0: it has ended */
	pid_t spare;		/* another, for then; 0: there is none */
	uint64_t ready;		/* since when that is in place */
	uint64_t since;		/* when the last one ended, or another program began after that */
	bool exec;		/* the latter */
	bool done;		/* nothing more can be done */
	unsigned spares;	/* how many there were */
};

/* Thread `tid` has ended. */
void rt_anchor_exit(struct rt_anchor *anchor, pid_t tid, uint64_t time);
/* Another program runs, in one thread, which has the process's number now. */
void rt_anchor_exec(struct rt_anchor *anchor, pid_t pid, uint64_t time);

#endif
