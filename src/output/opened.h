/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_OPENED_H
#define RT_OUTPUT_OPENED_H

#include "stream/call.h"

struct rt_trace;

enum { RT_OPENED_PATH = 256, RT_OPENED_MOST = 64 };

/*
 * -y: the names of file descriptors by the calls that open and close them.  Such a call is one that
 * a prototype says to return a descriptor, or close.  The process may have closed it, or may have
 * ended, when the call is printed.
 */
struct rt_opened {
	/* Calls that are open; the oldest is forgotten. */
	struct {
		const struct rt_thread *thread;
		unsigned level;
		uint32_t function;
		int64_t closes;			/* that descriptor; -1: none */
		char path[RT_OPENED_PATH];	/* "": not known */
	} v[RT_OPENED_MOST];
	unsigned next;
	enum { RT_CLOSES_UNKNOWN, RT_CLOSES_TRACED, RT_CLOSES_NOT } closes; /* is close traced? */
};

/* Before a call's entry is printed, before its end is, and after that. */
void rt_opened_enter(struct rt_opened *opened, const struct rt_trace *trace,
		     const struct rt_thread *thread, const struct rt_frame *frame,
		     const struct rt_values *args);
void rt_opened_leave(struct rt_opened *opened, const struct rt_trace *trace,
		     const struct rt_thread *thread, const struct rt_frame *frame,
		     const struct rt_values *result);
void rt_opened_left(struct rt_opened *opened, const struct rt_trace *trace,
		    const struct rt_thread *thread, const struct rt_frame *frame);

#endif
