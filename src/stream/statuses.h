/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_STATUSES_H
#define RT_STREAM_STATUSES_H

#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

/*
 * Exit statuses of processes that are not our children, from the process connector (2.6.15): the
 * kernel sends a message for each thread that ends on the machine.  It wants CAP_NET_ADMIN, and the
 * initial network and PID namespaces.  The last few thousand are stored.
 */
struct rt_statuses;

/* 0, or a negative errno with the reason: then no status is known, and *statuses is NULL. */
int rt_statuses_open(struct rt_statuses **statuses, struct rt_error *err);
void rt_statuses_close(struct rt_statuses *statuses);	/* may be NULL */

/*
 * Take all messages that are there, so that the socket does not overflow: to be called in each
 * round.  Messages for which it had no room are lost.
 */
void rt_statuses_drain(struct rt_statuses *statuses);

/*
 * The status of process `pid`, as wait(2) has it; -1: not known.  Waits for it, `wait_ms` at most:
 * the message comes shortly after the process's perf events have ended.
 */
int rt_statuses_find(struct rt_statuses *statuses, pid_t pid, unsigned wait_ms);

/* One datagram of `len` bytes; for rt_statuses_drain and its tests.  Only exits are taken. */
void rt_statuses_take(struct rt_statuses *statuses, const void *data, size_t len);
struct rt_statuses *rt_statuses_new(void);		/* without a socket; NULL: out of memory */

#endif
