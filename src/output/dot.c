/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call graph for graphviz: a node for each function, an edge for each caller and callee. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "output/profile.h"
#include "output/text.h"

struct edge {
	uint32_t from, to;
	uint64_t calls;
};

static void put_quoted(FILE *file, const char *text)
{
	putc_unlocked('"', file);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putc_unlocked('\\', file);
		putc_unlocked(*text, file);
	}
	putc_unlocked('"', file);
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static int put_edges(struct rt_sink *sink, const struct rt_profile *profile)
{
	struct edge *v = calloc(profile->nodes + 1, sizeof(*v));
	const struct rt_node *node;
	size_t i, n = 0;

	if (!v)
		return -ENOMEM;
	for (node = profile->roots; node; node = rt_node_next(node))
		if (node->parent && node->parent->parent)
			v[n++] = (struct edge){ node->parent->function, node->function,
						node->calls };
	qsort(v, n, sizeof(*v), compare_edges);
	for (i = 0; i < n; i++) {
		if (i + 1 < n && compare_edges(&v[i], &v[i + 1]) == 0) {
			v[i + 1].calls += v[i].calls;
			continue;
		}
		fprintf(sink->file, "\tf%" PRIu32 " -> f%" PRIu32 " [label=\"%" PRIu64 "\"];\n",
			v[i].from, v[i].to, v[i].calls);
	}
	free(v);
	return 0;
}

static int dot_end(struct rt_sink *sink)
{
	struct rt_profile_row *rows;
	ssize_t i, n = rt_profile_rows(sink, &rows);
	char total[32], self[32];
	int r;

	if (n < 0)
		return -ENOMEM;
	rt_put(sink->file, "digraph calls {\n\tnode [shape=box];\n");
	for (i = 0; i < n; i++) {
		fprintf(sink->file, "\tf%" PRIu32 " [xlabel=\"%" PRIu64 " x, %s, self %s\", label=",
			rows[i].function, rows[i].calls, rt_duration_text(rows[i].total, total),
			rt_duration_text(rows[i].self, self));
		put_quoted(sink->file, rt_sink_function(sink, rows[i].function));
		rt_put(sink->file, "];\n");
	}
	r = put_edges(sink, sink->state);
	rt_put(sink->file, "}\n");
	rt_profile_print_notes(sink, "// ");
	free(rows);
	return r;
}

const struct rt_sink_ops rt_sink_dot = {
	.name = "dot",
	.help = "the call graph for graphviz's dot, in rawtrace.dot without -o",
	.path = "rawtrace.dot",
	.begin = rt_profile_begin,
	.grow = rt_profile_grow,
	.note = rt_profile_note,
	.enter = rt_profile_enter,
	.leave = rt_profile_leave,
	.lost = rt_profile_lost,
	.gone = rt_profile_gone,
	.end = dot_end,
	.free = rt_profile_free,
};
