/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_EVENT_H
#define RT_STREAM_EVENT_H

#include <stdint.h>
#include <sys/types.h>

enum rt_event_type {
	RT_EV_HIT,		/* a probe was hit */
	RT_EV_LOST,		/* hits were lost here */
	/* the ring had no room for other records (a thread's begin, name or end, a mapping) */
	RT_EV_UNSEEN,
	RT_EV_EXIT,		/* a thread ended */
	RT_EV_FORK,		/* a thread or process began */
	RT_EV_COMM,		/* a thread took a name */
	/* a process runs another program, in one thread; its name too, "": not known */
	RT_EV_EXEC,
	RT_EV_MMAP,		/* a file was mapped executable */
};

/*
 * One decoded event.  `data` and the strings point into the ring or page being drained and live
 * until the handler that got the event returns; the merge (stream/merge.h) copies what it holds
 * back.
 */
struct rt_event {
	enum rt_event_type type;
	uint64_t time;		/* ns on the trace's clock */
	pid_t pid, tid;
	union {
		struct {
			uint64_t sp;
			/* the probe's id or the instruction pointer (enum rt_key) */
			uint64_t key;
			/*
			 * its own time, if its record came later (an entry that was pending,
			 * emit/pending.h; any hit on a shelf, emit/shelf.h); else 0
			 */
			uint64_t entered;
			/* entry: return address of the call, 0: not recorded; return: 0 */
			uint64_t ra;
			/*
			 * Go: the goroutine, 0: none; sp then counts from its stack's end (feed.c)
			 */
			uint64_t goid;
			uint32_t seq;		/* 0: the source does not number them */
			uint32_t faults;	/* bit i: value i could not be read */
			uint16_t plan;		/* which plan's values are in data[] */
			uint16_t size;		/* of data[]: rt_plan_size of the plan */
			const uint8_t *data;
		} hit;
		struct {
			uint64_t count;		/* 0: the ring does not know the number */
			/* they were lost after the event's time and before this one */
			uint64_t until;
		} lost;			/* tid 0: of any of the threads */
		struct {
			uint32_t hits;	/* the thread's count by then (rt_gaps), 0: not read */
		} exit;
		struct {
			pid_t pid, tid;		/* the new process (or the same one) and thread */
		} fork;
		struct {
			char name[16];
		} comm;
		struct {
			uint64_t start, len, pgoff, ino;
			const char *path;	/* only until the event is merged; or NULL */
		} mmap;
	};
};

/* Takes an event; returns 0 or a negative errno, which ends the drain and is passed on. */
struct rt_event_handler {
	int (*event)(void *ctx, const struct rt_event *event);
	void *ctx;
};

#endif
