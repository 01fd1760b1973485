/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/tally.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/stack.h"
#include "output/text.h"

/* Bytes of a name with callers; a longer one is cut. */
enum { CALLERS_MOST = 8192 };

int rt_tally_begin(struct rt_sink *sink, size_t size, enum rt_purpose purpose)
{
	const struct rt_functions *functions = sink->trace->functions;
	struct rt_tally *t = calloc(1, size);

	sink->state = t;
	if (!t)
		return -ENOMEM;
	t->n = functions ? (uint32_t)functions->n : 0;
	t->per = rt_cells_of(purpose);
	t->rows = t->cap = (size_t)t->n + 1;
	t->cells = calloc(t->rows * t->per, sizeof(*t->cells));
	sink->names = &t->names;
	return t->cells ? 0 : -ENOMEM;
}

int rt_tally_grow(struct rt_sink *sink)
{
	struct rt_tally *t = sink->state;
	size_t n = sink->trace->functions->n, more = n - t->n, row = t->per * sizeof(*t->cells);
	uint64_t *cells = calloc((t->rows + more) * t->per, sizeof(*cells));

	if (!cells)
		return -ENOMEM;
	memcpy(cells, t->cells, t->n * row);
	memcpy(cells + n * t->per, rt_tally_cells(t, t->n), (t->rows - t->n) * row);
	free(t->cells);
	t->cells = cells;
	t->rows += more;
	t->cap = t->rows;
	t->n = (uint32_t)n;
	return 0;
}

static int add_row(struct rt_tally *t)
{
	size_t cap = t->cap + t->cap / 2 + 8;
	uint64_t *cells;

	if (t->rows == t->cap) {
		cells = realloc(t->cells, cap * t->per * sizeof(*cells));
		if (!cells)
			return -ENOMEM;
		t->cells = cells;
		t->cap = cap;
	}
	memset(t->cells + t->rows++ * t->per, 0, t->per * sizeof(*t->cells));
	return 0;
}

int rt_tally_find_name(struct rt_sink *sink, pid_t pid, const struct rt_frame *frame,
		       const struct rt_values *args, uint32_t *number)
{
	struct rt_tally *t = sink->state;
	char name[CALLERS_MOST];
	int r;

	if (sink->trace->by) {
		*number = frame->function;
		rt_stack_name(sink, pid, frame, args, name, sizeof(name));
		r = rt_call_names_add(&t->names, name, number);
	} else {
		r = rt_call_names_find(&t->names, sink->trace, pid, frame->function, args, number);
	}

	return r == 0 && t->rows < t->n + 1 + t->names.n ? add_row(t) : r;
}

void rt_tally_free(struct rt_sink *sink)
{
	struct rt_tally *t = sink->state;

	if (!t)
		return;
	free(t->cells);
	free(t->order);
	rt_call_names_free(&t->names);
	free(t);
	sink->state = NULL;
	sink->names = NULL;
}

uint64_t *rt_tally_cells(const struct rt_tally *t, uint32_t function)
{
	size_t row = function < t->n ? function : t->n;

	if (function != RT_NO_FUNCTION && function >= RT_CALL_NAME)
		row = (size_t)t->n + 1 + (function - RT_CALL_NAME);
	return &t->cells[row * t->per];
}

uint32_t rt_tally_at(const struct rt_tally *t, size_t row)
{
	return row <= t->n ? (uint32_t)row : RT_CALL_NAME + (uint32_t)(row - t->n - 1);
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

	for (i = 0; i < t->rows * t->per; i++)
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
	struct key *v = calloc(t->rows, sizeof(*v));
	uint32_t *order = realloc(t->order, t->rows * sizeof(*order));
	size_t i;

	if (order)
		t->order = order;
	if (!v || !order) {
		free(v);
		return -ENOMEM;
	}
	add_sites(sink, t);
	for (i = 0; i < t->rows; i++) {
		uint32_t number = rt_tally_at(t, i);

		v[i] = (struct key){ .by = rt_tally_cells(t, number)[cell],
			.name = rt_sink_function(sink, number), .function = number };
	}
	qsort(v, t->rows, sizeof(*v), compare);
	for (i = 0; i < t->rows; i++)
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

		/* The probe that closes a call has none of its own; names have those of others. */
		if (functions->v[i].hidden || functions->v[i].closes ||
		    (t->names.n && (functions->v[i].patterned || sink->trace->by)) ||
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
