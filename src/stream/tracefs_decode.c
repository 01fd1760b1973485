/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emit/definition.h"
#include "stream/tracefs_source.h"

/* No kernel lets a program have its first page. */
#define PAGE_ZERO 4096

/* CLONE_THREAD, as <sched.h> has it under _GNU_SOURCE only. */
#define SAME_PROCESS 0x00010000u

/* Find a field; false where the format has none of 1 to 8 bytes. */
static bool bind(const struct rt_format *format, const char *name, struct rt_field_at *place)
{
	const struct rt_field *f = rt_format_field(format, name);

	if (!f || f->size == 0 || f->size > 8)
		return false;
	*place = (struct rt_field_at){ .offset = f->offset,
				       .size = f->size,
				       .is_signed = f->is_signed };
	return true;
}

static unsigned count_pieces(const struct rt_plan *plan)
{
	unsigned i, at, n = 0;

	for (i = 0; i < plan->nvalues; i++)
		for (at = 0; plan->values[i].type == RT_TYPE_BYTES && at < plan->values[i].max; n++)
			at += rt_definition_piece(&plan->values[i], at);
	return n;
}

static int bind_pieces(struct rt_tracefs_event *e, unsigned i)
{
	const struct rt_fetch *fetch = &e->plan->values[i];
	unsigned at, size;
	char name[32];

	for (at = 0; at < fetch->max; at += size) {
		struct rt_field_at *piece = &e->pieces[e->npieces++];

		size = rt_definition_piece(fetch, at);
		snprintf(name, sizeof(name), "v%u_%u", i, at);
		if (!bind(&e->format, name, piece) || piece->size != size)
			return -EBADMSG;
		piece->to = (uint16_t)(rt_plan_offset(e->plan, i) + at);
	}
	return 0;
}

static int bind_pointers(struct rt_tracefs_event *e, unsigned i)
{
	char name[16];
	unsigned k;

	for (k = 0; k < RT_MAX_DEREF; k++) {
		snprintf(name, sizeof(name), "p%u_%u", i, k);
		if (rt_definition_has_pointer(&e->plan->values[i], k) &&
		    !bind(&e->format, name, &e->pointers[i][k]))
			return -EBADMSG;
	}
	return 0;
}

static int bind_values(struct rt_tracefs_event *e)
{
	const struct rt_field *f;
	char name[16];
	unsigned i, n = count_pieces(e->plan);

	e->pieces = n ? calloc(n, sizeof(*e->pieces)) : NULL;
	if (n && !e->pieces)
		return -ENOMEM;
	for (i = 0; i < e->plan->nvalues; i++) {
		bool block = e->plan->values[i].type == RT_TYPE_BYTES;

		e->values[i].to = (uint16_t)rt_plan_offset(e->plan, i);
		if (rt_definition_is_constant(&e->plan->values[i]))
			continue;
		snprintf(name, sizeof(name), "%c%u", block ? 'f' : 'v', i);
		f = rt_format_field(&e->format, name);
		if (!f || f->data_loc != (e->plan->values[i].type != RT_TYPE_INT) ||
		    !bind(&e->format, name, &e->values[i]))
			return -EBADMSG;
		if (block && bind_pieces(e, i) < 0)
			return -EBADMSG;
		if (bind_pointers(e, i) < 0)
			return -EBADMSG;
		e->values[i].is_signed = e->plan->values[i].is_signed && !f->data_loc;
		e->values[i].to = (uint16_t)rt_plan_offset(e->plan, i);
	}
	e->size = (uint16_t)rt_plan_size(e->plan);
	return 0;
}

int rt_tracefs_event_bind(struct rt_tracefs_event *e)
{
	bool found = bind(&e->format, "common_pid", &e->tid);
	const struct rt_field *f;

	if (e->type == RT_EV_HIT) {
		found = found && bind(&e->format, "sp", &e->sp);
		bind(&e->format, "id", &e->id);
		/* 3.10 cannot give it. */
		bind(&e->format, "ra", &e->ra);
		return found ? bind_values(e) : -EBADMSG;
	}
	if (e->type == RT_EV_EXEC) {
		f = rt_format_field(&e->format, "filename");
		if (f && f->data_loc)
			bind(&e->format, "filename", &e->path);
	}
	if (e->type == RT_EV_FORK)
		found = found && bind(&e->format, "pid", &e->child) &&
			bind(&e->format, "clone_flags", &e->flags);
	return found ? 0 : -EBADMSG;
}

/* An integer field, extended to 64 bits.  -EBADMSG where the record is shorter, or has none. */
static int get(const struct rt_field_at *f, const uint8_t *rec, size_t len, uint64_t *value)
{
	unsigned bits = 64 - 8u * f->size;

	if (!f->size || f->offset + (size_t)f->size > len)
		return -EBADMSG;
	*value = rt_fetch_load(rec + f->offset, f->size) << bits;
	*value = f->is_signed ? (uint64_t)((int64_t)*value >> bits) : *value >> bits;
	return 0;
}

/*
 * Does a later string stand where this one does?  Then this one could not be read: from 4.20 on the
 * kernel leaves in its length what room there is for all that follow (up to 6.4 of any such string,
 * and since of one that a bad pointer is on the way to).
 */
static bool is_taken(const struct rt_tracefs_event *e, unsigned i, uint64_t loc, const uint8_t *rec,
		     size_t len)
{
	uint64_t other;
	unsigned k;

	for (k = i + 1; k < e->plan->nvalues; k++)
		if (e->plan->values[k].type != RT_TYPE_INT &&
		    get(&e->values[k], rec, len, &other) == 0 && (other & 0xffff) == (loc & 0xffff))
			return true;
	return false;
}

/* Was one of the pointers that led to value `i` none? */
static int find_astray(const struct rt_tracefs_event *e, unsigned i, const uint8_t *rec, size_t len,
		       bool *fault)
{
	const struct rt_fetch *fetch = &e->plan->values[i];
	uint64_t pointer;
	unsigned k;

	for (k = 0; k < fetch->nderef && k < RT_MAX_DEREF; k++) {
		if (!e->pointers[i][k].size)
			continue;
		if (get(&e->pointers[i][k], rec, len, &pointer) != 0)
			return -EBADMSG;
		*fault |= pointer + (uint64_t)(int64_t)fetch->deref[k] < PAGE_ZERO;
	}
	return 0;
}

/*
 * A __data_loc string into its place in the plan's layout.  The kernel leaves a string that it
 * could not read empty.
 */
static int get_string(const struct rt_tracefs_event *e, unsigned i, const uint8_t *rec, size_t len,
		      uint8_t *to, bool *fault)
{
	const struct rt_fetch *fetch = &e->plan->values[i];
	uint64_t loc, n;
	int32_t keep;

	if (get(&e->values[i], rec, len, &loc) != 0)
		return -EBADMSG;
	if (is_taken(e, i, loc, rec, len))
		loc &= 0xffff;
	n = loc >> 16 & 0xffff;
	loc &= 0xffff;
	if (loc + n > len)
		return -EBADMSG;
	*fault = n == 0;
	/*
	 * The kernel counts the NUL, but on RHEL 7 and up to 4.14: there the next string is on
	 * its place.
	 */
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

/* The pieces of block `i`, which are those from `piece` on; leaves there the next block's first. */
static int get_block(const struct rt_tracefs_event *e, unsigned i, unsigned *piece,
		     const uint8_t *rec, size_t len, uint8_t *data, bool *fault)
{
	const struct rt_field_at *p;
	uint64_t v, any = 0;
	unsigned at;

	for (at = 0; at < e->plan->values[i].max; at += p->size) {
		p = &e->pieces[(*piece)++];
		if (get(p, rec, len, &v) != 0)
			return -EBADMSG;
		any |= v;
		memcpy(data + p->to, &v, p->size);
	}
	if (get(&e->values[i], rec, len, &v) != 0)
		return -EBADMSG;
	/*
	 * Up to 4.14 a string that is empty is like one that cannot be read; but what cannot be
	 * read is 0.
	 */
	*fault = (v >> 16 == 0 || is_taken(e, i, v, rec, len)) && !any;
	return find_astray(e, i, rec, len, fault);
}

static int get_number(const struct rt_tracefs_event *e, unsigned i, const uint8_t *rec, size_t len,
		      uint8_t *to, bool *fault)
{
	uint64_t v = e->plan->values[i].constant;

	if (!rt_definition_is_constant(&e->plan->values[i]) &&
	    get(&e->values[i], rec, len, &v) != 0)
		return -EBADMSG;
	*fault = false;
	memcpy(to, &v, e->plan->values[i].size);
	return find_astray(e, i, rec, len, fault);
}

/* Is the number `p` the address that the string is read from, in which its derefs end? */
static bool is_pointer_of(const struct rt_fetch *p, const struct rt_fetch *string)
{
	return p->type == RT_TYPE_INT && p->nderef == string->nderef && p->base == string->base &&
	       p->offset == string->offset &&
	       (p->base != RT_BASE_REG || p->reg.pt_regs == string->reg.pt_regs) &&
	       memcmp(p->deref, string->deref, p->nderef * sizeof(*p->deref)) == 0;
}

/*
 * Was there a string for value `i`, as far as its pointer tells?  One that is inside a structure
 * does not.
 */
static bool was_lost(const struct rt_tracefs_event *e, unsigned i, const uint8_t *data)
{
	const struct rt_plan *plan = e->plan;
	unsigned k;

	for (k = 0; k < plan->nvalues; k++)
		if (is_pointer_of(&plan->values[k], &plan->values[i]))
			return rt_fetch_load(data + e->values[k].to, plan->values[k].size) >=
			       PAGE_ZERO;
	return false;
}

/*
 * The kernel makes room for all strings before it reads them, and none for one of more than 4,096
 * bytes: that takes the room of those behind it, of which nothing is left.  So where a string is
 * lost, the last before it may be only a beginning.
 */
static void mark_cut(const struct rt_tracefs_event *e, const uint8_t *data, uint32_t *faults)
{
	bool lost = false;
	unsigned i;

	for (i = e->plan->nvalues; i-- > 0;) {
		if (e->plan->values[i].type != RT_TYPE_STRING)
			continue;
		if (!(*faults & 1u << i)) {
			*faults |= (uint32_t)lost << i;
			return;
		}
		lost |= was_lost(e, i, data);
	}
}

static int get_values(const struct rt_tracefs_event *e, const uint8_t *rec, size_t len,
		      uint8_t *data, uint32_t *faults)
{
	unsigned i, piece = 0;

	for (i = 0; i < e->plan->nvalues; i++) {
		const struct rt_fetch *fetch = &e->plan->values[i];
		uint8_t *to = data + e->values[i].to;
		bool fault = false;

		if (fetch->type == RT_TYPE_STRING) {
			if (get_string(e, i, rec, len, to, &fault) != 0)
				return -EBADMSG;
		} else if (fetch->type == RT_TYPE_BYTES) {
			if (get_block(e, i, &piece, rec, len, data, &fault) != 0)
				return -EBADMSG;
		} else {
			if (get_number(e, i, rec, len, to, &fault) != 0)
				return -EBADMSG;
		}
		*faults |= (uint32_t)fault << i;
	}
	mark_cut(e, data, faults);
	return 0;
}

static int decode_hit(const struct rt_tracefs_event *e, const uint8_t *rec, size_t len,
		      uint8_t *data, struct rt_event *event)
{
	event->hit.plan = e->plan_id;
	event->hit.key = e->probe;
	event->hit.data = data;
	event->hit.size = e->size;
	if (e->id.size && get(&e->id, rec, len, &event->hit.key) != 0)
		return -EBADMSG;
	if (get(&e->sp, rec, len, &event->hit.sp) != 0)
		return -EBADMSG;
	if (e->ra.size && get(&e->ra, rec, len, &event->hit.ra) != 0)
		return -EBADMSG;
	return get_values(e, rec, len, data, &event->hit.faults);
}

/*
 * exec names the thread by the file's name without folders (begin_new_exec).  Of fexecve's
 * "/dev/fd/5" newer kernels take another name, so that one stays empty.
 */
static void take_comm(const struct rt_tracefs_event *e, const uint8_t *rec, size_t len,
		      struct rt_event *event)
{
	static const char by_descriptor[] = "/dev/fd/";
	const char *path, *name;
	uint64_t loc;
	size_t n;

	if (!e->path.size || get(&e->path, rec, len, &loc) != 0)
		return;
	n = (size_t)(loc >> 16 & 0xffff);
	loc &= 0xffff;
	if (!n || loc + n > len || rec[loc + n - 1])
		return;
	path = (const char *)rec + loc;
	if (strncmp(path, by_descriptor, strlen(by_descriptor)) == 0)
		return;
	name = strrchr(path, '/');
	snprintf(event->comm.name, sizeof(event->comm.name), "%s", name ? name + 1 : path);
}

int rt_tracefs_decode(const struct rt_tracefs_event *e, const uint8_t *rec, size_t len,
		      uint64_t time, uint8_t *data, struct rt_event *event)
{
	uint64_t tid, child, flags;

	memset(event, 0, sizeof(*event));
	event->type = e->type;
	event->time = time;
	if (get(&e->tid, rec, len, &tid) != 0)
		return -EBADMSG;
	event->tid = (pid_t)tid;
	if (e->type == RT_EV_HIT)
		return decode_hit(e, rec, len, data, event);
	if (e->type == RT_EV_EXEC)
		take_comm(e, rec, len, event);
	if (e->type == RT_EV_FORK) {
		if (get(&e->child, rec, len, &child) != 0 || get(&e->flags, rec, len, &flags) != 0)
			return -EBADMSG;
		event->fork.tid = (pid_t)child;
		event->fork.pid = flags & SAME_PROCESS ? 0 : (pid_t)child;
	}
	return 0;
}

void rt_tracefs_events_free(struct rt_tracefs_event *events, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		rt_format_free(&events[i].format);
		free(events[i].pieces);
	}
	free(events);
}
