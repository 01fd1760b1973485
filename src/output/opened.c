/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "output/opened.h"

#include <string.h>

#include "output/resolver.h"
#include "output/sink.h"
#include "output/value.h"

/* The values that matter of a call: its first text, and its first number. */
struct taken {
	char path[RT_OPENED_PATH];
	int64_t number;
	bool has_text, has_number;
};

static void take(void *ctx, const struct rt_value *v)
{
	struct taken *t = ctx;

	if (v->kind == RT_VALUE_TEXT && v->in == RT_VALUE_ARGS && !t->has_text) {
		t->has_text = true;
		if (!v->cut && v->len < sizeof(t->path)) {
			memcpy(t->path, v->bytes, v->len);
			t->path[v->len] = '\0';
		}
	} else if (v->kind == RT_VALUE_NUMBER && !t->has_number) {
		t->has_number = true;
		t->number = v->negative ? -(int64_t)v->number : (int64_t)v->number;
	}
}

static bool is_close(const struct rt_trace *trace, uint32_t function)
{
	return strcmp(trace->functions->v[function].name, "close") == 0;
}

/* Then a name is right until the next traced call, whatever the process has opened since. */
static bool traces_close(struct rt_opened *opened, const struct rt_trace *trace)
{
	size_t i;

	if (opened->closes == RT_CLOSES_UNKNOWN) {
		for (i = 0; i < trace->functions->n && !is_close(trace, (uint32_t)i); i++)
			;
		opened->closes = i < trace->functions->n ? RT_CLOSES_TRACED : RT_CLOSES_NOT;
	}
	return opened->closes == RT_CLOSES_TRACED;
}

static bool opens(const struct rt_trace *trace, uint32_t function)
{
	const struct rt_showing *exit = &trace->shows[function].exit;

	return !exit->none && exit->n && exit->v[0].type &&
	       (exit->v[0].type->style == RT_STYLE_FD || exit->v[0].style == RT_STYLE_FD);
}

static bool is_meant(const struct rt_trace *trace, const struct rt_frame *frame)
{
	return trace->shows && trace->resolver && frame->function < trace->functions->n &&
	       (opens(trace, frame->function) || is_close(trace, frame->function));
}

/* Descriptors are numbers here: nothing is to be looked up. */
static struct rt_trace plain(const struct rt_trace *trace)
{
	struct rt_trace copy = *trace;

	copy.fd_paths = false;
	copy.string = 0;
	return copy;
}

void rt_opened_enter(struct rt_opened *opened, const struct rt_trace *trace,
		     const struct rt_thread *thread, const struct rt_frame *frame,
		     const struct rt_values *args)
{
	struct rt_trace numbers = plain(trace);
	struct taken t = { .path = "" };
	unsigned i = opened->next;

	if (!is_meant(trace, frame) || !args)
		return;
	rt_values_of_entry(&numbers, thread->pid, frame->function, args, take, &t);
	opened->next = (i + 1) % RT_OPENED_MOST;
	opened->v[i].thread = thread;
	opened->v[i].level = frame->level;
	opened->v[i].function = frame->function;
	opened->v[i].closes = t.has_number && is_close(trace, frame->function) ? t.number : -1;
	memcpy(opened->v[i].path, t.path, sizeof(t.path));
}

/* The call's number; RT_OPENED_MOST: it is forgotten. */
static unsigned find(const struct rt_opened *opened, const struct rt_thread *thread,
		     const struct rt_frame *frame)
{
	unsigned i;

	for (i = 0; i < RT_OPENED_MOST; i++)
		if (opened->v[i].thread == thread && opened->v[i].level == frame->level &&
		    opened->v[i].function == frame->function)
			break;
	return i;
}

void rt_opened_leave(struct rt_opened *opened, const struct rt_trace *trace,
		     const struct rt_thread *thread, const struct rt_frame *frame,
		     const struct rt_values *result)
{
	struct rt_trace numbers = plain(trace);
	struct taken t = { .path = "" };
	unsigned i;

	if (!result || !is_meant(trace, frame) || !opens(trace, frame->function))
		return;
	rt_values_of_return(&numbers, thread->pid, frame->function, result, take, &t);
	i = find(opened, thread, frame);
	if (t.has_number && t.number >= 0)
		rt_resolve_opened(trace->resolver, thread->pid, t.number,
				  i < RT_OPENED_MOST ? opened->v[i].path : "",
				  traces_close(opened, trace));
}

void rt_opened_left(struct rt_opened *opened, const struct rt_trace *trace,
		    const struct rt_thread *thread, const struct rt_frame *frame)
{
	unsigned i = is_meant(trace, frame) ? find(opened, thread, frame) : RT_OPENED_MOST;

	if (i == RT_OPENED_MOST)
		return;
	if (opened->v[i].closes >= 0)
		rt_resolve_opened(trace->resolver, thread->pid, opened->v[i].closes, "", false);
	opened->v[i].thread = NULL;
}
