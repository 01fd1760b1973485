/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "code/exits_private.h"
#include "elf/file.h"

/* glibc's longjmp calls __longjmp; for aarch64 its __longjmp_chk calls a function that calls it. */
enum { DEEPEST = 2 };

enum { OTHERS, LEAPS, NEVER_LEFT };

/* By what is it left: does all lead to other functions' frames, `jumps` only by jumps?  Or -ENOMEM. */
static int leaps(struct rt_code *code, uint64_t addr, uint64_t size, bool jumps, struct rt_calls *calls)
{
	struct rt_exits exits;
	int r = rt_walk_function(code, addr, size, true, calls, &exits);
	size_t i;

	for (i = 0; i < exits.n && exits.v[i].away && !(jumps && exits.v[i].kind == RT_EXIT_RETURN); i++)
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
	struct rt_calls calls = { NULL, 0, 0, false };
	int r = leaps(code, *addr, *size, false, &calls);
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

/* What a function calls, or takes the address of, behind the `n` in `v`. */
static int add_calls(const struct rt_calls *calls, uint64_t *v, size_t n, size_t max)
{
	size_t i, k;

	for (i = 0; i < calls->n && n < max; i++) {
		for (k = 0; k < n && v[k] != calls->v[i]; k++)
			;
		if (k == n)
			v[n++] = calls->v[i];
	}
	return (int)n;
}

/*
 * glibc's __pthread_unwind_next hands a function to the unwinder, and that one leaves: the nearest that does, whether it is called or its
 * address taken.  On the way there are functions that end the process, behind whose calls the stack pointer is not known; they have returns.
 */
static int find_handed(struct rt_code *code, uint64_t *addr, uint64_t *size)
{
	enum { ASKED = 48 };
	uint64_t v[ASKED] = { *addr };
	int i, n = 1, r = OTHERS;

	for (i = 0; i < n && r == OTHERS; i++) {
		struct rt_calls calls = { NULL, 0, 0, true };

		if (!function_at(code, v[i], size))
			continue;
		r = leaps(code, v[i], *size, true, &calls);
		*addr = v[i];
		n = add_calls(&calls, v, (size_t)n, ASKED);
		free(calls.v);
		if (r == NEVER_LEFT)
			r = OTHERS;
	}
	return r;
}

/* The C library has its last step in assembly, of which a stripped file has no name. */
int rt_exits_find_leap(struct rt_code *code, bool handed, uint64_t *addr, uint64_t *size)
{
	int r = handed ? find_handed(code, addr, size) : find(code, addr, size, 0);

	return r < 0 ? r : r == LEAPS ? 0 : -ENOENT;
}
