/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "output/profile.h"

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
