/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_SAY_H
#define RT_BASE_SAY_H

#include "base/error.h"

/* A remark has as many characters at most, with "rawtrace: ". */
enum { RT_REMARK_MAX = 100 };

/*
 * Tell the user now, as "rawtrace: TEXT" on standard error: what cannot wait for main to print it,
 * such as what is being waited for, and what -v tells.  One line of at most 1 KB; control
 * characters are shown as '?'.
 */
void rt_say(const char *fmt, ...) RT_PRINTF(1, 2);

/* Show a line on a terminal.  Whatever is printed next overwrites it. */
void rt_say_progress(const char *text);

#endif
