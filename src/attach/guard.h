/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_ATTACH_GUARD_H
#define RT_ATTACH_GUARD_H

#include <sys/types.h>

#include "kernel/main_buffer.h"

/*
 * A small process that outlives a killed rawtrace and clears what it had defined in tracefs:
 * unlike links and perf events, definitions and the events of an instance do not go away with the
 * process that made them.  It sleeps in read(2) on a pipe.
 */
struct rt_guard {
	pid_t pid;		/* 0: not running */
	pid_t owner;		/* the definitions' owner, by their name */
	int fd;			/* its end of file tells the guard that we are gone */
	bool inherited;		/* other tasks have copies of perf events on the definitions */
	struct rt_main_buffer *buffer;	/* shared with it: what it has to put back */
};

/* Start it, before anything is defined.  0 or a negative errno. */
int rt_guard_start(struct rt_guard *guard, const struct rt_tracefs *tracefs, struct rt_error *err);

/*
 * Clear all definitions of the owner, give the main buffer back if it was taken, and dismiss the
 * guard.  In its child as well.
 */
void rt_guard_end(struct rt_guard *guard, const struct rt_tracefs *tracefs);

#endif
