/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_UTIL_CLEAN_H
#define RT_UTIL_CLEAN_H

#include <stdbool.h>

/*
 * Names in files are any bytes.  A newline in one would forge a line of a trace, and what follows an escape character tells the user's
 * terminal what to do; so control characters (of ASCII, and U+0080 to U+009F in UTF-8) are shown as '?'.
 */
bool rt_has_controls(const char *text);
void rt_hide_controls(char *text);

#endif
