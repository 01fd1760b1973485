/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_MAIN_BUFFER_H
#define RT_KERNEL_MAIN_BUFFER_H

#include "kernel/tracefs.h"

/* The clock and the size before a rawtrace took the buffer; empty: not known. */
struct rt_main_buffer_values {
	char clock[32], kb[32];
};

/*
 * ftrace's main buffer, which all of the machine's tracers share.  Up to 3.14 the events of uprobes
 * go there, from every instance.  Each change to its settings is undone.
 */
struct rt_main_buffer {
	bool taken;
	int lock;			/* an open file to lock, which the guard has too */
	struct rt_main_buffer_values was;	/* empty: not changed */
};

/*
 * Open its lock.  Before the guard is forked: it is held until the last of the two has closed it.
 */
void rt_main_buffer_init(const struct rt_tracefs *tracefs, struct rt_main_buffer *buffer);

/*
 * Take it for us: the clock `global`, with times that compare between CPUs, and `kb` KiB a CPU.
 * -EBUSY, with who to ask, when another tracer uses it, another rawtrace among them.
 */
int rt_main_buffer_take(const struct rt_tracefs *tracefs, struct rt_main_buffer *buffer, size_t kb,
			struct rt_error *err);

/*
 * Disable the kernel's own events that we had enabled in it, and put clock and size back.  Nothing
 * when it is not taken.
 */
void rt_main_buffer_release(const struct rt_tracefs *tracefs, struct rt_main_buffer *buffer);

/*
 * For a rawtrace that was killed together with its guard.  `find` reads, before its definitions are
 * cleared, the values that it has left in the name of one, of event group `group`.  `clean`, after
 * that, disables the kernel's own events that it had enabled and puts the values back, if nobody
 * has the buffer now and no other event is enabled in it.
 */
void rt_main_buffer_find(const struct rt_tracefs *tracefs, const char *group,
			 struct rt_main_buffer_values *values);
void rt_main_buffer_clean(const struct rt_tracefs *tracefs,
			  const struct rt_main_buffer_values *values);

#endif
