/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Indexes of debug information: the length of a section (4 bytes), that section, and what is
 * .debug_str.  Whatever the bytes are, each unit is told once.
 */
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_index.h"

static void check(const struct rt_index_units *units)
{
	unsigned i, k;

	if (units->n > RT_INDEX_UNITS)
		abort();
	for (i = 0; i < units->n; i++)
		for (k = 0; k < i; k++)
			if (units->v[i] == units->v[k])
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "A::B", "B", "f", "main", "" };
	struct rt_section index, strings;
	uint64_t unit;
	uint32_t n;
	size_t i;

	if (size < 4)
		return 0;
	memcpy(&n, data, 4);
	if (n > size - 4)
		n = (uint32_t)(size - 4);
	/* Allocate exactly that size, so that ASan finds a read behind it. */
	index = (struct rt_section){ memcpy(malloc(n ? n : 1), data + 4, n), n };
	strings = (struct rt_section){ data + 4 + n, size - 4 - n };
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct rt_index_units units = { .n = 0 };

		rt_gdb_index_name(index, names[i], &units);
		check(&units);
		units = (struct rt_index_units){ .n = 0 };
		rt_debug_names_name(index, strings, names[i], &units);
		check(&units);
	}
	rt_gdb_index_address(index, 0x1139, &unit);
	rt_gdb_index_address(index, UINT64_MAX, &unit);
	free((void *)index.p);
	return 0;
}
