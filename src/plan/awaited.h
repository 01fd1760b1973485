/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_AWAITED_H
#define RT_PLAN_AWAITED_H

#include "plan/sites.h"

/*
 * A specification that may name functions of files that the process has not mapped yet: of
 * libraries that it loads by dlopen.  rt_sites_add_functions makes one where the program has no
 * such library, or `lib` is a glob, and the program can load others.
 */
struct rt_awaited {
	const struct rt_spec *spec;
	/*
	 * the same as the USDT probe PROVIDER:NAME, where it may also be LIBRARY:FUNCTION, which
	 * goes first; else NULL
	 */
	const struct rt_spec *probe;
	/* of a set: its name, and words of its statement (lang/probes.h); else NULL */
	const char *set, *libraries, *requires;
	bool needed; /* no file that is there has such a function */
	char *near; /* the name of a program like `lib`; NULL: none, or `lib` was found */
	bool came; /* a file that it means was mapped */
};

/*
 * Await the files that `spec` means, which is one of wanted->specs.  `statement`: it is of a set of
 * probes; else NULL.  0 or -ENOMEM.
 */
int rt_awaited_add(struct rt_wanted *wanted, const struct rt_spec *spec,
		   const struct rt_statement *statement, struct rt_error *err);

/* Does any awaited specification mean the file? */
bool rt_awaited_fits(const struct rt_wanted *wanted, const struct rt_image *image);

/*
 * With -f, the programs that the words of the command name, if an awaited specification means one
 * of their files: `rawtrace -f sh @python -- -c 'python3 t.py'`.  Their functions become the
 * trace's, so that first calls are seen.  0 or a negative errno.
 */
int rt_awaited_add_words(struct rt_wanted *wanted, struct rt_traced *traced,
			 struct rt_sites *sites, struct rt_error *err);

/*
 * The file, one of the program's by now, has come: into `later` its functions that are awaited,
 * with plans and probes of their own, as rt_sites_make does.  Exits get plain probes: nobody has
 * judged the file.  No function: later->functions.n is 0.  0 or a negative errno; to be freed with
 * rt_awaited_free, also after a failure.
 */
int rt_awaited_make(struct rt_wanted *wanted, struct rt_traced *traced, struct rt_image *image,
		    unsigned most_plans, struct rt_sites *later, struct rt_error *err);

/*
 * Add the functions, plans and probes of `later` behind those of `sites`.  Open calls and rings
 * point into the arrays that `sites` had and that `later` has: `replaced`, zeros before, takes over
 * the former, and the latter stay.  0 or -ENOMEM.
 */
int rt_awaited_append(struct rt_sites *sites, struct rt_sites *later, struct rt_sites *replaced);

/* `appended`: its functions are another's by now. */
void rt_awaited_free(struct rt_sites *later, bool appended);

#endif
