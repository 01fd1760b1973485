/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_PROFILE_H
#define RT_OUTPUT_PROFILE_H

#include "output/call_names.h"

/*
 * The profile of a trace: a call tree, and the durations of each function.  The formats that sum up
 * (summary, graph, folded, callgrind, dot, html) print from it.
 *
 * A node is a chain of functions, from the outermost traced call inwards: all calls of `b` inside
 * `a` are one node below the node of `a`.  Threads are roots above those, one for each name.
 *
 *	main 1 call, total 100, self 20		main calls a and b; b calls b.
 *	  a  2 calls, total 30, self 30		The total of function b is 50: its inner calls
 *	  b  1 call,  total 50, self 40		lie in the time of the outer ones.
 *	    b 4 calls, total 10, self 10
 *
 * Memory grows with the number of nodes, and not with the number of calls.
 *
 * The sites of a USDT probe are one function.
 * Calls that have names of their own (output/call_names.h) are functions by these names.
 */
struct rt_node {
	uint32_t function;		/* of a root: RT_NO_FUNCTION */
	const char *thread;		/* of a root: the name of its threads; else NULL */
	struct rt_node *parent, *first, *next;	/* the calls inside it, and beside it */
	uint64_t calls, failed;
	uint64_t unfinished;		/* calls without an end */
	uint64_t total, self;		/* ns; a call without an end that was probed has none */
	bool outer;			/* no node above it has the same function */
	uint32_t depth;			/* nodes above it that have the same function */
};

/*
 * Durations of a function: 8 buckets for each power of two, so a percentile is at most 1/8 too
 * high.
 */
enum { RT_DURATION_BUCKETS = 64 * 8 };

struct rt_durations {
	uint64_t n, min, max, sum;	/* ns, of the calls with an end */
	uint32_t *buckets;		/* RT_DURATION_BUCKETS, or NULL */
};

/* A function's own figures: those of its nodes, added up. */
struct rt_profile_row {
	uint32_t function;
	uint64_t calls, failed, unfinished, total, self;
	const struct rt_durations *durations;
};

struct rt_profile {
	struct rt_node *roots;
	size_t nodes;
	struct rt_durations *durations;	/* by function; one more for RT_NO_FUNCTION */
	uint32_t functions;
	uint32_t *first_sites;		/* by function: rt_functions_first_site */
	struct rt_call_names names;
	struct rt_durations *named;	/* by name */
	size_t nnamed, named_cap;
	struct rt_open_calls *threads;
	uint64_t lost;
	bool any_lost;
	char **notes;
	size_t nnotes, notes_cap;
};

/* The sink's state is an rt_profile, or `size` bytes that begin with one.  As in rt_sink_ops. */
int rt_profile_begin_size(struct rt_sink *sink, size_t size);
int rt_profile_begin(struct rt_sink *sink);
int rt_profile_grow(struct rt_sink *sink);
int rt_profile_note(struct rt_sink *sink, const char *text);
int rt_profile_enter(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		     const struct rt_values *args);
int rt_profile_leave(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		     enum rt_end end, uint64_t time, const struct rt_values *result);
int rt_profile_lost(struct rt_sink *sink, struct rt_thread *thread, uint64_t time, uint64_t count);
void rt_profile_gone(struct rt_sink *sink, struct rt_thread *thread);
void rt_profile_free(struct rt_sink *sink);

/*
 * Turn the tree over: below one root all functions, below each its callers.  A node has the figures
 * of the innermost function of its chain.  A chain has each function once: recursion is folded.
 * 0 or -ENOMEM.
 */
int rt_profile_turn(struct rt_profile *profile);

/*
 * Sort the calls inside each node by trace->sort (total, self or calls), the largest first; for the
 * same tree every run prints the same text.
 */
void rt_profile_sort(const struct rt_sink *sink, struct rt_profile *profile);

/*
 * A row for each function that was called, by trace->sort, the largest first.  `*rows` is malloced
 * and the caller's to free.  Returns how many, or -ENOMEM.
 */
ssize_t rt_profile_rows(const struct rt_sink *sink, struct rt_profile_row **rows);

/* The duration that `percent` of the function's calls do not exceed, in ns; 0: it has none. */
uint64_t rt_durations_percentile(const struct rt_durations *durations, unsigned percent);

/* The function or name of the thread's innermost open call; RT_NO_FUNCTION: it has none. */
uint32_t rt_profile_innermost(const struct rt_sink *sink, const struct rt_thread *thread);

/* The number of functions and names, with RT_NO_FUNCTION; and one's place among them, from 0. */
size_t rt_profile_places(const struct rt_profile *profile);
size_t rt_profile_place(const struct rt_profile *profile, uint32_t function);

/* The function or name at a place; RT_NO_FUNCTION at the last. */
uint32_t rt_profile_at(const struct rt_profile *profile, size_t place);

/* The node of a function below `parent`, made where there is none; NULL: out of memory. */
struct rt_node *rt_profile_node(struct rt_profile *profile, struct rt_node *parent,
				uint32_t function);

/* Free the tree; the durations remain. */
void rt_profile_free_nodes(struct rt_profile *profile);

/* The node that follows in the order parent, children, siblings; NULL: there is none. */
struct rt_node *rt_node_next(const struct rt_node *node);

/* Notes and the number of lost events as lines that begin with `mark`. */
void rt_profile_print_notes(const struct rt_sink *sink, const char *mark);

/* "1.234 ms", with the unit that leaves one to three digits before the point; in `buf` of 32. */
const char *rt_duration_text(uint64_t ns, char *buf);

#endif
