/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tail calls by the PLT, an IFUNC and pointers, to functions of reachedlib.c and to its own; and
 * calls from the same places after them.
 */
#include <stdlib.h>

#include "witness.h"

extern int give(int n), pick(int n), plain(int n);

struct table {
	long room;
	int (*function)(int n);
};

int (*hook)(int n);

TRACED int twice(int n)
{
	OPAQUE(n);
	return 2 * n;
}

TRACED int by_name(int n)
{
	OPAQUE(n);
	return give(n);
}

TRACED int by_ifunc(int n)
{
	OPAQUE(n);
	return pick(n);
}

TRACED int by_pointer(int (*function)(int n), int n)
{
	OPAQUE(n);
	return function(n);
}

TRACED int by_table(const struct table *table, int n)
{
	OPAQUE(n);
	return table->function(n);
}

TRACED int by_hook(int n)
{
	OPAQUE(n);
	return hook(n);
}

/*
 * The target of the jump is not traced; the next call is, and begins with the same stack pointer.
 * These are called by pointers, as places behind direct calls may have probes.
 */
TRACED int elsewhere(int n)
{
	OPAQUE(n);
	return plain(n);
}

static int (*volatile elsewhere_at)(int n) = elsewhere;
static int (*volatile by_pointer_at)(int (*function)(int n), int n) = by_pointer;

int main(void)
{
	const struct table table = { 0, twice };
	int sum = 0;

	hook = twice;
	sum += by_name(1);
	sum += by_ifunc(2);
	sum += by_pointer(twice, 3);
	sum += by_table(&table, 4);
	sum += by_hook(5);
	sum += by_pointer_at(plain, 6);
	sum += twice(7);
	sum += elsewhere_at(8);
	sum += twice(9);
	return sum;
}
