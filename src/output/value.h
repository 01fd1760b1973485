/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_VALUE_H
#define RT_OUTPUT_VALUE_H

#include "output/sink.h"

/* For the files that print values: value.c (as they were read), value_type.c (by type), value_text.c (text and numbers). */

/* The largest integer up to which a double, which is what JSON's readers make of a number, holds every one. */
#define RT_JSON_EXACT (UINT64_C(1) << 53)

/* Where a value goes, and in which of the two ways. */
struct rt_printer {
	FILE *file;
	bool json;
	const struct rt_trace *trace;
	pid_t pid;
	const struct rt_values *values;
};

/* In JSON what is no number is a string. */
void rt_value_int(const struct rt_printer *p, uint64_t magnitude, bool negative);
void rt_value_hex(const struct rt_printer *p, uint64_t v);
void rt_value_octal(const struct rt_printer *p, uint64_t v);
/* Of `size` bytes; `quad`: 16, and not the x87's. */
void rt_value_float(const struct rt_printer *p, const uint8_t *bytes, uint64_t size, bool quad);
void rt_value_char(const struct rt_printer *p, uint8_t c);
/* A character by its code point; false: it is none beyond ASCII, and nothing was printed. */
bool rt_value_unicode(const struct rt_printer *p, uint64_t c);	/* 'c' */
/* "text" with C escapes; `cut`: there is more of it, "text"... */
void rt_value_text(const struct rt_printer *p, const uint8_t *text, size_t len, bool cut);
/* A mark or a name: as it is, in JSON a string. */
void rt_value_word(const struct rt_printer *p, const char *word);
/* A file descriptor, with what it is. */
void rt_value_fd(const struct rt_printer *p, int64_t fd);

/*
 * The string value (RT_TYPE_STRING) at `at` in the record: where its text is, or -EFAULT where nothing of it could be read.  `fault`: its
 * fault bit.
 */
int rt_value_string(const struct rt_fetch *fetch, const uint8_t *at, bool fault, const uint8_t **text, size_t *len, bool *cut);

/* "ENOENT" for 2; NULL for what is no error's number. */
const char *rt_errno_name(int64_t number);

/* One object by its type. */
void rt_value_show(const struct rt_printer *p, const struct rt_show *show);

#endif
