/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "out_run.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

static struct rt_function functions_v[] = { { .name = (char *)"fib" },
					    { .name = (char *)"a\"\\\n\xff" } };
const struct rt_functions run_functions = { .v = functions_v, .n = 2 };

static const struct rt_plan plain_entry = {
	.kind = RT_KIND_ENTRY, .nvalues = 1, .values = { { .size = 4, .is_signed = true } },
};
static const struct rt_plan plain_return = {
	.kind = RT_KIND_RETURN, .nvalues = 1, .values = { { .size = 4, .is_signed = true } },
};

void run_begin(struct run *run, const char *format, const char *command)
{
	run_begin_ops(run, rt_sink_find(format), command);
}

void run_begin_ops(struct run *run, const struct rt_sink_ops *ops, const char *command)
{
	memset(run, 0, sizeof(*run));
	run->sink = rt_sinks_add(&run->sinks, ops);
	run->sink->file = open_memstream(&run->text, &run->size);
	run->sinks.trace.functions = &run_functions;
	run->sinks.trace.start = 1000;
	run->sinks.trace.command = command;
	CU_ASSERT(run->sink->ops->begin(run->sink) == 0);
	run->stack = rt_stack_new(&rt_sinks_ops, &run->sinks);
}

void run_free(struct run *run)
{
	FILE *file = run->sink->file;

	rt_sinks_free(&run->sinks);
	fclose(file);
}

void run_finish(struct run *run, const char *want)
{
	CU_ASSERT(rt_sinks_end(&run->sinks) == 0);
	run_free(run);
	RT_ASSERT_TEXT(run->text, want);
	rt_stack_free(run->stack);
	free(run->text);
}

/* Words into the plan's layout: one for an integer; a length, then the characters, for a string. */
static void pack(const struct rt_plan *plan, const int64_t *words, uint8_t *data)
{
	unsigned i;

	for (i = 0; i < plan->nvalues; i++) {
		const struct rt_fetch *f = &plan->values[i];
		uint8_t *to = data + rt_plan_offset(plan, i);

		memcpy(to, words++, f->type == RT_TYPE_STRING ? 4 : f->size);
		if (f->type == RT_TYPE_STRING) {
			memcpy(to + 4, words, f->max);
			words += f->max / 8;
		}
	}
}

void run_hit(struct run *run, const struct rt_plan *plan, pid_t tid, uint32_t function,
	     uint64_t time, uint64_t sp, bool returns, const int64_t *values)
{
	struct rt_event event = { .type = RT_EV_HIT, .time = time, .pid = 7, .tid = tid };
	struct rt_hit known = { .function = function, .returns = returns, .plan = plan };
	uint8_t data[64] = { 0 };

	if (values)
		pack(plan, values, data);
	event.hit.sp = sp;
	event.hit.ra = 0x401234;
	event.hit.size = sizeof(data);
	event.hit.data = data;
	CU_ASSERT(rt_stack_hit(run->stack, &event, &known) == 0);
	memset(data, 0xaa, sizeof(data)); /* the ring is used again: what is needed later must have
					     been copied */
}

void run_call(struct run *run, pid_t tid, uint64_t time, uint64_t sp, int64_t value)
{
	run_hit(run, &plain_entry, tid, 0, time, sp, true, &value);
}

void run_ret(struct run *run, pid_t tid, uint64_t time, uint64_t sp, int64_t value)
{
	run_hit(run, &plain_return, tid, 0, time, sp, true, &value);
}

void run_lost(struct run *run, uint64_t time, uint64_t count)
{
	struct rt_event event = { .type = RT_EV_LOST, .time = time };

	event.lost.count = count;
	event.lost.until = time;
	CU_ASSERT(rt_stack_event(run->stack, &event) == 0);
}

void run_comm(struct run *run, pid_t tid, const char *name)
{
	struct rt_event event = { .type = RT_EV_COMM, .pid = 7, .tid = tid };

	snprintf(event.comm.name, sizeof(event.comm.name), "%s", name);
	CU_ASSERT(rt_stack_event(run->stack, &event) == 0);
}

void run_exit(struct run *run, pid_t tid, uint64_t time)
{
	struct rt_event event = { .type = RT_EV_EXIT, .time = time, .pid = 7, .tid = tid };

	CU_ASSERT(rt_stack_event(run->stack, &event) == 0);
}
