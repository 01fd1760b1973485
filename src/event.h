/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_EVENT_H
#define RT_EVENT_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The record that our BPF programs write and the ring decoders read.  Native byte order, 8-byte aligned.  The programs record
 * one process, so it is not in it.
 */
struct rt_record {
	uint64_t time;		/* ns, CLOCK_MONOTONIC; 0 where the ring itself stamps the time */
	uint32_t tid;
	uint32_t seq;		/* counts the thread's hits, from 1 (stream/gaps.h) */
	uint64_t sp;		/* stack pointer at the probe */
	uint64_t key;		/* which probe: its id, or the instruction pointer (enum rt_key) */
	uint64_t ra;		/* entry: return address of the call, 0: not recorded; return: 0 */
	uint32_t faults;	/* bit i: value i could not be read */
	uint16_t plan;		/* which plan's values follow in data[] */
	uint16_t size;		/* bytes in data[], a multiple of 8 */
	uint8_t data[];		/* the plan's values, laid out as fetch/fetch.h says */
};

_Static_assert(sizeof(struct rt_record) == 48, "the BPF emitter and the decoders share this layout");

/* A value that could not be read is a bit in `faults`, so there are at most 32 a record. */
#define RT_MAX_VALUES 32

/* How a record says which probe was hit. */
enum rt_key {
	RT_KEY_ID,		/* rt_record.key is the probe's id (its index in the session's probe table) */
	RT_KEY_IP,		/* it is the instruction pointer: resolved through the process's mappings */
};

enum rt_kind { RT_KIND_ENTRY, RT_KIND_RETURN };

enum rt_event_type {
	RT_EV_HIT,		/* a probe was hit */
	RT_EV_LOST,		/* hits were lost here */
	RT_EV_UNSEEN,		/* the ring had no room for other records (a thread's begin, name or end, a mapping) */
	RT_EV_EXIT,		/* a thread ended */
	RT_EV_FORK,		/* a thread or process began */
	RT_EV_COMM,		/* a thread took a name */
	RT_EV_MMAP,		/* a file was mapped executable */
};

/*
 * One decoded event.  `data` and the strings point into the ring or page being drained and live until the sink
 * that got the event returns; the merge (stream/merge.h) copies what it holds back.
 */
struct rt_event {
	enum rt_event_type type;
	uint64_t time;		/* ns on the trace's clock */
	pid_t pid, tid;
	union {
		struct {
			uint64_t sp, key, ra;
			uint32_t seq;		/* 0: the source does not number them */
			uint32_t faults;
			uint16_t plan;
			uint16_t size;
			const uint8_t *data;
		} hit;
		struct {
			uint64_t count;		/* 0: the ring does not know the number */
			uint64_t until;		/* they were lost after the event's time and before this one */
		} lost;			/* tid 0: of any of the threads */
		struct {
			pid_t pid, tid;		/* the new process (or the same one) and thread */
		} fork;
		struct {
			char name[16];
		} comm;
		struct {
			uint64_t start, len, pgoff, ino;
		} mmap;
	};
};

/* Takes an event; returns 0 or a negative errno, which ends the drain and is passed on. */
struct rt_sink {
	int (*event)(void *ctx, const struct rt_event *event);
	void *ctx;
};

#endif
