/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_VALUE_TYPE_H
#define RT_OUTPUT_VALUE_TYPE_H

#include "output/value.h"

/* Shared by the files that make values: value.c, value_members.c. */

struct rt_value_walk {
	const struct rt_trace *trace;
	pid_t pid;
	const struct rt_values *values;
	rt_value_fn *take;
	void *ctx;
	/* these of the next value (struct rt_value) */
	struct rt_value_place {
		enum rt_value_kind in;
		unsigned index;
		const char *name;
		bool repeated;
	} place;
};

/* The next value is in this group. */
void rt_value_place(struct rt_value_walk *p, enum rt_value_kind in, unsigned index,
		    const char *name);

/* Give `value`, in its place.  It is not copied: a million calls a second give two million. */
void rt_value_give(struct rt_value_walk *p, struct rt_value *value);
void rt_value_begin(struct rt_value_walk *p, enum rt_value_kind group, const char *text);
void rt_value_end(struct rt_value_walk *p, enum rt_value_kind group);
void rt_value_int(struct rt_value_walk *p, uint64_t magnitude, bool negative);
void rt_value_number(struct rt_value_walk *p, enum rt_value_kind kind, uint64_t number);
void rt_value_text(struct rt_value_walk *p, const uint8_t *text, size_t len, bool cut);
void rt_value_word(struct rt_value_walk *p, const char *word);

/*
 * The string value (RT_TYPE_STRING) at `at` in the record: where its text is, or -EFAULT where
 * nothing of it could be read.  `fault`: its fault bit.
 */
int rt_value_string(const struct rt_fetch *fetch, const uint8_t *at, bool fault,
		    const uint8_t **text, size_t *len,
		    bool *cut);

/*
 * Types may be deeper, and go in circles; what is read never does, so this is for hostile files
 * only.
 */
enum { RT_VIEW_DEPTH = 12 };

extern const char rt_view_unreadable[], rt_view_more[];

/* An object that is being read, or a part of one. */
struct rt_view {
	struct rt_value_walk *p;
	const struct rt_show *show;
	unsigned depth;
};

bool rt_view_is_fault(const struct rt_view *v, const struct rt_piece *piece);

/*
 * Find `size` bytes of the object, from `at` on, in the record; NULL and `why` if they were not
 * read.
 */
const uint8_t *rt_view_bytes(const struct rt_view *v, uint64_t at, uint64_t size, const char **why);

/* The part of the object that is `at` bytes into it. */
void rt_view_show(const struct rt_view *v, const struct rt_ctype *type, uint64_t at,
		  enum rt_style style);

/* An integer of `bits` bits by its type and style. */
void rt_view_word(struct rt_value_walk *p, const struct rt_ctype *type, uint64_t word,
		  unsigned bits, enum rt_style style);

/* value_members.c: a string value; false where it could not be read. */
bool rt_view_string(struct rt_value_walk *p, const struct rt_piece *piece, uint64_t most);

/*
 * value_format.c: the arguments that a format of printf's wants: `text`, of `len` bytes, `cut` if
 * more of it is not known.  `shows` are `n` words that may be arguments, `index` is the first one's
 * in the call.
 */
void rt_view_format(struct rt_value_walk *p, const struct rt_show *shows, unsigned n,
		    unsigned index, const uint8_t *text, size_t len, bool cut);

/* A pointer to `address`; what lies elsewhere; Go's interfaces. */
void rt_view_pointer(const struct rt_view *v, const struct rt_ctype *type, uint64_t at,
		     uint64_t address);
void rt_view_sequence(const struct rt_view *v, const struct rt_ctype *type, uint64_t at);
void rt_view_dynamic(const struct rt_view *v, const struct rt_ctype *type, uint64_t at);

/* Members, a variant, elements. */
void rt_view_body(const struct rt_view *v, const struct rt_ctype *type, uint64_t at);
void rt_view_variant(const struct rt_view *v, const struct rt_ctype *type, uint64_t at);
void rt_view_array(const struct rt_view *v, const struct rt_ctype *type, uint64_t at);

#endif
