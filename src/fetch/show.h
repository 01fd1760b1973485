/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FETCH_SHOW_H
#define RT_FETCH_SHOW_H

#include "fetch/fetch.h"
#include "lang/type.h"

/*
 * The way to print a plan's values: an object for each argument or result, its bytes in one
 * or more of the plan's values, and the targets of its pointers, if these were read.  Functions of
 * different types may share a plan, but each has its own objects.
 */
enum { RT_NO_VALUE = 255 };

/*
 * Bytes of an object: from `offset` on they are value `value`'s, which are at `at` in
 * rt_record.data.
 */
struct rt_piece {
	uint16_t offset, size;
	uint16_t at;
	/* RT_NO_VALUE: they could not be read, `mark` says why ("<in xmm0>") */
	uint8_t value;
	const char *mark;
};

struct rt_follow;

struct rt_show {
	const char *name;		/* as the source has it, or NULL */
	const struct rt_ctype *type;
	enum rt_style style;		/* RT_STYLE_TYPE: as the type has it */
	/* nothing of it was read, this is shown ("<optimized out>"); NULL: */
	const char *mark;
	const struct rt_piece *pieces;	/* in the order of their offsets */
	unsigned npieces;
	const struct rt_follow *follows;
	unsigned nfollows;
	uint8_t hidden : 1;		/* not printed: `this` of no use, a dictionary */
	/*
	 * of a list only so many elements are shown, as what the others lead to is not read; 0: all
	 */
	uint16_t whole;
	/* of a return: no result, but a parameter that the function has filled in */
	uint8_t out : 1;
	/*
	 * a number: no more than so many characters or elements of what it leads to; NULL: no such
	 * bound
	 */
	const struct rt_show *most;
};

/* the target of the pointer at `offset` in an object */
struct rt_follow {
	uint32_t offset;
	/* of one piece; a string, where that is one: a NUL-terminated RT_TYPE_STRING */
	struct rt_show target;
};

/* By which results, v[0], a function says that it failed. */
enum rt_failure {
	RT_FAILS_NEVER,			/* or it does not say */
	/* -1 in a number of any kind, NULL or -1 in a pointer: errno says why */
	RT_FAILS_BY_ERRNO,
	RT_FAILS_BY_NUMBER,		/* anything but 0: it is such a number itself */
};

/* the objects shown for one kind of a function's hits */
struct rt_showing {
	/* of these values; NULL: nothing is known, print the plan's values as they are */
	const struct rt_plan *plan;
	const struct rt_show *v;
	unsigned n;
	/*
	 * an entry: the last so many of v are words behind a format of printf's, which says what of
	 * them are arguments (output/value_format.c)
	 */
	uint8_t varargs;
	bool none;			/* a return: there is no result */
	bool guessed;			/* a return: there may be no result */
	enum rt_failure failure;	/* a return: when nothing was filled in */
	bool fails, fails_unless;	/* a return: as rt_prototype has them */
	int32_t fails_at;
	/* a return: 1 + the value that is errno where the call has failed; 0: it was not read */
	uint8_t errno_value;
};

/* By function. */
struct rt_shows {
	struct rt_showing entry, exit;
};

/* The source of a thread's errno in the traced process. */
enum rt_errno_source {
	RT_ERRNO_NOT_ASKED, /* nobody wants it */
	RT_ERRNO_NOT_KNOWN,
	RT_ERRNO_OFFSET,   /* so many bytes from the thread pointer, */
	RT_ERRNO_FROM_MAP, /* or as many as RT_MAP_ERRNO says */
};

/* Limits of reading and printing. */
struct rt_limits {
	unsigned string;		/* characters of a string */
	unsigned members;		/* members of a structure, elements of an array */
	/* levels of pointers to structures that are followed; strings are besides */
	unsigned deref;
	unsigned record;		/* bytes of all values of a hit together */
	/* where it is to be read; else RT_ERRNO_NOT_ASKED */
	enum rt_errno_source errno_source;
	int32_t errno_offset;
	bool no_saved;			/* a return does not know what its entry was given */
	bool no_lists;			/* read nothing that elements of lists lead to */
	bool no_guesses;		/* no texts that pointers may lead to (RT_STYLE_GUESSED) */
	bool no_index;			/* no reads at the sum of two registers */
	/*
	 * bytes of what lies elsewhere by pointer and length, one element at least; 0: as many as
	 * else
	 */
	uint8_t counted;
	bool no_memory;			/* read nothing behind pointers, */
	bool wide;			/* and registers whole: fewer different plans */
	bool registers;			/* read nothing but registers */
};

enum {
	RT_LIMIT_STRING = 64,
	RT_LIMIT_COUNTED = 16,
	RT_LIMIT_MEMBERS = 16,
	RT_LIMIT_DEREF = 1,
	RT_LIMIT_RECORD = 400,
	RT_LIMIT_RECORD_LARGE = 7168
};
enum { RT_LIMIT_STRING_MAX = 7000, RT_LIMIT_MEMBERS_MAX = 1000 };

#endif
