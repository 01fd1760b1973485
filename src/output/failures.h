/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_FAILURES_H
#define RT_OUTPUT_FAILURES_H

#include "stream/call.h"

struct rt_trace;

enum { RT_FAILURES = 64 };

/*
 * Why a call has failed: the errno of a call inside it.
 *
 *	>(load_config "a.conf")
 *	> (open "a.conf" O_RDONLY)
 *	< -1 ENOENT (No such file or directory)
 *	<NULL ENOENT? (No such file or directory)
 *
 * If its prototype has errno, the reason is certain.  Another call that returns -1 or NULL, and
 * whose last call inside has failed, gets the errno of that one, marked as a guess.
 */
struct rt_failures {
	/* By thread; of two that share a place, the later one has it. */
	struct {
		const struct rt_thread *thread;
		unsigned level;		/* of the call that has failed */
		int32_t number;		/* errno */
	} v[RT_FAILURES];
};

/* A call has ended.  Returns the errno of the call inside, if the result says failure; else 0. */
int32_t rt_failures_leave(struct rt_failures *failures, const struct rt_trace *trace,
			  const struct rt_thread *thread, const struct rt_frame *frame,
			  enum rt_end end, const struct rt_values *result);
void rt_failures_gone(struct rt_failures *failures, const struct rt_thread *thread);

#endif
