/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_MAIN_BUFFER_H
#define RT_KERNEL_MAIN_BUFFER_H

#include "kernel/tracefs.h"

/*
 * ftrace's main buffer, which all of the machine's tracers share.  Up to 3.14 the events of uprobes go there, whatever instance they
 * are enabled in.  What is changed of it is put back.
 */
struct rt_main_buffer {
	bool taken;
	int lock;			/* an open file to lock, which the guard has too */
	char clock[32], kb[32];		/* what they were; empty: not changed */
};

/* Open its lock.  Before the guard is forked: it is held until the last of the two has closed it. */
void rt_main_buffer_init(const struct rt_tracefs *tracefs, struct rt_main_buffer *buffer);

/*
 * Take it for us: the clock `global`, whose times compare between CPUs, and `kb` KiB a CPU.  -EBUSY, with who to ask, when another
 * tracer uses it, another rawtrace among them.
 */
int rt_main_buffer_take(const struct rt_tracefs *tracefs, struct rt_main_buffer *buffer, size_t kb, struct rt_error *err);

/* Disable the kernel's own events that we had enabled in it, and put clock and size back.  Nothing when it is not taken. */
void rt_main_buffer_give_back(const struct rt_tracefs *tracefs, struct rt_main_buffer *buffer);

/*
 * A rawtrace that was killed together with its guard has left its definitions: disable the kernel's own events that it had enabled, if
 * nobody has it now and no other event is enabled in it.
 */
void rt_main_buffer_clean(const struct rt_tracefs *tracefs);

#endif
