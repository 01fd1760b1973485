/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions whose arguments are to be guessed: compiled without debug information.  It prints what
 * each was called with.
 */
#include <stdio.h>
#include <string.h>

#define CALLED __attribute__((noinline, noclone))

static char text[] = "text";

CALLED int none(void)
{
	__asm__ volatile("" ::: "memory");
	return 7;
}

CALLED int small(int a, unsigned b, short c)
{
	__asm__ volatile("" ::: "memory");
	return a + (int)b + c;
}

CALLED long wide(long a, long b)
{
	__asm__ volatile("" ::: "memory");
	return a * b;
}

CALLED size_t pointed(const char *s, size_t n)
{
	size_t i;

	for (i = 0; i < n && s[i]; i++)
		__asm__ volatile("" ::: "memory");
	return i;
}

/* Its argument points to text, or does not. */
CALLED int begins(const char *s)
{
	__asm__ volatile("" ::: "memory");
	return *s == 't';
}

/* Text with a length beside it, and more behind it. */
CALLED int holds(const char *s, long n)
{
	__asm__ volatile("" ::: "memory");
	return s[n] == 1;
}

/* An argument that it only passes on is an argument all the same. */
CALLED long passes(long a, long b)
{
	long r;

	__asm__ volatile("" ::: "memory");
	r = wide(a, b);
	__asm__ volatile("" ::: "memory");
	return r + 1;
}

/* One byte of its result counts. */
CALLED _Bool positive(int a)
{
	__asm__ volatile("" ::: "memory");
	return a > 0;
}

/* A result that depends on the path, and arguments that only a function without a name uses. */
static CALLED char *find(char *s, long c)
{
	__asm__ volatile("" ::: "memory");
	while (*s && *s != c)
		s++;
	return *s ? s : NULL;
}

CALLED char *looks(char *s, long c)
{
	char *r;

	__asm__ volatile("" ::: "memory");
	r = find(s, c);
	__asm__ volatile("" ::: "memory");
	return r;
}

CALLED long minus(long n)
{
	__asm__ volatile("" ::: "memory");
	return n ? -n : (long)looks(text, 'x');
}

CALLED void nothing(void)
{
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	int n = 0;

	n += none();
	n += small(-1, 2, 3);
	n += (int)wide(5000000000, 2);
	n += (int)pointed(text, 3);
	n += begins(text) + begins("\x1bx y") + begins("no");
	n += holds("GET\1\2", 3) + holds("PUT\1\2", 4) + holds("whole", 2);
	n += (int)passes(-3, 4);
	n += positive(2);
	n += positive(-2);
	n += looks(text, 'e') != NULL;
	n += looks(text, 'u') != NULL;
	n += (int)minus(3);
	nothing();
	printf("%p %d\n", (void *)text, n > 0);
	return 0;
}
