/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The call graph: a line for each chain of calls, indented by its depth.  From the top down it
 * begins with threads; from the bottom up with functions, and their callers are below them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "output/profile.h"
#include "output/text.h"

static unsigned depth_of(const struct rt_node *node)
{
	unsigned depth = 0;

	for (node = node->parent; node; node = node->parent)
		depth++;
	return depth;
}

static void put_node(struct rt_sink *sink, const struct rt_node *node)
{
	unsigned i, depth = depth_of(node) - sink->trace->callers;
	char total[32], self[32];

	if (node->parent)
		fprintf(sink->file, "%12s %12s %10" PRIu64 " ",
			rt_duration_text(node->total, total), rt_duration_text(node->self, self),
			node->calls);
	else
		fprintf(sink->file, "%12s %12s %10s ", rt_duration_text(node->total, total), "",
			"");
	for (i = 0; i < depth; i++)
		rt_put(sink->file, "  ");
	fprintf(sink->file, " %s%s\n",
		node->parent ? rt_sink_function(sink, node->function) : node->thread,
		node->parent ? "" : " (thread)");
}

static int graph_end(struct rt_sink *sink)
{
	struct rt_profile *profile = sink->state;
	const struct rt_node *node;

	if (sink->trace->callers && rt_profile_turn(profile) < 0)
		return -ENOMEM;
	rt_profile_sort(sink, profile);
	fprintf(sink->file, "%12s %12s %10s  %s\n", "TOTAL", "SELF", "CALLS",
		sink->trace->callers ? "FUNCTION, AND ITS CALLERS" : "FUNCTION");
	node = profile->roots;
	if (sink->trace->callers)
		node = rt_node_next(node);
	for (; node; node = rt_node_next(node))
		put_node(sink, node);
	rt_profile_print_notes(sink, "rawtrace: ");
	return 0;
}

const struct rt_sink_ops rt_sink_graph = {
	.name = "graph",
	.help = "the call graph, from the top down or (--callers) from the bottom up",
	.at_end = true,
	.begin = rt_profile_begin,
	.grow = rt_profile_grow,
	.note = rt_profile_note,
	.enter = rt_profile_enter,
	.leave = rt_profile_leave,
	.lost = rt_profile_lost,
	.gone = rt_profile_gone,
	.end = graph_end,
	.free = rt_profile_free,
};

static bool is_on_chain(const struct rt_node *node, uint32_t function)
{
	while (node->parent && node->function != function)
		node = node->parent;
	return node->parent;
}

/* Add the figures of `from` to its function, and to the chain of callers below that. */
static int add_chain(struct rt_profile *to, const struct rt_node *from)
{
	struct rt_node *at = to->roots;
	const struct rt_node *up;

	for (up = from; up->parent; up = up->parent) {
		if (is_on_chain(at, up->function))
			continue;
		at = rt_profile_node(to, at, up->function);
		if (!at)
			return -ENOMEM;
		at->calls += from->calls;
		at->failed += from->failed;
		at->unfinished += from->unfinished;
		at->self += from->self;
		at->total += from->outer ? from->total : 0;
	}
	return 0;
}

int rt_profile_turn(struct rt_profile *p)
{
	struct rt_profile turned = { .roots = calloc(1, sizeof(*turned.roots)) };
	const struct rt_node *node;
	int r = turned.roots ? 0 : -ENOMEM;

	if (r == 0)
		turned.roots->function = RT_NO_FUNCTION;
	for (node = p->roots; node && r == 0; node = rt_node_next(node))
		r = add_chain(&turned, node);
	rt_profile_free_nodes(p);
	p->roots = turned.roots;
	p->nodes = turned.nodes;
	return r;
}
