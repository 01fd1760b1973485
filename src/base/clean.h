/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_BASE_CLEAN_H
#define RT_BASE_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Text that others wrote: names in files, strings in memory, command lines.  It is any bytes.  A
 * newline in it forges a line of a trace, what follows an escape character is an order to the
 * terminal, and U+202E has the rest of the line read backwards.
 *
 * rt_printable_length decides for all output.  It is what is done with the other characters that
 * differs: names show a '?' for each byte, strings of the tree an octal escape for each byte
 * (output/print.c), JSON \u202e (output/json.c).
 */

/*
 * Bytes in the UTF-8 character at `s`, of which `n` bytes are there: 1 to 4, or 0 where it is not
 * well-formed.
 */
size_t rt_utf8_length(const uint8_t *s, size_t n);

/*
 * The same, and 0 for a control character of ASCII, U+0080 to U+009F, what ends a line (U+2028,
 * U+2029), and what sets the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
 * U+2069).
 */
size_t rt_printable_length(const uint8_t *s, size_t n);

bool rt_is_printable(const char *text);
void rt_make_printable(char *text);

#endif
