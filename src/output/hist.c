/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram a function at the end: the durations of its calls. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "output/hist.h"
#include "output/text.h"

enum { BAR_WIDTH = 40 };

/* ---- the open calls of threads, for the total ---- */

/* As emit/cells.h has it of calls inside others of their function (rt_open_time). */
struct open_call {
	uint32_t function;		/* or name */
	uint64_t names, inside, children;
};

/* A thread's open calls. */
struct rt_open {
	struct rt_open *next, *before;
	struct open_call *v;
	size_t n, cap;
};

static void close_thread(struct rt_hist *t, struct rt_open *open)
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

static struct rt_open *open_thread(struct rt_hist *t, void **user)
{
	struct rt_open *open = *user;

	if (open)
		return open;
	*user = open = calloc(1, sizeof(*open));
	if (!open)
		return NULL;
	open->next = t->threads;
	if (open->next)
		open->next->before = open;
	t->threads = open;
	return open;
}

static int push(struct rt_hist *t, void **user, uint32_t function)
{
	struct rt_open *open = open_thread(t, user);

	if (!open || RT_ROOM(&open->v, open->n, &open->cap))
		return -ENOMEM;
	open->v[open->n] = (struct open_call){ .function = function,
		.names = rt_open_name(function) };
	if (open->n)
		open->v[open->n].names |= open->v[open->n - 1].names;
	open->n++;
	return 0;
}

/* The innermost open call of the function, or NULL. */
static struct open_call *find_open(const struct rt_open *open, uint32_t function)
{
	size_t i = open->n;

	while (i-- > 0 && open->v[i].names & rt_open_name(function))
		if (open->v[i].function == function)
			return &open->v[i];
	return NULL;
}

static int hist_begin(struct rt_sink *sink)
{
	return rt_tally_begin(sink, sizeof(struct rt_hist), RT_PURPOSE_TIME);
}

void rt_hist_free(struct rt_sink *sink)
{
	struct rt_hist *hist = sink->state;

	while (hist && hist->threads)
		close_thread(hist, hist->threads);
	rt_tally_free(sink);
}

int rt_hist_enter(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		  const struct rt_values *args)
{
	uint32_t number;

	if (rt_tally_find_name(sink, thread->pid, frame, args, &number) < 0)
		return -ENOMEM;
	rt_tally_add(sink, number, RT_CELL_CALLS, 1);
	return frame->returns ? push(sink->state, &thread->user[sink->index], number) : 0;
}

static unsigned bucket(uint64_t ns)
{
	return ns ? 63u - (unsigned)__builtin_clzll(ns) : 0;
}

int rt_hist_leave(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		  enum rt_end end, uint64_t time, const struct rt_values *result)
{
	uint64_t ns = time > frame->time ? time - frame->time : 0, inside;
	struct open_call call, *outer;
	struct rt_open *open = thread->user[sink->index];

	(void)result;
	if (!frame->entry_seen || !frame->returns || !open || !open->n)
		return 0;
	call = open->v[--open->n];
	/* A tail call ends its caller's own time. */
	if ((end != RT_END_RETURNED && end != RT_END_BECAME) || frame->unsure)
		return 0;
	inside = call.inside < ns ? call.inside : ns;
	rt_tally_add(sink, call.function, RT_CELL_TOTAL, ns - inside);
	rt_tally_add(sink, call.function, RT_CELL_INSIDE, inside);
	rt_tally_add(sink, call.function, RT_CELL_BUCKET + bucket(ns), 1);
	rt_tally_add(sink, call.function, RT_CELL_SELF,
		     ns - (call.children < ns ? call.children : ns));
	outer = find_open(open, call.function);
	if (outer)
		outer->inside += ns;
	if (open->n)
		open->v[open->n - 1].children += ns;
	return 0;
}

void rt_hist_gone(struct rt_sink *sink, struct rt_thread *thread)
{
	if (thread->user[sink->index])
		close_thread(sink->state, thread->user[sink->index]);
	thread->user[sink->index] = NULL;
}

/* ---- the table ---- */

static void print_bucket(FILE *file, unsigned k, uint64_t n, uint64_t most)
{
	uint64_t low = k ? UINT64_C(1) << k : 0;
	uint64_t high = k < 63 ? (UINT64_C(2) << k) - 1 : UINT64_MAX;
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

static void print_function(const struct rt_sink *sink, uint32_t function, const uint64_t *c)
{
	uint64_t n;

	fprintf(sink->file, "Function = %s\n", rt_sink_function(sink, function));
	n = print_buckets(sink->file, c + RT_CELL_BUCKET);
	if (n)
		fprintf(sink->file,
			"avg = %" PRIu64 " nsecs, total: %" PRIu64 " nsecs, count: %" PRIu64 "\n",
			(c[RT_CELL_TOTAL] + c[RT_CELL_INSIDE]) / n,
			c[RT_CELL_TOTAL], n);
	if (c[RT_CELL_CALLS] > n)
		fprintf(sink->file, "*** %" PRIu64 " call%s not timed: no return seen ***\n",
			c[RT_CELL_CALLS] - n,
			c[RT_CELL_CALLS] - n == 1 ? "" : "s");
	putc_unlocked('\n', sink->file);
}

static int hist_end(struct rt_sink *sink)
{
	struct rt_tally *t = sink->state;
	size_t i;

	if (rt_tally_sort(sink, RT_CELL_TOTAL) < 0)
		return -ENOMEM;
	for (i = 0; i < t->rows; i++)
		if (rt_tally_cells(t, t->order[i])[RT_CELL_CALLS] ||
		    rt_tally_cells(t, t->order[i])[RT_CELL_TOTAL])
			print_function(sink, t->order[i], rt_tally_cells(t, t->order[i]));
	rt_tally_print_end(sink);
	return 0;
}

const struct rt_sink_ops rt_sink_hist = {
	.name = "hist",
	.help = "how long the calls of each function took",
	.is_table = true,
	.at_end = true,
	.begin = hist_begin,
	.grow = rt_tally_grow,
	.note = rt_tally_note,
	.enter = rt_hist_enter,
	.leave = rt_hist_leave,
	.lost = rt_tally_lost,
	.gone = rt_hist_gone,
	.add = rt_tally_add,
	.has_calls = rt_tally_has_calls,
	.end = hist_end,
	.free = rt_hist_free,
};
