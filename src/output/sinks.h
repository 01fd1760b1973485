/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_SINKS_H
#define RT_OUTPUT_SINKS_H

#include "output/sink.h"

/* The sinks of a session.  Each call goes to all of them, in their order. */
struct rt_sinks {
	struct rt_trace trace;
	struct rt_sink v[RT_SINKS_MAX];
	unsigned n;
};

/* Add a sink; NULL: there are RT_SINKS_MAX.  The caller chooses its file. */
struct rt_sink *rt_sinks_add(struct rt_sinks *sinks, const struct rt_sink_ops *ops);

/* Their files, as rt_out_file_check, _open, _flush and _put_tail. */
int rt_sinks_check(const struct rt_sinks *sinks, const struct rt_program *program,
		   struct rt_error *err);
int rt_sinks_open(struct rt_sinks *sinks, const struct rt_program *program, struct rt_error *err);
int rt_sinks_grow(struct rt_sinks *sinks);	/* the trace has more functions; 0 or -ENOMEM */
int rt_sinks_flush(struct rt_sinks *sinks, struct rt_error *err);
void rt_sinks_put_tails(struct rt_sinks *sinks);
bool rt_sinks_are_seen(const struct rt_sinks *sinks);	/* one of them is */

/* 0 or a negative errno. */
int rt_sinks_round(struct rt_sinks *sinks);	/* rt_sink_ops.round of each */
int rt_sinks_save(struct rt_sinks *sinks, const char *reason);	/* rt_sink_ops.save */
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
