/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that two USDT probes open and close: hotspot:method__entry and method__return.
 *
 * The probes may stand in helpers (HotSpot's dtrace_method_entry), so the stack pointer of a hit is
 * a little below that of the call.  A hit of another probe or function shows only that the call is
 * over if its stack pointer is more than PAIR_SLACK bytes above.  The hits that open calls of one
 * pair have the same distance to their calls: one that is not below an earlier one shows that the
 * earlier call is over (an exception has skipped the probe that closes it).  At the same stack
 * pointer it may be inside, if the pair is `inlined`: HotSpot's compiled code has String.isLatin1
 * in the frame of String.hashCode.
 *
 * Some arguments of the probe that closes are the call's key: it closes the innermost open call of
 * that key, and all calls inside.
 *
 * Limit: if a traced function has the closing probe in it, its own call counts as inside the
 * pair's: its return is not shown.
 */
#include <string.h>

#include "base/array.h"
#include "calls/private.h"

/* PAIR_SLACK in bytes; LOOK_BACK: search so many calls, the innermost, for one of the pair. */
enum { PAIR_SLACK = 512, LOOK_BACK = 64 };

static bool is_over(const struct rt_frame *frame, const struct rt_event *event,
		    const struct rt_hit *hit)
{
	if (frame->pair == hit->pair)
		return frame->opened_sp < event->hit.sp ||
		       (frame->opened_sp == event->hit.sp && !hit->inlined);
	return frame->sp < event->hit.sp;
}

/* Count the outermost open calls that are not over. */
static size_t count_open(const struct rt_task *task, const struct rt_event *event,
			 const struct rt_hit *hit)
{
	size_t open = task->n, i;

	for (i = task->n; i-- > 0 && task->n - i <= LOOK_BACK;) {
		if (is_over(&task->v[i], event, hit))
			open = i;
		else if (task->v[i].pair == hit->pair)
			break;
	}
	return open;
}

int rt_stack_open_pair(struct rt_stack *stack, struct rt_task *task, const struct rt_event *event,
		       const struct rt_hit *hit, const struct rt_values *args)
{
	uint64_t sp = event->hit.sp + PAIR_SLACK;
	size_t n = count_open(task, event, hit);
	struct rt_frame frame;
	int r = rt_stack_close(stack, task, n, RT_END_NOT_SEEN, event->time);

	if (r == 0)
		r = RT_ROOM(&task->v, task->n, &task->cap);
	if (r < 0)
		return r;
	memset(&frame, 0, sizeof(frame));
	frame.function = hit->function;
	frame.entry_seen = frame.returns = frame.at_exits = true;
	frame.level = rt_stack_level(task);
	frame.sp = n && task->v[n - 1].sp <= sp ? task->v[n - 1].sp - 1 : sp;
	frame.opened_sp = event->hit.sp;
	frame.pair = hit->pair;
	frame.key = hit->key;
	frame.time = event->hit.entered ? event->hit.entered : event->time;
	frame.lost_before = stack->lost + task->lost;
	frame.fewest = SIZE_MAX;
	if (task->highest < frame.sp)
		task->highest = frame.sp;
	task->v[task->n++] = frame;
	return stack->ops->enter(stack->ctx, &task->thread, &frame, args);
}

int rt_stack_close_pair(struct rt_stack *stack, struct rt_task *task, const struct rt_event *event,
			const struct rt_hit *hit)
{
	static const struct rt_values nothing;
	struct rt_frame frame;
	size_t n = task->n;
	int r;

	while (n && !(task->v[n - 1].pair == hit->pair && task->v[n - 1].key == hit->key))
		n--;
	if (n) {
		r = rt_stack_close(stack, task, n, RT_END_NOT_SEEN, event->time);
		return r < 0 ? r
			     : rt_stack_close(stack, task, n - 1, RT_END_RETURNED, event->time);
	}
	memset(&frame, 0, sizeof(frame));
	frame.function = hit->function;
	frame.returns = true;
	frame.level = rt_stack_level(task);
	frame.before = stack->attached && !stack->doubt && !task->doubt;
	return stack->ops->leave(stack->ctx, &task->thread, &frame, RT_END_RETURNED, event->time,
				 &nothing);
}
