/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_told.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static const struct rt_arch arch = { .word = 8, .return_pop = 8 };

const struct rt_plan told_entry = {
	.kind = RT_KIND_ENTRY, .arch = &arch, .nvalues = 1, .values = { { .size = 4, .is_signed = true } },
};

const struct rt_plan told_return = {
	.kind = RT_KIND_RETURN, .arch = &arch, .nvalues = 1, .values = { { .size = 4, .is_signed = true } },
};

static void put_function(struct told *told, uint32_t function)
{
	if (function == RT_NO_FUNCTION)
		fputc('?', told->file);
	else
		fputc('a' + (int)function, told->file);
}

static void put_value(struct told *told, const struct rt_values *values)
{
	int64_t v;

	if (!values->plan)
		return;
	if (!values->data || values->faults) {
		fputs(" unreadable", told->file);
		return;
	}
	memcpy(&v, values->data, sizeof(v));
	fprintf(told->file, " %lld", (long long)v);
}

static int on_enter(void *ctx, struct rt_thread *thread, const struct rt_frame *frame, const struct rt_values *args)
{
	struct told *told = ctx;

	fprintf(told->file, "%d %u enter ", (int)thread->tid, frame->level);
	put_function(told, frame->function);
	put_value(told, args);
	fputs(frame->returns ? "\n" : " only\n", told->file);
	return told->fail;
}

static int on_leave(void *ctx, struct rt_thread *thread, const struct rt_frame *frame, enum rt_end end, uint64_t time,
		    const struct rt_values *result)
{
	static const char *const ends[] = {
		[RT_END_RETURNED] = "returned", [RT_END_NOT_SEEN] = "not seen", [RT_END_UNWOUND] = "unwound", [RT_END_JUMPED] = "jumped",
		[RT_END_BECAME] = "became", [RT_END_EXITED] = "exited", [RT_END_EXEC] = "exec", [RT_END_UNFINISHED] = "unfinished",
	};
	struct told *told = ctx;

	fprintf(told->file, "%d %u leave ", (int)thread->tid, frame->level);
	put_function(told, frame->function);
	fprintf(told->file, " %s", ends[end]);
	if (end == RT_END_JUMPED && frame->to)
		fprintf(told->file, " to %s", frame->to);
	put_value(told, result);
	if (frame->unsure)
		fputs(" unsure", told->file);
	if (frame->before)
		fputs(" before", told->file);
	if (frame->entry_seen)
		fprintf(told->file, " %llu-%llu\n", (unsigned long long)frame->time, (unsigned long long)time);
	else
		fprintf(told->file, " ?-%llu\n", (unsigned long long)time);
	return told->fail;
}

static int on_lost(void *ctx, struct rt_thread *thread, uint64_t time, uint64_t count)
{
	struct told *told = ctx;

	if (thread)
		fprintf(told->file, "%d ", (int)thread->tid);
	fprintf(told->file, "lost %llu at %llu\n", (unsigned long long)count, (unsigned long long)time);
	return told->fail;
}

static const struct rt_call_ops ops = { .enter = on_enter, .leave = on_leave, .lost = on_lost };

void told_begin(struct told *told)
{
	memset(told, 0, sizeof(*told));
	told->file = open_memstream(&told->text, &told->size);
	told->stack = rt_stack_new(&ops, told);
}

void told_finish(struct told *told, const char *want)
{
	fclose(told->file);
	RT_ASSERT_TEXT(told->text, want);
	rt_stack_free(told->stack);
	free(told->text);
}

int told_hit(struct told *told, const struct rt_plan *plan, pid_t tid, uint32_t function, bool returns, uint64_t time,
	     uint64_t sp, uint64_t ra, int64_t value)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = time, .pid = 1, .tid = tid };
	struct rt_hit known = { .function = function, .returns = returns, .plan = plan };

	event.hit.sp = sp;
	event.hit.ra = ra;
	event.hit.size = sizeof(value);
	event.hit.data = (const uint8_t *)&value;
	return rt_stack_hit(told->stack, &event, &known);
}

void told_call(struct told *told, pid_t tid, uint32_t function, uint64_t time, uint64_t sp, int64_t value)
{
	CU_ASSERT(told_hit(told, &told_entry, tid, function, true, time, sp, TOLD_CALLER, value) == 0);
}

void told_tail(struct told *told, pid_t tid, uint32_t function, uint64_t time, uint64_t sp, int64_t value)
{
	CU_ASSERT(told_hit(told, &told_entry, tid, function, true, time, sp, TOLD_TRAMPOLINE, value) == 0);
}

void told_ret(struct told *told, pid_t tid, uint32_t function, uint64_t time, uint64_t sp, int64_t value)
{
	/* By then the return address is gone from the stack. */
	CU_ASSERT(told_hit(told, &told_return, tid, function, true, time, sp + 8, 0, value) == 0);
}

void told_lost(struct told *told, pid_t tid, uint64_t time, uint64_t count)
{
	struct rt_event ev = { .type = RT_EV_LOST, .time = time, .pid = 1, .tid = tid };

	ev.lost.count = count;
	ev.lost.until = time;
	CU_ASSERT(rt_stack_event(told->stack, &ev) == 0);
}

void told_event(struct told *told, enum rt_event_type type, pid_t tid, uint64_t time)
{
	struct rt_event ev = { .type = type, .time = time, .pid = 1, .tid = tid };

	CU_ASSERT(rt_stack_event(told->stack, &ev) == 0);
}

void told_fork(struct told *told, pid_t parent, pid_t tid, uint64_t time)
{
	struct rt_event ev = { .type = RT_EV_FORK, .time = time, .pid = 1, .tid = parent };

	ev.fork.pid = 1;
	ev.fork.tid = tid;
	CU_ASSERT(rt_stack_event(told->stack, &ev) == 0);
}

void told_comm(struct told *told, pid_t tid, const char *name)
{
	struct rt_event ev = { .type = RT_EV_COMM, .pid = 1, .tid = tid };

	memset(ev.comm.name, 'x', sizeof(ev.comm.name));
	memcpy(ev.comm.name, name, strlen(name) < 16 ? strlen(name) + 1 : 16);
	CU_ASSERT(rt_stack_event(told->stack, &ev) == 0);
}
