/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/clean.h"
#include "fetch/fetch.h"
#include "kernel/procfs.h"

void rt_goid_text(char *buf, size_t size, uint64_t goid)
{
	uint64_t number = goid & (RT_GOID_STACK - 1);

	if (goid >= RT_GOID_RUNTIME)
		snprintf(buf, size, "g%u %" PRIu64, 1 + rt_goid_runtime(goid), number);
	else
		snprintf(buf, size, "%s %" PRIu64, goid & RT_GOID_STACK ? "stack" : "g", number);
}

void rt_thread_name(const struct rt_thread *thread, char name[16])
{
	if (thread->comm[0])
		memcpy(name, thread->comm, sizeof(thread->comm));
	else
		rt_proc_comm(thread->pid, thread->tid, name);
	rt_make_printable(name);
}

static struct rt_track *tracks_add(struct rt_tracks *tracks, const struct rt_thread *thread)
{
	struct rt_track *track = calloc(1, sizeof(*track));

	if (!track)
		return NULL;
	track->pid = thread->pid;
	track->tid = thread->tid;
	track->goid = thread->goid;
	if (tracks->last)
		tracks->last->next = track;
	else
		tracks->first = track;
	tracks->last = track;
	tracks->n++;
	return track;
}

struct rt_track *rt_tracks_get(struct rt_tracks *tracks, struct rt_thread *thread, unsigned sink)
{
	struct rt_track *track = thread->user[sink];
	uint64_t last = track ? track->last : 0;

	/*
	 * A thread id that came again in another process is another track; what is open in the old
	 * one goes there.
	 */
	if (!track || (track->pid != thread->pid && !track->n)) {
		track = tracks_add(tracks, thread);
		if (!track)
			return NULL;
		/* it may come back to the first process: still no time twice */
		track->last = last;
		thread->user[sink] = track;
	}
	memcpy(track->comm, thread->comm, sizeof(track->comm));
	return track;
}

void rt_track_empty(struct rt_track *track)
{
	free(track->calls);
	free(track->bytes);
	track->calls = NULL;
	track->bytes = NULL;
	track->n = track->cap = track->used = track->room = 0;
}

void rt_tracks_free(struct rt_tracks *tracks)
{
	struct rt_track *track, *next;

	for (track = tracks->first; track; track = next) {
		next = track->next;
		rt_track_empty(track);
		free(track);
	}
	memset(tracks, 0, sizeof(*tracks));
}

uint64_t rt_track_time(struct rt_track *track, uint64_t time)
{
	if (time > track->last)
		track->last = time;
	return track->last;
}

int rt_track_push(struct rt_track *track, uint64_t time, const struct rt_values *args)
{
	size_t size = args->coded ? args->coded
		      : args->plan && args->data ? rt_plan_size(args->plan) : 0;
	struct rt_call *call;
	int err;

	err = RT_ROOM(&track->calls, track->n, &track->cap);
	while (!err && track->room - track->used < size)
		err = RT_ROOM(&track->bytes, track->room, &track->room);
	if (err)
		return err;
	call = &track->calls[track->n++];
	call->id = 0;
	call->time = time;
	call->args = *args;
	call->args.data = NULL;
	call->at = track->used;
	call->readable = args->data != NULL;
	if (size)
		memcpy(track->bytes + track->used, args->data, size);
	track->used += size;
	return 0;
}

bool rt_track_pop(struct rt_track *track, struct rt_call *call)
{
	if (!track->n)
		return false;
	*call = track->calls[--track->n];
	track->used = call->at;
	if (call->readable && track->bytes)
		call->args.data = track->bytes + call->at;
	return true;
}
