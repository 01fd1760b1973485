/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_USDT_H
#define RT_PLAN_USDT_H

#include "symbols/function.h"

/*
 * The arguments of a USDT probe's site as parameters: by the note numbers of its sizes and signs,
 * or with the types and names that the specification gives, each where the note says that it is.
 * 0 or a negative errno.
 */
int rt_usdt_signature(const struct rt_function *f, struct rt_types *memory,
		      const struct rt_type_finder *finder, struct rt_prototype *prototype,
		      struct rt_error *err);

#endif
