/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_SYMBOLS_LISTING_H
#define RT_SYMBOLS_LISTING_H

#include "process/program.h"
#include "lang/spec.h"

/* A function as `rawtrace list` prints it: one address, with all its names. */
struct rt_listing {
	struct rt_image *image;
	const struct rt_symbol *symbol;		/* the name that would be shown */
	const struct rt_symbol *names;		/* all of that address, `symbol` too */
	size_t nnames;
	uint64_t offset;			/* in the file */
	const char *refused;			/* why it cannot be probed, or NULL */
	/* why its return must not be probed with a uretprobe, or NULL */
	const char *entry_only;
};

/* Takes a row; what it returns but 0 ends the list and is passed on. */
typedef int (*rt_listing_row)(void *ctx, const struct rt_listing *listing);

/*
 * The functions that `spec` means, by address, also those that cannot be traced.  A name that is
 * not there: a usage error, as by rt_functions_add.
 */
int rt_listing_each(const struct rt_program *program, const struct rt_spec *spec,
		    rt_listing_row row, void *ctx, struct rt_error *err);

/*
 * Reports the names of the functions that `spec` matches and that were inlined everywhere: sorted,
 * each once.  None is no error.  A result of `report` other than 0 ends the walk and is returned.
 * -EFBIG: the list is incomplete, because the debug information is too large.  Only a glob is
 * looked up; for a single name rt_listing_each reports the error.
 */
typedef int (*rt_listing_name)(void *ctx, const struct rt_image *image, const char *name);
int rt_listing_inlined(const struct rt_program *program, const struct rt_spec *spec,
		       rt_listing_name report, void *ctx, struct rt_error *err);

#endif
