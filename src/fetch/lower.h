/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FETCH_LOWER_H
#define RT_FETCH_LOWER_H

#include "fetch/show.h"
#include "lang/spec.h"
#include "base/error.h"

/*
 * A prototype and its calling convention -> what is read at the function's entry or return, and how
 * it is shown.  `memory` owns what is shown (with the plan's values as they stand in the record).
 * Of what does not fit into the limits the least useful is left out: what pointers lead to, the
 * deepest first; their addresses are then all that is shown.  `plan` is made anew; shown->plan is
 * left to the caller, who may share plans.  0, or -ENOMEM.
 *
 * `spec` (may be NULL) may want only some of the arguments to be shown, what is reached from them
 * too, and calls that pass conditions: a usage error with the column where that cannot be.
 */
int rt_lower_entry(const struct rt_prototype *prototype, const struct rt_spec *spec,
		   const struct rt_arch *arch, const struct rt_limits *limits,
		   struct rt_types *memory, struct rt_plan *plan, struct rt_showing *shown,
		   struct rt_error *err);
int rt_lower_return(const struct rt_prototype *prototype, const struct rt_spec *spec,
		    const struct rt_arch *arch, const struct rt_limits *limits,
		    struct rt_types *memory, struct rt_plan *plan, struct rt_showing *shown);

/*
 * lower_out.c: add to an entry's plan what the return wants to be kept, where that is probed.  0 or
 * -ENOMEM.
 */
int rt_lower_keep(const struct rt_prototype *prototype, const struct rt_spec *spec,
		  const struct rt_arch *arch, const struct rt_limits *limits,
		  struct rt_types *memory, struct rt_plan *plan);

/*
 * lower_words.c: the words of a specification that are read at one kind of probe ($retval at the
 * return, all others at the entry) as a plan and what is shown.  0, -ENOMEM, or a usage error for a
 * word that cannot be read.
 */
int rt_lower_words(const struct rt_spec *spec, enum rt_kind kind, const struct rt_arch *arch,
		   struct rt_types *memory, struct rt_plan *plan, struct rt_showing *shown,
		   struct rt_error *err);
bool rt_has_words(const struct rt_spec *spec, enum rt_kind kind);

#endif
