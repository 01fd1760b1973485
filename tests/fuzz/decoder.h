/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FUZZ_DECODER_H
#define FUZZ_DECODER_H

#include "stream/record.h"

/* Three plans, of no value, an integer and a string; ten probes. */
static inline void make_decoder(struct rt_record_decoder *d)
{
	static struct rt_plan plans[3];
	static struct rt_tail tails[3];
	static uint16_t plan_of[10] = { 0, 1, 2, 0, 1, 2, 0, 1, 2, 0 };
	unsigned i;

	plans[1].nvalues = plans[2].nvalues = 1;
	plans[1].values[0] = (struct rt_fetch){ .size = 4 };
	plans[2].values[0] = (struct rt_fetch){ .type = RT_TYPE_STRING, .max = 64 };
	for (i = 0; i < 3; i++)
		rt_plan_tail(&plans[i], (struct rt_layout){ .key = RT_KEY_ID }, &tails[i]);
	*d = (struct rt_record_decoder){
		.plans = plans,
		.nplans = 3,
		.pid = 1,
		.plan_of = plan_of,
		.nprobes = 10,
		.tails = tails,
		.largest = tails[2].size,
	};
}

#endif
