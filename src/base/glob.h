/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_GLOB_H
#define RT_BASE_GLOB_H

#include <stdbool.h>

/*
 * Does all of `text` match the shell's pattern?  As fnmatch(glob, text, 0) does in the C locale: *
 * ? [a-z] [!a-z] [[:alpha:]] and \ before one of them; a '[' without its ']' is itself.  In a
 * static glibc fnmatch is 40 kB, and its time can grow with every '*'.
 */
bool rt_glob_match(const char *glob, const char *text);

#endif
