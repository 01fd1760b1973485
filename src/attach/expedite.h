/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_EXPEDITE_H
#define RT_ATTACH_EXPEDITE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * --expedite: while probes are taken out, /sys/kernel/rcu_expedited is 1, which makes the kernel's
 * waits short and disturbs all of its CPUs.  A process of its own writes the file and puts it back,
 * also when its owner is killed: then it is 1 while the kernel closes what that had open.  It keeps
 * a lock on the file meanwhile; of two at one time the second takes over when the first has put it
 * back.  A value of 1 that somebody else wrote stays, and nothing is written where rcu_normal says
 * that waits be normal.
 */
enum rt_expedite_state {
	RT_EXPEDITE_OFF,		/* nothing was done yet */
	RT_EXPEDITE_ON,			/* we wrote it */
	RT_EXPEDITE_OTHER,		/* another rawtrace has */
	RT_EXPEDITE_ALREADY,		/* it was set */
	RT_EXPEDITE_NORMAL,		/* rcu_normal is set */
	RT_EXPEDITE_FAILED,		/* it cannot be written */
};

struct rt_expedite_shared;

struct rt_expedite {
	pid_t guard;			/* 0: not started */
	int fd;				/* what the guard is told through */
	const char *folder;
	struct rt_expedite_shared *shared;
};

/*
 * Start the process; `folder` is "/sys/kernel", but in tests.  Before anything is opened whose
 * close is waited for, as the process must not have it too.  0, or a negative errno where the
 * kernel has no such file or it cannot be written.
 */
int rt_expedite_start(struct rt_expedite *e, const char *folder, struct rt_error *err);

/*
 * Probes are taken out from now on.  Nothing where it was not started, or is on.  And: no more, for
 * the moment.
 */
enum rt_expedite_state rt_expedite_on(struct rt_expedite *e);
void rt_expedite_off(struct rt_expedite *e);

/*
 * The probes are out: the value is put back when this returns.  In the child that takes them out as
 * well; the other then calls rt_expedite_leave.
 */
void rt_expedite_end(struct rt_expedite *e);
void rt_expedite_leave(struct rt_expedite *e);

#endif
