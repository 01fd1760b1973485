/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two calls at the same stack pointer are either a tail call out of the first, or a new call after
 * a first one without a return.  In a tail call the return address is the uretprobe
 * trampoline, in a new one it is not (calls/site_map.c distinguishes the trampoline from a call at
 * the end of a page).  Reading it costs 160 ns a call, so it is recorded only if some code in the
 * process can longjmp; else a return is missing only past 64 levels or when events are lost.
 *
 * A return's stack pointer is not always its entry's plus the return address: on i386 a function
 * may take its arguments off the stack (`ret $4` after a result in memory, stdcall).
 * rt_arch.callee_pop says how far above its entry a call may return (return_sp).
 *
 * An exit probe's hit belongs to the open call at the same stack pointer, or to none: code that is
 * shared by jumps into another function's middle reaches it too.  So one without a call is ignored,
 * unless hits were lost or the call may have begun before the trace (rt_stack_attached).
 *
 * A tail call's function takes the place of the one that jumped.  With uretprobes the return
 * address shows it; with probes on the jump itself its target does.  A jump to a function that is
 * not traced ends the call: its frame is gone, and no probe sees that function's return.  For a
 * conditional jump the flags are recorded, and the condition is evaluated here.
 *
 * If the target is not traced but its exits are probed (plan/tails.h), the call stays open until
 * such an exit has its stack pointer, and gets the result.  Such exits concern no other calls.
 *
 * If the place that the call returns to is probed (return_sites.h), the call stays open until that
 * probe is hit.  An entry at its stack pointer before is a tail call.
 *
 * Limit: a longjmp without a hook (--no-bpf, a program's own jumps) ends calls unseen.  A later
 * call from deeper in the stack, through functions that are not traced, is shown inside them.
 */
#include "calls/stack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "calls/private.h"

/*
 * The kernel keeps no more pending uretprobes a thread (MAX_URETPROBE_DEPTH); deeper calls return
 * unseen.
 */
enum { RETURNS_SEEN = 64 };

struct rt_stack *rt_stack_new(const struct rt_call_ops *ops, void *ctx)
{
	struct rt_stack *stack = calloc(1, sizeof(*stack));

	if (!stack)
		return NULL;
	stack->ops = ops;
	stack->ctx = ctx;
	return stack;
}

void rt_stack_free(struct rt_stack *stack)
{
	if (!stack)
		return;
	rt_threads_free(&stack->threads);
	free(stack);
}

uint64_t rt_stack_too_deep(const struct rt_stack *stack)
{
	return stack->too_deep;
}

struct rt_thread *rt_stack_thread(struct rt_stack *stack, pid_t pid, pid_t tid)
{
	struct rt_task *task = rt_threads_get(&stack->threads, pid, tid, 0);

	return task ? &task->thread : NULL;
}

/* Hits may have been lost since then. */
static bool in_doubt(const struct rt_stack *stack, const struct rt_task *task, uint64_t time)
{
	return time < stack->doubt || time < task->doubt;
}

/* Count the calls, of the outermost `n`, with a return that the kernel saved, up to its limit. */
static size_t count_pending(const struct rt_task *task, size_t n)
{
	size_t i, some = 0;

	for (i = 0; i < n && some < RETURNS_SEEN; i++)
		some += !task->v[i].at_exits;
	return some;
}

/* The innermost open call ends.  Events lost inside it were lost inside those around it, too. */
static void drop_top(struct rt_task *task)
{
	const struct rt_frame *top = &task->v[--task->n];

	if (task->n && task->v[task->n - 1].fewest > top->fewest)
		task->v[task->n - 1].fewest = top->fewest;
}

/*
 * May a return at the place of the innermost call be of a later call?  See stack.h.  One lost hit
 * of the unwinder may have left any number of calls with exit probes.
 */
static bool may_be_later(const struct rt_stack *stack, const struct rt_task *task)
{
	const struct rt_frame *top = &task->v[task->n - 1];
	uint64_t lost = stack->lost + task->lost - top->lost_before;
	size_t fewest = top->fewest < RETURNS_SEEN ? top->fewest : RETURNS_SEEN;

	if (!in_doubt(stack, task, top->time) || top->once)
		return false;
	/* Hits are being lost since before its entry. */
	if (!lost || top->leaps)
		return true;
	if (top->at_exits || fewest < task->n)
		return lost > 1;
	return lost > fewest - task->n + 1;
}

/* Close the innermost open call. */
static int stack_pop(struct rt_stack *stack, struct rt_task *task, enum rt_end end, uint64_t time,
		     const struct rt_values *result)
{
	static const struct rt_values nothing;
	/* Its place stays as it is until the next entry. */
	struct rt_frame *frame = &task->v[task->n - 1];
	bool missed = end == RT_END_NOT_SEEN || end == RT_END_UNWOUND, too_deep;

	frame->unsure = end == RT_END_RETURNED && may_be_later(stack, task);
	drop_top(task);
	too_deep = missed && !frame->at_exits && task->n >= RETURNS_SEEN &&
		   count_pending(task, task->n) == RETURNS_SEEN;
	if (frame->became || (frame->inherited && end != RT_END_RETURNED))
		return 0;
	if (frame->awaits)
		time = frame->left;
	/* While its return site is awaited, the hook is about this call. */
	if (frame->awaits ||
	    (missed && frame->jumped && !(frame->return_site && end == RT_END_UNWOUND)))
		end = RT_END_JUMPED;
	/* Its return may be what was lost, or one that the kernel did not keep. */
	else if (end == RT_END_UNWOUND && (in_doubt(stack, task, frame->time) || too_deep))
		end = RT_END_NOT_SEEN;
	else if (end == RT_END_NOT_SEEN && frame->at_exits && !in_doubt(stack, task, frame->time))
		end = RT_END_UNWOUND;
	frame->unsure |= end == RT_END_UNWOUND && frame->inlined && frame->around;
	stack->too_deep += end == RT_END_NOT_SEEN && too_deep;
	return stack->ops->leave(stack->ctx, &task->thread, frame, end, time,
				 result ? result : &nothing);
}

int rt_stack_close(struct rt_stack *stack, struct rt_task *task, size_t n, enum rt_end end,
		   uint64_t time)
{
	int err = 0;

	while (!err && task->n > n)
		err = stack_pop(stack, task, end, time, NULL);
	return err;
}

/* Count the open calls with their entry at `sp` or, with `above`, above it. */
static size_t stack_at(const struct rt_task *task, uint64_t sp, bool above)
{
	size_t n = task->n;

	while (n && (task->v[n - 1].sp < sp || (above && task->v[n - 1].sp == sp)))
		n--;
	return n;
}

/*
 * The record's bytes of the plan's values; a record too short for its plan has no readable value.
 */
static void hit_values(const struct rt_event *event, const struct rt_plan *plan,
		       struct rt_values *values)
{
	bool whole = event->hit.size >= rt_plan_size(plan);

	*values = (struct rt_values){
		.plan = plan,
		.data = whole ? event->hit.data : NULL,
		.faults = whole ? event->hit.faults : UINT32_MAX,
	};
}

/* Is `function` where the call has jumped to? */
static bool leads_to(const struct rt_frame *frame, uint32_t function)
{
	uint32_t i;

	if (!frame->jumped || frame->callee == function)
		return frame->jumped;
	for (i = 0; frame->awaits && i < frame->exit->nthrough; i++)
		if (frame->exit->through[i] == function)
			return true;
	return false;
}

/*
 * Is an entry at the stack pointer of the innermost open call a tail call of that one?  A uretprobe
 * replaces the return address with that of the trampoline, at the start of the [uprobes] page: a
 * function that finds it at the top of its stack was jumped to.  If the address was not recorded:
 * one of the calls at this place has its return saved by the kernel, and has not returned.  A
 * function with exit probes has reported the target of its jump, its own beginning too.
 */
static bool is_tail_call(const struct rt_stack *stack, const struct rt_task *task,
			 const struct rt_event *event, const struct rt_hit *hit)
{
	const struct rt_frame *top = &task->v[task->n - 1];

	if (top->return_site)
		return !in_doubt(stack, task, top->left);
	if (top->at_exits && hit->function == RT_NO_FUNCTION)
		return false;
	if (top->at_exits && leads_to(top, hit->function))
		return !in_doubt(stack, task, top->left);
	if (top->at_exits)
		return !in_doubt(stack, task, top->time) && top->exits && hit->exits &&
		       top->exits != hit->exits && rt_exits_include(top->exits, hit->exits);
	if (event->hit.ra)
		return (event->hit.ra & 0xfff) == 0;
	return count_pending(task, stack_at(task, event->hit.sp, true)) < RETURNS_SEEN &&
	       !in_doubt(stack, task, top->time);
}

/*
 * The innermost call becomes another: that one is shown from now on, at the same level.  The call
 * itself stays where its own return is still to come, of which the kernel keeps so many.
 */
static int stack_become(struct rt_stack *stack, struct rt_task *task, uint64_t time)
{
	struct rt_frame *top = &task->v[task->n - 1];
	static const struct rt_values nothing;
	struct rt_frame frame = *top;

	if (top->at_exits || task->n - stack_at(task, top->sp, true) > RETURNS_SEEN)
		drop_top(task);
	else
		top->became = true;
	if (frame.inherited)
		return 0;
	return stack->ops->leave(stack->ctx, &task->thread, &frame, RT_END_BECAME, time, &nothing);
}

/*
 * --libcalls: does a library call itself?  That is not shown, and what the program called keeps
 * its own end.
 */
static bool is_inside_library(const struct rt_task *task, const struct rt_event *event,
			   const struct rt_hit *hit)
{
	return hit->libcall && task->n && task->v[task->n - 1].libcall &&
	       task->v[task->n - 1].sp == event->hit.sp;
}

/*
 * The level of a call inside those that are open.  One that became another, which has returned,
 * waits for its own return alone.
 */
static unsigned get_level(const struct rt_task *task)
{
	size_t n = task->n;

	while (n && task->v[n - 1].became)
		n--;
	return n ? task->v[n - 1].level + 1 : 0;
}

/* Close what an entry at its stack pointer shows to be over.  `*level`: that of the new call. */
static int close_finished(struct rt_stack *stack, struct rt_task *task,
			  const struct rt_event *event, const struct rt_hit *hit, unsigned *level)
{
	int err = rt_stack_close(stack, task, stack_at(task, event->hit.sp, false), RT_END_NOT_SEEN,
				 event->time);

	/* The callee of a tail call has returned, and its caller with it. */
	while (task->n && task->v[task->n - 1].became)
		drop_top(task);
	if (!err && task->n && task->v[task->n - 1].sp == event->hit.sp) {
		if (!is_tail_call(stack, task, event, hit)) {
			err = rt_stack_close(stack, task, stack_at(task, event->hit.sp, true),
					     RT_END_NOT_SEEN, event->time);
		} else if (hit->returns && !is_inside_library(task, event, hit)) {
			*level = task->v[task->n - 1].level;
			return stack_become(stack, task, event->time);
		}
	}
	*level = get_level(task);
	return err;
}

static int stack_entry(struct rt_stack *stack, struct rt_task *task, const struct rt_event *event,
		       const struct rt_hit *hit)
{
	struct rt_frame *frame;
	struct rt_values args;
	unsigned level;
	int err;

	err = close_finished(stack, task, event, hit, &level);
	if (err)
		return err;
	err = RT_ROOM(&task->v, task->n, &task->cap);
	if (err)
		return err;

	frame = &task->v[task->n];
	*frame = (struct rt_frame){
		.function = hit->function,
		.level = level,
		.entry_seen = true,
		.libcall = hit->libcall,
		.outside = hit->outside,
		.returns = hit->returns,
		.at_exits = hit->at_exits,
		.once = hit->once && !task->n,
		.leaps = event->hit.ra && !hit->at_exits,
		.exits = hit->exits,
		.result = hit->result,
		.sp = event->hit.sp,
		.time = event->time,
		.lost_before = stack->lost + task->lost,
		.fewest = SIZE_MAX,
	};
	/* A tail call's callee is shown in its caller's place, whatever the return address. */
	if (task->n && task->v[task->n - 1].sp == event->hit.sp)
		frame->outside = task->v[task->n - 1].outside ||
				 is_inside_library(task, event, hit);
	if (task->highest < frame->sp)
		task->highest = frame->sp;
	/* A call without a known end is dropped: nothing can be said to be inside it. */
	if (hit->returns)
		task->n++;
	hit_values(event, hit->plan, &args);
	return stack->ops->enter(stack->ctx, &task->thread, frame, &args);
}

/*
 * The innermost of the first `n` calls with its entry at `sp` that the return can be of, by index;
 * n: none.
 */
static size_t return_match(const struct rt_task *task, size_t n, uint64_t sp, uint32_t function)
{
	size_t i = n;

	while (i && task->v[i - 1].sp == sp) {
		i--;
		if (function == RT_NO_FUNCTION || task->v[i].function == function)
			return i;
	}
	return n;
}

/*
 * The stack pointer at the entry of the call that returns.  A function that takes its arguments off
 * the stack itself comes back above it: then it is the outermost call below, because a caller's
 * entry lies above its callee's arguments.
 */
static uint64_t return_sp(const struct rt_stack *stack, const struct rt_task *task,
			  const struct rt_event *event, const struct rt_hit *hit)
{
	const struct rt_arch *arch = hit->plan->arch;
	uint64_t pop = arch ? arch->return_pop : 0;
	uint64_t sp = event->hit.sp > pop ? event->hit.sp - pop : 0;
	const struct rt_frame *frame;
	size_t n = stack_at(task, sp, false);

	if (!arch || !arch->callee_pop || n == task->n ||
	    return_match(task, n, sp, hit->function) < n)
		return sp;
	frame = &task->v[n];
	if (sp - frame->sp > arch->callee_pop)
		return sp;
	if (hit->function == RT_NO_FUNCTION ? !in_doubt(stack, task, frame->time)
					    : frame->function == hit->function)
		return frame->sp;
	return sp;
}

/* A return without a call. */
static int stack_unseen(struct rt_stack *stack, struct rt_task *task, const struct rt_event *event,
			const struct rt_hit *hit, uint64_t sp)
{
	struct rt_values result;
	struct rt_frame unseen;

	hit_values(event, hit->plan, &result);
	memset(&unseen, 0, sizeof(unseen));
	unseen.function = hit->function;
	unseen.returns = true;
	unseen.level = get_level(task);
	unseen.sp = sp;
	unseen.before = stack->attached && !stack->doubt && !task->doubt;
	return stack->ops->leave(stack->ctx, &task->thread, &unseen, RT_END_RETURNED, event->time,
				 &result);
}

static int stack_return(struct rt_stack *stack, struct rt_task *task, const struct rt_event *event,
			const struct rt_hit *hit)
{
	uint64_t sp = return_sp(stack, task, event, hit);
	struct rt_values result;
	size_t match;
	int err;

	err = rt_stack_close(stack, task, stack_at(task, sp, false), RT_END_NOT_SEEN, event->time);
	if (err)
		return err;
	match = return_match(task, task->n, sp, hit->function);
	if (match == task->n)
		return stack_unseen(stack, task, event, hit, sp);
	/* Calls above it at the same place are its tail calls, and have returned with it. */
	hit_values(event, hit->plan, &result);
	while (!err && task->n > match)
		err = stack_pop(stack, task, RT_END_RETURNED, event->time, &result);
	return err;
}

/* Does a conditional jump go?  Where the flags could not be read it is as if it did not. */
static bool takes_jump(const struct rt_event *event, const struct rt_hit *hit)
{
	struct rt_values flags;

	hit_values(event, hit->plan, &flags);
	return flags.data && hit->plan->nvalues && !(flags.faults & 1) &&
	       rt_exit_taken(hit->exit->condition, rt_plan_int(hit->plan, 0, flags.data));
}

/*
 * Does the jump end the call for all that can be seen of it?  What it leads to is not traced, so
 * nothing will tell when that has returned, and what comes after that must not stand inside the
 * call.  (In the middle of one that is traced the jump may come to a return that is probed.)
 */
static bool ends_call(const struct rt_frame *frame)
{
	return frame->callee == RT_NO_FUNCTION && !frame->awaits && !frame->return_site &&
	       !frame->exit->middle;
}

static void stack_jump(struct rt_frame *top, const struct rt_event *event, const struct rt_hit *hit)
{
	top->jumped = true;
	top->exit = hit->exit;
	top->callee = hit->leads ? hit->leads - 1 : hit->exit->callee;
	top->return_site = hit->returns_to;
	top->awaits = (hit->leads && !hit->leads_tail) ||
		      (top->callee == RT_NO_FUNCTION && hit->exit->nthrough && !hit->returns_to);
	top->left = event->time;
	top->to = hit->exit->to;
}

/*
 * The result of a call that returns at an exit of its tail call's target.  The values were read for
 * one of the target's callers.  False: not for a caller with this result.
 */
static bool tail_result(const struct rt_frame *top, const struct rt_event *event,
			const struct rt_hit *hit, struct rt_values *result)
{
	hit_values(event, hit->plan, result);
	if (!top->result)
		return false;
	/* It has none, so whatever was read is right. */
	if (top->result->nvalues && !rt_plan_same(top->result, hit->plan))
		return false;
	result->plan = top->result;
	return true;
}

/* A return site is hit: the call with that site and stack pointer has returned, if there is one. */
static int stack_return_site(struct rt_stack *stack, struct rt_task *task,
			     const struct rt_event *event, const struct rt_hit *hit)
{
	uint64_t sp = event->hit.sp;
	struct rt_values result;
	const struct rt_frame *top;
	int err = rt_stack_close(stack, task, stack_at(task, sp, false), RT_END_NOT_SEEN,
				 event->time);

	top = task->n ? &task->v[task->n - 1] : NULL;
	if (err || !top || top->sp != sp || top->return_site != hit->function + 1)
		return err;
	if (!tail_result(top, event, hit, &result))
		return stack_pop(stack, task, RT_END_NOT_SEEN, event->time, NULL);
	return stack_pop(stack, task, RT_END_RETURNED, event->time, &result);
}

/*
 * An instruction that leaves the function is about to be executed.  Code that several functions
 * share by other ways than a call (hand-written assembly) may come to it too: so without a call at
 * this stack pointer it is a return only where hits were lost, or where the call may have begun
 * before the trace.
 */
static int stack_exit_probe(struct rt_stack *stack, struct rt_task *task,
			    const struct rt_event *event, const struct rt_hit *hit)
{
	uint64_t sp = event->hit.sp;
	struct rt_values result;
	struct rt_frame *top;
	bool ours;
	int err;

	if (hit->return_site)
		return stack_return_site(stack, task, event, hit);
	if (hit->exit->kind == RT_EXIT_MAYBE && !takes_jump(event, hit))
		return 0;
	err = rt_stack_close(stack, task, stack_at(task, sp, false), RT_END_NOT_SEEN, event->time);
	if (err)
		return err;
	top = task->n && task->v[task->n - 1].sp == sp ? &task->v[task->n - 1] : NULL;
	/* The end is seen at its return site, with the result as its own function has it. */
	if (top && top->return_site)
		return err;
	ours = top && !top->became &&
	       (hit->function == RT_NO_FUNCTION || top->function == hit->function || top->jumped);
	if (hit->exit->kind != RT_EXIT_RETURN) {
		if (ours)
			stack_jump(top, event, hit);
		return ours && ends_call(top)
			       ? stack_pop(stack, task, RT_END_NOT_SEEN, event->time, NULL)
			       : 0;
	}
	if (ours && hit->tail && top->jumped && !tail_result(top, event, hit, &result))
		return stack_pop(stack, task, RT_END_NOT_SEEN, event->time, NULL);
	if (ours) {
		if (!hit->tail)
			hit_values(event, hit->plan, &result);
		return stack_pop(stack, task, RT_END_RETURNED, event->time, &result);
	}
	if (top && !in_doubt(stack, task, top->time))
		return 0;
	if (top)
		err = rt_stack_close(stack, task, task->n - 1, RT_END_NOT_SEEN, event->time);
	else if (!stack->doubt && !task->doubt && !(stack->attached && sp > task->highest))
		return 0;
	if (hit->tail)
		return err;
	if (task->highest < sp)
		task->highest = sp;
	return err ? err : stack_unseen(stack, task, event, hit, sp);
}

/*
 * The innermost call may have jumped to a traced function.  Then that function's entry comes next.
 * Any other hit shows that the jump led elsewhere, and has ended the call.
 */
static int settle_jump(struct rt_stack *stack, struct rt_task *task, const struct rt_event *event,
		       const struct rt_hit *hit)
{
	const struct rt_frame *top = task->n ? &task->v[task->n - 1] : NULL;

	if (!top || !top->awaits)
		return 0;
	if (hit->plan->kind == RT_KIND_ENTRY && event->hit.sp == top->sp &&
	    leads_to(top, hit->function))
		return 0;
	return stack_pop(stack, task, RT_END_NOT_SEEN, event->time, NULL);
}

/* ---- pairs of USDT probes ---- */

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
 * HotSpot's C1 handles an exception of a method that it inlined in the same frame, without a
 * method__return.  A later call there looks like one inside the method.  An inlined method that is
 * unwound, with calls inside it, is marked as unsure: these may be its caller's.
 *
 * Some arguments of the probe that closes are the call's key: it closes the innermost open call of
 * that key, and all calls inside.
 *
 * Without such a call, and where none can be lost, a hit of the probe that closes is one of a probe
 * alone.
 *
 * Limit: if a traced function has the closing probe in it, its own call counts as inside the
 * pair's: its return is not shown.
 */

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

static int open_pair(struct rt_stack *stack, struct rt_task *task, const struct rt_event *event,
		     const struct rt_hit *hit)
{
	uint64_t sp = event->hit.sp + PAIR_SLACK;
	size_t n = count_open(task, event, hit);
	struct rt_values args;
	struct rt_frame frame;
	int r = rt_stack_close(stack, task, n, RT_END_NOT_SEEN, event->time);

	if (r == 0)
		r = RT_ROOM(&task->v, task->n, &task->cap);
	if (r < 0)
		return r;
	memset(&frame, 0, sizeof(frame));
	frame.function = hit->function;
	frame.entry_seen = frame.returns = frame.at_exits = true;
	frame.level = get_level(task);
	frame.sp = n && task->v[n - 1].sp <= sp ? task->v[n - 1].sp - 1 : sp;
	frame.opened_sp = event->hit.sp;
	frame.pair = hit->pair;
	frame.key = hit->key;
	frame.time = event->time;
	frame.lost_before = stack->lost + task->lost;
	frame.fewest = SIZE_MAX;
	if (task->highest < frame.sp)
		task->highest = frame.sp;
	if (n && task->v[n - 1].pair == hit->pair) {
		frame.inlined = task->v[n - 1].opened_sp == frame.opened_sp;
		task->v[n - 1].around = true;
	}
	task->v[task->n++] = frame;
	hit_values(event, hit->plan, &args);
	return stack->ops->enter(stack->ctx, &task->thread, &frame, &args);
}

static int close_pair(struct rt_stack *stack, struct rt_task *task, const struct rt_event *event,
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
	/* Ruby passes method__return at an exception, and method__entry only for a TracePoint. */
	if (!in_doubt(stack, task, 0) && !(stack->attached && event->hit.sp > task->highest))
		return stack_entry(stack, task, event, hit);
	if (task->highest < event->hit.sp)
		task->highest = event->hit.sp;
	memset(&frame, 0, sizeof(frame));
	frame.function = hit->function;
	frame.returns = true;
	frame.level = get_level(task);
	frame.before = stack->attached && !stack->doubt && !task->doubt;
	return stack->ops->leave(stack->ctx, &task->thread, &frame, RT_END_RETURNED, event->time,
				 &nothing);
}

/* ---- hits ---- */

void rt_stack_attached(struct rt_stack *stack)
{
	stack->attached = true;
}

int rt_stack_hit(struct rt_stack *stack, const struct rt_event *event, const struct rt_hit *hit)
{
	struct rt_task *task;
	int err;

	if (!hit->plan)
		return -EINVAL;
	err = rt_stack_get_task(stack, event, event->hit.goid, &task);
	if (!err)
		err = settle_jump(stack, task, event, hit);
	if (err)
		return err;
	if (hit->pair)
		return hit->closes ? close_pair(stack, task, event, hit)
				   : open_pair(stack, task, event, hit);
	if (hit->plan->kind == RT_KIND_ENTRY)
		return stack_entry(stack, task, event, hit);
	if (hit->exit)
		return stack_exit_probe(stack, task, event, hit);
	return stack_return(stack, task, event, hit);
}

int rt_stack_unwound(struct rt_stack *stack, const struct rt_event *event)
{
	struct rt_task *task = rt_threads_find(&stack->threads, event->pid, event->tid,
					       event->hit.goid);

	return task ? rt_stack_close(stack, task, stack_at(task, event->hit.sp, true),
				     RT_END_UNWOUND, event->time)
		    : 0;
}
