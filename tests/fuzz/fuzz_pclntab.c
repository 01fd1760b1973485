/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a Go program's table of functions.  Input: a byte of no more meaning than where the text begins, and the table. */
#include <stdlib.h>
#include <string.h>

#include "image/go.h"

static void ask(const struct rt_pclntab *table, uint64_t i)
{
	struct rt_go_function f, found;
	uint32_t at;

	if (!rt_pclntab_function(table, i, &f))
		return;
	if (f.end <= f.addr || strlen(f.name) > table->size)
		abort();
	if (rt_pclntab_frame(table, &f, &at) && at > f.end - f.addr)
		abort();
	if (rt_pclntab_find(table, f.addr, &found) && (f.addr < found.addr || f.addr >= found.end))
		abort();
	rt_pclntab_find(table, f.end, &found);
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
	rt_go_thread_offset(bytes, size - 1, &at);
	if (rt_go_past_check(bytes, size - 1) > size - 1)
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
