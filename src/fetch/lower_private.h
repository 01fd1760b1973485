/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FETCH_LOWER_PRIVATE_H
#define RT_FETCH_LOWER_PRIVATE_H

#include "fetch/abi.h"
#include "fetch/lower.h"

/* Shared by lower.c and lower_*.c only. */

/*
 * More objects than values cannot be read; strings in structures are short, as there may be many.
 */
enum {
	STACK_BYTES = 64 /* of an object that is read by words */,
	OBJECTS = RT_MAX_VALUES + 1,
	STRING_MIN = 16,
	STRING_INSIDE = 32,
	DEPTH = 6,
	POINTERS = 48,
	LIST_TEXTS = 4,
	SPARE = 3 /* values: a goroutine has */,
	VARARGS = 5 /* of printf and its like */
};

/*
 * Memory: what is at base (on the stack), or what the pointer leads to that `base` and the
 * derefs end in.
 */
struct place {
	enum rt_base base;
	struct rt_reg reg;
	int32_t offset;
	bool behind;			/* a pointer is to be followed */
	uint64_t constant;		/* of rt_fetch, as are these */
	struct rt_reg index;
	uint8_t index_size, index_shift;
	bool index_signed;
	unsigned n;
	int32_t deref[RT_MAX_DEREF];
};

/* An object that is shown: in registers, or in memory. */
struct object {
	struct rt_show *show;
	bool in_memory;
	bool quiet;			/* not shown itself: nothing that it leads to is read */
	struct place place;
	struct rt_abi_location location;
	uint32_t skip;			/* in memory: it begins so many bytes behind the place */
	const struct rt_param *param;	/* which parameter it is, or NULL */
	bool is_result;			/* the function's only one */
	/* it belongs to an element of a list: rt_fetch.list and .least */
	uint8_t list;
	uint16_t least;
	/*
	 * it is a list itself, of whose first elements what they lead to is read; its length counts
	 */
	unsigned elements;
	bool counts_bytes;		/* bytes */
	/*
	 * pointers that were followed to come here; what a parameter is filled in with counts as
	 * that
	 */
	unsigned depth;
	struct rt_follow *follows;	/* room for `room` of its pointers */
	unsigned room;
};

struct lowering {
	const struct rt_arch *arch;
	struct rt_limits limits;
	struct rt_types *memory;
	struct rt_plan *plan;
	const struct rt_prototype *prototype;
	struct object objects[OBJECTS];
	unsigned nobjects;
	/* values that conditions may want, which what lies deepest leaves room for */
	unsigned spare;
	/* what is the same is read once, and first what other functions read too: */
	bool common;
	/* so many registers of arguments, and words of the stack, are known */
	bool aligned;
	unsigned first_registers, first_words;
	bool starved;			/* there was no room for the text of an argument */
	bool failed;			/* out of memory */
};

/* A part of an object: `offset` bytes into it. */
struct reached {
	struct object object;		/* a copy: its place, or its location */
	uint32_t offset;
	const struct rt_ctype *type;
	unsigned bit_offset, bit_size;	/* bit_size 0: it is no bit-field */
};

void *rt_lower_alloc(struct lowering *l, size_t n);
/* The value's number, or -1 where there is no room for it. */
int rt_lower_value(struct lowering *l, const struct rt_fetch *fetch);
struct object *rt_lower_object(struct lowering *l, struct rt_show *show, unsigned depth);
/* The fetch of the bytes at `offset` in a place.  false: too many pointers on the way. */
bool rt_lower_fetch(const struct place *place, uint32_t offset, struct rt_fetch *fetch);
/* Find the target of the pointer at `offset` of an object. */
bool rt_lower_behind(const struct object *object, uint32_t offset, unsigned word, struct place *to);
/*
 * As much of an object of the type as is shown; `size` bytes of an object in memory, or of one in
 * registers.  false: no room.
 */
uint32_t rt_lower_extent(const struct lowering *l, const struct rt_ctype *type);
bool rt_lower_memory(struct lowering *l, struct object *object, uint32_t size);
bool rt_lower_parts(struct lowering *l, struct object *object, uint64_t size);
/*
 * Room for `n` pieces of what is shown, NULL: out of memory; and one of them: `size` bytes from
 * `offset` on are in a value.
 */
struct rt_piece *rt_lower_pieces(struct lowering *l, struct rt_show *show, unsigned n);
void rt_lower_piece(const struct lowering *l, struct rt_piece *piece, int value, uint32_t offset,
		    uint32_t size);

/*
 * lower.c: the values that come first.  After all has been lowered: once more, as these are
 * known now?  Where no result is read, the register of one, as at other returns.  And an object of
 * `size` bytes at a place of the stack, by whole words; false: there is no room.
 */
void rt_lower_add_common(struct lowering *l);
bool rt_lower_align(struct lowering *l);
void rt_lower_no_result(struct lowering *l);
bool rt_lower_words_of(struct lowering *l, struct object *object, const struct rt_fetch *place,
		       uint32_t size);

/* As a parameter an array is a pointer. */
const struct rt_ctype *rt_lower_decayed(struct lowering *l, const struct rt_ctype *type);
/* The next parameter's location, and its type; NULL: out of memory. */
const struct rt_ctype *rt_lower_location(struct lowering *l, struct rt_abi *abi,
					 const struct rt_param *param,
					 struct rt_abi_location *location);
/* Read the object at its location, or say why not. */
void rt_lower_read(struct lowering *l, struct object *o, const struct rt_abi_location *location);

/*
 * lower_spec.c: have the entry keep, as the first, the address that Rust's convention gave it for a
 * result in memory, as that is in no register at the return.  False: the result is no such one, or
 * nothing is kept.
 */
bool rt_lower_keep_result(struct lowering *l);

/*
 * lower_spec.c: what the function has filled in, as objects of its return, with the plan's part of
 * what is saved; `n` of the shows are used, of which there are as many as rt_lower_outs_most says.
 */
unsigned rt_lower_outs_most(const struct rt_prototype *prototype);
int rt_lower_outs(struct lowering *l, const struct rt_spec *spec, struct rt_show *shows,
		  unsigned *n);

/* lower_spec.c: why the call has failed, where its result is a single value. */
void rt_lower_errno(struct lowering *l, const struct rt_show *result, struct rt_showing *shown);

/*
 * lower_spec.c: Go's parameters or results `v`, as they come; without `shows` their places alone.
 * And a return's.
 */
void rt_lower_go(struct lowering *l, struct rt_abi *abi, const struct rt_param *v, unsigned n,
		 struct rt_show *shows);
int rt_lower_go_return(struct lowering *l, struct rt_showing *shown);

/*
 * lower_follow.c: read what the pointers in the objects lead to, as far as there is room; strings
 * of arguments first.
 */
void rt_lower_follow(struct lowering *l);

/*
 * lower_spec.c: the objects that the specification wants to be shown beside the parameters, which
 * are the first objects and have been added; parameters that it does not name are made quiet.  Then
 * what of all is shown, in order.  And where an expression leads to.
 */
int rt_lower_shown(struct lowering *l, const struct rt_spec *spec, struct rt_show *extra,
		   struct rt_error *err);
int rt_lower_list(struct lowering *l, const struct rt_spec *spec, const struct rt_show *params,
		  unsigned nparams, const struct rt_show *extra, struct rt_showing *shown);
/*
 * `r` continues to what the pointer there leads to; the error of a way that is too long; a name of
 * the type for errors.
 */
int rt_lower_pointee(const struct lowering *l, struct reached *r, const struct rt_spec *spec,
		     unsigned column, struct rt_error *err);
int rt_lower_too_far(const struct rt_spec *spec, unsigned column, struct rt_error *err);
const char *rt_lower_type_name(const struct rt_ctype *type);
/* The object's own place or location, made the part's.  false: its location ends before. */
bool rt_lower_part(const struct reached *r, struct object *o);
int rt_lower_reach(const struct lowering *l, const struct rt_spec *spec, const struct rt_expr *expr,
		   struct reached *r, struct rt_error *err);

/*
 * lower_conditions.c: the tests that the conditions of the specification are at the plan's kind of
 * probe.  `shown`: what it shows.  0, or -EINVAL with the place.
 */
int rt_lower_conditions(struct lowering *l, const struct rt_spec *spec,
			const struct rt_showing *shown, struct rt_error *err);

#endif
