/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_PLAN_RETURN_PLACES_H
#define RT_PLAN_RETURN_PLACES_H

#include "plan/sites.h"

/* An instruction behind calls of function `of`. */
struct rt_return_place {
	struct rt_image *image;
	uint64_t addr, offset;
	uint32_t of;
};

/* Is the result all that the function's return reads, so that it can be read behind the call? */
bool rt_return_place_suits(const struct rt_sites *sites, uint32_t of);

/*
 * Add each of the places as a hidden function with one exit, which has a probe.  Open calls point
 * into the arrays that `sites` had: `replaced`, zeros before, takes them over, if they had no room.
 * 0 or -ENOMEM.
 */
int rt_return_places_add(struct rt_sites *sites, const struct rt_return_place *v, size_t n,
			 struct rt_sites *replaced);

#endif
