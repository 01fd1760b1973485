/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rounds of rawtrace top.  The cells of a tally only grow; a round is the difference to their
 * values at the end of the round before.
 */
#include "output/top.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/hist.h"
#include "output/profile.h"

struct round_row {
	uint32_t function;
	double calls;			/* a second */
	uint64_t avg, p99, self;	/* ns; self: in a second */
	bool timed;
};

struct top {
	struct rt_hist hist;	/* first: the tally knows no more of the state */
	uint64_t *before;	/* the cells at the end of the last round */
	uint32_t functions;	/* of `before` */
	size_t nbefore;	/* rows of `before` */
	struct round_row *rows;
	size_t nrows;
};

static int top_begin(struct rt_sink *sink)
{
	return rt_tally_begin(sink, sizeof(struct top), RT_PURPOSE_TIME);
}

static void top_free(struct rt_sink *sink)
{
	struct top *top = sink->state;

	if (!top)
		return;
	free(top->before);
	free(top->rows);
	rt_hist_free(sink);
}

/* The session prints the last round. */
static int top_end(struct rt_sink *sink)
{
	(void)sink;
	return 0;
}

/*
 * The duration that 99 % of the calls do not exceed.  A bucket is a power of two; durations are
 * taken to be spread evenly in it.
 */
static uint64_t p99_of(const uint64_t *buckets, uint64_t n)
{
	uint64_t rank = n - n / 100, low;
	unsigned k;

	for (k = 0; k < RT_BUCKETS - 1 && rank > buckets[k]; k++)
		rank -= buckets[k];
	low = k ? UINT64_C(1) << k : 0;
	return low + (uint64_t)((double)(k ? low : 1) * (double)rank / (double)buckets[k]);
}

static struct round_row row_of(uint32_t function, const uint64_t *cells, uint64_t ns)
{
	struct round_row row = { .function = function };
	uint64_t n = 0;
	unsigned k;

	for (k = 0; k < RT_BUCKETS; k++)
		n += cells[RT_CELL_BUCKET + k];
	row.calls = (double)cells[RT_CELL_CALLS] * 1e9 / (double)ns;
	row.timed = n != 0;
	if (!n)
		return row;
	row.avg = (cells[RT_CELL_TOTAL] + cells[RT_CELL_INSIDE]) / n;
	row.p99 = p99_of(cells + RT_CELL_BUCKET, n);
	row.self = (uint64_t)((double)cells[RT_CELL_SELF] * 1e9 / (double)ns);
	return row;
}

/* There may be more functions than in the round before, and more names behind them. */
static int make_room(struct top *top)
{
	const struct rt_tally *t = &top->hist.tally;
	size_t size = t->per * sizeof(*t->cells);
	uint64_t *before;
	struct round_row *rows;

	if (top->before && top->functions == t->n && top->nbefore == t->rows)
		return 0;
	before = calloc(t->rows, size);
	rows = calloc(t->rows, sizeof(*rows));
	if (!before || !rows) {
		free(before);
		free(rows);
		return -ENOMEM;
	}
	if (top->before) {
		memcpy(before, top->before, top->functions * size);
		memcpy(before + (size_t)t->n * t->per,
		       top->before + (size_t)top->functions * t->per,
		       (top->nbefore - top->functions) * size);
	}
	free(top->before);
	free(top->rows);
	top->before = before;
	top->rows = rows;
	top->functions = t->n;
	top->nbefore = t->rows;
	return 0;
}

int rt_top_take(struct rt_sink *sink, uint64_t ns)
{
	struct top *top = sink->state;
	const struct rt_tally *t = &top->hist.tally;
	uint64_t now[RT_CELLS_TIME], *before;
	const uint64_t *cells;
	unsigned cell;
	bool any;
	size_t i;

	if (make_room(top) < 0)
		return -ENOMEM;
	top->nrows = 0;
	for (i = 0; i < t->rows; i++) {
		cells = t->cells + i * t->per;
		before = top->before + i * t->per;
		for (any = false, cell = 0; cell < t->per; cell++) {
			now[cell] = cells[cell] - before[cell];
			any |= now[cell];
			before[cell] = cells[cell];
		}
		if (any)
			top->rows[top->nrows++] = row_of(rt_tally_at(t, i), now, ns ? ns : 1);
	}
	return 0;
}

/* The largest first; those of the same value in the order of their functions. */
static int compare(double a, double b, const struct round_row *x, const struct round_row *y)
{
	if (a != b)
		return a > b ? -1 : 1;
	return x->function < y->function ? -1 : x->function > y->function;
}

static int by_calls(const void *a, const void *b)
{
	const struct round_row *x = a, *y = b;

	return compare(x->calls, y->calls, x, y);
}

static int by_avg(const void *a, const void *b)
{
	const struct round_row *x = a, *y = b;

	return compare((double)x->avg, (double)y->avg, x, y);
}

static int by_p99(const void *a, const void *b)
{
	const struct round_row *x = a, *y = b;

	return compare((double)x->p99, (double)y->p99, x, y);
}

static int by_self(const void *a, const void *b)
{
	const struct round_row *x = a, *y = b;

	return compare((double)x->self, (double)y->self, x, y);
}

static void put_line(FILE *file, const char *line, unsigned columns)
{
	if (columns)
		fprintf(file, "%.*s\n", (int)columns, line);
	else
		fprintf(file, "%s\n", line);
}

int rt_top_print(const struct rt_sink *sink, FILE *file, enum rt_sort sort, unsigned lines,
		 unsigned columns)
{
	const struct top *top = sink->state;
	char line[1024], avg[32], p99[32], self[32];
	size_t i;

	qsort(top->rows, top->nrows, sizeof(*top->rows),
	      sort == RT_SORT_CALLS ? by_calls
	      : sort == RT_SORT_AVG ? by_avg
	      : sort == RT_SORT_P99 ? by_p99
				    : by_self);
	snprintf(line, sizeof(line), "%12s %10s %10s %10s  %s", "CALLS/S", "AVG", "P99", "SELF/S",
		 "FUNCTION");
	put_line(file, line, columns);
	for (i = 0; i < top->nrows && (!lines || i + 1 < lines); i++) {
		const struct round_row *row = &top->rows[i];

		snprintf(line, sizeof(line), "%12.0f %10s %10s %10s  %s", row->calls,
			 row->timed ? rt_duration_text(row->avg, avg) : "-",
			 row->timed ? rt_duration_text(row->p99, p99) : "-",
			 row->timed ? rt_duration_text(row->self, self) : "-",
			 rt_sink_function(sink, row->function));
		put_line(file, line, columns);
	}
	return ferror(file) ? -EIO : 0;
}

const struct rt_sink_ops rt_sink_top = {
	.name = "top",
	.is_table = true,
	.begin = top_begin,
	.grow = rt_tally_grow,
	.note = rt_tally_note,
	.enter = rt_hist_enter,
	.leave = rt_hist_leave,
	.lost = rt_tally_lost,
	.gone = rt_hist_gone,
	.add = rt_tally_add,
	.has_calls = rt_tally_has_calls,
	.end = top_end,
	.free = top_free,
};
