/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library of learned.c: its own table of functions, and a caller of its own. */
#define OTHER __attribute__((noinline, noclone, used))
#define OPAQUE(value) __asm__ volatile("" : "+r"(value))

static OTHER int seven(int n)
{
	return n * 7;
}

int (*library_hook)(int n) = seven;

OTHER int inside(int n)
{
	OPAQUE(n);
	return library_hook(n);
}

OTHER int from_library(int n)
{
	int result = inside(n);

	OPAQUE(result);
	return result + 1;
}
