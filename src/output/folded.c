/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Folded stacks, for flamegraph.pl, speedscope and inferno: "thread;main;a;b 7", the weight is the
 * self time in ns.  Names cannot have the separator or a newline in them, so ';' becomes ':' and
 * white space '_'.
 */
#include <ctype.h>

#include "output/profile.h"
#include "output/text.h"

static void put_name(FILE *file, const char *name)
{
	for (; *name; name++)
		putc_unlocked(*name == ';'			? ':'
			      : isspace((unsigned char)*name) ? '_'
								: *name,
			      file);
}

static void put_chain(struct rt_sink *sink, const struct rt_node *node)
{
	if (!node->parent) {
		put_name(sink->file, node->thread);
		return;
	}
	put_chain(sink, node->parent);
	putc_unlocked(';', sink->file);
	put_name(sink->file, rt_sink_function(sink, node->function));
}

/* The format has no comments, so a loss is a chain of its own. */
static void put_lost(const struct rt_sink *sink, const struct rt_profile *profile)
{
	if (!profile->any_lost)
		return;
	rt_put(sink->file, "*** ");
	rt_put_lost(sink->file, profile->lost);
	rt_put(sink->file, " *** 1\n");
}

static int folded_end(struct rt_sink *sink)
{
	struct rt_profile *profile = sink->state;
	const struct rt_node *node;

	rt_profile_sort(sink, profile);
	for (node = profile->roots; node; node = rt_node_next(node)) {
		if (!node->self)
			continue;
		put_chain(sink, node);
		putc_unlocked(' ', sink->file);
		rt_put_u64(sink->file, node->self);
		putc_unlocked('\n', sink->file);
	}
	put_lost(sink, profile);
	return 0;
}

const struct rt_sink_ops rt_sink_folded = {
	.name = "folded",
	.help = "stacks with self time in ns, for flamegraph.pl, in rawtrace.folded without -o",
	.path = "rawtrace.folded",
	.begin = rt_profile_begin,
	.grow = rt_profile_grow,
	.note = rt_profile_note,
	.enter = rt_profile_enter,
	.leave = rt_profile_leave,
	.lost = rt_profile_lost,
	.gone = rt_profile_gone,
	.end = folded_end,
	.free = rt_profile_free,
};
