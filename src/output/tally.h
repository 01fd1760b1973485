/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_TALLY_H
#define RT_OUTPUT_TALLY_H

#include "emit/cells.h"
#include "output/call_names.h"

/*
 * The cells of a table, for count.c and hist.c.  The kernel's counts come through add; where the
 * kernel counts nothing (tracefs alone) the calls come one by one, as to every sink.
 *
 * Rows are those of the functions, of RT_NO_FUNCTION, and of names of calls (output/call_names.h).
 */
struct rt_tally {
	unsigned per;		/* cells a row */
	uint64_t *cells;
	size_t rows, cap;
	uint32_t *order;	/* the rows' functions and names, for printing */
	uint32_t n;		/* functions */
	struct rt_call_names names;
	uint64_t lost;		/* as far as the number is known */
	bool any_lost;
};

enum { RT_TALLY_NAME_WIDTH = 36 };

/* The sink's state is an rt_tally, or `size` bytes that begin with one. */
int rt_tally_begin(struct rt_sink *sink, size_t size, enum rt_purpose purpose);
int rt_tally_grow(struct rt_sink *sink);
void rt_tally_free(struct rt_sink *sink);
uint64_t *rt_tally_cells(const struct rt_tally *tally, uint32_t function);

/* The function or name of a row; of RT_NO_FUNCTION's the number of functions. */
uint32_t rt_tally_at(const struct rt_tally *tally, size_t row);

/* As rt_call_names_find, or with trace->by as rt_stack_name; with a row for the name. */
int rt_tally_find_name(struct rt_sink *sink, pid_t pid, const struct rt_frame *frame,
		       const struct rt_values *args, uint32_t *number);

/* The functions and names into tally->order, which has room for all, most of `cell` first. */
int rt_tally_sort(const struct rt_sink *sink, unsigned cell);

/* The last lines of a table: which functions were not called, and how many events were lost. */
void rt_tally_print_end(const struct rt_sink *sink);

/* As in rt_sink_ops. */
int rt_tally_note(struct rt_sink *sink, const char *text);
int rt_tally_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time, uint64_t count);
void rt_tally_add(struct rt_sink *sink, uint32_t function, unsigned cell, uint64_t value);
bool rt_tally_has_calls(const struct rt_sink *sink);

#endif
