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

struct callee {
	int (*call)(int n, const struct callee *callee);
};

/* Nothing in the code tells what this one calls. */
NOINLINE int pointed(int n, const struct callee *callee)
{
	int below = n ? callee->call(n - 1, callee) : 0;

	__asm__ volatile("");
	return below + 1;
}

int main(int argc, char **argv)
{
	const struct callee itself = { pointed };
	int n = argc > 1 ? atoi(argv[1]) : 100;

	printf("%d %d %d\n", down(n), even(n), pointed(n, &itself));
	return 0;
}
