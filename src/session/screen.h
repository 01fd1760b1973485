/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SESSION_SCREEN_H
#define RT_SESSION_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "base/error.h"

/*
 * The terminal of rawtrace top, by ANSI sequences alone: keys are read at once, and the table has
 * the alternate screen, which leaves the user's own text as it was.
 */
struct rt_screen {
	int fd;			/* 0: not open */
	bool on;		/* the alternate screen is shown */
	struct termios before;
};

/* The controlling terminal, whatever the standard streams are.  0, or a usage error. */
int rt_screen_open(struct rt_screen *screen, struct rt_error *err);

/* The size of the window; 24 x 80 if the terminal does not know it. */
void rt_screen_size(const struct rt_screen *screen, unsigned *lines, unsigned *columns);

/* Show `size` bytes of text, which are fewer lines than the window has, in place of all. */
void rt_screen_show(struct rt_screen *screen, const char *text, size_t size);

/* The next key that was pressed, or 0. */
int rt_screen_key(const struct rt_screen *screen);

/* Back to the user's own screen; may be called twice, and if nothing was opened. */
void rt_screen_close(struct rt_screen *screen);

#endif
