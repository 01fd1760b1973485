/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_RECORD_CALLS_H
#define RT_RECORD_CALLS_H

#include "output/sink.h"
#include "record/blocks.h"

/* Types of the events in a block of calls, and their flags (recorder.c). */
enum rt_call_event {
	RT_CALL_ENTER,
	RT_CALL_LEAVE,
	RT_CALL_LOST,
	RT_CALL_GONE,
	RT_CALL_NAME,
	RT_CALL_EXITED,			/* of a process */
	RT_CALL_TYPE = 7,		/* the mask of these */
	RT_CALL_RETURNS = 1 << 3,	/* of an entry: its end is traced */
	RT_CALL_ENTRY_SEEN = 1 << 3,	/* of an end */
	RT_CALL_UNSURE = 1 << 4,
	RT_CALL_BEFORE = 1 << 5,
	RT_CALL_HAS_TO = 1 << 6,
	RT_CALL_OF_THREAD = 1 << 3,	/* of a loss */
};

/* The sink of `rawtrace record`. */
extern const struct rt_sink_ops rt_sink_record;

/* Who gets the calls: rt_call_ops; the sinks get remarks and ends of processes. */
struct rt_replay_to {
	const struct rt_call_ops *ops;
	void *ctx;
	int (*note)(void *ctx, const char *text);
	struct rt_sinks *sinks;		/* ctx of note */
	void **of_file;			/* instead of ctx, for the calls of each file; or NULL */
};

/*
 * Recordings as one source of calls, in order of time.  rt_replay_open reads the whole files for
 * the names of their functions, and fills `trace` in: the command and the functions, which live
 * until rt_replay_close.
 */
struct rt_replay;

int rt_replay_open(const char *const *paths, unsigned n, struct rt_trace *trace,
		   struct rt_replay **replay, struct rt_error *err);
unsigned rt_replay_files(const struct rt_replay *replay);

/*
 * The costs of each function's probes in a file, by its number, until rt_replay_close; NULL: the
 * file has none.
 */
const struct rt_call_cost *rt_replay_costs(const struct rt_replay *replay, unsigned file);

/*
 * Give the calls to `to`; `trace->start` is set before the first.  Calls that are open at the end
 * of their file are closed as unfinished.  0, or a negative errno with a message: -EBADMSG if a
 * file is damaged, after its calls before that and all of the other files.
 */
int rt_replay_run(struct rt_replay *replay, struct rt_trace *trace, const struct rt_replay_to *to,
		  struct rt_error *err);
void rt_replay_close(struct rt_replay *replay);

#endif
