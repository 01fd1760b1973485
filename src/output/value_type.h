/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_VALUE_TYPE_H
#define RT_OUTPUT_VALUE_TYPE_H

#include "output/value.h"

/* Shared by the files that print objects by their types: value_type.c, value_number.c, value_follow.c, value_members.c. */

/* Types may be deeper, and go in circles; what is read never does, so this is for hostile files only. */
enum { RT_VIEW_DEPTH = 12 };

extern const char rt_view_unreadable[], rt_view_more[];

/* An object that is being printed, or a part of one. */
struct rt_view {
	const struct rt_printer *p;
	const struct rt_show *show;
	unsigned depth;
};

bool rt_view_is_fault(const struct rt_view *v, const struct rt_piece *piece);

/* Where `size` bytes of the object stand in the record, from `at` on; NULL and `why` where they were not read. */
const uint8_t *rt_view_bytes(const struct rt_view *v, uint64_t at, uint64_t size, const char **why);

/* The part of the object that is `at` bytes into it. */
void rt_view_show(const struct rt_view *v, const struct rt_ctype *type, uint64_t at, enum rt_style style);

/* value_number.c: an integer of `bits` bits by its type and style, and one of 128 bits. */
void rt_view_word(const struct rt_printer *p, const struct rt_ctype *type, uint64_t word, unsigned bits, enum rt_style style);
void rt_view_wide(const struct rt_printer *p, const uint8_t *bytes, bool is_signed);

/* value_follow.c: text, as much of it as is wanted; a string value, false where it could not be read; `n` elements from `at` on. */
void rt_view_text(const struct rt_printer *p, const uint8_t *text, size_t len, bool cut);
bool rt_view_string(const struct rt_printer *p, const struct rt_piece *piece, uint64_t most);
void rt_view_elements(const struct rt_view *v, const struct rt_ctype *element, uint64_t at, uint64_t n, bool cut);
bool rt_view_is_text(const struct rt_ctype *type);

/* A pointer whose value is `address`; what lies elsewhere; Go's interfaces. */
void rt_view_pointer(const struct rt_view *v, const struct rt_ctype *type, uint64_t at, uint64_t address);
void rt_view_sequence(const struct rt_view *v, const struct rt_ctype *type, uint64_t at);
void rt_view_dynamic(const struct rt_view *v, const struct rt_ctype *type, uint64_t at);

/* value_members.c */
void rt_view_body(const struct rt_view *v, const struct rt_ctype *type, uint64_t at);
void rt_view_variant(const struct rt_view *v, const struct rt_ctype *type, uint64_t at);
void rt_view_array(const struct rt_view *v, const struct rt_ctype *type, uint64_t at);

#endif
