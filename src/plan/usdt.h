/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_USDT_H
#define RT_PLAN_USDT_H

#include "lang/probes.h"
#include "symbols/function.h"

/*
 * The arguments of a USDT probe's site as parameters: by the note numbers of its sizes and signs,
 * or with the types and names that the specification gives, each where the note says that it is.
 * 0 or a negative errno.
 */
int rt_usdt_signature(const struct rt_function *f, struct rt_types *memory,
		      const struct rt_type_finder *finder, struct rt_prototype *prototype,
		      struct rt_error *err);

/*
 * Find the USDT probes that open and close a call by the lines `pair` of the built-in files and of
 * `sets` (NULL: none).  With `rename` the one that opens has the name of the call:
 * hotspot:method for hotspot:method__entry.  0 or a negative errno.
 */
int rt_usdt_pair_up(struct rt_functions *functions, const struct rt_arch *arch,
		    const struct rt_probes *sets, bool rename, struct rt_error *err);

#endif
