/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls inside each other: deep LEVELS */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

NOINLINE int down(int n)
{
	int below = n ? down(n - 1) : 0;

	__asm__ volatile("");
	return below + 1;
}

int even(int n);

NOINLINE int odd(int n)
{
	int below = n ? even(n - 1) : 0;

	__asm__ volatile("");
	return below;
}

NOINLINE int even(int n)
{
	int below = n ? odd(n - 1) : 1;

	__asm__ volatile("");
	return below;
}

/* Nothing in the code tells what this one calls. */
NOINLINE int pointed(int n, int (*callee)(int, void *))
{
	int below = n ? callee(n - 1, (void *)callee) : 0;

	__asm__ volatile("");
	return below + 1;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100;

	printf("%d %d %d\n", down(n), even(n), pointed(n, (int (*)(int, void *))(void *)pointed));
	return 0;
}
