/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A coroutine on a piece of the one stack, deeper than its user: each goes on by longjmp where the
 * other has kept itself by setjmp.
 */
#include <setjmp.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

static jmp_buf user, coroutine;
static volatile int inside, value;

static NOINLINE void change(void)
{
	if (inside) {
		inside = 0;
		if (!setjmp(coroutine))
			longjmp(user, 1);
	} else {
		inside = 1;
		if (!setjmp(user))
			longjmp(coroutine, 1);
	}
}

static NOINLINE int produce(int n)
{
	value = n;
	change();
	return n + 1;
}

static NOINLINE int consume(int n)
{
	change();
	return value + n;
}

static NOINLINE void begin(int depth)
{
	volatile char room[4096];
	int n = 0;

	room[0] = (char)depth;
	__asm__ volatile("" : : "r"(room) : "memory");
	if (depth) {
		begin(depth - 1);
		room[1] = room[0];
		return;
	}
	if (!setjmp(coroutine))
		longjmp(user, 1);
	/* It has no end, but the compiler is not to know. */
	for (inside = 1; value >= 0;)
		n = produce(n + 1);
}

int main(void)
{
	int i;

	if (!setjmp(user))
		begin(8);
	for (i = 0; i < 5; i++)
		printf("%d\n", consume(i));
	return 0;
}
