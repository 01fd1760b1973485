/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "image/exits_private.h"
#include "image/private.h"

/* glibc's longjmp calls __longjmp; for aarch64 its __longjmp_chk calls a function that calls it. */
enum { DEEPEST = 2 };

enum { OTHERS, LEAPS, NEVER_LEFT };

/* By what is it left: does all lead to other functions' frames?  Or -ENOMEM. */
static int leaps(struct rt_code *code, uint64_t addr, uint64_t size, struct rt_calls *calls)
{
	struct rt_exits exits;
	int r = rt_walk_function(code, addr, size, true, calls, &exits);
	size_t i;

	for (i = 0; i < exits.n && exits.v[i].away; i++)
		;
	if (r == 0)
		r = exits.why || i < exits.n ? OTHERS : i ? LEAPS : NEVER_LEFT;
	rt_exits_free(&exits);
	return r;
}

/* The function that is called at `addr`: all of it, by its symbol, or as the file describes it for unwinding. */
static bool function_at(struct rt_code *code, uint64_t addr, uint64_t *size)
{
	const struct rt_symbol *s = rt_symbol_before(rt_code_image(code), addr + 1);
	uint64_t start, end;

	if (s && s->addr == addr && s->sized) {
		*size = s->size;
		return true;
	}
	if (!rt_code_span(code, addr, &start, &end) || start != addr)
		return false;
	*size = end - start;
	return true;
}

/* LEAPS where it or one that it calls for good does, which `*addr` and `*size` are then of; OTHERS, or -ENOMEM. */
static int find(struct rt_code *code, uint64_t *addr, uint64_t *size, unsigned deep)
{
	struct rt_calls calls = { NULL, 0, 0 };
	int r = leaps(code, *addr, *size, &calls);
	uint64_t start, bytes;
	size_t i;

	/* What longjmp calls and comes back from is not its last step. */
	if (r == OTHERS && deep)
		calls.n = 0;
	if (r == NEVER_LEFT)
		r = OTHERS;
	for (i = 0; i < calls.n && r == OTHERS && deep < DEEPEST; i++) {
		start = calls.v[i];
		if (!function_at(code, start, &bytes))
			continue;
		r = find(code, &start, &bytes, deep + 1);
		if (r == LEAPS) {
			*addr = start;
			*size = bytes;
		}
	}
	free(calls.v);
	return r;
}

/* The C library has its last step in assembly, of which a stripped file has no name. */
int rt_exits_find_leap(struct rt_code *code, uint64_t *addr, uint64_t *size)
{
	int r = find(code, addr, size, 0);

	return r < 0 ? r : r == LEAPS ? 0 : -ENOENT;
}
