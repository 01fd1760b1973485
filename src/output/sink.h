/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_SINK_H
#define RT_OUTPUT_SINK_H

#include <stdio.h>

#include "fetch/show.h"
#include "output/failures.h"
#include "output/opened.h"
#include "output/out_file.h"
#include "output/resolver.h"
#include "stream/call.h"
#include "symbols/function.h"

struct rt_call_names;
struct rt_files;
struct rt_probe_costs;

/* The key that sorts the rows of a summary and the calls of a graph. */
enum rt_sort {
	RT_SORT_TOTAL,
	RT_SORT_CALLS,
	RT_SORT_SELF,
	RT_SORT_AVG,
	RT_SORT_MIN,
	RT_SORT_P50,
	RT_SORT_P99,
	RT_SORT_MAX,
	RT_SORT_FAILED,
	RT_SORT_FUNCTION,
};

/* Colours in a text: on a terminal that has them, or by --color. */
enum rt_color { RT_COLOR_AUTO, RT_COLOR_ALWAYS, RT_COLOR_NEVER };

/* The time on each line of a text (-t, -tt, -ttt, -r). */
enum rt_stamp {
	RT_STAMP_NONE,
	RT_STAMP_CLOCK,		/* of the day */
	RT_STAMP_CLOCK_US,	/* the same with microseconds */
	RT_STAMP_EPOCH,		/* since 1970 */
	RT_STAMP_SINCE,		/* since the line before */
};

/* rawtrace record --last: only the newest calls are saved, and written when something happens. */
struct rt_keep {
	uint64_t ns;		/* so long; 0: any time */
	size_t bytes;		/* in so much memory; 0: it is no flight recorder */
	uint64_t slow;		/* a call that takes so long is a reason to write, ns; 0: none is */
	bool failed;		/* so is a call that fails */
};

static inline bool rt_keep_any(const struct rt_keep *keep)
{
	return keep->bytes;
}

/* The facts that all sinks of a session share.  The session fills it in before they begin. */
struct rt_trace {
	const struct rt_functions *functions;
	const struct rt_files *files;	/* of a recording (output/images.h), or NULL */
	const struct rt_shows *shows;	/* by function; NULL: the values are printed as they are */
	const struct rt_resolver *resolver;	/* NULL: nothing is resolved */
	/* bytes of a string that are printed; 0: as many as were read */
	unsigned string;
	unsigned members;		/* of a structure or an array; 0: RT_LIMIT_MEMBERS */
	bool stacks;			/* the callers of each call (-k) */
	unsigned by;			/* so many callers are in the names of calls (by caller) */
	bool fd_paths;			/* file descriptors with what they are now (-y) */
	bool processes;			/* there are several */
	pid_t first;			/* the process that the trace begins with; 0: not known */
	bool names;			/* of several programs, so the lines have their names */
	struct rt_keep keep;
	const struct rt_probe_costs *costs;	/* of a recording (plan/costs.h), or NULL */
	enum rt_sort sort;
	bool callers;			/* a graph from the bottom up */
	enum rt_color color;
	unsigned width;			/* of a line of a flow; 0: the terminal's, any in a file */
	enum rt_stamp stamp;
	bool durations;			/* of calls, behind their results (-T) */
	bool no_exits;			/* how processes end is not shown (-qq) */
	uint64_t start;			/* time at which the trace began, ns on the trace's clock */
	int64_t wall;			/* ns from that clock to the time since 1970 */
	const char *command;		/* what is traced, for headers and names */
};

/*
 * A sink takes the calls of a trace: a format, a table.  To add one: write its file, put its ops
 * into the table in output/sink.c.  It writes to `file` (fully buffered; the session flushes after
 * each round and looks at ferror), and never prints anything but what its ops are given.
 */
struct rt_sink {
	const struct rt_sink_ops *ops;
	const struct rt_trace *trace;
	FILE *file;
	struct rt_out_file to;		/* where `file` goes */
	const struct rt_program *program;	/* its files are not to be overwritten */
	unsigned index;			/* in its list; rt_thread.user[index] is the sink's own */
	void *state;			/* the sink's own */
	const struct rt_call_names *names;	/* of calls, which its state owns; NULL: none */
};

/* Those that return int return 0 or a negative errno, which ends the trace. */
struct rt_sink_ops {
	const char *name;	/* --format=NAME; of a table: the command that prints it */
	const char *help;	/* a phrase for --help */
	const char *path;	/* where it goes without -o; NULL: to standard error */
	bool is_table;		/* what the kernel counts is enough for it; no --format */
	bool at_end;		/* a text that is printed at the end alone, as a table's */
	int (*begin)(struct rt_sink *sink);
	/* The trace has more functions, behind those that it had.  NULL: it keeps none of them. */
	int (*grow)(struct rt_sink *sink);
	/* A remark ("fib: only entries are traced: ..."), to stand in the trace itself. */
	int (*note)(struct rt_sink *sink, const char *text);
	/* The next four as in rt_call_ops. */
	int (*enter)(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		     const struct rt_values *args);
	int (*leave)(struct rt_sink *sink, struct rt_thread *thread, const struct rt_frame *frame,
		     enum rt_end end, uint64_t time, const struct rt_values *result);
	int (*lost)(struct rt_sink *sink, struct rt_thread *thread, uint64_t time, uint64_t count);
	void (*gone)(struct rt_sink *sink, struct rt_thread *thread);	/* NULL: it keeps nothing */
	/*
	 * A process has ended, and its calls are closed.  `status`: as wait(2) has it, -1: not
	 * known.  NULL: that is not shown.
	 */
	int (*exited)(struct rt_sink *sink, pid_t pid, int status);
	/*
	 * A table: add `value`, modulo 2^64 so that some can be taken off, to a cell (emit/cells.h)
	 * of a function or of RT_NO_FUNCTION; and whether any call was counted, or its end.
	 */
	void (*add)(struct rt_sink *sink, uint32_t function, unsigned cell, uint64_t value);
	bool (*has_calls)(const struct rt_sink *sink);
	/* After each round of the rings, some 20 a second; NULL: nothing is to be done. */
	int (*round)(struct rt_sink *sink);
	/* Write what it keeps, for `reason`; NULL: it keeps nothing. */
	int (*save)(struct rt_sink *sink, const char *reason);
	/* A phrase on how much was written ("12 calls, 3 KB, 0 lost"); NULL: it has none. */
	void (*progress)(const struct rt_sink *sink, char *text, size_t size);
	/*
	 * The program has ended, and many calls are still to come.  A second CPU is free; the
	 * session does not fork any more.  NULL: of no use.
	 */
	void (*hurry)(struct rt_sink *sink);
	/* Makes the file whole as it is after a call, or NULL; shorter than what end writes. */
	const char *tail;
	/* after the last call was closed; the trace's last bytes */
	int (*end)(struct rt_sink *sink);
	void (*free)(struct rt_sink *sink);	/* releases state; also after a failure */
};

/* The sink of that name, or NULL; and all of them: NULL past the last. */
const struct rt_sink_ops *rt_sink_find(const char *name);
const struct rt_sink_ops *rt_sink_at(unsigned i);
const char *rt_sink_name(unsigned i);

/* The formats, which are the sinks that --format chooses.  NULL: past the last, or not found. */
const struct rt_sink_ops *rt_format_at(unsigned i);
const struct rt_sink_ops *rt_format_find(const char *name);
const char *rt_format_name(unsigned i);

extern const struct rt_sink_ops rt_sink_tree, rt_sink_flow, rt_sink_chrome,
	rt_sink_summary, rt_sink_graph,
	rt_sink_perfetto, rt_sink_pprof, rt_sink_speedscope,
	rt_sink_folded, rt_sink_callgrind, rt_sink_dot, rt_sink_html, rt_sink_ndjson,
	rt_sink_count, rt_sink_hist;

/* The name of a column, as --sort has it; NULL: past the last. */
const char *rt_sort_name(unsigned i);

/* The name of a function, or of a call by its number in `names`; "?" for RT_NO_FUNCTION. */
const char *rt_sink_function(const struct rt_sink *sink, uint32_t function);

/* The mark, behind its end, of a call with an unsure frame; two blanks before it. */
const char *rt_sink_unsure_mark(enum rt_end end);

/*
 * Did the call end in a jump to a function without a result?  free is 791 of the 796 such jumps of
 * redis-server 7.
 */
bool rt_sink_is_void_jump(const struct rt_frame *frame);

/* The end of a call without a return ("unwound"); NULL: it returned. */
const char *rt_sink_end_text(enum rt_end end, const struct rt_frame *frame,
			     const struct rt_thread *thread);

/* The sinks of a session.  Each call goes to all of them, in their order. */
struct rt_sinks {
	struct rt_trace trace;
	struct rt_sink v[RT_SINKS_MAX];
	unsigned n;
	struct rt_opened opened;	/* with trace.fd_paths */
	struct rt_failures failures;
};

/* Add a sink; NULL: there are RT_SINKS_MAX.  The caller chooses its file. */
struct rt_sink *rt_sinks_add(struct rt_sinks *sinks, const struct rt_sink_ops *ops);

/* Their files, as the functions of rt_out_file; those of rt_sink_files have no threads. */
int rt_sinks_check(const struct rt_sinks *sinks, const struct rt_program *program,
		   struct rt_error *err);
int rt_sinks_open(struct rt_sinks *sinks, const struct rt_program *program, struct rt_error *err);
int rt_sinks_grow(struct rt_sinks *sinks);	/* the trace has more functions; 0 or -ENOMEM */
int rt_sinks_flush(struct rt_sinks *sinks, struct rt_error *err);
int rt_sinks_push(struct rt_sinks *sinks, struct rt_error *err);
void rt_sinks_write_beside(struct rt_sinks *sinks);
bool rt_sinks_are_behind(const struct rt_sinks *sinks);		/* one of them is */
void rt_sinks_put_tails(struct rt_sinks *sinks);
bool rt_sinks_are_seen(const struct rt_sinks *sinks);	/* one of them is */

/* 0 or a negative errno. */
int rt_sinks_round(struct rt_sinks *sinks);	/* rt_sink_ops.round of each */
int rt_sinks_save(struct rt_sinks *sinks, const char *reason);	/* rt_sink_ops.save */
void rt_sinks_hurry(struct rt_sinks *sinks);	/* rt_sink_ops.hurry */
int rt_sinks_note(struct rt_sinks *sinks, const char *text);
int rt_sinks_exited(struct rt_sinks *sinks, pid_t pid, int status);
int rt_sinks_end(struct rt_sinks *sinks);

/* Calls and losses; ctx is the rt_sinks. */
extern const struct rt_call_ops rt_sinks_ops;

/* To the tables, as rt_sink_ops.add. */
void rt_sinks_count(struct rt_sinks *sinks, uint32_t function, unsigned cell, uint64_t value);

/* The first table, which says whether there was any call; NULL: there is none. */
const struct rt_sink *rt_sinks_table(const struct rt_sinks *sinks);

/* Releases them, and closes their files. */
void rt_sinks_free(struct rt_sinks *sinks);

#endif
