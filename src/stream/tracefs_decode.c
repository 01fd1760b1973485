/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream/tracefs_source.h"

/* CLONE_THREAD, as <sched.h> has it under _GNU_SOURCE only. */
#define SAME_PROCESS 0x00010000u

/* An integer field of 1 to 8 bytes, extended to 64 bits. */
static int get(const struct rt_field *f, const uint8_t *rec, size_t len, bool is_signed, uint64_t *value)
{
	unsigned bits = 64 - 8u * f->size;
	uint64_t v = 0;

	if (f->size == 0 || f->size > 8 || f->offset + (size_t)f->size > len)
		return -EBADMSG;
	memcpy(&v, rec + f->offset, f->size);
	v <<= bits;
	*value = is_signed ? (uint64_t)((int64_t)v >> bits) : v >> bits;
	return 0;
}

static int get_named(const struct rt_tracefs_event *e, const char *name, const uint8_t *rec, size_t len, uint64_t *value)
{
	const struct rt_field *f = rt_format_field(&e->format, name);

	return f ? get(f, rec, len, f->is_signed, value) : -EBADMSG;
}

/* A __data_loc string into its place in the plan's layout.  The kernel leaves a string that it could not read empty. */
static int get_string(const struct rt_field *f, const struct rt_fetch *fetch, const uint8_t *rec, size_t len, uint8_t *to,
		      bool *fault)
{
	uint64_t loc, n;
	int32_t keep;

	if (get(f, rec, len, false, &loc) != 0)
		return -EBADMSG;
	n = loc >> 16 & 0xffff;
	loc &= 0xffff;
	if (loc + n > len)
		return -EBADMSG;
	*fault = n == 0;
	/* The kernel counts the NUL, but on RHEL 7 and up to 4.14: there the next string stands on its place. */
	if (n && rec[loc + n - 1] == '\0')
		n--;
	keep = *fault ? 0 : n + 1 < fetch->max ? (int32_t)n + 1 : fetch->max;
	memcpy(to, &keep, sizeof(keep));
	to += sizeof(keep);
	memset(to, 0, fetch->max);
	if (keep)
		memcpy(to, rec + loc, (size_t)keep - 1);
	return 0;
}

static int get_values(const struct rt_tracefs_event *e, const uint8_t *rec, size_t len, uint8_t *data, uint32_t *faults)
{
	char name[16];
	unsigned i;

	for (i = 0; i < e->plan->nvalues; i++) {
		const struct rt_fetch *fetch = &e->plan->values[i];
		uint8_t *to = data + rt_plan_offset(e->plan, i);
		const struct rt_field *f;
		bool fault = false;
		uint64_t v;

		snprintf(name, sizeof(name), "v%u", i);
		f = rt_format_field(&e->format, name);
		if (!f || f->data_loc != (fetch->type == RT_TYPE_STRING))
			return -EBADMSG;
		if (f->data_loc) {
			if (get_string(f, fetch, rec, len, to, &fault) != 0)
				return -EBADMSG;
		} else {
			if (get(f, rec, len, fetch->is_signed, &v) != 0)
				return -EBADMSG;
			memcpy(to, &v, fetch->size);
		}
		*faults |= (uint32_t)fault << i;
	}
	return 0;
}

static int decode_hit(const struct rt_tracefs_event *e, const uint8_t *rec, size_t len, uint8_t *data, struct rt_event *event)
{
	event->hit.plan = e->plan_id;
	event->hit.key = e->probe;
	event->hit.data = data;
	event->hit.size = (uint16_t)rt_plan_size(e->plan);
	if (rt_format_field(&e->format, "id") && get_named(e, "id", rec, len, &event->hit.key) != 0)
		return -EBADMSG;
	if (get_named(e, "sp", rec, len, &event->hit.sp) != 0)
		return -EBADMSG;
	/* 3.10 cannot give it. */
	if (rt_format_field(&e->format, "ra") && get_named(e, "ra", rec, len, &event->hit.ra) != 0)
		return -EBADMSG;
	return get_values(e, rec, len, data, &event->hit.faults);
}

int rt_tracefs_decode(const struct rt_tracefs_event *e, const uint8_t *rec, size_t len, uint64_t time, uint8_t *data,
		      struct rt_event *event)
{
	uint64_t tid, child, flags;

	memset(event, 0, sizeof(*event));
	event->type = e->type;
	event->time = time;
	if (get_named(e, "common_pid", rec, len, &tid) != 0)
		return -EBADMSG;
	event->tid = (pid_t)tid;
	if (e->type == RT_EV_HIT)
		return decode_hit(e, rec, len, data, event);
	if (e->type == RT_EV_FORK) {
		if (get_named(e, "pid", rec, len, &child) != 0 || get_named(e, "clone_flags", rec, len, &flags) != 0)
			return -EBADMSG;
		event->fork.tid = (pid_t)child;
		event->fork.pid = flags & SAME_PROCESS ? 0 : (pid_t)child;
	}
	return 0;
}

void rt_tracefs_events_free(struct rt_tracefs_event *events, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		rt_format_free(&events[i].format);
	free(events);
}
