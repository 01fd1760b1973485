/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_FETCH_LOWER_H
#define RT_FETCH_LOWER_H

#include "fetch/show.h"
#include "lang/spec.h"
#include "base/error.h"

/*
 * Lower a prototype and its calling convention to the values read at the function's entry or
 * return, and to how they are shown. `memory` owns the latter. If the limits are too low, the least
 * useful values are not read: targets of pointers, the deepest first; their addresses are then
 * shown alone. `plan` is made anew; the caller sets shown->plan, as it may share plans.  0, or
 * -ENOMEM.
 *
 * `spec` (may be NULL) may ask for only some of the arguments, for values reached from them, and
 * for conditions. A usage error with the column if that is impossible.
 */
int rt_lower_entry(const struct rt_prototype *prototype, const struct rt_spec *spec,
		   const struct rt_arch *arch, const struct rt_limits *limits,
		   struct rt_types *memory, struct rt_plan *plan, struct rt_showing *shown,
		   struct rt_error *err);
int rt_lower_return(const struct rt_prototype *prototype, const struct rt_spec *spec,
		    const struct rt_arch *arch, const struct rt_limits *limits,
		    struct rt_types *memory, struct rt_plan *plan, struct rt_showing *shown,
		    struct rt_error *err);

/*
 * lower_spec.c: add to an entry's plan what the return wants to be saved, where that is probed.  0
 * or -ENOMEM.
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
