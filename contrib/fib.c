/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The demo: ./rawtrace ./fib fib */
#include <stdio.h>
#include <stdlib.h>

/* Whatever CFLAGS say, each call must stay a call. */
#ifdef __clang__
#define AS_WRITTEN __attribute__((optnone, noinline))
#else
#define AS_WRITTEN __attribute__((optimize("O0"), noinline))
#endif

int fib(int n);

AS_WRITTEN int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;

	printf("fib(%d) = %d\n", n, fib(n));
	return 0;
}
