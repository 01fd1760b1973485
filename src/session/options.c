/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the command line to what is wanted of a program; commands/options.c parses. */
#include "session/options.h"

enum rt_purpose rt_purpose_of(const struct rt_options *o)
{
	return o->by			   ? RT_PURPOSE_RECORD
	       : o->command == RT_CMD_COUNT ? RT_PURPOSE_COUNT
	       : o->command == RT_CMD_HIST || o->command == RT_CMD_TOP
		       ? RT_PURPOSE_TIME
		       : RT_PURPOSE_RECORD;
}

const char *rt_options_stacks(const struct rt_options *o)
{
	return !o->by ? "-k" : o->by == 1 ? "by caller" : "by path";
}

static enum rt_want want_of(const struct rt_options *o)
{
	if (o->by && o->command == RT_CMD_COUNT)
		return RT_WANT_NONE;
	return o->all && o->returns == RT_WANT_AUTO ? RT_WANT_INSN : o->returns;
}

struct rt_wanted rt_options_wanted(const struct rt_options *o, bool everywhere)
{
	return (struct rt_wanted){
		.purpose = rt_purpose_of(o),
		.want = want_of(o),
		.everywhere = everywhere || o->all,
		.all = o->all,
		.children = o->follow,
		.words = o->follow && !o->pids.n ? o->argv : NULL,
		.stacks = o->stacks || o->by,
		.stack_bytes = o->by == 1	? RT_STACK_BYTES_OF_ONE
			       : o->stack_size	? (uint16_t)o->stack_size
						: RT_STACK_BYTES,
		.counts = o->command == RT_CMD_COUNT,
		.typed = true,
		.verbose = o->verbose,
		.limits = o->limits,
		.limit = { .depth = o->depth, .under = o->only_under, .min_time = o->min_time,
			   .ends = o->failed },
		.failed = o->failed,
		.why = o->why,
		.only_under = o->only_under,
		.excluded = o->excluded,
		.nexcluded = o->nexcluded,
	};
}
