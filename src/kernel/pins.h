/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_KERNEL_PINS_H
#define RT_KERNEL_PINS_H

#include <stdbool.h>

/*
 * A place for BPF links that the kernel frees after we have closed them, in the background.  It
 * needs CAP_SYS_ADMIN to open, and CAP_BPF to add; without it, and before 6.5, nothing is pinned.
 */
struct rt_pins {
	int fs;			/* -1: there is none */
	long mount;		/* files on it may be held a little longer */
};

void rt_pins_open(struct rt_pins *pins);
/* May a link to this file be pinned? */
bool rt_pins_allow(const struct rt_pins *pins, int file);
/* True: the caller's close(2) of the link does not wait. */
bool rt_pins_add(const struct rt_pins *pins, int link);
/* Processes that were forked since have the place too: the links go with the last of them. */
void rt_pins_close(struct rt_pins *pins);

#endif
