/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_SIGNATURE_H
#define RT_PLAN_SIGNATURE_H

#include <stdio.h>

#include "symbols/function.h"
#include "code/guess.h"
#include "lang/type.h"

/*
 * State for finding prototypes: files of them, and guesses, each made when first needed.  NULL: out
 * of memory.
 */
struct rt_signatures;
struct rt_signatures *rt_signatures_new(void);
void rt_signatures_free(struct rt_signatures *signatures);

/* No types by the names of C++: the guesses are wanted alone. */
void rt_signatures_only_guess(struct rt_signatures *signatures);

/*
 * Find a function's arguments and result in the best source that has them.  Sources, best first:
 * the user's specification, debug information, a file of prototypes for its library, a guess from
 * its machine code.  Types that the user names are looked up in its file, then in the `program`'s.
 * `memory` and `signatures` own what is made for it.  A prototype of RT_ORIGIN_NONE is no
 * prototype: f->nargs ints.  0 or a negative errno.
 */
int rt_signature_of(struct rt_signatures *signatures, const struct rt_function *f,
		    struct rt_image *program, struct rt_types *memory,
		    struct rt_prototype *prototype, struct rt_error *err);

/*
 * The guesses made so far, for the same program after a fork: write them, and take them in.
 */
void rt_signatures_write(const struct rt_signatures *signatures, FILE *file);
void rt_signatures_read(struct rt_signatures *signatures, FILE *file);

/* The prototype's source as a phrase: "debug information". */
const char *rt_origin_name(enum rt_origin origin);


/*
 * signature.c: make the prototype of a Go function from what is known so far.  The user's types
 * get Go's convention; a number of arguments makes ints.  If nothing is known, or debug information
 * is incomplete, there are no arguments and an unknown result.
 */
int rt_signature_go(const struct rt_function *f, struct rt_types *memory,
		    struct rt_prototype *prototype, struct rt_error *err);

/*
 * signature.c: `prototype`, which is the `guess`, with the types that are in `symbol`, the name
 * of a function of C++, where these agree.  It stays as it is where not.  0 or -ENOMEM.
 */
int rt_signature_cxx(const char *symbol, const struct rt_arch *arch, const struct rt_guess *guess,
		     struct rt_types *memory, struct rt_prototype *prototype);

#endif
