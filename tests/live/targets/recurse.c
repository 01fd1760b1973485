/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fib as a tree, deep as a line: recurse [N [LEVELS]] */
#include "witness.h"

TRACED int fib(int n)
{
	OPAQUE(n);
	w_enter("fib", n);
	return w_return(n < 2 ? n : fib(n - 1) + fib(n - 2));
}

TRACED int deep(int n)
{
	OPAQUE(n);
	w_enter("deep", n);
	/* Twice down from the middle: a call behind a return that the kernel did not deliver. */
	return w_return(n == 0 ? 0 : n == 30 ? deep(n - 1) + deep(n - 20) : deep(n - 1) + 1);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, levels = argc > 2 ? atoi(argv[2]) : 0;

	if (levels)
		printf("deep %d\n", deep(levels));
	else
		printf("fib %d\n", fib(n));
	return 0;
}
