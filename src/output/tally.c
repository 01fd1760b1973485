/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/tally.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/text.h"
#include "base/array.h"

enum { NAME_WIDTH = 36, BAR_WIDTH = 40 };

struct open;

struct tally {
	unsigned per;		/* cells a function */
	uint64_t *cells;
	struct open *threads;	/* where calls are measured one by one */
	uint32_t *order;	/* functions, for printing */
	uint32_t n;		/* functions; one more place is for RT_NO_FUNCTION */
	uint64_t lost;		/* as far as the number is known */
	bool any_lost;
};

/* ---- the open calls of threads, for the total ---- */

/* As emit/cells.h has it of calls inside others of their function (rt_open_time). */
struct open_call {
	uint32_t function;
	uint64_t names, inside;
};

/* A thread's open calls. */
struct open {
	struct open *next, *before;
	struct open_call *v;
	size_t n, cap;
};

static void close_thread(struct tally *t, struct open *open)
{
	if (open->before)
		open->before->next = open->next;
	else
		t->threads = open->next;
	if (open->next)
		open->next->before = open->before;
	free(open->v);
	free(open);
}

static struct open *open_thread(struct tally *t, struct rt_thread *thread)
{
	struct open *open = thread->user;

	if (open)
		return open;
	thread->user = open = calloc(1, sizeof(*open));
	if (!open)
		return NULL;
	open->next = t->threads;
	if (open->next)
		open->next->before = open;
	t->threads = open;
	return open;
}

static int push(struct tally *t, struct rt_thread *thread, uint32_t function)
{
	struct open *open = open_thread(t, thread);

	if (!open || RT_ROOM(&open->v, open->n, &open->cap))
		return -ENOMEM;
	open->v[open->n] = (struct open_call){ .function = function, .names = rt_open_name(function) };
	if (open->n)
		open->v[open->n].names |= open->v[open->n - 1].names;
	open->n++;
	return 0;
}

/* The innermost open call of the function, or NULL. */
static struct open_call *find_open(const struct open *open, uint32_t function)
{
	size_t i = open->n;

	while (i-- > 0 && open->v[i].names & rt_open_name(function))
		if (open->v[i].function == function)
			return &open->v[i];
	return NULL;
}

static int tally_begin(struct rt_out *out, enum rt_purpose purpose)
{
	struct tally *t = calloc(1, sizeof(*t));

	out->state = t;
	if (!t)
		return -ENOMEM;
	t->n = out->functions ? (uint32_t)out->functions->n : 0;
	t->per = rt_cells_of(purpose);
	t->cells = calloc((size_t)(t->n + 1) * t->per, sizeof(*t->cells));
	t->order = calloc((size_t)t->n + 1, sizeof(*t->order));
	return t->cells && t->order ? 0 : -ENOMEM;
}

static void tally_free(struct rt_out *out)
{
	struct tally *t = out->state;

	if (!t)
		return;
	while (t->threads)
		close_thread(t, t->threads);
	free(t->cells);
	free(t->order);
	free(t);
	out->state = NULL;
}

static uint64_t *cells_of(const struct tally *t, uint32_t function)
{
	return &t->cells[(size_t)(function < t->n ? function : t->n) * t->per];
}

void rt_tally_add(struct rt_out *out, uint32_t function, unsigned cell, uint64_t value)
{
	struct tally *t = out->state;

	if (cell < t->per)
		cells_of(t, function)[cell] += value;
}

bool rt_tally_has_calls(const struct rt_out *out)
{
	const struct tally *t = out->state;
	size_t i;

	for (i = 0; i < (size_t)(t->n + 1) * t->per; i++)
		if (t->cells[i])
			return true;
	return false;
}

static int tally_note(struct rt_out *out, const char *text)
{
	rt_put(out->file, "rawtrace: ");
	rt_put(out->file, text);
	putc_unlocked('\n', out->file);
	return 0;
}

/* ---- calls that come one by one ---- */

static int tally_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame, const struct rt_values *args)
{
	struct rt_out *out = ctx;
	struct tally *t = out->state;

	(void)args;
	rt_tally_add(out, frame->function, RT_CELL_CALLS, 1);
	return frame->returns && t->per == RT_CELLS_TIME ? push(t, thread, frame->function) : 0;
}

static unsigned bucket(uint64_t ns)
{
	return ns ? 63u - (unsigned)__builtin_clzll(ns) : 0;
}

static int tally_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame, enum rt_end end, uint64_t time,
		       const struct rt_values *result)
{
	uint64_t ns = time > frame->time ? time - frame->time : 0, inside;
	struct open_call call, *outer;
	struct open *open = thread->user;

	(void)result;
	if (!frame->entry_seen || !frame->returns || !open || !open->n)
		return 0;
	call = open->v[--open->n];
	/* What became another call is over as far as its own time goes. */
	if ((end != RT_END_RETURNED && end != RT_END_BECAME) || frame->unsure)
		return 0;
	inside = call.inside < ns ? call.inside : ns;
	rt_tally_add(ctx, frame->function, RT_CELL_TOTAL, ns - inside);
	rt_tally_add(ctx, frame->function, RT_CELL_INSIDE, inside);
	rt_tally_add(ctx, frame->function, RT_CELL_BUCKET + bucket(ns), 1);
	outer = find_open(open, frame->function);
	if (outer)
		outer->inside += ns;
	return 0;
}

static void tally_gone(void *ctx, struct rt_thread *thread)
{
	struct tally *t = ((struct rt_out *)ctx)->state;

	if (thread->user)
		close_thread(t, thread->user);
	thread->user = NULL;
}

static int tally_lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct tally *t = ((struct rt_out *)ctx)->state;

	(void)thread;
	(void)time;
	t->lost += count;
	t->any_lost = true;
	return 0;
}

/* ---- the table ---- */

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

/* The functions into t->order, most of `cell` first. */
static int sort(const struct rt_out *out, struct tally *t, unsigned cell)
{
	struct key *v = calloc((size_t)t->n + 1, sizeof(*v));
	uint32_t i;

	if (!v)
		return -ENOMEM;
	for (i = 0; i <= t->n; i++)
		v[i] = (struct key){ .by = cells_of(t, i)[cell], .name = rt_out_function(out, i), .function = i };
	qsort(v, (size_t)t->n + 1, sizeof(*v), compare);
	for (i = 0; i <= t->n; i++)
		t->order[i] = v[i].function;
	free(v);
	return 0;
}

static void print_lost(const struct rt_out *out, const struct tally *t)
{
	if (!t->any_lost)
		return;
	rt_put(out->file, "*** ");
	rt_put_lost(out->file, t->lost);
	rt_put(out->file, " ***\n");
}

static void print_not_called(const struct rt_out *out, const struct tally *t)
{
	uint32_t i, n = 0, all = 0;

	for (i = 0; i < t->n; i++) {
		all += !out->functions->v[i].hidden;
		n += !out->functions->v[i].hidden && !cells_of(t, i)[RT_CELL_CALLS];
	}
	/* Where none was, the session says it. */
	if (n && rt_tally_has_calls(out))
		fprintf(out->file, "rawtrace: not called: %u of %u function%s\n", n, all, all == 1 ? "" : "s");
}

static int count_begin(struct rt_out *out)
{
	return tally_begin(out, RT_PURPOSE_COUNT);
}

static int count_end(struct rt_out *out)
{
	struct tally *t = out->state;
	uint32_t i;

	if (sort(out, t, RT_CELL_CALLS) < 0)
		return -ENOMEM;
	fprintf(out->file, "%-*s %12s\n", NAME_WIDTH, "FUNC", "COUNT");
	for (i = 0; i <= t->n && cells_of(t, t->order[i])[RT_CELL_CALLS]; i++)
		fprintf(out->file, "%-*s %12" PRIu64 "\n", NAME_WIDTH, rt_out_function(out, t->order[i]),
			cells_of(t, t->order[i])[RT_CELL_CALLS]);
	print_not_called(out, t);
	print_lost(out, t);
	return 0;
}

static int hist_begin(struct rt_out *out)
{
	return tally_begin(out, RT_PURPOSE_TIME);
}

static void print_bucket(FILE *file, unsigned k, uint64_t n, uint64_t most)
{
	uint64_t low = k ? UINT64_C(1) << k : 0, high = k < 63 ? (UINT64_C(2) << k) - 1 : UINT64_MAX;
	unsigned i, stars = (unsigned)((double)n / (double)most * BAR_WIDTH + 0.5);

	fprintf(file, "%10" PRIu64 " -> %-10" PRIu64 " : %-8" PRIu64 " |", low, high, n);
	for (i = 0; i < BAR_WIDTH; i++)
		putc_unlocked(i < stars ? '*' : ' ', file);
	fputs("|\n", file);
}

static uint64_t print_buckets(FILE *file, const uint64_t *b)
{
	unsigned first = RT_BUCKETS, last = 0, k;
	uint64_t n = 0, most = 0;

	for (k = 0; k < RT_BUCKETS; k++) {
		if (!b[k])
			continue;
		n += b[k];
		most = b[k] > most ? b[k] : most;
		first = first < k ? first : k;
		last = k;
	}
	if (n)
		fprintf(file, "%10s    %-10s : %-8s distribution\n", "nsecs", "", "count");
	for (k = first; n && k <= last; k++)
		print_bucket(file, k, b[k], most);
	return n;
}

static void print_function(const struct rt_out *out, uint32_t function, const uint64_t *c)
{
	uint64_t n;

	fprintf(out->file, "Function = %s\n", rt_out_function(out, function));
	n = print_buckets(out->file, c + RT_CELL_BUCKET);
	if (n)
		fprintf(out->file, "avg = %" PRIu64 " nsecs, total: %" PRIu64 " nsecs, count: %" PRIu64 "\n", (c[RT_CELL_TOTAL] + c[RT_CELL_INSIDE]) / n,
			c[RT_CELL_TOTAL], n);
	if (c[RT_CELL_CALLS] > n)
		fprintf(out->file, "*** %" PRIu64 " call%s not timed: no return seen ***\n", c[RT_CELL_CALLS] - n,
			c[RT_CELL_CALLS] - n == 1 ? "" : "s");
	putc_unlocked('\n', out->file);
}

static int hist_end(struct rt_out *out)
{
	struct tally *t = out->state;
	uint32_t i;

	if (sort(out, t, RT_CELL_TOTAL) < 0)
		return -ENOMEM;
	for (i = 0; i <= t->n; i++)
		if (cells_of(t, t->order[i])[RT_CELL_CALLS] || cells_of(t, t->order[i])[RT_CELL_TOTAL])
			print_function(out, t->order[i], cells_of(t, t->order[i]));
	print_not_called(out, t);
	print_lost(out, t);
	return 0;
}

const struct rt_out_ops rt_out_count = {
	.name = "count",
	.help = "how often each function was called",
	.begin = count_begin,
	.note = tally_note,
	.calls = { .enter = tally_enter, .leave = tally_leave, .lost = tally_lost },
	.end = count_end,
	.free = tally_free,
};

const struct rt_out_ops rt_out_hist = {
	.name = "hist",
	.help = "how long the calls of each function took",
	.begin = hist_begin,
	.note = tally_note,
	.calls = { .enter = tally_enter, .leave = tally_leave, .lost = tally_lost, .gone = tally_gone },
	.end = hist_end,
	.free = tally_free,
};
