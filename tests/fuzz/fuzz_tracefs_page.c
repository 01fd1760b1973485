/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a page of trace_pipe_raw.  Input: a byte that chooses the layout (64 or 32 bits),
 * and the page.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "stream/tracefs_page.h"

struct seen {
	unsigned records, losses;
	uint8_t sum;	/* of all the records' bytes: they must be there */
};

static int see_record(void *ctx, uint64_t time, const uint8_t *data, size_t len)
{
	struct seen *seen = ctx;
	size_t i;

	if (len < 4)
		abort();
	seen->records++;
	for (i = 0; i < len; i++)
		seen->sum = (uint8_t)(seen->sum + data[i] + time);
	return 0;
}

static int see_lost(void *ctx, uint64_t time, uint64_t count)
{
	struct seen *seen = ctx;

	if (seen->records || seen->losses)
		abort();
	seen->losses++;
	seen->sum = (uint8_t)(seen->sum + time + count);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rt_page_layout layouts[] = {
		{ .timestamp = 0, .commit = 8, .commit_size = 8, .data = 16, .page = 4096 },
		{ .timestamp = 0, .commit = 8, .commit_size = 4, .data = 12, .page = 4096 },
	};
	struct seen seen = { .records = 0 };
	struct rt_page_sink sink = { see_record, see_lost, &seen };
	uint8_t *page;

	if (!size)
		return 0;
	/* A block of just this size, so that a byte too far is seen. */
	page = malloc(size - 1 ? size - 1 : 1);
	if (!page)
		return 0;
	memcpy(page, data + 1, size - 1);
	rt_tracefs_page_walk(&layouts[data[0] & 1], page, size - 1, &sink);
	free(page);
	return 0;
}
