/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Callgrind's format, for callgrind_annotate and KCachegrind.  Readers add inclusive costs up, so
 * recursion would be counted twice: as with valgrind's --separate-recs, a call of fib inside fib is
 * the function "fib'2", and the cost of "fib" is that of the outermost calls.
 */
#include <inttypes.h>

#include "output/profile.h"
#include "output/text.h"

static void put_function(struct rt_sink *sink, const char *key, const struct rt_node *node)
{
	rt_put(sink->file, key);
	rt_put(sink->file, rt_sink_function(sink, node->function));
	if (node->depth)
		fprintf(sink->file, "'%u", (unsigned)node->depth + 1);
	putc_unlocked('\n', sink->file);
}

static void put_node(struct rt_sink *sink, const struct rt_node *node)
{
	const struct rt_node *child;

	put_function(sink, "\nfn=", node);
	fprintf(sink->file, "0 %" PRIu64 "\n", node->self);
	for (child = node->first; child; child = child->next) {
		put_function(sink, "cfn=", child);
		fprintf(sink->file, "calls=%" PRIu64 " 0\n0 %" PRIu64 "\n", child->calls,
			child->total);
	}
}

static int callgrind_end(struct rt_sink *sink)
{
	struct rt_profile *profile = sink->state;
	const struct rt_node *node;
	uint64_t all = 0;

	rt_profile_sort(sink, profile);
	for (node = profile->roots; node; node = node->next)
		all += node->total;
	rt_put(sink->file, "# callgrind format\nversion: 1\ncreator: rawtrace\n");
	if (sink->trace->command)
		fprintf(sink->file, "cmd: %s\n", sink->trace->command);
	rt_profile_print_notes(sink, "desc: Note: ");
	fprintf(sink->file, "positions: line\nevents: ns\nsummary: %" PRIu64 "\n\nfl=???\n", all);
	for (node = profile->roots; node; node = rt_node_next(node))
		if (node->parent)
			put_node(sink, node);
	return 0;
}

const struct rt_sink_ops rt_sink_callgrind = {
	.name = "callgrind",
	.help = "for callgrind_annotate and KCachegrind, in callgrind.out.rawtrace without -o",
	.path = "callgrind.out.rawtrace",
	.begin = rt_profile_begin,
	.grow = rt_profile_grow,
	.note = rt_profile_note,
	.enter = rt_profile_enter,
	.leave = rt_profile_leave,
	.lost = rt_profile_lost,
	.gone = rt_profile_gone,
	.end = callgrind_end,
	.free = rt_profile_free,
};
