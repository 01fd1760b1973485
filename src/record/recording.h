/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_RECORD_RECORDING_H
#define RT_RECORD_RECORDING_H

#include "output/images.h"
#include "record/calls.h"

/*
 * One file of a replay, which gives its events one by one.  It is read twice: for the functions,
 * which sinks want to know before the first call, and for the calls.  Memory is that of one block,
 * of the threads and of their open calls.
 */
struct rt_recorded_thread;

/* The event that was read, and not given yet. */
struct rt_recorded_event {
	uint64_t time;			/* of the trace */
	const char *note;		/* a remark; NULL: a call's event */
	enum rt_call_event type;
	struct rt_recorded_thread *thread;	/* NULL: of a process, or of none */
	struct rt_frame frame;
	enum rt_end end;
	struct rt_values values;
	const char *name;		/* of RT_CALL_NAME */
	uint64_t count;			/* of RT_CALL_LOST; of RT_CALL_GONE the thread's number */
	pid_t pid;			/* of RT_CALL_EXITED */
	int status;
};

enum { RT_RECORDED_SLOTS = 4096 };

struct rt_recording {
	struct rt_blocks blocks;
	/* rt_recording_open: the trace, its functions and clock */
	char *command;
	bool processes;
	pid_t first;
	struct rt_functions functions;
	struct rt_call_cost *costs;	/* by function; NULL: it has none, or not of all */
	size_t ncosts, costs_cap;
	struct rt_files files;
	bool has_calls;
	uint64_t start, wall;		/* as in rt_trace; 0 without calls */
	bool ended;			/* the recorder came to its end */
	/* of several files; else NULL and 0 */
	const uint32_t *map;		/* the trace's numbers of functions, by its own */
	uint64_t shift;			/* from its clock to the trace's, modulo 2^64 */
	const char *label;		/* in front of remarks */
	char comm[16];			/* the name of threads that have none */
	/* the calls */
	struct rt_reader in;		/* the rest of the block */
	struct rt_recorded_event event;
	bool has_event;
	struct rt_thread *appeared;	/* the event is the first of this thread; else NULL */
	struct rt_recorded_thread *slots[RT_RECORDED_SLOTS];
	struct rt_recorded_thread **list;	/* threads of the block, by number */
	size_t nlist, cap;
	uint64_t last;			/* time of the event before, on its own clock */
};

/* 0, or an error; free it in both cases. */
int rt_recording_open(struct rt_recording *recording, const char *path, struct rt_error *err);
void rt_recording_free(struct rt_recording *recording);

/*
 * Read the next event.  1; 0: there is none; or a negative errno with a message: -EBADMSG if the
 * file is damaged.  An event must have been given, or be dropped, before the next is read.
 */
int rt_recording_next(struct rt_recording *recording, struct rt_error *err);

/* Give the event.  0, or the negative errno of `to`. */
int rt_recording_give(struct rt_recording *recording, const struct rt_replay_to *to);

/* Close the open calls as unfinished; a remark says if the recorder did not come to its end. */
int rt_recording_end(struct rt_recording *recording, bool damaged, const struct rt_replay_to *to);

/* Has the thread appeared? */
bool rt_recording_has_thread(const struct rt_recording *recording, const struct rt_thread *thread);

#endif
