/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "image/exits_private.h"
#include "image/private.h"

/* Does all that leaves the function lead to other functions' frames?  1, 0, or -ENOMEM. */
static int leaps(struct rt_code *code, uint64_t addr, uint64_t size, struct rt_calls *calls)
{
	struct rt_exits exits;
	int r = rt_walk_function(code, addr, size, true, calls, &exits);
	size_t i;

	for (i = 0; i < exits.n && exits.v[i].away; i++)
		;
	if (r == 0)
		r = exits.n && i == exits.n;
	rt_exits_free(&exits);
	return r;
}

/* The C library has its last step in assembly, of which a stripped file has no name. */
int rt_exits_find_leap(struct rt_code *code, uint64_t *addr, uint64_t *size)
{
	struct rt_calls calls = { NULL, 0, 0 };
	const struct rt_symbol *s;
	uint64_t start, end;
	int r = leaps(code, *addr, *size, &calls);
	size_t i;

	for (i = 0; i < calls.n && r == 0; i++) {
		s = rt_symbol_before(rt_code_image(code), calls.v[i] + 1);
		if (s && s->addr == calls.v[i] && s->sized) {
			start = s->addr;
			end = s->addr + s->size;
		} else if (!rt_code_span(code, calls.v[i], &start, &end) || start != calls.v[i]) {
			continue;
		}
		r = leaps(code, start, end - start, NULL);
		if (r > 0) {
			*addr = start;
			*size = end - start;
		}
	}
	free(calls.v);
	return r > 0 ? 0 : r < 0 ? r : -ENOENT;
}
