/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a Go program's table of functions.  Input: a byte of no more meaning than where the
 * text begins, and the table, or what is told of arguments.
 */
#include <stdlib.h>
#include <string.h>

#include "fetch/abi.h"
#include "go/go.h"

static void ask(const struct rt_pclntab *table, uint64_t i)
{
	struct rt_go_function f, found;
	uint64_t data;
	uint32_t at;

	if (!rt_pclntab_function(table, i, &f))
		return;
	if (f.end <= f.addr || strlen(f.name) > table->size)
		abort();
	if (rt_pclntab_frame(table, &f, &at) && at > f.end - f.addr)
		abort();
	if (rt_pclntab_depth(table, &f, f.end - 1, &at) && at > INT32_MAX)
		abort();
	if (rt_pclntab_find(table, f.addr, &found) && (f.addr < found.addr || f.addr >= found.end))
		abort();
	rt_pclntab_find(table, f.end, &found);
	rt_pclntab_data(table, &f, 5, &data);
}

/* The bytes as what is told of arguments, too: its first are flags. */
static void read_arguments(const uint8_t *bytes, size_t n)
{
	struct rt_types *memory = rt_types_new();
	struct rt_prototype p = { .nparams = 0 };
	struct rt_go_frame frame = { .args = 0 };
	const struct rt_location *where;
	struct rt_abi_location home;
	struct rt_abi abi;
	size_t half = n / 2;
	unsigned i;

	if (!memory || n < 2)
		goto out;
	frame.proven = bytes[0] & 1;
	frame.on_stack = bytes[0] & 2;
	frame.first = bytes[0] >> 2 & 3;
	frame.code = bytes[0] & 16 ? &rt_aarch64_go_code : &rt_x86_64_go_code;
	frame.args = bytes[1];
	memset(frame.info, 0xff, sizeof(frame.info));
	memcpy(frame.info, bytes + 2, half - 1 < RT_GO_INFO_MAX ? half - 1 : RT_GO_INFO_MAX);
	memcpy(frame.spills, bytes + half,
	       n - half < RT_GO_SPILLS_MAX ? n - half : RT_GO_SPILLS_MAX);
	if (rt_go_read_arguments(&frame, memory, &p) < 0)
		goto out;
	rt_abi_go_begin(&abi, bytes[0] & 16 ? &rt_arch_aarch64 : &rt_arch_x86_64, !frame.on_stack);
	for (i = 0; i < p.nparams; i++) {
		where = &p.params[i].location;
		if (p.params[i].type->size > 255 ||
		    (where->kind == RT_LOCATION_STACK &&
		     (where->offset < 8 || where->offset > 255 + 8)))
			abort();
		rt_abi_go_argument(&abi, p.params[i].type, where, &home);
	}
out:
	rt_types_free(memory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rt_pclntab table;
	uint8_t *bytes;
	int32_t at;
	uint64_t i;

	if (!size)
		return 0;
	/* A block of just this size, so that a byte too far is seen. */
	bytes = malloc(size - 1 ? size - 1 : 1);
	if (!bytes)
		return 0;
	memcpy(bytes, data + 1, size - 1);
	read_arguments(bytes, size - 1);
	rt_x86_64_go_code.thread_offset(bytes, size - 1, &at);
	if (rt_x86_64_go_code.past_check(bytes, size - 1) > size - 1 ||
	    rt_aarch64_go_code.past_check(bytes, size - 1) > size - 1 ||
	    rt_aarch64_go_code.past_temporary(bytes, size - 1) > size - 1)
		abort();
	if (rt_pclntab_open(bytes, size - 1, &table) == 0) {
		if (table.since >= 18 && !table.text)
			table.text = data[0] * 4096u;
		for (i = 0; i < table.count && i < 64; i++)
			ask(&table, i);
		ask(&table, table.count - 1);
		ask(&table, UINT64_MAX);
	}
	free(bytes);
	return 0;
}
