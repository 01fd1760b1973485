/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One call, by a pointer, of three functions in turn: f, which ends in a tail call through a
 * pointer; g, which is not traced; h.  The target of f leaves it by longjmp each third time.  The
 * program prints its calls as rawtrace does.
 */
#include <setjmp.h>
#include <stdio.h>
#include <unistd.h>

#define OTHER __attribute__((noinline, noclone, used))
#define OPAQUE(value) __asm__ volatile("" : "+r"(value))

enum { CALLS = 3000, SLOW = 200, LEAPT = 1000000 };

static jmp_buf env;
static int leap;

OTHER int target(int n)
{
	OPAQUE(n);
	if (leap)
		longjmp(env, n);
	return n * 2;
}

static int (*volatile hook)(int n) = target;

OTHER int f(int n)
{
	OPAQUE(n);
	return hook(n);
}

OTHER int g(int n)
{
	OPAQUE(n);
	return -n;
}

OTHER int h(int n)
{
	OPAQUE(n);
	return n + 7;
}

static int (*volatile called)(int n);

OTHER int once(int n)
{
	int leapt = setjmp(env);

	return leapt ? LEAPT + leapt : called(n) + 1;
}

int main(void)
{
	int i, result;

	for (i = 1; i < CALLS; i++) {
		called = i % 5 == 0 ? g : i % 7 == 0 ? h : f;
		leap = i % 3 == 0;
		result = once(i);
		printf(">(once %d)\n", i);
		if (called != g)
			printf("> (%c %d)\n", called == f ? 'f' : 'h', i);
		if (called == f && leap)
			puts("< *** unwound ***");
		else if (called != g)
			printf("< %d\n", result - 1);
		printf("<%d\n", result);
		/* Meanwhile the probe behind the call comes. */
		if (i < SLOW)
			usleep(2000);
	}
	return 0;
}
