/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_SCAN_H
#define RT_BASE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Replacements for sscanf, which takes 100 kB of a static glibc, and does not report numbers that
 * are too large.  Each moves `*at` past the text that it found; if it returns false (NULL), `*at`
 * is unchanged.
 */

/*
 * The digits at `*at`, in base 8, 10 or 16.  False: there is none, or the number has more than 64
 * bits.
 */
bool rt_scan_number(const char **at, unsigned base, uint64_t *value);

/* The text itself. */
bool rt_scan_text(const char **at, const char *text);

/*
 * A time with its unit, "300ns" or "1.5ms", in ns; more digits are rounded.  False: there is no
 * unit, a letter follows it, or it is more than 10^18 ns.
 */
bool rt_scan_time(const char **at, uint64_t *ns);

/*
 * The next word, after blanks (spaces and tabs), of `*n` characters, 1 at least; up to a blank, a
 * newline or the end.
 */
const char *rt_scan_word(const char **at, size_t *n);

#endif
