/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RT_STREAM_TRACEFS_SOURCE_H
#define RT_STREAM_TRACEFS_SOURCE_H

#include "fetch/fetch.h"
#include "stream/source.h"
#include "stream/tracefs_page.h"

/* The offset of a field in a record; `size` 0: the record has none. */
struct rt_field_at {
	uint16_t offset, size;
	bool is_signed;
	uint16_t to;			/* a value: its offset in the plan's layout */
};

/* An event of the instance, and what a record of it means. */
struct rt_tracefs_event {
	struct rt_format format;
	/*
	 * RT_EV_HIT, RT_EV_FORK (task:task_newtask) or RT_EV_EXIT and RT_EV_EXEC
	 * (sched:sched_process_exit, _exec)
	 */
	enum rt_event_type type;
	const struct rt_plan *plan;	/* RT_EV_HIT; the fields are those of emit/definition.h */
	uint16_t plan_id;
	uint32_t probe;			/* the probe's id where the record has no field `id` */
	/* by rt_tracefs_event_bind */
	struct rt_field_at tid, sp, id, ra, child, flags, path, values[RT_MAX_VALUES];
	struct rt_field_at pointers[RT_MAX_VALUES][RT_MAX_DEREF];
	/* of the blocks, one block after another; values[] has where a block's fault string is */
	struct rt_field_at *pieces;
	unsigned npieces;
	uint16_t size;			/* bytes of the values in the plan's layout */
};

/*
 * Find the fields in the format, once.  0, or -EBADMSG where it lacks one, or -ENOMEM.  Freed by
 * rt_tracefs_events_free.
 */
int rt_tracefs_event_bind(struct rt_tracefs_event *event);

/*
 * The trace_pipe_raw files of a trace instance, one an online CPU.  Hits have their thread and no
 * process (pid 0); a new thread of the same process comes as RT_EV_FORK with fork.pid 0, a new
 * process with fork.pid set.
 *
 * `instance` is the instance's folder; `events` and `n` become the source's, also on failure.
 */
int rt_tracefs_source_open(const char *instance, struct rt_tracefs_event *events, size_t n,
			   struct rt_source **source, struct rt_error *err);

/*
 * Decode one record of event `e` (its common fields first) into `event`; a hit's values go to
 * `data` (rt_plan_size bytes).  0, or -EBADMSG where it is shorter than its format.  For the source
 * and its test.
 */
int rt_tracefs_decode(const struct rt_tracefs_event *e, const uint8_t *rec, size_t len,
		      uint64_t time, uint8_t *data, struct rt_event *event);

void rt_tracefs_events_free(struct rt_tracefs_event *events, size_t n);

#endif
