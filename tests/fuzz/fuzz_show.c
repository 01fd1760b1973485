/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values by their types: a specification, then the bytes of a record, of which the first two are
 * the values that could not be read.  And as code, the same bytes as what tells where errno is.
 */
#include <stdio.h>

#include "plan/errno_of.h"
#include "lowered.h"
#include "output/print.h"

/* The record is as large as its values, so that a byte read past it is found. */
static void show(const struct lowered *l, enum rt_kind kind)
{
	const struct rt_plan *plan = &l->plans[kind];
	size_t need = rt_plan_size(plan), have = l->nrest > 2 ? l->nrest - 2 : 0;
	uint8_t *data = calloc(1, need + 1);
	uint8_t *exact = need ? malloc(need) : NULL;
	char *text = NULL;
	size_t size;
	struct rt_values values = { .plan = plan, .data = exact };
	const struct rt_trace trace = { .shows = &l->shows };
	FILE *file = open_memstream(&text, &size);
	struct rt_line line;
	bool some = false;

	if (!data || !file || (need && !exact))
		abort();
	if (have)
		memcpy(data, l->rest + 2, have < need ? have : need);
	if (need)
		memcpy(exact, data, need);
	if (l->nrest > 1)
		values.faults = (uint32_t)(l->rest[0] | l->rest[1] << 8);
	rt_line_begin(&line, file);
	if (kind == RT_KIND_ENTRY) {
		rt_args_print(&line, &trace, 1, 0, &values);
		rt_args_json(&line, &trace, 1, 0, &values, &some);
	} else {
		rt_result_print(&line, &trace, 1, 0, &values);
		rt_result_json(&line, &trace, 1, 0, &values, &some);
	}
	rt_line_end(&line);
	fclose(file);
	/* Nothing but text: a terminal is never told anything. */
	for (have = 0; have < size; have++)
		if ((uint8_t)text[have] < 0x20)
			abort();
	free(text);
	free(exact);
	free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rt_limits limits = {
		.string = 32,
		.members = 8,
		.deref = 2,
		.record = RT_LIMIT_RECORD,
		.errno_source = RT_ERRNO_OFFSET,
		.errno_offset = -80,
	};
	struct rt_errno_at at;
	struct lowered l;
	unsigned i;

	for (i = 0; rt_arch_at(i); i++) {
		lower_input(&l, data, size, rt_arch_at(i), &limits);
		if (l.has[0])
			show(&l, RT_KIND_ENTRY);
		if (l.has[1])
			show(&l, RT_KIND_RETURN);
		if (rt_arch_at(i)->errno_at)
			rt_arch_at(i)->errno_at(l.rest, l.nrest, 0x1000, &at);
		lowered_free(&l);
	}
	return 0;
}
