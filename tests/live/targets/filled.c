/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that fill in their arguments.  Prints the part of each call that a trace must show, in
 * the order in which the calls return.
 *	filled			one thread
 *	filled threads		four of them at once; the lines may come in any order
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLED __attribute__((noinline, noclone, used))

struct pair {
	int a;
	const char *name;
};

static jmp_buf back;

CALLED int fill(char *buf, unsigned size, int k)
{
	int n = snprintf(buf, size, "text %d", k);

	__asm__ volatile("" : : "r"(buf) : "memory");
	printf("%d buf=\"text %d\"\n", n, k);
	return n;
}

/* As deep as the kernel keeps returns; each call has its own. */
CALLED int deep(int n, int *x, struct pair *p)
{
	static const char *const names[] = { "zero", "one", "two" };
	int inner = 0;
	struct pair other = { 0, NULL };

	if (n)
		deep(n - 1, &inner, &other);
	*x = inner + 1;
	p->a = n;
	p->name = names[n % 3];
	__asm__ volatile("" : : "r"(x), "r"(p) : "memory");
	printf("%d x=%d p={.a=%d, .name=\"%s\"}\n", n, n + 1, n, names[n % 3]);
	return n;
}

/* The seventh argument is on the stack. */
CALLED int seventh(int a, int b, int c, int d, int e, int f, int *sum)
{
	*sum = a + b + c + d + e + f;
	__asm__ volatile("" : : "r"(sum) : "memory");
	printf("0 sum=%d\n", a + b + c + d + e + f);
	return 0;
}

CALLED int fails(int *x, int how)
{
	if (how == 0)
		*x = 5;
	__asm__ volatile("" : : "r"(x) : "memory");
	printf(how ? "22 EINVAL\n" : "0 x=5\n");
	return how ? 22 : 0;
}

CALLED void nothing(int *x)
{
	__asm__ volatile("" : : "r"(x) : "memory");
	printf(x ? "#<void> x=%p<unreadable>\n" : "#<void> x=NULL\n", (void *)x);
}

CALLED void leaves(int *x)
{
	*x = 3;
	longjmp(back, 1);
}

CALLED int in_out(int *x)
{
	*x *= 2;
	__asm__ volatile("" : : "r"(x) : "memory");
	printf("1 x=%d\n", *x);
	return 1;
}

static void *many(void *unused)
{
	char buf[32];
	int i, x;
	struct pair p;

	for (i = 0; i < 50; i++) {
		fill(buf, sizeof(buf), i);
		deep(5, &x, &p);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];
	struct pair p;
	char buf[32];
	int i, x = 0;

	(void)argv;
	for (i = 0; i < 4 && argc > 1; i++)
		if (pthread_create(&threads[i], NULL, many, NULL) != 0)
			return 2;
	for (i = 0; i < 4 && argc > 1; i++)
		pthread_join(threads[i], NULL);
	if (argc > 1)
		return 0;
	fill(buf, sizeof(buf), 1);
	deep(40, &x, &p);
	seventh(1, 2, 3, 4, 5, 6, &x);
	fails(&x, 0);
	fails(&x, 1);
	nothing(NULL);
	nothing((int *)16);
	if (!setjmp(back))
		leaves(&x);
	fill(buf, sizeof(buf), 2);
	x = 21;
	in_out(&x);
	return 0;
}
