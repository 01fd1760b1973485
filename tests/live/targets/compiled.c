/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions as compilers make them: t_* recurse, loop, are leaves, take many arguments, have large
 * frames.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define T __attribute__((noinline)) int

static int calls;
volatile int zero;

T t_leaf(int n)
{
	calls++;
	return n + 1 + zero;
}

T t_tiny(int n)
{
	return n + zero;
}

T t_branch(int n)
{
	if (n < 3)
		return zero;
	calls++;
	return t_leaf(n) + t_tiny(n - 1);
}

T t_fib(int n)
{
	return n < 2 ? n : t_fib(n - 1) + t_fib(n - 2);
}

T t_loop(int n)
{
	int sum = 0;

	while (n-- > 0)
		sum += n * (zero + 3);
	return sum;
}

T t_sum(int n, ...)
{
	va_list ap;
	int sum = 0;

	va_start(ap, n);
	while (n-- > 0)
		sum += va_arg(ap, int);
	va_end(ap);
	return sum;
}

T t_frame(int n)
{
	char buf[9000];

	memset(buf, n, sizeof(buf));
	return buf[n] + t_leaf(buf[8000 + n]);
}

T t_many(int a, int b, int c, int d, int e, int f, int g, int h)
{
	return a + b + c + d + e + f + g * h + t_leaf(h);
}

T t_switch(int n)
{
	switch (n + zero) {
	case 0: return 5;
	case 1: return t_leaf(1);
	case 2: return t_leaf(2) * 2;
	case 3: return -1;
	case 4: return t_leaf(7) + 1;
	case 5: return n * 3;
	case 6: return t_tiny(n);
	}
	return 0;
}

T t_tail(int n)
{
	if (n > 2)
		return t_leaf(n * 2);
	return zero;
}

int main(void)
{
	int i, sum = 0;

	for (i = 0; i < 8; i++)
		sum += t_branch(i) + t_fib(i) + t_loop(i) + t_sum(3, i, i + 1, i + 2) + t_frame(i) +
			t_many(1, 2, 3, 4, 5, 6, 7, i) + t_switch(i) + t_tail(i);
	printf("%d %d\n", sum, calls);
	return 0;
}
