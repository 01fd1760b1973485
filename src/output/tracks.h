/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_OUTPUT_TRACKS_H
#define RT_OUTPUT_TRACKS_H

#include <stdbool.h>

#include "stream/call.h"

/*
 * Formats that write a call when it ends keep this of each thread until then.  Arguments are copied
 * because they point into a ring at the entry.  Room is reused; in steady state nothing is
 * allocated.
 */
struct rt_call {
	uint64_t id;			/* the sink's own number of it */
	uint64_t time;			/* of the entry, as rt_track_time gave it */
	struct rt_values args;		/* without data: that is at `at` in the track's bytes */
	size_t at;
	bool readable;
};

struct rt_track {
	struct rt_track *next;		/* in the order in which they appeared */
	pid_t pid, tid;
	uint64_t goid;
	char comm[16];			/* the last one known */
	uint64_t last;			/* time of the last event */
	char ids[48];			/* chrome: the members with its ids */
	size_t nids;			/* 0: not written yet */
	struct rt_call *calls;
	size_t n, cap;
	uint8_t *bytes;
	size_t used, room;
};

struct rt_tracks {
	struct rt_track *first, *last;
	size_t n;
};

/* "g 12" of a goroutine, "stack 3" of a stack that the program made (rt_thread.goid). */
void rt_goid_text(char *buf, size_t size, uint64_t goid);

/* The thread's name as it can be printed: a name may have any byte. */
void rt_thread_name(const struct rt_thread *thread, char name[16]);

/*
 * The track of a thread, made when it is new and stored in thread->user[sink]; NULL: out of memory.
 */
struct rt_track *rt_tracks_get(struct rt_tracks *tracks, struct rt_thread *thread, unsigned sink);
void rt_tracks_free(struct rt_tracks *tracks);

/* Give the room for open calls back, of which it has none any more. */
void rt_track_empty(struct rt_track *track);

/*
 * The time, or that of the thread's last event where it lies before that: a slice must not end
 * before it began.
 */
uint64_t rt_track_time(struct rt_track *track, uint64_t time);

/* Keep a call that is entered at `time`.  0 or -ENOMEM. */
int rt_track_push(struct rt_track *track, uint64_t time, const struct rt_values *args);

/* Take the innermost call; `call->args` is valid until the next push.  False: there is none. */
bool rt_track_pop(struct rt_track *track, struct rt_call *call);

#endif
