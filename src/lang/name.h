/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_LANG_NAME_H
#define RT_LANG_NAME_H

#include "lang/cursor.h"

/* Shared by the files of src/lang only: places, that is libraries and functions. */

/* The last ':' in [text, end) that separates: one that is no part of "::".  NULL: none. */
const char *rt_last_colon(const char *text, const char *end);
/*
 * Note spec->overload of the prototype that has its name there and its parameters behind `open`.  0
 * or -ENOMEM.
 */
int rt_take_overload(const struct rt_cursor *c, const char *name, const char *name_end,
		     const char *open, const struct rt_prototype *prototype, struct rt_spec *spec);

bool rt_has_double_colon(const char *text, const char *end);

/*
 * Find a regular expression in the cursor's text: returns its first '/', and in `*close` the place
 * behind its last.  NULL: there is none.
 */
const char *rt_find_regex(const struct rt_cursor *c, const char **close);
/* Find the kernel's words, behind a blank; NULL: there are none. */
const char *rt_find_words(const struct rt_cursor *c);
/*
 * Find '(' of the items, which is not one of a name (main.(*T).f, operator()) or a path; NULL:
 * there is none.
 */
const char *rt_find_items(const struct rt_cursor *c);

/* Returns the beginning of "usdt:PROVIDER:", behind a library or not; NULL: there is none. */
const char *rt_find_usdt(const struct rt_cursor *c);

/* Fill spec->lib; spec->provider from "usdt:"; spec->function and what belongs to it. */
int rt_take_usdt(struct rt_cursor *c, const char *usdt, struct rt_spec *spec);
int rt_take_library(const struct rt_cursor *c, const char *start, const char *end,
		    struct rt_spec *spec);
int rt_take_name(const struct rt_cursor *c, const char *start, const char *end,
		 struct rt_spec *spec);
int rt_take_regex(const struct rt_cursor *c, const char *slash, const char *close,
		  struct rt_spec *spec);
void rt_free_regex(struct rt_spec *spec);

#endif
