/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a specification to what is read, and to the programs and definitions that read it. */
#include "emit/definition.h"
#include "emit/saved.h"
#include "emit/program.h"
#include "lowered.h"

static void check(bool holds)
{
	if (!holds)
		abort();
}

/* Check the properties that both emitters rely on. */
static void check_plan(const struct rt_plan *plan, const struct rt_limits *limits)
{
	unsigned i;

	check(plan->nvalues <= RT_MAX_VALUES && plan->nsaved <= RT_MAX_SAVED &&
	      plan->ntests <= RT_MAX_TESTS);
	check(rt_plan_size(plan) <= limits->record);
	for (i = 0; i < plan->nvalues; i++) {
		const struct rt_fetch *f = &plan->values[i];

		check(f->nderef <= RT_MAX_DEREF && f->length <= i && f->if_failed <= i);
		check(f->base != RT_BASE_SAVED ||
		      (plan->kind == RT_KIND_RETURN && (unsigned)f->offset < plan->nsaved));
		check(f->type == RT_TYPE_INT
			      ? f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8
			      : f->max > 0);
		check(f->type != RT_TYPE_STRING || f->max % 8 == 0);
		check(f->list <= i && (!f->list || plan->values[f->list - 1].length));
		check(!f->length || (f->element && (f->length_size == 4 || f->length_size == 8)));
	}
	for (i = 0; i < plan->ntests; i++)
		check(plan->tests[i].value < plan->nvalues);
}

static void emit(const struct rt_plan *plan)
{
	static const enum rt_key_source keys[] = { RT_KEY_CONSTANT, RT_KEY_COOKIE, RT_KEY_POINTER };
	unsigned i;

	for (i = 0; i < 6; i++) {
		const struct rt_bpf_program p = {
			.plan = plan,
			.pids = RT_PID(7),
			.key_source = keys[i % 3],
			.read_user = i & 1,
			.sleepable = i == 5,
			.slots = 512,
			.transport = i == 5  ? RT_TRANSPORT_ARRAY
				     : i & 1 ? RT_TRANSPORT_RINGBUF
					     : RT_TRANSPORT_PERF,
			.ring_size = 1 << 16,
			.saved_slots = RT_SAVED_SLOTS,
			.thread_pointer = i & 1 ? 3000 : 0,
		};
		struct rt_error err;
		struct rt_bpf bpf;

		rt_bpf_init(&bpf);
		if (rt_bpf_program_emit(&p, &bpf, &err) == 0)
			check(rt_bpf_finish(&bpf, NULL, &err) == 0);
		rt_bpf_free(&bpf);
	}
}

static void define(const struct rt_plan *plan)
{
	const struct rt_definition d = { .group = "g",
					 .event = "e",
					 .path = "/p",
					 .kind = plan->kind,
					 .plan = plan,
					 .with_id = true };
	char line[RT_DEFINITION_MAX];
	struct rt_error err;

	if (rt_definition_print(&d, line, &err) == 0)
		check(strlen(line) < RT_DEFINITION_MAX && !strchr(line, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_limits limits = {
		.string = 64,
		.members = 16,
		.deref = size % 5,
		.record = size & 1 ? RT_LIMIT_RECORD_LARGE : RT_LIMIT_RECORD,
		.errno_source = size & 2 ? RT_ERRNO_FROM_MAP : RT_ERRNO_OFFSET,
	};
	struct lowered l;
	unsigned kind, i;

	for (i = 0; rt_arch_at(i); i++) {
		lower_input(&l, data, size, rt_arch_at(i), &limits);
		for (kind = 0; kind < 2; kind++) {
			if (!l.has[kind])
				continue;
			check_plan(&l.plans[kind], &limits);
			emit(&l.plans[kind]);
			define(&l.plans[kind]);
		}
		lowered_free(&l);
	}
	return 0;
}
