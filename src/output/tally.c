/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"

int rt_tally_begin(struct rt_sink *sink, size_t size, enum rt_purpose purpose)
{
	const struct rt_functions *functions = sink->trace->functions;
	struct rt_tally *t = calloc(1, size);

	sink->state = t;
	if (!t)
		return -ENOMEM;
	t->n = functions ? (uint32_t)functions->n : 0;
	t->per = rt_cells_of(purpose);
	t->cells = calloc((size_t)(t->n + 1) * t->per, sizeof(*t->cells));
	t->order = calloc((size_t)t->n + 1, sizeof(*t->order));
	return t->cells && t->order ? 0 : -ENOMEM;
}

int rt_tally_grow(struct rt_sink *sink)
{
	struct rt_tally *t = sink->state;
	size_t n = sink->trace->functions->n, row = t->per * sizeof(*t->cells);
	uint64_t *cells = calloc((n + 1) * t->per, sizeof(*cells));
	uint32_t *order = calloc(n + 1, sizeof(*order));

	if (!cells || !order) {
		free(cells);
		free(order);
		return -ENOMEM;
	}
	memcpy(cells, t->cells, t->n * row);
	memcpy(cells + n * t->per, rt_tally_cells(t, t->n), row);
	free(t->cells);
	free(t->order);
	t->cells = cells;
	t->order = order;
	t->n = (uint32_t)n;
	return 0;
}

void rt_tally_free(struct rt_sink *sink)
{
	struct rt_tally *t = sink->state;

	if (!t)
		return;
	free(t->cells);
	free(t->order);
	free(t);
	sink->state = NULL;
}

uint64_t *rt_tally_cells(const struct rt_tally *t, uint32_t function)
{
	return &t->cells[(size_t)(function < t->n ? function : t->n) * t->per];
}

void rt_tally_add(struct rt_sink *sink, uint32_t function, unsigned cell, uint64_t value)
{
	struct rt_tally *t = sink->state;

	if (cell < t->per)
		rt_tally_cells(t, function)[cell] += value;
}

bool rt_tally_has_calls(const struct rt_sink *sink)
{
	const struct rt_tally *t = sink->state;
	size_t i;

	for (i = 0; i < (size_t)(t->n + 1) * t->per; i++)
		if (t->cells[i])
			return true;
	return false;
}

int rt_tally_note(struct rt_sink *sink, const char *text)
{
	rt_put(sink->file, "rawtrace: ");
	rt_put(sink->file, text);
	putc_unlocked('\n', sink->file);
	return 0;
}

int rt_tally_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct rt_tally *t = sink->state;

	(void)thread;
	(void)time;
	t->lost += count;
	t->any_lost = true;
	return 0;
}

struct key {
	uint64_t by;
	const char *name;
	uint32_t function;
};

static int compare(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	if (x->by != y->by)
		return x->by < y->by ? 1 : -1;
	return strcmp(x->name, y->name);
}

static void add_sites(const struct rt_sink *sink, struct rt_tally *t)
{
	uint32_t i, row;
	unsigned k;

	for (i = 0; i < t->n; i++) {
		row = rt_functions_first_site(sink->trace->functions, i);
		for (k = 0; k < t->per && row != i; k++) {
			rt_tally_cells(t, row)[k] += rt_tally_cells(t, i)[k];
			rt_tally_cells(t, i)[k] = 0;
		}
	}
}

int rt_tally_sort(const struct rt_sink *sink, unsigned cell)
{
	struct rt_tally *t = sink->state;
	struct key *v = calloc((size_t)t->n + 1, sizeof(*v));
	uint32_t i;

	if (!v)
		return -ENOMEM;
	add_sites(sink, t);
	for (i = 0; i <= t->n; i++)
		v[i] = (struct key){ .by = rt_tally_cells(t, i)[cell],
			.name = rt_sink_function(sink, i), .function = i };
	qsort(v, (size_t)t->n + 1, sizeof(*v), compare);
	for (i = 0; i <= t->n; i++)
		t->order[i] = v[i].function;
	free(v);
	return 0;
}

static void print_lost(const struct rt_sink *sink, const struct rt_tally *t)
{
	if (!t->any_lost)
		return;
	rt_put(sink->file, "*** ");
	rt_put_lost(sink->file, t->lost);
	rt_put(sink->file, " ***\n");
}

static void print_not_called(const struct rt_sink *sink, const struct rt_tally *t)
{
	uint32_t i, n = 0, all = 0;

	for (i = 0; i < t->n; i++) {
		const struct rt_functions *functions = sink->trace->functions;

		/* The probe that closes a call has none of its own. */
		if (functions->v[i].hidden || functions->v[i].closes ||
		    rt_functions_first_site(functions, i) != i)
			continue;
		all++;
		n += !rt_tally_cells(t, i)[RT_CELL_CALLS];
	}
	/* If no function was called, the session says so. */
	if (n && rt_tally_has_calls(sink))
		fprintf(sink->file, "rawtrace: not called: %u of %u function%s\n", n, all,
			all == 1 ? "" : "s");
}

void rt_tally_print_end(const struct rt_sink *sink)
{
	print_not_called(sink, sink->state);
	print_lost(sink, sink->state);
}
